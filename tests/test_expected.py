"""The expected values of all games: one table (expected/*.toml), one test for each figure.

Keys of a file:

- `game`, `file`: the game's name and its rules, `games/<file>.dg`
- `written`: whether that rules file is written; a figure of an unwritten game is kept, not left out

Keys of a figure:

- `what`: what the figure is
- `options`: the options of the rules, as `--set` takes them
- `objective`: as `--objective` takes it
- `value`: a number or a list of numbers; or `range`, a lower and an upper limit
- `fraction`: the exact value, where it is known; the slow exact solver finds this very fraction
- `exact`: why it does not (`NOT_IN_FRACTIONS`), or "slow" where that takes minutes
- `digits_trusted`: how many digits after the point are compared
- `seat`: of several payoffs, whose (from 1)
- `opponent`: a strategy that plays in the other seat; best play does not know that it does
- `source`, `status`: where it comes from, and how far it is confirmed (`STATUSES`)
- `position`: of which position, where it is not that of the start
- `strategy`: the strategy of the rules that plays in all seats
- `compare = false`: shown, never compared; so is everything of a status in `NOT_COMPARED`
- `measure`: what of the distribution it is: "sd", "mode", "percentiles 5 95", "probability X" (of a
  result), "mean over X" (divided by the probability of X), "win" and "tie" of seat 1; or of the
  outcomes: "happens NAME" (probability), "times NAME" (mean); or of a sampled model: "promised"
  or "worth", whose `range` must be met by some of the `SEEDS`
- `samples`: how many there are at each state of a sampled model
- `needs`: what must exist before it can be compared (`NEEDS`)
- `slow = true`: takes minutes, runs with `-m slow`
"""

import functools
import json
import math
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dicegames
from dicegames.analysis.studies.sampled_game import sample_game
from dicegames.cli.entry import main
from tests.oracles.exact_distribution import Exact, exact_distribution

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).parent / "expected"
GAMES = ROOT / "games"

STATUSES = {
    "published": "published, and an independent computation agrees",
    "recalled": "published, quoted from memory, and an independent computation agrees",
    "textbook": "a textbook value, and an independent computation agrees",
    "computed": "found by an independent computation only",
    "approximate": "found by a computation that is not exact",
    "differs": "published, but for other rules or wrong",
    "unchecked": "published, not confirmed",
}
NOT_COMPARED = {"approximate", "differs", "unchecked"}
NEEDS = {
    "ties": "the same choice among moves of equal value",
    "strategy": "the value of strategies that are in no rules file, or of play that is fixed",
    "throws": "throws counted as an objective",
    "grid": "the approximation on a grid",
    "disk": "12 GB of disk, and an hour",
}
NOT_IN_FRACTIONS = {
    "unlimited": "points know no limit, so that positions have no end",
    "size": "there are too many positions",
}
SLOW = 3600.0
"""Seconds that a slow figure may take."""
SEEDS = range(1, 9)
"""Few samples give another value with each seed."""
MANY_SAMPLES = 100
"""With more, two seeds are enough: they hardly differ, and take long."""
REQUIRED = {"what", "options", "objective", "source", "status"}
OPTIONAL = {"value", "range", "fraction", "digits_trusted", "seat", "compare", "needs", "slow"}
OPTIONAL |= {"measure", "position", "strategy", "opponent", "exact", "samples"}
OBJECTIVES = {"payoff", "turn", "turns", "average"}

Figure = dict[str, Any]
Options = tuple[tuple[str, Any], ...]


def tables() -> dict[str, Figure]:
    return {p.stem: tomllib.loads(p.read_text("utf-8")) for p in sorted(TABLE.glob("*.toml"))}


def figures(*, marked: bool) -> list[Any]:
    found = []
    for stem, table in tables().items():
        for number, figure in enumerate(table["figure"], 1):
            options = ",".join(f"{k}={v}" for k, v in figure["options"].items())
            marks = [pytest.mark.slow] if marked and figure.get("slow") else []
            name = f"{stem}-{number}-{figure['objective']}-{options}"
            found.append(pytest.param(table, figure, id=name, marks=marks))
    return found


def reason_not_to_compare(table: Figure, figure: Figure) -> str | None:
    if not table["written"]:
        return f"the rules of {table['game']} are not written yet"
    if not (GAMES / f"{table['file']}.dg").exists():
        return f"games/{table['file']}.dg is not there yet"
    if not figure.get("compare", True):
        return f"not to be compared: {STATUSES[figure['status']]}"
    if "needs" in figure:
        return f"needs {NEEDS[figure['needs']]}"
    return None


