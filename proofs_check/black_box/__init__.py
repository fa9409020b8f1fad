"""Closed programs, judged by samples alone."""
