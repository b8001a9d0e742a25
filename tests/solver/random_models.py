"""Random models within the guarantees of a compiler, and a plain exact evaluator for them."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
from attrs import evolve

from dicegames.solver.model import BRANCH, CHANCE, CHOICE, END, Axis, Model, Reward
from tests.solver.models import Builder

ROUNDS, STATES, GOODS = 4, 5, 4


class Maker:
    """Builds one model: rounds rise at reads, `kind` moves about, `goods` fall inside a turn."""

    def __init__(self, seed: int, *, two_seats: bool, bits: bool) -> None:
        self.random = Random(seed)
        self.two_seats = two_seats
        first = Axis("used", 1 << ROUNDS, "set") if bits else Axis("round", ROUNDS, "counter")
        self.bits = bits
        self.b = Builder(
            [
                first,
                Axis("kind", STATES, "enum"),
                Axis("goods", GOODS, "counter", inner=True),
            ]
        )
        self.end = self.b.node("end", END)

    def bool_over(self, *axes: int) -> tuple[int, int]:
        """A random bool lookup and its opposite, as guards."""
        b, salt = self.b, self.random.randrange(10**9)

        def rule(*point: int) -> bool:
            return Random(hash((salt, *point))).random() < 0.5

        yes = b.lookup(("yes", salt), axes, np.bool_, rule)
        no = b.lookup(("no", salt), axes, np.bool_, lambda *point: not rule(*point))
        return b.guard(yes), b.guard(no)

    def reward(self) -> int:
        choice = self.random.random()
        if choice < 0.4:
            return 0
        constant = self.random.randrange(-8, 9) / 4
        if choice < 0.8:
            return self.b.reward(constant)
        axis, salt = self.random.randrange(3), self.random.randrange(10**9)
        table = self.b.lookup(
            ("reward", salt), (axis,), np.float64, lambda i: Random(salt + i).randrange(8) / 2
        )
        return self.b.reward(constant, table)

    def land(self) -> int:
        """The end of a turn: into the next round, or out of the game."""
        b, pick = self.b, self.random
        bit = pick.randrange(ROUNDS) if self.bits else 0
        name = ("land", pick.randrange(4), bit)
        if b.has(name):
            return b.number(name)
        land = b.node(name, BRANCH)

        def over(x: int) -> bool:
            return x | 1 << bit == (1 << ROUNDS) - 1 if self.bits else x + 1 == ROUNDS

        def on(x: int) -> int:
            if self.bits:
                return -1 if x >> bit & 1 else x | 1 << bit
            return x + 1 if x + 1 < ROUNDS else -1

        last = b.lookup(("last", bit), (0,), np.bool_, over)
        more = b.lookup(("more", bit), (0,), np.bool_, lambda x: not over(x))
        salt = pick.randrange(10**9)
        use = b.lookup(("on", bit), (0,), np.int32, on)
        turn = b.lookup(("kind", salt), (1,), np.int32, lambda k: (k * 2 + salt) % STATES)
        gain = b.lookup("gain", (2,), np.int32, lambda g: min(g + 2, GOODS - 1))
        b.edge(land, self.end, guard=b.guard(last), reward=self.reward())
        rotate = pick.randrange(2) if self.two_seats else 0
        effect = b.effect((0, use), (1, turn), (2, gain))
        target = self.start if pick.random() < 0.7 else self.second
        b.edge(
            land, target, guard=b.guard(more), effect=effect, reward=self.reward(), rotate=rotate
        )
        return land

    def leave(self, node: int, guard: int) -> None:
        """An edge out of the turn; with sets, under the guard that the box is open."""
        b = self.b
        land = self.land()
        if not self.bits:
            b.edge(node, land, guard=guard, reward=self.reward())
            return
        bit = next(name[2] for name, n in b._node_of.items() if n == land)  # type: ignore[index]
        opened = b.lookup(("open", bit), (0,), np.bool_, lambda x: not x >> bit & 1)
        b.edge(node, land, guard=b.guard(opened), reward=self.reward())

    def close(self, node: int) -> None:
        """Make sure that a choice can always leave."""
        if not self.bits:
            self.leave(node, 0)
            return
        for bit in range(ROUNDS):
            name = ("fixed", bit)
            if not self.b.has(name):
                self._fixed(bit)
            opened = self.b.lookup(("open", bit), (0,), np.bool_, lambda x, i=bit: not x >> i & 1)
            self.b.edge(node, self.b.number(name), guard=self.b.guard(opened))

    def _fixed(self, bit: int) -> None:
        b = self.b
        land = b.node(("fixed", bit), BRANCH)
        full = (1 << ROUNDS) - 1
        last = b.lookup(("last", bit), (0,), np.bool_, lambda x: x | 1 << bit == full)
        more = b.lookup(("more", bit), (0,), np.bool_, lambda x: x | 1 << bit != full)
        use = b.lookup(("on", bit), (0,), np.int32, lambda x: -1 if x >> bit & 1 else x | 1 << bit)
        b.edge(land, self.end, guard=b.guard(last), reward=self.reward())
        rotate = self.random.randrange(2) if self.two_seats else 0
        b.edge(land, self.start, guard=b.guard(more), effect=b.effect((0, use)), rotate=rotate)

    def model(self, nodes: int = 14) -> Model:
        b, pick = self.b, self.random
        self.start = b.node("start", CHANCE, stored=True)
        self.second = b.node("second", CHOICE, stored=True)
        some = b.guard(b.lookup("some", (2,), np.bool_, lambda g: g > 0))
        pay = b.effect((2, b.lookup("pay", (2,), np.int32, lambda g: g - 1)))
        kinds = [pick.choice([CHANCE, CHOICE, CHOICE, BRANCH]) for _ in range(nodes - 1)]
        own = [b.node(("n", i), kind, chooser=self._chooser(kind)) for i, kind in enumerate(kinds)]
        own.append(b.node(("n", "last"), CHOICE))
        kinds.append(CHOICE)
        for i, (node, kind) in enumerate(zip(own, kinds, strict=True)):
            later = own[i + 1 :]
            if kind == CHANCE:
                for weight in pick.choice([(0.5, 0.5), (0.25, 0.75), (0.5, 0.25, 0.25)]):
                    b.edge(node, pick.choice(later), weight=weight, reward=self.reward())
            elif kind == BRANCH:
                yes, no = self.bool_over(*sorted(pick.sample(range(3), pick.choice([1, 2]))))
                b.edge(node, pick.choice(later), guard=yes, reward=self.reward())
                b.edge(node, pick.choice(later), guard=no)
            else:
                for other in pick.sample(later, min(len(later), 2)):
                    guard = self.bool_over(pick.randrange(3))[0] if pick.random() < 0.5 else 0
                    b.edge(node, other, guard=guard, reward=self.reward())
                if pick.random() < 0.5:
                    target = pick.choice([*own, self.start])
                    b.edge(node, target, guard=some, effect=pay, reward=self.reward())
                self.close(node)
        for weight in (0.5, 0.25, 0.25):
            b.edge(self.start, pick.choice(own[:5]), weight=weight, reward=self.reward())
        b.edge(self.second, own[0])
        b.edge(self.second, self.start, reward=self.reward())
        return b.build(
            "random",
            self.start,
            (0, 1, 2),
            seats=2 if self.two_seats else 1,
            maximise=pick.random() < 0.7,
            constant_sum=1.5 if self.two_seats else None,
        )

    def _chooser(self, kind: int) -> int:
        return self.random.randrange(2) if self.two_seats and kind == CHOICE else 0


def selfish(seed: int, *, bits: bool) -> Model:
    """A random model of two or three players who want their own, with many equally good moves."""
    model = Maker(seed, two_seats=True, bits=bits).model()
    random = Random(seed)
    seats = 2 + seed % 2
    rewards = (Reward(0.0, ()), Reward(1.0, ()), Reward(-1.0, ()))
    numbers = np.array([random.randrange(3) for _ in range(model.edges)], np.int32)
    others = np.array(
        [[random.randrange(3) for _ in range(seats - 1)] for _ in range(model.edges)], np.int32
    )
    return evolve(
        model,
        seats=seats,
        constant_sum=None,
        chooser=np.zeros(model.nodes, np.int8),
        rewards=rewards,
        reward=numbers,
        other_rewards=others,
    )


Vector = tuple[Fraction, ...]


def exact_by_seat(model: Model) -> Vector:
    """Values by seat at the start: of equally good moves the first one is taken."""
    assert model.other_rewards is not None
    others = model.other_rewards
    seats = model.seats

    def entry(lookup: int, point: tuple[int, ...]) -> float:
        table = model.lookups[lookup]
        return float(table.values[tuple(point[a] for a in table.axes)])

    def paid(reward: int) -> Fraction:
        return Fraction(model.rewards[reward].constant)

    @cache
    def value(node: int, point: tuple[int, ...]) -> Vector:
        if model.kind[node] == END:
            return (Fraction(0),) * seats
        options: list[tuple[Fraction, Vector]] = []
        for e in range(model.first_edge[node], model.first_edge[node + 1]):
            if not all(entry(k, point) for k in model.guards[model.guard[e]]):
                continue
            target, after, rotate = int(model.target[e]), list(point), int(model.rotate[e])
            if model.kind[target] != END:
                for axis, k in model.effects[model.effect[e]].assign:
                    after[axis] = int(entry(k, point))
            inner = value(target, tuple(after))
            gains = [paid(model.reward[e]), *(paid(r) for r in others[e])]
            found = tuple(gains[s] + inner[(s - rotate) % seats] for s in range(seats))
            options.append((Fraction(float(model.weight[e])), found))
        if model.kind[node] == CHANCE:
            return tuple(sum((w * v[s] for w, v in options), Fraction(0)) for s in range(seats))
        sign = 1 if model.maximise else -1
        best = max(sign * v[0] for _, v in options)
        return next(v for _, v in options if sign * v[0] == best)

    return value(model.start, model.start_point)


def exact(model: Model) -> dict[tuple[int, tuple[int, ...]], Fraction]:
    """Values of all states met from the start, as fractions."""
    met: dict[tuple[int, tuple[int, ...]], Fraction] = {}

    def entry(lookup: int, point: tuple[int, ...]) -> float:
        table = model.lookups[lookup]
        return float(table.values[tuple(point[a] for a in table.axes)])

    @cache
    def value(node: int, point: tuple[int, ...]) -> Fraction:
        if model.kind[node] == END:
            return Fraction(0)
        options = []
        for e in range(model.first_edge[node], model.first_edge[node + 1]):
            if not all(entry(k, point) for k in model.guards[model.guard[e]]):
                continue
            reward = model.rewards[model.reward[e]]
            own = Fraction(reward.constant) + sum(
                (Fraction(entry(k, point)) for k in reward.lookups), Fraction(0)
            )
            after, target = list(point), int(model.target[e])
            if model.kind[target] != END:
                for axis, k in model.effects[model.effect[e]].assign:
                    after[axis] = int(entry(k, point))
            inner = value(target, tuple(after))
            if model.rotate[e] and model.kind[target] != END:
                inner = Fraction(model.constant_sum or 0) - inner
            options.append((Fraction(float(model.weight[e])), own + inner))
        if model.kind[node] == CHANCE:
            found = sum((w * v for w, v in options), Fraction(0))
        else:
            largest = model.maximise != (model.chooser[node] == 1)
            found = (max if largest else min)(v for _, v in options)
        met[node, point] = found
        return found

    value(model.start, model.start_point)
    return met
