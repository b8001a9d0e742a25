"""Models built by hand, without the compiler: three games as the solver sees them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from itertools import combinations, combinations_with_replacement
from math import factorial

import numpy as np

from dicegames.solver.model import (
    BRANCH,
    CHANCE,
    CHOICE,
    END,
    Array,
    Axis,
    Effect,
    Lookup,
    Model,
    Reward,
)

Dice = tuple[int, ...]


class Builder:
    """Collects nodes, edges and lookups by name, and numbers them."""

    def __init__(self, axes: Iterable[Axis]) -> None:
        self.axes = tuple(axes)
        self.lookups: list[Lookup] = []
        self._lookup_of: dict[Hashable, int] = {}
        self._guard_of: dict[tuple[int, ...], int] = {(): 0}
        self._effect_of: dict[Effect, int] = {Effect(()): 0}
        self._reward_of: dict[Reward, int] = {Reward(0.0, ()): 0}
        self._node_of: dict[Hashable, int] = {}
        self._kind: list[int] = []
        self._chooser: list[int] = []
        self._stored: list[bool] = []
        self._edges: list[list[tuple[int, float, int, int, int, int]]] = []

    def node(self, name: Hashable, kind: int, *, stored: bool = False, chooser: int = 0) -> int:
        if name not in self._node_of:
            self._node_of[name] = len(self._kind)
            self._kind.append(kind)
            self._chooser.append(chooser)
            self._stored.append(stored)
            self._edges.append([])
        return self._node_of[name]

    def has(self, name: Hashable) -> bool:
        return name in self._node_of

    def number(self, name: Hashable) -> int:
        return self._node_of[name]

    def lookup(
        self, name: Hashable, axes: tuple[int, ...], dtype: type, rule: Callable[..., float]
    ) -> int:
        if name not in self._lookup_of:
            shape = tuple(self.axes[a].size for a in axes)
            listed = [rule(*i) for i in np.ndindex(*shape)]
            values: np.ndarray = np.array(listed, dtype).reshape(shape)
            self._lookup_of[name] = len(self.lookups)
            self.lookups.append(Lookup(axes, values))
        return self._lookup_of[name]

    def guard(self, *lookups: int) -> int:
        return self._guard_of.setdefault(tuple(lookups), len(self._guard_of))

    def effect(self, *assign: tuple[int, int]) -> int:
        return self._effect_of.setdefault(Effect(tuple(assign)), len(self._effect_of))

    def reward(self, constant: float, *lookups: int) -> int:
        return self._reward_of.setdefault(Reward(float(constant), lookups), len(self._reward_of))

    def edge(
        self,
        source: int,
        target: int,
        *,
        weight: float = 1.0,
        guard: int = 0,
        effect: int = 0,
        reward: int = 0,
        rotate: int = 0,
    ) -> None:
        entry = (target, weight, guard, effect, reward, rotate)
        if weight != 1.0 or entry not in self._edges[source]:
            self._edges[source].append(entry)

    def build(
        self,
        name: str,
        start: int,
        start_point: tuple[int, ...],
        *,
        seats: int = 1,
        maximise: bool = True,
        constant_sum: float | None = None,
    ) -> Model:
        edges = [entry for row in self._edges for entry in row]
        columns = list(zip(*edges, strict=True))
        first = np.zeros(len(self._kind) + 1, np.int64)
        np.cumsum([len(row) for row in self._edges], out=first[1:])

        def column(number: int, dtype: type) -> Array:
            return np.array(columns[number], dtype)

        return Model(
            name=name,
            axes=self.axes,
            lookups=tuple(self.lookups),
            guards=tuple(self._guard_of),
            effects=tuple(self._effect_of),
            rewards=tuple(self._reward_of),
            kind=np.array(self._kind, np.int8),
            chooser=np.array(self._chooser, np.int8),
            stored=np.array(self._stored, np.bool_),
            first_edge=first,
            target=column(0, np.int32),
            weight=column(1, np.float64),
            guard=column(2, np.int32),
            effect=column(3, np.int32),
            reward=column(4, np.int32),
            rotate=column(5, np.int8),
            start=start,
            start_point=start_point,
            seats=seats,
            maximise=maximise,
            constant_sum=constant_sum,
        )


def rolls(dice: int, sides: int = 6) -> list[tuple[Dice, float]]:
    """All multisets of `dice` dice as counts by face, with their probabilities."""
    out = []
    for faces in combinations_with_replacement(range(sides), dice):
        counts = tuple(faces.count(face) for face in range(sides))
        ways = factorial(dice)
        for count in counts:
            ways //= factorial(count)
        out.append((counts, ways / sides**dice))
    return out


COMBINATIONS: dict[int, tuple[str, int | None]] = {
    6: ("xxyyzz", None),
    7: ("xxxyyy", None),
    8: ("xxxx", 40),
    9: ("455666", 45),
    10: ("123456", 50),
    11: ("xxxxxx", 60),
    12: ("666666", 70),
    13: ("111116", 80),
}


def _targets(pattern: str) -> list[Dice]:
    letters = sorted({c for c in pattern if c.isalpha()})
    out = []
    for faces in combinations(range(6), len(letters)):
        named = dict(zip(letters, faces, strict=True))
        counts = Counter(named.get(c, int(c) - 1 if c.isdigit() else 0) for c in pattern)
        out.append(tuple(counts[face] for face in range(6)))
    return out


class Despirala:
    """Six dice, fourteen boxes, goods that pay for rolling again."""

    def __init__(self, *, misere: bool = False, boxes: int = 14, most_goods: int = 76) -> None:
        self.misere, self.boxes = misere, boxes
        self.full = (1 << 14) - 1
        self.closed = self.full & ~((1 << boxes) - 1)
        self.b = Builder(
            [
                Axis("used", 1 << 14, "set"),
                Axis("goods", most_goods, "counter", inner=True),
            ]
        )
        b = self.b
        self.some = b.guard(b.lookup("some", (1,), np.bool_, lambda g: g > 0))
        self.none = b.guard(b.lookup("none", (1,), np.bool_, lambda g: g == 0))
        self.pay = b.effect((1, b.lookup("pay", (1,), np.int32, lambda g: g - 1)))
        self.goods = b.reward(0.0, b.lookup("goods", (1,), np.float64, float))
        self.end = b.node("end", END)
        self.roll = b.node("roll", CHANCE, stored=True)
        self._fill()

    def _open(self, box: int) -> int:
        return self.b.lookup(("open", box), (0,), np.bool_, lambda u: not u >> box & 1)

    def _land(self, box: int) -> int:
        """The end of the turn that used a box."""
        b = self.b
        if b.has(("land", box)):
            return b.number(("land", box))
        land = b.node(("land", box), BRANCH)
        last = b.lookup(("last", box), (0,), np.bool_, lambda u: u | 1 << box == self.full)
        more = b.lookup(("more", box), (0,), np.bool_, lambda u: u | 1 << box != self.full)
        use = b.lookup(("use", box), (0,), np.int32, lambda u: -1 if u >> box & 1 else u | 1 << box)
        most = b.axes[1].size
        gain = b.lookup("gain", (1,), np.int32, lambda g: g + 5 if g + 5 < most else -1)
        b.edge(land, self.end, guard=b.guard(last), reward=self.goods)
        b.edge(land, self.roll, guard=b.guard(more), effect=b.effect((0, use), (1, gain)))
        return land

    def _need(self, box: int, points: int, spare: int, missing: Dice) -> int:
        """Completing a combination: `missing` counts of faces, `spare` dice to roll."""
        b = self.b
        missing = tuple(sorted((m for m in missing if m), reverse=True))
        name = ("need", box, points, spare, missing)
        if b.has(name):
            return b.number(name)
        node, chance = b.node(name, BRANCH), b.node(("rolled", *name), CHANCE)
        b.edge(node, self._land(box), guard=self.none)
        b.edge(node, chance, guard=self.some)
        odds: Counter[tuple[int, Dice]] = Counter()
        for counts, p in rolls(spare):
            left = tuple(max(0, m - c) for m, c in zip(missing, counts, strict=False))
            key = (spare - sum(missing) + sum(left), tuple(sorted(left, reverse=True)))
            odds[key] += p  # type: ignore[assignment]
        for (more, left), p in odds.items():
            if sum(left) == 0:
                b.edge(
                    chance,
                    self._land(box),
                    weight=p,
                    effect=self.pay,
                    reward=b.reward(points),
                )
            else:
                target = self._need(box, points, more, left)
                b.edge(chance, target, weight=p, effect=self.pay)
        return node

    def _collect(self, face: int, spare: int) -> int:
        b = self.b
        name = ("collect", face, spare)
        if b.has(name):
            return b.number(name)
        node = b.node(name, CHOICE)
        points = (face + 1) * (6 - spare)
        b.edge(node, self._land(face), reward=b.reward(points))
        if spare == 0:
            return node
        chance = b.node(("rolled", *name), CHANCE)
        b.edge(node, chance, guard=self.some)
        for new in range(spare + 1):
            ways = factorial(spare) // factorial(new) // factorial(spare - new)
            p = ways * 5 ** (spare - new) / 6**spare
            b.edge(chance, self._collect(face, spare - new), weight=p, effect=self.pay)
        return node

    def _options(self, choice: int, counts: Dice) -> None:
        b = self.b
        for box in range(self.boxes):
            is_open = b.guard(self._open(box))
            if box < 6:
                b.edge(choice, self._collect(box, 6 - counts[box]), guard=is_open)
                continue
            pattern, fixed = COMBINATIONS[box]
            for target in _targets(pattern):
                points = fixed or sum((i + 1) * t for i, t in enumerate(target))
                missing = tuple(max(0, t - c) for t, c in zip(target, counts, strict=True))
                spare = 6 - sum(target) + sum(missing)
                if sum(missing):
                    b.edge(choice, self._need(box, points, spare, missing), guard=is_open)
                else:
                    b.edge(choice, self._land(box), guard=is_open, reward=b.reward(points))

    def _fill(self) -> None:
        b = self.b
        for counts, p in rolls(6):
            choice = b.node(("rolled", counts), CHOICE)
            b.edge(self.roll, choice, weight=p)
            if not self.misere:
                b.edge(choice, self.roll, guard=self.some, effect=self.pay)
            self._options(choice, counts)

    def model(self) -> Model:
        return self.b.build("Despirala", self.roll, (self.closed, 5), maximise=not self.misere)


YAHTZEE = 11
LOWER = {6: "three", 7: "four", 8: "house", 9: "small", 10: "large", 11: "five", 12: "chance"}


def lower_points(box: int, counts: Dice) -> int:
    """Points of a lower box, jokers aside."""
    total = sum((face + 1) * count for face, count in enumerate(counts))
    shown = "".join("x" if c else "." for c in counts)
    found = {
        6: (max(counts) >= 3, total),
        7: (max(counts) >= 4, total),
        8: (sorted(counts)[-2:] == [2, 3], 25),
        9: ("xxxx" in shown, 30),
        10: ("xxxxx" in shown, 40),
        11: (max(counts) == 5, 50),
        12: (True, total),
    }[box]
    return found[1] if found[0] else 0


class Yahtzee:
    """Thirteen boxes, five dice, three throws; the free joker; the bonus is paid on reaching 63."""

    def __init__(self, closed: int = 0) -> None:
        self.closed = closed
        self.b = Builder(
            [Axis("used", 1 << 13, "set"), Axis("upper", 64, "counter"), Axis("flag", 2, "flag")]
        )
        b = self.b
        self.end = b.node("end", END)
        self.turn = b.node("turn", BRANCH, stored=True)
        roll = b.node("roll", CHANCE)
        full = (1 << 13) - 1
        over = b.guard(b.lookup("over", (0,), np.bool_, lambda u: u == full))
        more = b.guard(b.lookup("more", (0,), np.bool_, lambda u: u != full))
        b.edge(self.turn, self.end, guard=over)
        b.edge(self.turn, roll, guard=more)
        for counts, p in rolls(5):
            b.edge(roll, self._keep(0, counts), weight=p)

    def _keep(self, throw: int, counts: Dice) -> int:
        b = self.b
        name = ("keep", throw, counts)
        if b.has(name):
            return b.number(name)
        node = b.node(name, CHOICE)
        b.edge(node, self._add(throw, counts))
        for face in range(6):
            if counts[face]:
                less = (*counts[:face], counts[face] - 1, *counts[face + 1 :])
                b.edge(node, self._keep(throw, less))
        return node

    def _add(self, throw: int, counts: Dice) -> int:
        b = self.b
        if sum(counts) == 5:
            return self._keep(throw + 1, counts) if throw == 0 else self._score(counts)
        name = ("add", throw, counts)
        if b.has(name):
            return b.number(name)
        node = b.node(name, CHANCE)
        for face in range(6):
            more = (*counts[:face], counts[face] + 1, *counts[face + 1 :])
            b.edge(node, self._add(throw, more), weight=1 / 6)
        return node

    def _score(self, counts: Dice) -> int:
        b = self.b
        if b.has(("score", counts)):
            return b.number(("score", counts))
        node = b.node(("score", counts), CHOICE)
        same = counts.index(5) if 5 in counts else -1
        for box in range(13):
            is_open = b.lookup(("open", box), (0,), np.bool_, lambda u, x=box: not u >> x & 1)
            use = b.lookup(
                ("use", box), (0,), np.int32, lambda u, x=box: -1 if u >> x & 1 else u | 1 << x
            )
            if box < 6:
                self._upper(node, box, counts, is_open, use, same)
            else:
                self._lower(node, box, counts, is_open, use, same)
        return node

    def _hundred(self) -> int:
        """The bonus of another five equal dice."""
        return self.b.lookup(
            "hundred",
            (0, 2),
            np.float64,
            lambda u, flag: 100.0 if flag and u >> YAHTZEE & 1 else 0.0,
        )

    def _upper(self, node: int, box: int, counts: Dice, is_open: int, use: int, same: int) -> None:
        b = self.b
        points = (box + 1) * counts[box]
        bonus = b.lookup(
            ("bonus", points), (1,), np.float64, lambda u: 35.0 if u < 63 <= u + points else 0.0
        )
        add = b.lookup(("add", points), (1,), np.int32, lambda u: min(63, u + points))
        extra = [bonus] if points else []
        extra += [self._hundred()] if same >= 0 else []
        effect = b.effect((0, use), (1, add)) if points else b.effect((0, use))
        b.edge(
            node, self.turn, guard=b.guard(is_open), effect=effect, reward=b.reward(points, *extra)
        )

    def _lower(self, node: int, box: int, counts: Dice, is_open: int, use: int, same: int) -> None:
        b = self.b
        points = lower_points(box, counts)
        effect = b.effect((0, use))
        if same < 0:
            b.edge(node, self.turn, guard=b.guard(is_open), effect=effect, reward=b.reward(points))
            return
        if box == YAHTZEE:
            flag = b.lookup("armed", (), np.int32, lambda: 1)
            b.edge(
                node,
                self.turn,
                guard=b.guard(is_open),
                effect=b.effect((0, use), (2, flag)),
                reward=b.reward(50),
            )
            return
        joker = {8: 25, 9: 30, 10: 40}
        if box not in joker:
            b.edge(
                node,
                self.turn,
                guard=b.guard(is_open),
                effect=effect,
                reward=b.reward(points, self._hundred()),
            )
            return
        wild = 1 << YAHTZEE | 1 << same
        yes = b.lookup(("joker", same), (0,), np.bool_, lambda u: u & wild == wild)
        no = b.lookup(("plain", same), (0,), np.bool_, lambda u: u & wild != wild)
        for guard, worth in ((yes, joker[box]), (no, points)):
            b.edge(
                node,
                self.turn,
                guard=b.guard(is_open, guard),
                effect=effect,
                reward=b.reward(worth, self._hundred()),
            )

    def model(self) -> Model:
        return self.b.build("Yahtzee", self.turn, (self.closed, 0, 0))


def pig(target: int = 100) -> Model:
    """Two players; the total of the turn is in the control nodes; a bust passes the dice."""
    b = Builder([Axis("own", target, "counter"), Axis("other", target, "counter")])
    end = b.node("end", END)
    roll0 = b.node(("roll", 0), CHANCE, stored=True)
    own = b.lookup("own", (0,), np.int32, lambda x: x)
    other = b.lookup("other", (1,), np.int32, lambda x: x)
    swap = b.effect((0, other), (1, own))
    for total in range(target):
        roll = b.node(("roll", total), CHANCE, stored=total == 0)
        b.edge(roll, roll0, weight=1 / 6, effect=swap, rotate=1)
        for die in range(2, 7):
            new = total + die
            choice = b.node(("choice", new), CHOICE)
            b.edge(roll, choice, weight=1 / 6)
    for total in range(2, target + 6):
        choice = b.node(("choice", total), CHOICE)
        wins = b.lookup(("wins", total), (0,), np.bool_, lambda x, k=total: x + k >= target)
        less = b.lookup(("less", total), (0,), np.bool_, lambda x, k=total: x + k < target)
        gain = b.lookup(
            ("gain", total), (0,), np.int32, lambda x, k=total: x + k if x + k < target else -1
        )
        b.edge(choice, end, guard=b.guard(wins), reward=b.reward(1.0))
        if total < target:
            hold = b.effect((0, other), (1, gain))
            b.edge(choice, roll0, guard=b.guard(less), effect=hold, rotate=1)
            b.edge(choice, b.node(("roll", total), CHANCE), guard=b.guard(less))
    return b.build("Pig", roll0, (0, 0), seats=2, constant_sum=1.0)
