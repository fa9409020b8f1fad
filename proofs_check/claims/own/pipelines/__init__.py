"""Claims about audits of pipelines."""
