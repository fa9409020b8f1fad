"""Certificates, told to the person who decides."""
