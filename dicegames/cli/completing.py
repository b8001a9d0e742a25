"""Shell completion: which words may stand where a command line is being typed.

Click asks, in a process of its own for each press of the key; what takes longer than a moment, such
as solving, has no place here.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    ZshComplete,
    add_completion_class,
    get_completion_class,
    shell_complete,
    split_arg_string,
)

from dicegames.configuration import COMPLETING
from dicegames.library import SUFFIX, games
from dicegames.loading import Game, load
from dicegames.rules.reading.house_rules import possible
from dicegames.rules.running.objectives import OBJECTIVES

BREAKING_SIGNS = ("=", ":")
"""Signs that make words of their own in bash."""
Items = list[CompletionItem[Any]]


class Bash(BashComplete):
    """Bash makes three words of `players=2` and of `bot:random`; here they are one again.

    Behind `players=` it sets no space.
    """

    source_template = BashComplete.source_template.replace(
        "    return 0\n",
        "    [[ ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2> /dev/null\n    return 0\n",
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one that is typed, and that one."""
        at = int(os.environ["COMP_CWORD"])
        words = split_arg_string(os.environ["COMP_WORDS"])[: at + 1]
        glued: list[str] = []
        for word in words + [""] * (at + 1 - len(words)):
            if len(glued) > 1 and (word in BREAKING_SIGNS or glued[-1].endswith(BREAKING_SIGNS)):
                glued[-1] += word
            else:
                glued.append(word)
        return glued[1:-1], glued[-1]

    def get_completions(self, args: list[str], incomplete: str) -> Items:
        """Return what may stand there, of `players=2` what comes after the sign; quoted."""
        found = super().get_completions(args, incomplete)
        done = max(incomplete.rfind(sign) for sign in BREAKING_SIGNS) + 1
        for item in found:
            if item.type == "plain" and item.value.startswith(incomplete[:done]):
                name = item.value[done:]
                item.value = shlex.quote(name) if " " in name else name
        return found


class Zsh(ZshComplete):
    """Zsh sets no space behind `players=`, either."""

    source_template = (
        ZshComplete.source_template.replace(
            "    done\n", "    done\n    [[ $key == *[=:] ]] && suffix=(-S '')\n"
        )
        .replace("local -a response\n", "local -a response suffix\n")
        .replace("descriptions -U\n", 'descriptions -U "$suffix[@]"\n')
        .replace("compadd -U ", 'compadd -U "$suffix[@]" ')
    )


add_completion_class(Bash)
add_completion_class(Zsh)


def answered(app: click.Command, question: str) -> int:
    """Answer the shell; return the exit code. What is wrong with the line is told when it runs."""
    with suppress(click.ClickException):
        return shell_complete(app, {}, "dicegames", COMPLETING, question)
    return 0


def of_games(_ctx: click.Context, _param: click.Parameter, typed: str) -> Items:
    """Offer names of games, those of rules files here, and paths."""
    names = [*games(), *(path.name for path in sorted(Path().glob(f"*{SUFFIX}")))]
    return _items(names, typed) or of_files(_ctx, _param, typed)


def of_files(_ctx: click.Context, _param: click.Parameter, typed: str) -> Items:
    """Offer files and folders."""
    return [CompletionItem(typed, type="file")]


def of_transcripts(ctx: click.Context, param: click.Parameter, typed: str) -> Items:
    """Offer files, and `last` once it is begun."""
    return (_items(["last"], typed) if typed else []) or of_files(ctx, param, typed)


def of_judges(ctx: click.Context, param: click.Parameter, typed: str) -> Items:
    """Offer who judges a game that was played, and files of solutions."""
    return _items(["optimal", "win", "none"], typed) or of_files(ctx, param, typed)


def of_executors(_ctx: click.Context, _param: click.Parameter, typed: str) -> Items:
    """Offer who carries out tasks."""
    return _items(["threads", "dask"], typed)


def of_others(ctx: click.Context, param: click.Parameter, typed: str) -> Items:
    """Offer what a game is compared with: settings of it, and other games."""
    return of_settings(ctx, param, typed) or of_games(ctx, param, typed)


def of_settings(ctx: click.Context, _param: click.Parameter, typed: str) -> Items:
    """Offer the options of the game, and behind the equals sign their values."""
    game = _game(ctx)
    options = {} if game is None else game.rules.names.options
    before = "".join(typed.rpartition(",")[:2])  # settings that are complete
    name, equals, _ = typed.removeprefix(before).partition("=")
    if not equals:
        offered = {n: o for n, o in options.items() if name in n}
        return [CompletionItem(f"{before}{n}=", help=possible(o)) for n, o in offered.items()]
    if name not in options:
        return []
    option = options[name]
    values = ["yes", "no"] if isinstance(option.value, bool) else list(map(str, option.values))
    if option.within is not None and len(option.within) <= 20:
        values = [str(value) for value in option.within]
    return _items((f"{before}{name}={value}" for value in values), typed)


def of_objectives(_ctx: click.Context, _param: click.Parameter, typed: str) -> Items:
    """Offer the objectives."""
    return _items([kind.written.removesuffix("T") for kind in OBJECTIVES], typed)


def of_strategies(ctx: click.Context, _param: click.Parameter, typed: str) -> Items:
    """Offer the strategies that the rules name."""
    return _items(_strategies(ctx), typed)


def of_seats(ctx: click.Context, _param: click.Parameter, typed: str) -> Items:
    """Offer a seat and what may play there: `1=best`."""
    game = _game(ctx)
    seats = range(1, 2 if game is None else game.players + 1)
    names = ["best", *_strategies(ctx)]
    return _items((f"{seat}={name}" for seat in seats for name in names), typed)


def of_players(ctx: click.Context, _param: click.Parameter, typed: str) -> Items:
    """Offer who may sit at a game that is played."""
    from dicegames.play.levels import BY_NAME  # noqa: PLC0415 - brings numpy

    bots = ["optimal", "random", "win", *BY_NAME, *_strategies(ctx)]
    seat = "".join(typed.rpartition("=")[:2])  # of `2=bot`
    return _items((f"{seat}{who}" for who in ("me", "bot", *(f"bot:{b}" for b in bots))), typed)


def _items(words: Iterable[str], typed: str) -> Items:
    return [CompletionItem(word) for word in words if word.startswith(typed)]


def _strategies(ctx: click.Context) -> Sequence[str]:
    game = _game(ctx)
    return [] if game is None else [each.title for each in game.rules.strategies.values()]


def _game(ctx: click.Context) -> Game | None:
    """Return the game that the command line names so far, None where there is none in order."""
    # in args where an option still lacks its value
    return game_of([ctx.params.get("file"), *(ctx.params.get("files") or ()), *ctx.args])


def game_of(words: Iterable[str | None]) -> Game | None:
    """Return the game that the first of these words names that do, None where none is in order."""
    for word in filter(None, words):
        with suppress(Exception):  # nothing is offered then, whatever is wrong
            return load(word)
    return None


def script(app: click.Command, shell: str) -> str:
    """Return what a shell reads at its start in order to ask."""
    kind = get_completion_class(shell)
    assert kind is not None, shell
    return kind(app, {}, "dicegames", COMPLETING).source()
