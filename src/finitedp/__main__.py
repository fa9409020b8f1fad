"""`python -m finitedp` is the command `finitedp`."""

from finitedp.cli.main import main

if __name__ == "__main__":
    main(prog_name="finitedp")
