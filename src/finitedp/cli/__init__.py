"""The command line: main.py holds the group, and each command has a module of its own."""
