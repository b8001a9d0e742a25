"""`dicegames sweep`: a game under many settings, as a table or drawn; the search for a setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import click

from dicegames.analysis.saved.identity import rules_hash
from dicegames.authoring.sweeps import find
from dicegames.authoring.sweeps.find import FindResult
from dicegames.authoring.sweeps.kept_numbers import KeptNumbers
from dicegames.authoring.sweeps.statistics import values_of
from dicegames.authoring.sweeps.sweep import Point, Sweep, Sweeper, canonical, demand_drawn, sweep
from dicegames.cli.executors import crew
from dicegames.cli.printing import output
from dicegames.cli.printing.answer import Answer, Block, Marked, Title, told_of
from dicegames.cli.printing.files import demand_csv, demand_drawable, save_drawn, with_csv
from dicegames.cli.printing.in_words import settings_text
from dicegames.cli.solving import Solving, progress
from dicegames.ground.cache import cache_folder, make_folder
from dicegames.ground.limits import Limits
from dicegames.ground.table import Table
from dicegames.ground.writing import demand_writable, whole_file
from dicegames.loading import Game, load


def run(
    file: str, settings: Mapping[str, str], statistics: tuple[str, ...] | None, solving: Solving,
    *, json: bool, **wishes: Any,
) -> Answer:  # fmt: skip
    """Return the numbers of all settings, or the one that is looked for."""
    written = [f"--{name}" for name in ("csv", "parquet", "plot") if wishes[name] is not None]
    if wishes["find"] is not None and written:
        raise click.UsageError(f"--find looks for one value: there is no table for {written[0]}")
    if wishes["find"] is not None and solving.executor is not None:
        raise click.UsageError("--find looks at one setting after the other: not with --executor")
    first = {name: values_of(name, text)[0] for name, text in settings.items()}
    game = load(file, **{name: value for name, value in first.items() if name != wishes["find"]})
    demand_csv(wishes["csv"], game.file, json=json)
    _demand_files(wishes, game.file)
    if wishes["find"] is not None:
        return _find(game, settings, wishes, solving)
    if wishes["plot"] is not None:
        demand_drawn([n for n, found in canonical(game.rules, settings).items() if len(found) > 1])
    with (
        crew(solving.executor, solving.threads) as (executor, workers),
        progress(f"Sweeping {game.title}", left=True) as report,
    ):
        found = sweep(
            game, settings, solving.objective, statistics or ("value",), kept=_kept(game, wishes),
            executor=executor, workers=workers, memory=solving.memory, time=solving.time,
            progress=report,
        )  # fmt: skip
    _write(found, wishes)
    told = _for_programs(game, found)
    blocks = with_csv(wishes["csv"], found.table.to_csv, _for_people(game, found))
    return Answer(told, blocks, int(any(point.problem for point in found.points)))


def _demand_files(wishes: Mapping[str, Any], rules: str) -> None:
    """Raise before any work where something cannot be written."""
    demand_writable(wishes["parquet"], rules)
    if wishes["parquet"] is not None and find_spec("polars") is None:
        raise click.UsageError('--parquet needs polars: pip install "dicegames[frames]"')
    demand_drawable(wishes["plot"], rules)


def _kept(game: Game, wishes: Mapping[str, Any]) -> KeptNumbers:
    """Return what is known of a game, in its file in the user's cache folder."""
    if wishes["fresh"]:
        return KeptNumbers()
    folder = cache_folder("sweeps")
    path = folder / f"{rules_hash(game.rules)[:24]}.jsonl"
    with suppress(OSError):
        make_folder(folder)
        return KeptNumbers(path)
    return KeptNumbers()


def _write(found: Sweep, wishes: Mapping[str, Any]) -> None:
    if wishes["parquet"] is not None:
        with whole_file(wishes["parquet"]) as file:
            found.to_frame("polars").write_parquet(file)
    if wishes["plot"] is not None:
        from dicegames.authoring.drawing import draw_sweep  # noqa: PLC0415 - an extra

        save_drawn(wishes["plot"], draw_sweep(found))


