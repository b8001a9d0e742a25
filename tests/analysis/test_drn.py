"""Games in Storm's explicit format: read again by an independent reader, and by Storm itself.

Where one seat is fixed to the moves of the solution and the other keeps all its choices, its best
answer brings it what the solution says: nobody can gain by playing otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dicegames.analysis.chances.prospects import SolutionError
from dicegames.analysis.export import drn, process
from dicegames.analysis.export.drn import drn_text
from dicegames.analysis.export.process import process_of
from dicegames.analysis.solution import Solution
from dicegames.cli.entry import main
from dicegames.ground.limits import Limits
from dicegames.loading import load, solve
from dicegames.solver.chain import chain
from tests.analysis.exported import value_of

GAMES = Path(__file__).parents[2] / "games"
SECOND = Path(__file__).parents[1] / "second_games"
PIG = GAMES / "pig.dg"
POKER = GAMES / "dice_poker.dg"


def exported(
    file: Path, objective: str, options: dict[str, Any], *fixed: int
) -> tuple[str, Solution]:
    """Return the text of a game, and its solution."""
    solution = solve(load(file, **options), objective)
    return "".join(drn_text(process_of(solution.compiled, solution.solved, fixed))), solution


ONE_CHOOSES: list[tuple[Path, str, dict[str, Any], str]] = [
    (GAMES / "craps.dg", "payoff", {}, "DTMC"),
    (GAMES / "cee_lo.dg", "payoff", {}, "DTMC"),  # two players, payments
    (SECOND / "knock_out.dg", "payoff", {}, "DTMC"),  # three players
    (PIG, "turn", {}, "MDP"),
    (PIG, "turns", {"target": 6, "players": 1}, "MDP"),  # as few as possible
    (GAMES / "shut_the_box.dg", "payoff", {"tiles": 5}, "MDP"),
    (SECOND / "bingo.dg", "reach:1", {}, "MDP"),
]


@pytest.mark.parametrize(("file", "objective", "options", "kind"), ONE_CHOOSES)
def test_read_again(file: Path, objective: str, options: dict[str, Any], kind: str) -> None:
    text, solution = exported(file, objective, options)
    assert f"@type: {kind}\n" in text
    values = solution.value if isinstance(solution.value, tuple) else (solution.value,)
    for seat, value in enumerate(values, 1):
        found = value_of(text, seat, least=not solution.maximise)
        assert found == pytest.approx(value, abs=1e-9)


TWO_PLAYERS: list[tuple[Path, dict[str, Any]]] = [
    (PIG, {"target": 12}),  # goes round
    (POKER, {"target": 20, "rerolled_at_most": 1}),
    (SECOND / "ladder_race.dg", {}),
    (SECOND / "bear_off.dg", {}),
]


@pytest.mark.parametrize("fixed", [1, 2])
@pytest.mark.parametrize(("file", "options"), TWO_PLAYERS)
def test_no_answer_beats_our_strategy(file: Path, options: dict[str, Any], fixed: int) -> None:
    text, solution = exported(file, "payoff", options, fixed)
    assert "@type: MDP\n" in text
    assert isinstance(solution.value, tuple)
    ours, theirs = solution.value[fixed - 1], solution.value[2 - fixed]
    assert value_of(text, 3 - fixed) == pytest.approx(theirs, abs=1e-9)
    assert value_of(text, fixed, least=True) == pytest.approx(ours, abs=1e-9)
    assert value_of(text, 3 - fixed, least=True) < theirs - 0.01  # the other seat has its choices


@pytest.mark.parametrize("free", [1, 2, 3])
def test_nobody_of_three_gains_alone(free: int) -> None:
    text, solution = exported(SECOND / "prizes.dg", "payoff", {}, *({1, 2, 3} - {free}))
    assert isinstance(solution.value, tuple)
    assert "@type: MDP\n" in text
    assert value_of(text, free) == pytest.approx(solution.value[free - 1], abs=1e-9)


def test_fixed_alone_is_a_chain() -> None:
    text, solution = exported(GAMES / "shut_the_box.dg", "payoff", {"tiles": 5}, 1)
    assert "@type: DTMC\n" in text
    assert value_of(text, 1) == pytest.approx(solution.value, abs=1e-9)


def bounds_of(path: Path, seat: int, *, chosen: bool = True) -> tuple[float, float]:
    """Return what Storm proves of the most that a seat can expect, by interval iteration."""
    stormpy = pytest.importorskip("stormpy", minversion="2.0")
    model = stormpy.build_model_from_drn(str(path))
    asked = stormpy.parse_property(f'R{{"seat{seat}"}}{"max" if chosen else ""}=? [ F "over" ]')
    environment = stormpy.environments.sound()
    solver = environment.solver().min_max()
    solver.method = stormpy.environments.MinMaxMethod.INTERVAL_ITERATION
    solver.precision = stormpy.Rational("1e-10")
    solver.relative_termination_criterion = False
    found = stormpy.model_checking(model, asked, environment=environment)
    bounds = found[model.initial_states[0]]
    return bounds.lower, bounds.upper


FULL = [
    pytest.param(PIG, {}, marks=pytest.mark.slow),
    pytest.param(POKER, {}, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("fixed", [1, 2])
@pytest.mark.parametrize(("file", "options"), [*TWO_PLAYERS, *FULL])
def test_storm_proves_it(file: Path, options: dict[str, Any], fixed: int, tmp_path: Path) -> None:
    pytest.importorskip("stormpy", minversion="2.0")
    settings = [f"{name}={value}" for name, value in options.items()]
    words = [word for setting in settings for word in ("--set", setting)]
    path = tmp_path / "game.drn"
    command = ["export", str(file), *words, "--format", "drn", "--fixed", str(fixed)]
    assert main([*command, "--out", str(path)]) == 0
    lower, upper = bounds_of(path, 3 - fixed)
    value = solve(load(file, **options)).value
    assert isinstance(value, tuple)
    assert upper - lower < 1e-9
    assert lower - 1e-9 < value[2 - fixed] < upper + 1e-9


EXACT = [  # the fractions of tests/expected
    ("craps", "payoff", "-7/495"),
    ("drop_dead", "payoff", "837242/52117"),
    ("threes", "payoff", "504205555/80621568"),
    ("dice_poker", "turn", "15563275/104976"),
]


@pytest.mark.parametrize(("stem", "objective", "fraction"), EXACT)
def test_storm_calculates_exactly(stem: str, objective: str, fraction: str, tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy", minversion="2.0")
    text, solution = exported(GAMES / f"{stem}.dg", objective, {})
    (tmp_path / "game.drn").write_text(text, "utf-8")
    model = stormpy.build_model_from_drn[stormpy.Rational](str(tmp_path / "game.drn"))
    sense = ("max" if solution.maximise else "min") if "@type: MDP" in text else ""
    asked = stormpy.parse_property(f'R{{"seat1"}}{sense}=? [ F "over" ]')
    found = stormpy.model_checking(model, asked)
    assert str(found.get_value(model.initial_states[0])) == fraction


def test_what_cannot_be_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SolutionError, match=r"several players choose.*--fixed"):
        exported(PIG, "payoff", {"target": 6})
    with pytest.raises(SolutionError, match="knows no limit"):
        exported(GAMES / "zilch.dg", "turn", {})
    with pytest.raises(SolutionError, match=r"the long run.*--objective turn"):
        exported(SECOND / "midnight.dg", "average", {})
    craps = solve(load(GAMES / "craps.dg"))
    with pytest.raises(SolutionError, match="more than 3 of up to 5 states"):
        process_of(craps.compiled, craps.solved, limits=Limits(memory=2 * process.BYTES_PER_LINE))
    with monkeypatch.context() as patch:
        patch.setattr(process, "MOST_WRITTEN_STATES", 100)
        with pytest.raises(SolutionError, match=r"more than 100 of up to .* set smaller options"):
            exported(PIG, "payoff", {"target": 12}, 1)
    monkeypatch.setattr(chain, "MOST_CHAIN_STATES", 1)
    with pytest.raises(SolutionError, match=r"cannot be exported.*--format prism"):
        exported(PIG, "payoff", {"target": 4}, 1)


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pig = ["export", str(PIG), "--format", "drn", "--set", "target=4"]
    assert main([*pig, "--fixed", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "// Pig: players 2, target 4"
    value = solve(load(PIG, target=4)).value
    assert isinstance(value, tuple)
    assert f'R{{"seat1"}}max=? [ F "over" ] should be {value[0]:.12f}' in lines[2]
    assert main(pig) == 1
    assert "--fixed" in capsys.readouterr().err
    assert main([*pig, "--fixed", "1", "--out", str(tmp_path / "no" / "x")]) == 2
    assert main([*pig, "--fixed", "3"]) == 2
    assert "there is no seat 3" in capsys.readouterr().err


def test_stopped_half_way_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = drn._states  # where Ctrl-C hits

    def stopped(*given: Any) -> Iterator[str]:
        yield from whole(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(drn, "_states", stopped)
    out = tmp_path / "game.drn"
    out.write_text("before", "utf-8")
    words = ["export", str(GAMES / "craps.dg"), "--format", "drn", "--out", str(out)]
    assert main(words) == 130
    assert "stopped" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["game.drn"]
    assert out.read_text("utf-8") == "before"
