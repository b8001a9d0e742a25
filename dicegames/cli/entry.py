"""The way in and out: runs a command, and turns whatever goes wrong into a message and a code.

Exit codes: 0 all is well; 1 the rules, the solution file or the answer is not in order; 2 the
command was misused, or names a file that cannot be read or written; 130 stopped by Ctrl-C; 141
nobody reads the output any more.
"""

from __future__ import annotations

import atexit
import gc
import os
import re
import sys
import traceback
import warnings
from collections.abc import Sequence
from time import process_time

import click

from dicegames.cli.failure import Failure, failure_of
from dicegames.cli.printing import streams
from dicegames.cli.printing.output import print_json, to_stderr
from dicegames.configuration import COMPLETING
from dicegames.ground.diagnostic import closest
from dicegames.ground.reading import told

atexit.register(gc.freeze)  # else it looks at all there is once more before the program ends

OPTION = re.compile(r"(?<!\S)--(?:grid|objective|time|memory|set|strategy|seat)\b")
"""An option that messages advise; all are those of `solve`."""

WELL, NOT_IN_ORDER, MISUSED, INTERRUPTED, NO_READER = 0, 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        streams.prepare()
        with warnings.catch_warnings():
            warnings.showwarning = _note
            code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        streams.give_up_output()
        return NO_READER
    except streams.ClosedOutput as error:
        to_stderr(f"error: {error}")
        return NOT_IN_ORDER
    except OSError as error:
        to_stderr(f"error: the answer cannot be written: {told(error)}")
        streams.give_up_output()
        return NOT_IN_ORDER
    return code


def _note(message: Warning | str, *_: object, **__: object) -> None:
    to_stderr(f"note: {message}")


def _run(words: list[str]) -> int:
    began = process_time()
    from dicegames.cli.app import app  # noqa: PLC0415 - a mistake in it is caught here, too

    try:
        if COMPLETING in os.environ:
            from dicegames.cli.completing import answered  # noqa: PLC0415 - the shell asks only

            return answered(app, os.environ[COMPLETING])
        with app.make_context("dicegames", words, obj=began) as context:
            code = app.invoke(context)
        return code if isinstance(code, int) else WELL
    except click.exceptions.Exit as left:
        return left.exit_code
    except click.ClickException as error:
        return _misused(error, words)
    except (KeyboardInterrupt, click.Abort):
        to_stderr("\nstopped")
        return INTERRUPTED
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None:
            raise  # files are read and written elsewhere: this is the standard output
        return _failed(error, app.commands.get(words[0]), json="--json" in words)


def _misused(error: click.ClickException, words: Sequence[str]) -> int:
    failure = Failure(f"error: {_said(error)}", misused=True)
    to_stderr(failure.text)
    if "--json" in words:
        print_json({"errors": failure.listed()})
    context = getattr(error, "ctx", None)
    if context is not None:
        to_stderr(f"  help: {context.command_path} --help{_of_rules(error, context, words)}")
    elif isinstance(error, click.BadOptionUsage):  # of an option without its value
        to_stderr(f"  help: dicegames {words[0]} --help")
    return MISUSED


def _said(error: click.ClickException) -> str:
    """Return the message of an error, that of an unknown option in our words."""
    if not isinstance(error, click.NoSuchOption):
        return error.format_message()
    meant = " or ".join(f'"{name}"' for name in error.possibilities or ())  # the likeliest first
    return f'there is no option "{error.option_name}"' + (
        f"; did you mean {meant}?" if meant else ""
    )


def _of_rules(error: click.ClickException, context: click.Context, words: Sequence[str]) -> str:
    """Say how options of the rules are set, where an option is none of the command."""
    own = {name for option in context.command.params for name in option.opts}
    if not isinstance(error, click.NoSuchOption) or "--set" not in own:
        return ""
    from dicegames.cli.completing import game_of  # noqa: PLC0415 - it reads rules

    name, game = error.option_name.lstrip("-"), game_of(w for w in words[1:] if w[:1] != "-")
    options = () if game is None else game.rules.names.options
    meant = name if game is None or name in options else closest(name, options)
    return f"; an option of the rules is set with --set {meant}=VALUE" if meant else ""


def _failed(error: Exception, command: click.Command | None, *, json: bool) -> int:
    if os.environ.get("DICEGAMES_DEBUG"):
        traceback.print_exception(error)
    failure = failure_of(error)
    if failure is None:
        name = type(error).__name__
        failure = Failure(
            f"internal error, please report it ({name})\n"
            "  help: set DICEGAMES_DEBUG=1 and run the command again to see where it comes from"
        )
    to_stderr(failure.text + _of_solve(failure.text, command))
    if json:
        print_json({"errors": failure.listed()})
    return MISUSED if failure.misused else NOT_IN_ORDER


def _of_solve(text: str, command: click.Command | None) -> str:
    """Say of which command the options are that are advised, where it is not the one that ran."""
    own = {name for option in command.params for name in option.opts} if command else set()
    advised = [name for name in dict.fromkeys(OPTION.findall(text)) if name not in own]
    if not own or not advised:
        return ""
    return f"\n  note: for {', '.join(advised)} see: dicegames solve --help"
