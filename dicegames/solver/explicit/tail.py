"""A counter without upper limit: solved exactly up to a point, closed by a proven affine tail.

Let b be the counter (points at risk, say). Far up all guards are constant, rewards are affine and
effects are shifts, so the value of a node is a maximum of lines in b. The steepest line wins in
the end: from some B on, V(n, b) = alpha(n) b + beta(n), where

* alpha is the value of the *slope model*: the counter left out, every reward replaced by its slope;
* beta is the value of the *intercept model*: only the choices that attain alpha, every reward
  replaced by its intercept, a shift by s adding alpha s.

Both are small. The model is then solved with b below N, steps beyond N ending play with the value
of the line. If V lies on the lines at all points from which a step can leave the range, the tail
is proven: there no other choice is better, all other lines are less steep, so none is better
further up (and likewise with "least" for models that minimise). If not, N is doubled.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from attrs import evolve, frozen

from dicegames.solver.explicit.explicit import ExplicitValues
from dicegames.solver.explicit.subgame import Subgames
from dicegames.solver.model import (
    BRANCH,
    CHOICE,
    EDGE_ARRAYS,
    END,
    Array,
    Effect,
    Formula,
    Lookup,
    Model,
    Reward,
)
from dicegames.solver.solved import Evaluator, Solve, Solved, Value
from dicegames.solver.status import SolveError, Status

SMALLEST_RANGE = 64
ON_LINE = 1e-12  # relative


@frozen(eq=False)
class Lines:
    """Slope and intercept of every node in the index of the counter."""

    alpha: Array
    beta: Array

    def at(self, node: int, index: Array | int) -> Array:
        """Return the line of a node at indices of the counter."""
        return np.asarray(self.alpha[node] * index + self.beta[node])


@frozen(eq=False, slots=False)
class TailValues:
    """Values over the whole counter: those of the part below `size`, beyond from the lines.

    The lines are proven for the nodes that a step up the counter enters; other nodes are evaluated
    from them.
    """

    model: Model
    lines: Lines
    inside: Evaluator
    size: int

    @property
    def tables(self) -> Mapping[int, Array]:
        """Those of the part below, as far as it has any."""
        return self.inside.tables if isinstance(self.inside, Solved) else {}

    def value_at(self, node: int, point: tuple[int, ...]) -> Value:
        """Value of a state; LookupError where it is not known."""
        if point[0] < self.size:
            return self.inside.value_at(node, point)
        return self._beyond.value_at(node, point)

    def closing(self, inside: Solved) -> Solved:
        """Return the solution of which another one is the part below."""
        method = f"{inside.method}, tail proven from {self.size} on"
        return evolve(inside, model=self.model, evaluator=self, method=method)

    @cached_property
    def _beyond(self) -> Subgames:
        index = np.arange(self.model.axes[0].size)
        return Subgames(
            self.model,
            {
                node: np.where(index < self.size, np.nan, self.lines.at(node, index))
                for node in raised_nodes(self.model).tolist()
                if self.model.kind[node] != END
            },
        )


def solve_with_tail(model: Model, solve: Solve) -> Solved:
    """Solve a model whose only axis has no upper limit; SolveError where no tail is found."""
    if len(model.axes) != 1:
        raise SolveError(Status.UNSUPPORTED, "a counter without limit beside other axes")
    lines = find_lines(model, solve)
    seconds, size = 0.0, SMALLEST_RANGE
    while size <= model.axes[0].size:
        if is_settled(model, size):
            inside = solve(bounded(model, size, lines))
            if not inside.status.solved:
                raise SolveError(inside.status, inside.detail)
            seconds += inside.seconds
            if on_the_lines(model, inside, lines, size):
                values = TailValues(model, lines, inside, size)
                return evolve(values.closing(inside), seconds=seconds)
        size *= 2
    raise SolveError(Status.NO_TAIL)


# ---- far up


def find_lines(model: Model, solve: Solve) -> Lines:
    """Return the lines on which the values lie in the end."""
    slope, intercept = rewards_far_up(model)
    shift, resets = effects_far_up(model)
    step, fixed = shift[model.effect], resets[model.effect]
    far = evolve(
        model,
        axes=(),
        lookups=tuple(Lookup((), np.asarray(k.values.flat[-1])) for k in model.lookups),
        effects=(Effect(),),
        effect=np.zeros(model.edges, dtype=np.int32),
        start_point=(),
    )
    target = np.where(fixed, model.end, model.target).astype(np.int32)
    steep = _with_rewards(evolve(far, target=target), slope[model.reward])
    alpha, met = _values(steep, solve)
    source = model.sources
    gained = slope[model.reward] + np.where(fixed, 0.0, alpha[model.target])
    loss = alpha[source] - gained if model.maximise else gained - alpha[source]
    steepest = loss <= ON_LINE * max(1.0, float(np.abs(alpha).max()))
    kept = steepest | (model.kind[source] != CHOICE)
    rise = intercept[model.reward] + np.where(fixed, 0.0, alpha[model.target] * step)
    if fixed.any():
        raise SolveError(Status.UNSUPPORTED, "a counter without limit starts anew in its turn")
    flat = _with_rewards(far, rise).with_edges(kept)
    return Lines(alpha, _values(flat.begun_at(met), solve)[0][:-1])


def rewards_far_up(model: Model) -> tuple[Array, Array]:
    """Return slope and intercept, in the index of the counter, of every reward at the top."""
    slopes, intercepts = [], []
    top = model.axes[0].size - 1
    for reward in model.rewards:
        slope = intercept = 0.0
        for number in reward.lookups:
            values = model.lookups[number].values
            if values.ndim:
                slope += values[-1] - values[-2]
                intercept += values[-1] - top * (values[-1] - values[-2])
            else:
                intercept += float(values)
        slopes.append(slope)
        intercepts.append(intercept + reward.constant)
    return np.asarray(slopes), np.asarray(intercepts)


def effects_far_up(model: Model) -> tuple[Array, Array]:
    """Return for every effect its shift at the top, and whether it sets the counter anew."""
    shifts, resets = [], []
    top = model.axes[0].size - 1
    for effect in model.effects:
        shift, reset = 0, False
        for _, number in effect.assign:
            values = model.lookups[number].values
            reset = values.ndim == 0 or int(values[-1]) == int(values[-2])
            shift = 0 if reset else int(values[-1]) - top
        shifts.append(shift)
        resets.append(reset)
    return np.asarray(shifts), np.asarray(resets)


def is_settled(model: Model, size: int) -> bool:
    """Whether guards are constant, rewards affine and effects shifts from the window below on."""
    first = max(0, size - widest_step(model) - 2)
    for lookup in model.lookups:
        values = lookup.values
        if values.ndim == 0:
            continue
        upper = values[first:]
        if values.dtype == np.bool_:
            settled = bool((upper == upper[0]).all())
        else:
            steps = np.diff(upper)
            settled = bool(np.allclose(steps, steps[0], rtol=1e-12, atol=0.0))
        if not settled:
            return False
    return True


def widest_step(model: Model) -> int:
    """Return the greatest distance that one edge moves the counter up."""
    return int(max(1, effects_far_up(model)[0].max(initial=0)))


def raised_nodes(model: Model) -> Array:
    """Return the nodes that are entered by a step up the counter."""
    shift, _ = effects_far_up(model)
    return np.unique(model.target[shift[model.effect] > 0])


def on_the_lines(model: Model, inside: Solved, lines: Lines, size: int) -> bool:
    """Whether the values lie on their lines wherever a step can leave the range."""
    first = max(0, size - widest_step(model))
    raised = [n for n in raised_nodes(model).tolist() if model.kind[n] != END]
    if isinstance(inside.evaluator, Subgames):
        inside.evaluator.prepare([(node, (first,)) for node in raised])
    for node in raised:
        for index in range(size - widest_step(model), size):
            try:
                value = inside.value_at(node, (index,))
            except LookupError:
                continue  # never reached
            line = float(lines.at(node, index))
            if abs(float(value) - line) > ON_LINE * max(1.0, abs(line)):  # type: ignore[arg-type]
                return False
    return True


def _values(model: Model, solve: Solve) -> tuple[Array, Array]:
    """Return the values of all nodes of a model without axes, and to which of them play comes.

    They are 0 where it never comes.
    """
    solved = solve(model)
    if not solved.status.solved:
        raise SolveError(solved.status, solved.detail)
    values = np.zeros(model.nodes)
    assert isinstance(solved.evaluator, ExplicitValues)  # without axes a state is a node
    met = np.asarray(solved.evaluator.keys)
    values[met] = solved.evaluator.values[:, 0]
    return values, met


def _with_rewards(model: Model, rewards: Array) -> Model:
    """Return the model with one constant reward for each edge."""
    distinct, numbers = np.unique(np.append(0.0, rewards), return_inverse=True)
    zero = int(numbers[0])
    order = [zero, *(i for i in range(len(distinct)) if i != zero)]
    place = np.empty(len(distinct), dtype=np.int32)
    place[order] = np.arange(len(distinct))
    parts = tuple(Reward(float(distinct[i]), ()) for i in order)
    return evolve(model, rewards=parts, reward=place[numbers[1:]])


# ---- below the tail


def bounded(model: Model, size: int, lines: Lines) -> Model:
    """Return the model with the counter below `size`; steps beyond end with the line's value."""
    lookups = [_cut(lookup, size) for lookup in model.lookups]
    guards, rewards = list(model.guards), list(model.rewards)
    kind, first = model.kind.tolist(), model.first_edge.tolist()
    columns = [getattr(model, name) for name in EDGE_ARRAYS]
    edges = [list(edge) for edge in zip(*(c.tolist() for c in columns), strict=True)]
    branches: dict[tuple[int, int, int], int] = {}
    added: list[list[list[float]]] = []
    shift, _ = effects_far_up(model)
    for edge in edges:
        target, _, _, effect, reward, rotate = edge
        if shift[effect] <= 0:
            continue
        key = (effect, reward, target)
        if key not in branches:
            branches[key] = len(kind)
            kind.append(BRANCH)
            inside, outside = _split(model, key, size, lines, lookups, guards, rewards)
            added.append(
                [[target, 1.0, inside, effect, reward, rotate], [model.end, 1.0, outside, 0, -1, 0]]
            )
            added[-1][1][4] = len(rewards) - 1
        edge[0], edge[3], edge[4] = branches[key], 0, 0
    for pair in added:
        edges.extend(pair)
        first.append(len(edges))
    table = np.asarray(edges, dtype=np.float64).reshape(-1, 6).T
    kinds = zip(EDGE_ARRAYS.items(), table, strict=True)
    arrays: dict[str, Any] = {name: row.astype(dtype) for (name, dtype), row in kinds}
    grown = len(kind) - model.nodes
    return evolve(
        model,
        axes=(evolve(model.axes[0], size=size, unbounded=False),),
        lookups=tuple(lookups),
        guards=tuple(guards),
        rewards=tuple(rewards),
        kind=np.asarray(kind, dtype=np.int8),
        chooser=np.append(model.chooser, np.zeros(grown, dtype=np.int8)),
        stored=np.append(model.stored, np.zeros(grown, dtype=np.bool_)),
        first_edge=np.asarray(first, dtype=np.int64),
        **arrays,
    )


def _cut(lookup: Lookup | Formula, size: int) -> Lookup | Formula:
    if lookup.values.ndim == 0:
        return lookup
    values = lookup.values[:size].copy()
    if values.dtype == np.int32:
        values[values >= size] = -1
    return Lookup(lookup.axes, values)


def _split(
    model: Model,
    key: tuple[int, int, int],
    size: int,
    lines: Lines,
    lookups: list[Lookup | Formula],
    guards: list[tuple[int, ...]],
    rewards: list[Reward],
) -> tuple[int, int]:
    """Add the guards of the two ways of a step, and the reward of the way that ends play."""
    effect, reward, target = key
    (_, number), *_ = model.effects[effect].assign
    to = model.lookups[number].values[:size].astype(np.int64)
    inside = (to >= 0) & (to < size)
    for holds in (inside, ~inside):
        guards.append((len(lookups),))
        lookups.append(Lookup((0,), holds))
    lookups.append(Lookup((0,), np.where(inside, 0.0, lines.at(target, to))))
    rewards.append(
        Reward(model.rewards[reward].constant, (*model.rewards[reward].lookups, len(lookups) - 1))
    )
    return len(guards) - 2, len(guards) - 1
