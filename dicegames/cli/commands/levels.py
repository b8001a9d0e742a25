"""`dicegames levels`: how strong the bots of a game are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import asdict

from dicegames.cli.printing import output
from dicegames.cli.printing.wording import is_probability, settings_text, unit
from dicegames.cli.solving import obtained, progress
from dicegames.loading import Game, load
from dicegames.play.level_values import exact_worths
from dicegames.play.levels import LEVELS, Worth, worth_of

RULE = "a level with share s plays a move at exp(-loss / (s x mean loss of all moves))"


def run(
    file: str, settings: Mapping[str, str], solving: Mapping[str, Any], games: int, seed: int, *,
    json: bool,
) -> int:  # fmt: skip
    """Print what every level loses against best play; return the exit code."""
    game = load(file, **settings)
    solution = obtained(game, "payoff", solving)
    value = solution.value
    best = value[0] if isinstance(value, tuple) else value
    sense = 1 if solution.maximise else -1
    with progress("Listing positions"):
        exact = exact_worths(solution.compiled.game, LEVELS)
    if exact is not None:
        return _exact(game, solution, *exact, json=json)
    found = []
    for level in LEVELS:
        with progress(f"Playing as {level.name}", left=True) as report:
            found.append(worth_of(game.rules, solution, level, games, seed, report))
    if json:
        levels = [
            {**asdict(w), "worth": best - sense * w.loss, "rule": w.level.rule} for w in found
        ]
        told = {"game": game.title, "options": game.options, "value": best}
        told |= {"exact": False, "games": games, "seed": seed}
        output.print_json({**told, "levels": levels})
        return 0
    output.title(game.title, settings_text(game))
    share = 100 if is_probability(solution) else 1
    mark = " %" if share > 1 else ""
    rows = [("best play", f"{share * best:.4f}{mark}  exact")]
    rows += [(f"bot:{w.level.name}", _line(w, best - sense * w.loss, share, mark)) for w in found]
    console = output.console()
    console.print(output.pairs(rows))
    several = "seat 1, all others playing best; " if game.players > 1 else ""
    console.print(
        f"\n{several}{unit(solution)}; levels estimated from {games} games each, seed {seed}, "
        f"by what their choices give away on average\n{RULE}",
        style="dim",
    )
    return 0


def _exact(game: Game, solution: Any, best: float, worths: list[float], *, json: bool) -> int:
    """Print what levels are worth where that is known exactly; return the exit code."""
    sense = 1 if solution.maximise else -1
    if json:
        levels = [
            {"level": asdict(level), "worth": worth, "loss": sense * (best - worth), "error": 0.0,
             "rule": level.rule}
            for level, worth in zip(LEVELS, worths, strict=True)
        ]  # fmt: skip
        told = {"game": game.title, "options": game.options, "value": best}
        output.print_json({**told, "exact": True, "levels": levels})
        return 0
    output.title(game.title, settings_text(game))
    share, mark = (100, " %") if is_probability(solution) else (1, "")
    rows = [("best play", f"{share * best:.4f}{mark}")]
    for level, worth in zip(LEVELS, worths, strict=True):
        loss = share * sense * (best - worth)
        line = f"{share * worth:.4f}{mark}  share {level.share:g}, loses {loss:.4f}{mark}"
        rows.append((f"bot:{level.name}", line))
    console = output.console()
    console.print(output.pairs(rows))
    several = "seat 1, all others playing best; " if game.players > 1 else ""
    console.print(f"\n{several}{unit(solution)}; exact, all positions being listed\n{RULE}",
                  style="dim")  # fmt: skip
    return 0


def _line(worth: Worth, value: float, share: int, mark: str) -> str:
    loss = share * worth.loss / worth.decisions if worth.decisions else 0.0
    told = f"{share * value:.4f}{mark} ± {share * worth.error:.4f}"
    return f"{told}  share {worth.level.share:g}, {loss:.4f}{mark} a decision"
