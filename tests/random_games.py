"""Rules files by chance: small games that are often odd, for comparing the solver with the referee.

All that a game may have comes up: players who look at each other or at their seat, variables of
players, table and turn with and without ranges, boxes, tiles, choices with conditions and prices,
repetitions, ends of all kinds, payoffs that add up and others, winning and money.
"""

from __future__ import annotations

from random import Random
from typing import TypeVar

T = TypeVar("T")
STEP = "    "
RANGES = [" = 0 to 4 capped", " = 0", " = 2 from 0 to 6", " = 0 to 3 capped"]


def random_rules(seed: int) -> str:
    """Return the text of a rules file; the same for the same seed."""
    return _Writer(seed).text()


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.players = self.one([1, 1, 2, 2, 2, 3])
        self.dice, self.faces = self.one([1, 1, 2]), self.one([2, 3])
        self.own = {"a": self.one(RANGES)}
        if self.chance(0.6):
            self.own["b"] = self.one(RANGES)
        self.table = {"t": " = 0 to 3 capped"} if self.chance(0.35) else {}
        self.of_turn = (
            {"u": self.one([" = 0 to 3 capped", " = 0 to 5"])} if self.chance(0.4) else {}
        )
        self.numbers = [*self.own, *self.table, *self.of_turn]
        self.flag, self.tiles = self.chance(0.3), self.chance(0.3)
        self.boxes = self.chance(0.35)
        self.money = self.players > 1 and self.chance(0.25)

    def one(self, of: list[T]) -> T:
        return self.random.choice(of)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # ---- expressions

    def number(self, *, plain: bool = False) -> str:
        if not plain and self.chance(0.3):
            sign, other = self.one(["+", "-", "*"]), self.one(["1", "2", "a"])
            return f"({self.number(plain=True)} {sign} {other})"
        if not plain and self.chance(0.1):
            return (
                f"({self.number(plain=True)} if {self.condition()} else {self.number(plain=True)})"
            )
        if not plain and self.chance(0.1):
            return f"({self.number(plain=True)} {self.one(['div 2', 'mod 2', 'mod 3'])})"
        few = ["1", "2", "3", "sum of dice", "highest of dice", "number of 1 in dice", "round"]
        few += self.numbers * 2
        few += ["seat", "a of left of mover", "size of players"] if self.players > 1 else []
        return self.one(few + (["size of up"] if self.tiles else []))

    def condition(self, *, joined: bool = False) -> str:
        if joined and self.chance(0.2):
            return f"({self.condition()}) {self.one(['and', 'or'])} ({self.condition()})"
        sign = self.one([">=", "<", "=", ">", "<="])
        few = [f"{self.number(plain=True)} {sign} {self.number(plain=True)}", "1 in dice"]
        few += ["dice show 1", "dice show x x ..." if self.dice > 1 else "dice show 2"]
        few += ["done", "not done"] if self.flag else []
        few += ["up is empty", f"{self.one([1, 2, 3])} in up"] if self.tiles else []
        few += ["all boxes are used", '"Low" is open'] if self.boxes else []
        if self.players > 1:
            few += [f"any player has a >= {self.one([1, 2, 3])}", "seat = 1"]
            few += [f"every p in players has a of p >= {self.one([1, 2])}"]
        return self.one(few)

    # ---- statements

    def simple(self) -> str:
        few = [f"{self.one(self.numbers)} + {self.number(plain=True)}"] * 6
        few += [f"{self.one(self.numbers)} - {self.number(plain=True)}"]
        few += [f"{self.one(self.numbers)} = {self.number()}", 'note "event"']
        few += [f"done = {self.one(['yes', 'no'])}"] if self.flag else []
        few += ["a of left of mover + 1"] if self.players > 1 else []
        few += [f"pay 1 from {self.one(['others to mover', 'mover to others'])}"] * self.money
        return self.one(few)

    def block(self, depth: int, indent: str, *, loop: bool = False) -> list[str]:
        lines: list[str] = []
        for _ in range(self.one([1, 1, 2, 2, 3])):
            kind = self.one(["simple", "simple", "if", "choose", "roll", "repeat", "stop"])
            if depth > 2 or kind == "simple":
                lines.append(indent + self.simple())
            elif kind == "if":
                lines.append(f"{indent}if {self.condition(joined=True)}")
                lines += self.block(depth + 1, indent + STEP, loop=loop)
                if self.chance(0.4):
                    lines += [f"{indent}else", *self.block(depth + 1, indent + STEP, loop=loop)]
            elif kind == "choose":
                lines += self.choose(depth, indent, loop=loop)
            elif kind == "roll":
                lines.append(indent + self.one(["roll all", "roll those f in dice where f = 1"]))
            elif kind == "repeat" and not loop:
                often = self.one(["2", "2", "round", "seat" if self.players > 1 else "2"])
                lines.append(f"{indent}repeat {often} times")
                lines += self.block(depth + 1, indent + STEP, loop=True)
            else:
                stop = self.one(["leave", "next"] if loop else ["end turn", "end turn", "end game"])
                lines.append(f"{indent}if {self.condition()}: {stop}")
        return lines

    def choose(self, depth: int, indent: str, *, loop: bool) -> list[str]:
        lines, inner = [f"{indent}choose"], indent + STEP
        for number in range(self.one([1, 2, 2, 3])):
            when = f" when {self.condition()}" if self.chance(0.4) else ""
            kind = self.one(["box", "tiles", "again", "price", "plain", "plain"])
            if kind == "box" and self.boxes and number == 0:
                lines += [f"{inner}one of open card as c{when}", f"{inner}{STEP}a + points of c"]
                lines += [f"{inner}{STEP}use c"] if self.chance(0.85) else []
            elif kind == "tiles" and self.tiles:
                sums = f"{self.one(['=', '<=', '>='])} {self.number(plain=True)}"
                many = f"{self.one(['some', 'any'])} of up as k where sum of k {sums}"
                lines.append(f'{inner}"Shut{number}" {self.one([many, "one of up as k"])}: up - k')
            elif kind == "again":
                some = self.one(["some", "any", "one"])
                lines.append(f'{inner}"Again{number}" {some} of dice as k{when}: roll k')
            else:
                price = " for 1 a" if kind == "price" else ""
                lines.append(f'{inner}"Move{number}"{price}{when}')
                lines += self.block(depth + 2, inner + STEP, loop=loop)
        if self.chance(0.8):
            lines.append(f"{inner}otherwise: {self.one(['pass', 'pass', 'end turn', 'a + 1'])}")
        return lines

    # ---- the whole

    def text(self) -> str:
        lines = ['game "By chance"']
        lines += [f"option players = {self.players} from 1 to 3"] if self.players > 1 else []
        lines += [f"dice {self.dice}d{self.faces}", "each player", *_declared(self.own)]
        lines += [f"{STEP}done = no"] * self.flag + [f"{STEP}money = 0"] * self.money
        if self.table or self.tiles:
            lines += ["table", *_declared(self.table), *[f"{STEP}up = (1 to 3)"] * self.tiles]
        lines += ["this turn", *_declared(self.of_turn)] if self.of_turn else []
        if self.boxes:
            lines += ["boxes card", f'{STEP}"Low"  any dice  pays 4 - sum']
            lines += [f'{STEP}"High"  any dice  pays sum']
        lines += ["turn", f"{STEP}roll all", *self.block(0, STEP), self.end(), *self.goal()]
        return "\n".join(lines) + "\n"

    def end(self) -> str:
        few = [f"ends after {self.one([1, 2, 3])} rounds"] * 4
        few += [f"ends when ({self.condition()}) or round > 2"] * 2
        few += [f"ends after the round when ({self.condition()}) or round >= 2"] * 2
        return self.one(few + ["ends when all boxes are used"] * (2 * self.boxes))

    def goal(self) -> list[str]:
        counted = ["a", "a", "a + 2", "a + round", *self.own]
        counted += ["a - b", "a * b", "a + b"] if "b" in self.own else []
        counted += ["(a if done else 0)"] * self.flag + ["a - size of up"] * self.tiles
        counted += ["a * seat"] if self.players > 1 else []
        if self.money:
            return ["ranking highest a", "payoff money"]
        best = self.one(["highest", "highest", "lowest"])
        if self.players > 1 and self.chance(0.35):
            ties = self.one(["", ", ties share", ", ties earlier"])
            return [f"ranking {best} {self.one(counted)}{ties}", "payoff win"]
        return [f"payoff {best} {self.one(counted)}"]


def _declared(variables: dict[str, str]) -> list[str]:
    return [f"{STEP}{name}{values}" for name, values in variables.items()]
