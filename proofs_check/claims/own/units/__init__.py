"""Our own claims on privacy units: what several rows of one unit cost, and which of them count."""