def tolerance(value: float, digits: int) -> float:
    """One unit of the last trusted digit, and never less than float64 can hold."""
    return max(10.0**-digits, 16 * math.ulp(value))


@pytest.mark.parametrize(("stem", "table"), list(tables().items()), ids=list(tables()))
def test_file_is_well_formed(stem: str, table: Figure) -> None:
    assert table.keys() == {"game", "file", "written", "figure"}
    assert table["file"] == stem
    assert isinstance(table["written"], bool)
    assert table["figure"]


@pytest.mark.parametrize(("table", "figure"), figures(marked=False))
def test_figure_is_well_formed(table: Figure, figure: Figure) -> None:
    keys = figure.keys()
    assert keys >= REQUIRED, f"{table['game']}: missing {REQUIRED - keys}"
    assert keys <= REQUIRED | OPTIONAL, f"{table['game']}: unknown {keys - REQUIRED - OPTIONAL}"
    assert figure["status"] in STATUSES
    assert figure.get("needs", "ties") in NEEDS
    assert figure["objective"] in OBJECTIVES or figure["objective"].startswith("reach:")
    assert all(isinstance(v, str | int) for v in figure["options"].values())
    assert figure.get("compare", True) is (figure["status"] not in NOT_COMPARED)
    assert ("value" in keys) is not ("range" in keys)
    if "range" in keys:
        low, high = figure["range"]
        assert low < high
    else:
        assert figure["digits_trusted"] >= 0
    assert ("samples" in keys) is (figure.get("measure") in ("promised", "worth"))
    if "exact" in keys:
        assert "fraction" in keys
        assert figure["exact"] in NOT_IN_FRACTIONS.keys() | {"slow"}
    if "fraction" in keys:
        value = figure["value"]
        exact = Fraction(figure["fraction"])
        assert abs(Fraction(value) - exact) <= tolerance(value, figure["digits_trusted"])
    if isinstance(figure.get("value"), list) or "range" in keys:
        assert keys & {"needs", "measure"}, (
            "only a single number can be compared with a solution's value"
        )


def test_no_figure_stands_twice() -> None:
    for stem, table in tables().items():
        seen = [(f["what"], f["options"], f.get("seat")) for f in table["figure"]]
        assert all(seen.count(key) == 1 for key in seen), stem


def test_every_rules_file_has_its_figures() -> None:
    written = {stem for stem, table in tables().items() if table["written"]}
    for path in GAMES.glob("*.dg"):
        assert path.stem in written, f"expected/{path.stem}.toml: missing, or not written = true"


@functools.lru_cache(maxsize=4)
def game_of(file: str, options: Options) -> dicegames.Game:
    return dicegames.load(GAMES / f"{file}.dg", **dict(options))


@functools.lru_cache(maxsize=4)  # figures of one game follow each other
def solved(
    file: str,
    options: Options,
    objective: str,
    strategy: str | None = None,
    time: float | None = None,
    *,
    noted: bool = False,
) -> dicegames.Solution:
    game = game_of(file, options)
    return dicegames.solve(game, objective, strategy=strategy, time=time, noted=noted)


@functools.cache
def compared(file: str, options: Options, objective: str, strategy: str) -> Any:
    return dicegames.compare(game_of(file, options), objective, [strategy]).rows


def value_of(table: Figure, figure: Figure) -> Any:
    """What the program finds for a figure."""
    objective, options = figure["objective"], tuple(figure["options"].items())
    if "opponent" in figure:
        rows = compared(table["file"], options, objective, figure["opponent"])
        own = [1 - row.value for row in rows if row.seat != figure.get("seat")]
        return sum(own) / len(own)
    time = SLOW if figure.get("slow") else None  # large turns are only explored where time is given
    solution = solved(table["file"], options, objective, figure.get("strategy"), time)
    value = solution.value_of(figure["position"]) if "position" in figure else solution.value
    if "seat" in figure and not isinstance(value, float):
        return value[figure["seat"] - 1]
    return value


@functools.cache
def distribution(file: str, options: Options, objective: str, strategy: str | None) -> Any:
    return solved(file, options, objective, strategy, None).distribution()


