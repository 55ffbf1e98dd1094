"""`python -m greenroom`: the same as the `greenroom` program."""

import sys

from greenroom.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
