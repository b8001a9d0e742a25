"""`python -m dicegames` is the command line by another name."""

import sys

from dicegames.cli import main

if __name__ == "__main__":
    sys.exit(main())