def _for_programs(game: Game, found: Sweep) -> dict[str, Any]:
    return {
        "game": game.title,
        "objective": found.objective,
        "varied": list(found.varied),
        "points": [
            {"options": dict(p.options), "numbers": dict(p.numbers), "problem": p.problem or None}
            for p in found.points
        ],
        **told_of(found, "solved kept seconds"),
    }


def _fixed_text(points: tuple[Point, ...], varied: tuple[str, ...]) -> str:
    """Return the options that are the same everywhere."""
    return settings_text({n: v for n, v in points[0].options.items() if n not in varied})


def _for_people(game: Game, found: Sweep) -> Iterator[Block]:
    yield Title(game.title, _fixed_text(found.points, found.varied))
    yield ""
    yield Marked(found.table)
    known = f", {found.kept:,} known before" if found.kept else ""
    count = output.counted(len(found.points), "setting")
    told = f"{count}{known}, {output.duration(found.seconds)}; all numbers are exact"
    yield [(f"\n{told}", "dim")]


# ---- the search for a value


def _find(
    game: Game, settings: Mapping[str, str], wishes: Mapping[str, Any], solving: Solving
) -> Answer:
    if wishes["target"] is None:
        raise click.UsageError('--find needs --target, such as --target "value of seat 1 = 0.5"')
    name, target = wishes["find"], find.Target.parse(wishes["target"])
    values = canonical(game.rules, settings)
    several = [n for n, found in values.items() if len(found) > 1 and n != name]
    if several:
        raise click.UsageError(f'one option is searched; give "{several[0]}" a single value')
    if name in values:
        among = find.demand_numbers(name, values.pop(name))
    else:
        among = find.candidates(game.rules, name)
    fixed = {n: found[0] for n, found in values.items()}
    kept, asked = _kept(game, wishes), (target.statistic,)
    limits = Limits(**solving.limits)
    search = Sweeper(game.rules, solving.objective, asked, kept, limits=limits)
    with progress(f"Searching {game.title}") as report:
        found = find.find_value(search, name, among, fixed, target, report)
    if not found.points:
        raise click.UsageError(f'no value of "{name}" gives a game that has a "{target.statistic}"')
    code = 0 if found.crossings or 0 in found.above else 1
    return Answer(_found_for_programs(game, found), _found_for_people(game, found), code)


def _found_for_programs(game: Game, found: FindResult) -> dict[str, Any]:
    name = str(found.target.statistic)
    return {
        "game": game.title,
        "option": found.option,
        "target": {"statistic": name, "wanted": found.target.wanted},
        "nearest": found.values[found.nearest],
        "crossings": [list(pair) for pair in found.crossings],
        "complete": found.complete,
        "points": [
            {found.option: value, name: point.numbers[name]}
            for value, point in zip(found.values, found.points, strict=True)
        ],
    }


def _found_for_people(game: Game, found: FindResult) -> Iterator[Block]:
    name = str(found.target.statistic)
    yield Title(game.title, _fixed_text(found.points, (found.option,)))
    yield [(f"{found.option} such that {found.target}\n", "")]
    pairs = zip(found.values, found.points, strict=True)
    rows = tuple((value, point.numbers[name]) for value, point in pairs)
    marks = {found.nearest: "exact" if 0 in found.above else "nearest"}
    yield Marked(Table(game.title, (found.option, name), rows), marks)
    lines = [f"it is crossed between {a} and {b}" for a, b in found.crossings]
    if not lines and 0 not in found.above:
        lines = ["no value that was looked at reaches it"]
    if not found.complete:
        lines.append("not all values were looked at: it may be crossed elsewhere as well")
    yield ""
    yield from ([(line, "")] for line in lines)
