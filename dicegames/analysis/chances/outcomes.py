"""Named outcomes: how often what the rules note happens, each alone and all of them together.

A line `note "bust"` in the rules names the outcome "bust"; it happens so and so often in a turn or
a game. A line `note hand` names the outcome "hand", which has several forms, such as "Full"; any of
these may also be asked for by its own name. The distribution is exact, under the solution's play.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from attrs import frozen

from dicegames.analysis.chances.policy import policies
from dicegames.compiler.compiled import Compiled
from dicegames.compiler.exploring.happenings import noted_as
from dicegames.compiler.graph import Happening
from dicegames.ground.arguments import OnProgress
from dicegames.ground.diagnostic import did_you_mean
from dicegames.ground.errors import DicegamesError
from dicegames.rules.parts.flow import Note
from dicegames.rules.parts.game import Rules
from dicegames.solver.chain.accounts import Account, Sign
from dicegames.solver.chain.chain import OFF_TABLES
from dicegames.solver.chain.tally import tally
from dicegames.solver.kernels.workers import Workers
from dicegames.solver.solved import Solved

Count = tuple[tuple[str, int], ...]
"""What happened how often, by name; nothing if it never did."""
LEFT_UNTOLD = 1e-15


class OutcomeError(DicegamesError):
    """An outcome that the rules do not name; the message says which there are."""

    misused = True


@frozen
class Outcomes:
    """The joint distribution of some outcomes; `joint` has one count for each of `names`."""

    names: tuple[str, ...]
    joint: dict[tuple[Count, ...], float]
    tail: float

    def alone(self, name: str) -> dict[Count, float]:
        """Return the distribution of one outcome, the likeliest first; raises OutcomeError."""
        if name not in self.names:
            hint = did_you_mean(name, self.names) or f"there are: {', '.join(self.names)}"
            raise OutcomeError(f'"{name}" was not asked for; {hint}')
        place = self.names.index(name)
        found: defaultdict[Count, float] = defaultdict(float)
        for counts, mass in self.joint.items():
            found[counts[place]] += mass
        return dict(sorted(found.items(), key=lambda pair: -pair[1]))

    def probability(self, name: str, form: str | None = None) -> float:
        """Return the probability that an outcome happens at all (in one of its forms)."""
        return sum(
            mass
            for count, mass in self.alone(name).items()
            if any(form is None or what == form for what, _ in count)
        )


def named_outcomes(game: Rules) -> dict[str, list[str]]:
    """Return the outcomes that the rules note, in order, each with the forms that it may have."""
    notes = [each for each in game.flow if isinstance(each, Note)]
    notes.sort(key=lambda note: note.span.start)  # as they stand in the file
    rows = list(game.names.rows)
    return {noted_as(game, note): rows if note.what is not None else [] for note in notes}


def outcomes(
    compiled: Compiled, solved: Solved, names: Sequence[str], threads: int | None,
    progress: OnProgress | None,
) -> Outcomes:  # fmt: skip
    """Return the joint distribution of the outcomes named (all if none) in a game or a turn.

    The game must have been compiled with `noted`. Raises OutcomeError, SolveError.
    """
    there = named_outcomes(compiled.game)
    if there and not compiled.goal.noted:
        raise OutcomeError("this solution was made without notes: solve(game, noted=True)")
    names = tuple(names) or tuple(there)
    demand(names, there)
    deltas = [_delta(happening, names) for happening in compiled.happenings]
    began = _delta(compiled.explorer.start_notes, names)

    def advance(account: Account, sign: Sign) -> Account:
        if not isinstance(account, tuple) or sign.label == OFF_TABLES:
            return None
        return _sum(account, deltas[sign.label])

    found = None
    with Workers(threads) as workers:
        for policy in policies(compiled, solved, workers):
            (found,) = tally(policy.chain, began, advance, workers=workers, report=progress)
            if found.mass.get(None, 0.0) < LEFT_UNTOLD:
                break
    assert found is not None
    tail = found.tail + found.mass.pop(None, 0.0)
    ordered = sorted(found.mass.items(), key=lambda pair: -pair[1])
    return Outcomes(names, dict(ordered), tail)  # type: ignore[arg-type]


def demand(names: Sequence[str], there: dict[str, list[str]]) -> None:
    """Raise OutcomeError unless the rules note all of the names."""
    known = [*there, *(form for forms in there.values() for form in forms)]
    if not known:
        message = 'the rules name no outcome; one is named by a line such as: note "bust"'
        raise OutcomeError(message)
    for name in names:
        if name not in known:
            listed = ", ".join(f'"{n}"' for n in there)
            hint = did_you_mean(name, known, 0.5) or f"there are: {listed}"
            raise OutcomeError(f'the rules note no outcome "{name}"; {hint}')


def _delta(happening: tuple[Happening, ...], names: Sequence[str]) -> tuple[Count, ...]:
    """Return what an edge adds to the counts."""
    met = ([form for name, form in happening if asked in (name, form)] for asked in names)
    return tuple(tuple(sorted(Counter(forms).items())) for forms in met)


def _sum(one: tuple[Count, ...], other: tuple[Count, ...]) -> tuple[Count, ...]:
    found = []
    for left, right in zip(one, other, strict=True):
        count = dict(left)
        for form, times in right:
            count[form] = count.get(form, 0) + times
        found.append(tuple(sorted(count.items())))
    return tuple(found)
