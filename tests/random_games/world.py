"""What a random game declares: its dice, variables and tables, and the names known in a place."""

from __future__ import annotations

from attrs import define, evolve, field

from tests.random_games.draws import Draws

RANGES = (
    *("0 to 4 capped", "0 to 3 capped", "0", "1 from 0 - 2 to 3 capped"),
    *("2 from 0 to 6 capped", "0 to 2 capped", "5 from 0 to 9", "3 to 0 capped"),
)


@define
class Pick:
    """What a player can pick in a game, as strategies speak of it: its name and its type."""

    name: str
    type: str
    label: str = ""


@define
class World:
    """The declarations of a game, and what holds where a sentence stands."""

    draws: Draws
    players: int = 1
    count: int = 1
    faces: tuple[str, ...] = ("1", "2")
    weights: tuple[int, ...] = (1, 1)
    is_word: bool = False
    dice: str = "dice"
    second: bool = False
    pile: bool = False
    own: dict[str, str] = field(factory=dict)
    table: dict[str, str] = field(factory=dict)
    turn: dict[str, str] = field(factory=dict)
    flag: bool = False
    mode: bool = False
    array: bool = False
    tiles: bool = False
    seen: bool = False
    bag: bool = False
    level: bool = False
    boxes: bool = False
    hand: bool = False
    map: bool = False
    means: tuple[str, ...] = ()
    money: bool = False
    score: bool = False
    """Whether there are points that are only added to, and played for."""
    ranking: bool = False
    options: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    """What is known here besides: names of picks and loops, with their types."""
    in_loop: bool = False
    in_choice: bool = False
    thrown: bool = True
    """Whether sentences may speak of the dice of this turn."""
    picks: list[Pick] = field(factory=list)
    moves: list[str] = field(factory=list)
    used: list[int] = field(factory=lambda: [0])
    """How many names were made up so far."""

    def new(self, letter: str) -> str:
        self.used[0] += 1
        return f"{letter}{self.used[0]}"

    def knowing(self, name: str, type: str) -> World:
        return evolve(self, names=(*self.names, (name, type)))

    def inside(self, *, loop: bool | None = None, choice: bool | None = None) -> World:
        loop = self.in_loop if loop is None else loop
        choice = self.in_choice if choice is None else choice
        return evolve(self, in_loop=loop, in_choice=choice)

    def known(self, type: str) -> list[str]:
        return [name for name, its in self.names if its == type]

    @property
    def numbers(self) -> list[str]:
        return [*self.own, *self.table, *self.turn]
