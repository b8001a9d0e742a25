"""`dicegames history`: how one has played, over all games that are kept."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from attrs import define, field

from dicegames.cli.commands.play import game_of
from dicegames.cli.playing import saves
from dicegames.cli.playing.seating import Solutions, ledger_of
from dicegames.cli.printing.answer import Answer, Block, Pairs, Title
from dicegames.cli.printing.in_words import settings_text
from dicegames.cli.solving import Solving, progress, spreads
from dicegames.ground.errors import DicegamesError
from dicegames.ground.numbers import percent
from dicegames.loading import Game
from dicegames.play.judge import Scale
from dicegames.play.levels import LEVELS, named_level
from dicegames.play.record import (
    Mean,
    PersonalResult,
    by_kind,
    luck_percentile,
    mean_of,
    played_by_people,
    share_of,
)
from dicegames.play.transcript import Transcript, TranscriptError
from dicegames.rules.reading.house_rules import option_text
from dicegames.solver.model import TIE

Key = tuple[str, tuple[tuple[str, str], ...]]
MOST_KINDS = 12


def run(wanted: str | None, solving: Solving) -> Answer:
    """Return how games were played, of one game or of all."""
    games, left_out = _judged(wanted, solving)
    if not games:
        of = f" of {wanted}" if wanted else ""
        why = f": {left_out[0]}" if left_out else ""
        raise TranscriptError(f"no game{of} is over and judged{why}", "dicegames play GAME")
    told = [_record(key, own) for key, own in games.items()]
    scales = (own.scale for own in games.values())
    shown = chain.from_iterable(map(_for_people, scales, told))
    rest: list[Block] = [[(f"left out: {line}", "dim")] for line in left_out]
    return Answer({"games": told, "left_out": left_out}, chain(shown, rest))


@define
class Own:
    """The games of one kind, and who judges them."""

    game: Game
    judge: Any
    scale: Scale
    solving: Solving
    played: list[PersonalResult] = field(factory=list)

    def luck_percentile(self) -> float | None:
        """Return in which share of as many games of best play there is less luck.

        None where players meet, so that luck is not what a result is above its mean.
        """
        compiled = self.judge.compiled
        if self.scale.is_share or compiled.game.players > 1:
            return None
        try:
            spread = spreads(self.game, self.judge, self.solving)[0]
        except DicegamesError:
            return None
        lucks = [one.luck for one in self.played]
        return luck_percentile(lucks, spread.values, spread.masses, maximise=self.judge.maximise)


def _judged(wanted: str | None, solving: Solving) -> tuple[dict[Key, Own], list[str]]:
    """Return what people did in games that are over, the first game first; and what is left out."""
    found: dict[Key, Own] = {}
    judges: dict[Key, Solutions] = {}
    left_out = []
    with progress("Judging games") as report:
        paths = saves.saves()[::-1]
        for number, path in enumerate(paths):
            report(number, len(paths))
            try:
                transcript = saves.read(path)
                names = (None, transcript.header.file, transcript.header.title)
                if transcript.result is not None and wanted in names:
                    _add(transcript, judges, found, solving)
            except DicegamesError as error:
                left_out.append(str(error))
    return found, left_out


def _add(
    transcript: Transcript, judges: dict[Key, Solutions], found: dict[Key, Own], solving: Solving
) -> None:
    """Judge a game, by the solution of others of its kind if there is one."""
    game, header = game_of(transcript), transcript.header
    match = transcript.match(game.rules)
    options = ((name, option_text(value)) for name, value in game.options.items())
    key = (game.title, tuple(options))
    solutions = judges.setdefault(key, Solutions(game, solving))
    judge = solutions.solution()
    if judge is None:
        raise TranscriptError(f"{transcript.name} cannot be judged: {solutions.problem}")
    ledger = ledger_of(match, judge, None)
    ledger.update()
    if played := played_by_people(ledger, header.seats):
        found.setdefault(key, Own(game, judge, ledger.scale, solving)).played.extend(played)


def _record(key: Key, own: Own) -> dict[str, Any]:
    scale, played = own.scale, own.played
    decisions = [decision for one in played for decision in one.decisions]
    half = len(played) // 2
    share = share_of(decisions)
    trend = [
        mean_of([d for one in part for d in one.decisions])
        for part in (played[:half], played[half:])
    ]
    return {
        "game": key[0],
        "options": dict(key[1]),
        "played": len(played),
        "loss_per_decision": mean_of(decisions),
        "right": sum(decision.lost <= TIE for decision in decisions),
        "share": share,
        "level": None if share is None else named_level(share),
        "kinds": by_kind(decisions),
        "trend": trend if half else None,
        "luck_per_game": sum(one.luck for one in played) / len(played),
        "luck_percentile": own.luck_percentile(),
        "unit": scale.title,
    }


def _for_people(scale: Scale, record: dict[str, Any]) -> Iterator[Block]:
    yield Title(record["game"], settings_text(record["options"]))
    whole = record["loss_per_decision"]
    rows = [
        ("games", f"{record['played']}, {whole.count} decisions, {record['right']} the best"),
        ("loss", f"{_mean(whole, scale)} a decision"),
    ]
    if record["level"]:
        known = record["level"] in [level.name for level in LEVELS]
        told = f"nearest to bot:{record['level']} (share {record['share']:.2g})"
        rows.append(("level", told if known else record["level"]))
    if record["trend"]:
        before, after = record["trend"]
        rows.append(("trend", f"{_mean(before, scale)} in the first half of the games,"))
        rows.append(("", f"{_mean(after, scale)} in the second"))
    rows.append(("luck", f"{scale.change(record['luck_per_game'])} a game"))
    if record["luck_percentile"] is not None:
        many = f"{record['played']} games of best play, as the normal distribution has it"
        of = many if record["played"] > 1 else "games of best play"
        rows.append(("", f"more than in {percent(record['luck_percentile'], 0)} of {of}"))
    for number, (kind, mean) in enumerate(list(record["kinds"].items())[:MOST_KINDS]):
        told = f"{kind}: {_mean(mean, scale)}, {mean.count} times"
        rows.append(("where" if not number else "", told))
    yield Pairs(rows)
    yield ""


def _mean(mean: Mean, scale: Scale) -> str:
    if mean.count <= 1:
        return scale.amount(mean.loss)
    return f"{scale.amount(mean.loss)} ± {scale.amount(mean.error)}"
