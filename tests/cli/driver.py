"""Runs command lines one after the other in one terminal, for tests.

At the prompt `ready> ` Enter runs what stands in a file that the environment names. What takes its
time to be imported is imported once; each command runs in a process of its own, whose number is
written to another file.
"""

import os
import shlex
import signal
import sys
from pathlib import Path


def main() -> None:
    import numba  # noqa: F401
    import prompt_toolkit  # noqa: F401
    import rich.table  # noqa: F401

    from dicegames.cli.entry import main as run

    for signal_number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(signal_number, signal.SIG_IGN)
    while True:
        input("ready> ")
        words = shlex.split(Path(os.environ["DRIVER_COMMAND"]).read_text("utf-8"))
        child = os.fork()
        if not child:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os._exit(_ended(run(words)))
        Path(os.environ["DRIVER_CHILD"]).write_text(str(child), "ascii")
        os.waitpid(child, 0)
        os.system("stty sane")  # noqa: S605, S607 - a process that is killed leaves it as it is
        sys.stdout.write("\n")


def _ended(code: int) -> int:
    sys.stdout.write(f"(exit code {code})\n")
    sys.stdout.flush()
    return code


main()
