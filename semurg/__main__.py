"""`python -m semurg` is the `semurg` command."""

from semurg.cli import main

if __name__ == "__main__":
    main()
