"""Certificates, explained to the person who decides."""
