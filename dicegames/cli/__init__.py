"""Floor 5: the command line: one command for each verb, exit codes, the only top-level catch."""

from dicegames.cli.entry import main

__all__ = ["main"]
