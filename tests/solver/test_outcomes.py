"""What is refused, and how: statuses, limits, interrupts and mistakes in a model."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest
from attrs import evolve

from dicegames.ground.limits import Limits
from dicegames.solver.graph.must import find_musts
from dicegames.solver.graph.progress import find_progress
from dicegames.solver.graph.turn import plan_turn
from dicegames.solver.model import CHANCE, CHOICE, END, Axis, Model, fingerprint
from dicegames.solver.solve import solve
from dicegames.solver.status import Status
from tests.solver.models import Builder, Despirala, pig


def loop(*, exit_weight: float) -> Model:
    """A chance node that comes back to itself, at a cost of 1 each time."""
    b = Builder([Axis("flag", 2, "flag")])
    end, node = b.node("end", END), b.node("node", CHANCE, stored=True)
    if exit_weight:
        b.edge(node, end, weight=exit_weight)
    b.edge(node, node, weight=1 - exit_weight, reward=b.reward(1.0))
    return b.build("loop", node, (0,))


def test_endless_play_has_no_value() -> None:
    for method in ("auto", "explicit", "blocks"):
        solved = solve(loop(exit_weight=0.0), method=method)
        assert not solved.status.solved
        assert solved.status in (Status.ENDLESS, Status.NOT_CONVERGED)
        with pytest.raises(LookupError):
            solved.value_at(0, (0,))


@pytest.mark.parametrize("method", ["blocks", "explicit"])
def test_a_cycle_has_proven_bounds(method: str) -> None:
    solved = solve(loop(exit_weight=0.125), method=method)
    assert solved.status is Status.SOLVED
    assert solved.value == pytest.approx(7.0, abs=1e-12)
    assert isinstance(solved.lower, float)
    assert isinstance(solved.upper, float)
    assert solved.lower <= 7.0 <= solved.upper
    assert solved.cycles == 1


@pytest.mark.parametrize("method", ["blocks", "explicit"])
@pytest.mark.parametrize(("outcomes", "large"), [(27, 3000), (49, 2000), (126, 4001)])
def test_bounds_enclose_what_cancels_out(method: str, outcomes: int, large: int) -> None:
    """The value is small, and what it is the mean of is not: rounding is that of the large ones."""
    amounts = [k * 1000 % 7919 - large for k in range(outcomes)]
    b = Builder([Axis("flag", 2, "flag")])
    end, node = b.node("end", END), b.node("node", CHANCE, stored=True)
    for amount in amounts:
        b.edge(node, end, weight=1 / outcomes, reward=b.reward(float(amount)))
    solved = solve(b.build("cancels", node, (0,)), method=method)
    assert isinstance(solved.value, float)
    exact = Fraction(sum(amounts), outcomes)
    assert abs(Fraction(solved.value) - exact) <= solved.error_bound < 1e-9


@pytest.mark.parametrize("outcomes", [3, 11, 27])
@pytest.mark.parametrize("stay", [Fraction(9, 10), Fraction(511, 512)])
def test_rounding_counts_as_long_as_play_stays(stay: Fraction, outcomes: int) -> None:
    """What is paid in each round is large and nearly cancels out, so each is wrong by as much."""
    amounts = [10**6 + k for k in range(outcomes)] + [-(10**6)] * outcomes
    b = Builder([Axis(f"flag {k}", 2, "flag") for k in range(7)])  # too many to be listed
    end, node, paid = (
        b.node("end", END),
        b.node("node", CHANCE, stored=True),
        b.node("paid", CHANCE),
    )
    for amount in amounts:
        b.edge(paid, node, weight=1 / len(amounts), reward=b.reward(float(amount)))
    b.edge(node, paid, weight=float(stay))
    b.edge(node, end, weight=float(1 - stay))
    solved = solve(b.build("cancels in rounds", node, (0,) * 7), method="blocks")
    exact = Fraction(sum(amounts), len(amounts)) * stay / (1 - stay)
    assert isinstance(solved.value, float)
    assert abs(Fraction(solved.value) - exact) <= solved.error_bound < 1e-5


def test_three_seats_have_a_residual() -> None:
    b = Builder([Axis("flag", 2, "flag")])
    end, node = b.node("end", END), b.node("node", CHANCE, stored=True)
    choice = b.node("choice", CHOICE)
    b.edge(node, choice, weight=0.5)
    b.edge(node, node, weight=0.5, rotate=1)
    b.edge(choice, end, reward=b.reward(1.0))
    b.edge(choice, end, reward=b.reward(0.25))
    solved = solve(b.build("three", node, (0,), seats=3))
    assert solved.status is Status.RESIDUAL
    assert solved.value == pytest.approx((4 / 7, 2 / 7, 1 / 7), abs=1e-12)


def test_limits() -> None:
    small = solve(pig(20), method="explicit", states=100)
    assert small.status is Status.TOO_MANY_STATES
    assert solve(Despirala().model(), Limits(memory=1000)).status is Status.TOO_MUCH_MEMORY
    assert solve(pig(60), Limits(time=1e-4), method="explicit").status is Status.TOO_LONG


def test_progress_is_told() -> None:
    told: list[tuple[float, float]] = []
    solve(
        Despirala(boxes=3).model(),
        Limits(progress=lambda done, total: told.append((done, total))),
    )
    assert told[-1][0] == told[-1][1] > 0


def test_forms() -> None:
    def forms(model: Model) -> tuple[object, ...]:
        turn = plan_turn(model)
        found = find_progress(model, turn, find_musts(model, turn))
        return tuple((f.axes, f.sign) for f in found.forms), found.cyclic

    assert forms(Despirala(boxes=3).model()) == ((((0,), 1),), False)
    assert forms(pig(20)) == ((((0, 1), 1),), True)


def test_fingerprint() -> None:
    model = pig(12)
    assert fingerprint(model) == fingerprint(pig(12)) != fingerprint(pig(13))
    assert fingerprint(evolve(model, maximise=False)) != fingerprint(model)


def test_the_model_needs_no_compiled_code() -> None:
    code = "import sys, dicegames.solver.model; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
