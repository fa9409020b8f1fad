"""The commands about audits."""
