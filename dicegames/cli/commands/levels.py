"""`dicegames levels`: how strong the bots of a game are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import asdict

from dicegames.authoring.reports.listed_game import listed_game, one_plays
from dicegames.cli.printing.answer import Answer, Pairs, heading
from dicegames.cli.printing.in_words import is_probability, unit
from dicegames.cli.solving import Solving, obtained, progress
from dicegames.loading import Game
from dicegames.play.judge import Scale
from dicegames.play.levels import LEVELS, Level, Worth, worth_of
from dicegames.play.wording import Line
from dicegames.rules.parts.game import Rules
from dicegames.solver.status import SolveError

RULE = "a level with share s plays a move at exp(-loss / (s x mean loss of all moves))"


def run(game: Game, games: int, seed: int, solving: Solving) -> Answer:
    """Return what every level loses against best play."""
    solution = obtained(game, solving)
    best = solution.value_for()
    sense = 1 if solution.maximise else -1
    written = Scale(is_share=is_probability(solution), places=4)
    with progress("Listing positions"):
        worths = exact_worths(solution.compiled.game, LEVELS)
    exact = worths is not None
    told = {"game": game.title, "options": game.options, "value": best, "exact": exact}
    rows = [("best play", f"{written.value(best)}{'' if exact else '  exact'}")]
    levels: list[dict[str, Any]] = []
    if worths is not None:
        how = "exact, all positions being listed"
        for level, worth in zip(LEVELS, worths, strict=True):
            loss = sense * (best - worth)
            known = {"level": level, "worth": worth, "loss": loss, "error": 0.0}
            levels.append(known | {"rule": level.rule})
            lost = f"share {level.share:g}, loses {written.value(loss)}"
            rows.append((f"bot:{level.name}", f"{written.value(worth)}  {lost}"))
    else:
        told |= {"games": games, "seed": seed}
        how = f"levels estimated from {games} games each, seed {seed}, "
        how += "by what their choices give away on average"
        for level in LEVELS:
            with progress(f"Playing as {level.name}", left=True) as report:
                found = worth_of(game.rules, solution, level, games, seed, report)
            worth = best - sense * found.loss
            levels.append({**asdict(found), "worth": worth, "rule": level.rule})
            rows.append((f"bot:{level.name}", _line(found, worth, written)))
    several = "seat 1, all others playing best; " if game.players > 1 else ""
    rule: Line = [(f"\n{several}{unit(solution)}; {how}\n{RULE}", "dim")]
    return Answer(told | {"levels": levels}, [heading(game), Pairs(rows), rule])


def exact_worths(game: Rules, levels: Sequence[Level]) -> list[float] | None:
    """Return what levels are worth in seat 1, the other at best; None if it cannot be listed."""
    listed = listed_game(game)
    if listed is None:
        return None
    best = listed.best()
    try:
        return [one_plays(listed.mixing(level.chances), best)[0][0] for level in levels]
    except SolveError:
        return None


def _line(worth: Worth, value: float, written: Scale) -> str:
    loss = worth.loss / worth.decisions if worth.decisions else 0.0
    told = f"{written.value(value)} ± {written.value(worth.error)}"
    return f"{told}  share {worth.level.share:g}, {written.value(loss)} a decision"