@functools.cache
def sampled(file: str, options: Options, objective: str, samples: int) -> Any:
    rules = game_of(file, options).rules
    seeds = SEEDS if samples <= MANY_SAMPLES else SEEDS[:2]
    return [sample_game(rules, samples, seed, objective=objective) for seed in seeds]


@functools.cache
def outcomes(file: str, options: Options, objective: str, name: str) -> Any:
    return solved(file, options, objective, noted=True).outcomes(name)


def measured(
    measure: str, file: str, options: Options, objective: str, strategy: str | None
) -> list[float]:
    what, _, rest = measure.partition(" ")
    if what in ("happens", "times"):
        found = outcomes(file, options, objective, rest)
        if what == "happens":
            return [found.probability(rest)]
        return [sum(p * sum(n for _, n in c) for c, p in found.alone(rest).items())]
    found = distribution(file, options, objective, strategy)
    if what == "probability":
        return [found.probability(float(rest))]
    if what == "mean":
        return [found.mean / found.probability(float(rest.removeprefix("over ")))]
    if what == "percentiles":
        return [found.percentile(float(percent)) for percent in rest.split()]
    if what in ("win", "tie"):
        return [found.probability({"win": 1, "tie": 0.5}[what])]
    return list(found.modes) if what == "mode" else [found.sd]


def numbers_of(figure: Figure) -> list[float]:
    if "fraction" in figure:
        return [float(Fraction(figure["fraction"]))]
    value = figure["value"]
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize(("table", "figure"), figures(marked=True))
def test_value(table: Figure, figure: Figure) -> None:
    if reason := reason_not_to_compare(table, figure):
        pytest.skip(reason)
    if "samples" in figure:
        options = tuple(figure["options"].items())
        models = sampled(table["file"], options, figure["objective"], figure["samples"])
        found = [getattr(model, figure["measure"]) for model in models]
        low, high = figure["range"]
        assert min(found) <= high
        assert max(found) >= low
        return
    if "measure" in figure:
        options = tuple(figure["options"].items())
        found = measured(
            figure["measure"],
            table["file"],
            options,
            figure["objective"],
            figure.get("strategy"),
        )
        for one, other in zip(found, numbers_of(figure), strict=True):
            assert one == pytest.approx(other, rel=0, abs=10.0 ** -figure["digits_trusted"])
        return
    value = value_of(table, figure)
    wanted = float(Fraction(figure["fraction"])) if "fraction" in figure else figure["value"]
    assert value == pytest.approx(wanted, rel=0, abs=tolerance(wanted, figure["digits_trusted"]))


# --- in fractions ---------------------------------------------------------------------------------


def fractions() -> list[Any]:
    found = []
    for case in figures(marked=False):
        _, figure = case.values
        if "fraction" in figure:
            marks = [pytest.mark.slow] if figure.get("exact") == "slow" else []
            found.append(pytest.param(*case.values, id=case.id, marks=marks))
    return found


@pytest.mark.parametrize(("table", "figure"), fractions())
def test_fraction(table: Figure, figure: Figure, capsys: pytest.CaptureFixture[str]) -> None:
    """The very fraction: from `solve --exact`, or from the exact distribution."""
    if reason := NOT_IN_FRACTIONS.get(figure.get("exact", "")):
        pytest.skip(f"compared by `test_value` only: {reason}")
    file = GAMES / f"{table['file']}.dg"
    if "measure" in figure:
        rules = game_of(table["file"], tuple(figure["options"].items())).rules
        distribution = exact_distribution(rules, figure["objective"])
        assert exactly(figure["measure"], distribution) == Fraction(figure["fraction"])
        return
    words = ["solve", str(file), "--exact", "--json", "--time", "1h"]
    words += ["--objective", figure["objective"]]
    words += [w for key, value in figure["options"].items() for w in ("--set", f"{key}={value}")]
    words += ["--strategy", figure["strategy"]] if "strategy" in figure else []
    assert main(words) == 0
    value = json.loads(capsys.readouterr().out)["value"]
    if isinstance(value, list):
        value = value[figure["seat"] - 1]
    assert Fraction(value) == Fraction(figure["fraction"])


def exactly(measure: str, distribution: Exact) -> Fraction:
    """Return a probability of a distribution in fractions."""
    what, _, rest = measure.partition(" ")
    if what == "probability":
        parts = [p for (value, _), p in distribution.items() if value == Fraction(rest)]
    else:
        assert what == "happens"
        parts = [p for (_, happened), p in distribution.items() if rest in dict(happened)]
    return sum(parts, Fraction(0))
