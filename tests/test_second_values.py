"""Values of the second games, against other ways to find them: in fractions, without the solver."""

from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import pytest

import dicegames

SECOND = Path(__file__).parent / "second_games"


def last_in_play(players: int, out: Fraction) -> list[Fraction]:
    """Return who is left when each in turn drops out with a probability, the first to move first.

    With w(n, j) for the j-th of n still in play and p for the probability:
    w(n, 0) = (1 - p) w(n, n - 1), and w(n, j) = p w(n - 1, j - 1) + (1 - p) w(n, j - 1).
    """
    fewer = [Fraction(1)]
    for _ in range(2, players + 1):
        constants, factors = [Fraction(0)], [Fraction(1)]  # w(n, j) = constant + factor w(n, 0)
        for before in fewer:
            constants.append(out * before + (1 - out) * constants[-1])
            factors.append((1 - out) * factors[-1])
        first = (1 - out) * constants[-1] / (1 - (1 - out) * factors[-1])
        fewer = [c + f * first for c, f in zip(constants, factors, strict=True)]
    return fewer


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("unlucky", "ways"), [(7, 6), (2, 1)])
def test_players_who_are_out_sit_out(players: int, unlucky: int, ways: int) -> None:
    game = dicegames.load(SECOND / "knock_out.dg", players=players, unlucky=unlucky)
    expected = last_in_play(players, Fraction(ways, 36))
    assert sum(expected) == 1
    assert dicegames.solve(game).value == pytest.approx([float(v) for v in expected], abs=1e-11)


Chips = tuple[int, ...]


def is_over(chips: Chips) -> bool:
    return sum(1 for c in chips if c) <= 1


def passing_chips(players: int, start: int) -> list[Fraction]:
    """Return who ends with chips when they are passed on: one equation for each situation.

    A situation has the chips from the player to move on; its value is by distance from that one.
    """
    first = (start,) * players
    moves: dict[Chips, list[tuple[Chips, Fraction]]] = {}
    pending = [first]
    while pending:
        chips = pending.pop()
        if chips in moves:
            continue
        dice = min(chips[0], 3)
        moves[chips] = []
        for thrown in product("LRC...", repeat=dice):
            there = list(chips)
            there[1] += thrown.count("L")
            there[-1] += thrown.count("R")
            there[0] -= dice - thrown.count(".")
            moves[chips].append(((*there[1:], there[0]), Fraction(1, 6**dice)))
        pending += [after for after, _ in moves[chips] if not is_over(after)]
    unknowns = [(chips, seat) for chips in moves for seat in range(players)]
    number = {unknown: n for n, unknown in enumerate(unknowns)}
    rows = [[Fraction(0)] * (len(unknowns) + 1) for _ in unknowns]
    for (chips, seat), n in number.items():
        rows[n][n] += 1
        place = (seat - 1) % players  # after the turn the next one counts as the first
        for after, weight in moves[chips]:
            if is_over(after):
                shares = [Fraction(c == max(after), after.count(max(after))) for c in after]
                rows[n][-1] += weight * shares[place]
            else:
                rows[n][number[after, place]] -= weight
    return solved(rows)[: number[first, 0] + players][number[first, 0] :]


def solved(rows: list[list[Fraction]]) -> list[Fraction]:
    """Return the solution of linear equations, each a row that ends with its constant."""
    for n in range(len(rows)):
        best = next(k for k in range(n, len(rows)) if rows[k][n])
        rows[n], rows[best] = rows[best], rows[n]
        rows[n] = [x / rows[n][n] for x in rows[n]]
        for k, row in enumerate(rows):
            if k != n and row[n]:
                rows[k] = [x - row[n] * y for x, y in zip(row, rows[n], strict=True)]
    return [row[-1] for row in rows]


@pytest.mark.parametrize(("players", "start"), [(2, 1), (2, 2), (3, 1)])
def test_chips_go_to_the_neighbours(players: int, start: int) -> None:
    game = dicegames.load(SECOND / "left_right_center.dg", players=players, start=start)
    expected = passing_chips(players, start)
    assert sum(expected) == 1
    assert dicegames.solve(game).value == pytest.approx([float(v) for v in expected], abs=1e-11)


Men = tuple[int, ...]


@cache
def bearing_off(own: Men, other: Men) -> Fraction:
    """Return the probability that the player to move is the first to have no men left."""
    total = Fraction(0)
    for low, high in product((1, 2, 3), repeat=2):
        total += best_of(own, other, tuple(sorted((low, high)))) / 9
    return total


def best_of(own: Men, other: Men, dice: tuple[int, ...]) -> Fraction:
    """Return the value of the best way to use the dice, the lower one first."""
    if not dice:
        return 1 - bearing_off(other, own) if any(own) else Fraction(1)
    found = []
    for place in range(3):
        if own[place]:
            after = list(own)
            after[place] -= 1
            if place + 1 > dice[0]:
                after[place - dice[0]] += 1
            found.append(best_of(tuple(after), other, dice[1:]))
    return max(found, default=Fraction(1))  # nothing left to move: it is over


def test_a_race_that_begins_inside_its_ranges() -> None:
    game = dicegames.load(SECOND / "bear_off.dg")
    first = bearing_off((1, 1, 1), (1, 1, 1))
    expected = [float(first), float(1 - first)]
    assert dicegames.solve(game).value == pytest.approx(expected, abs=1e-11)


def going_on(most: int) -> dict[tuple[int, int], Fraction]:
    """Return what it is worth to throw three dice once more, by brains (up to `most`) and shots.

    From `most` on one stops, which is best there if it is best at `most`: a further throw brings
    at most three brains, and the more there are, the more is lost with the third shot.
    """
    throws: dict[tuple[int, int], Fraction] = {}
    for dice in product("bbbffs", repeat=3):
        shown = dice.count("b"), dice.count("s")
        throws[shown] = throws.get(shown, Fraction(0)) + Fraction(1, 216)
    stays = throws.pop((0, 0))
    on: dict[tuple[int, int], Fraction] = {}
    for brains in range(most, -1, -1):
        for shots in (2, 1, 0):
            total = Fraction(0)
            for (more, hit), p in throws.items():
                then = (brains + more, shots + hit)
                if then[1] < 3:
                    total += p * max(Fraction(then[0]), on.get(then, Fraction(0)))
            on[brains, shots] = total / (1 - stays)
    return on


@pytest.mark.parametrize("limit", ["", " to 400 capped", " to 2000 capped"])
def test_where_a_turn_with_two_counters_stops(limit: str, tmp_path: Path) -> None:
    on = going_on(400)
    text = (SECOND / "three_shots.dg").read_text("utf-8")
    path = tmp_path / "three_shots.dg"
    path.write_text(text.replace("brains = 0 ", f"brains = 0{limit} "), "utf-8")
    game = dicegames.load(path)
    solution = dicegames.solve(game)
    assert solution.value == pytest.approx(float(on[0, 0]), abs=1e-9)
    for shots, stops in ((0, 324), (1, 20), (2, 3)):
        assert on[stops - 1, shots] > stops - 1
        assert on[stops, shots] <= stops
        for brains, best in ((stops - 1, "Go on"), (stops + 1, "Stop")):
            text = f"brains {brains} | shots {shots}"
            assert str(solution.best(game.position(text))).startswith(best)


Row = tuple[int, ...]


def window(panes: int, sides: int, tools: int, *, leftmost: bool) -> Fraction:
    """Return what a row of panes brings: with the best moves, or always on the leftmost pane."""

    def counted(row: Row) -> Fraction:
        rises = sum(right == left + 1 for left, right in pairwise(row))
        return Fraction(sum(row) + 3 * rises)

    def moves(row: Row, dice: set[int], left: int) -> list[tuple[int, int, int]]:
        """Return the place of each move, whether it costs a tool, and the number of the die."""
        found = []
        for face, place in product(sorted(dice), range(panes)):
            beside = row[max(place - 1, 0) : place] + row[place + 1 : place + 2]
            cost = int(face in beside)
            if row[place] == 0 and cost <= left:
                found.append((place, cost, face))
        return found

    @cache
    def turn(number: int, row: Row, left: int) -> Fraction:
        if number > panes + 2 or all(row):
            return counted(row)
        worth = Fraction(0)
        for dice in product(range(1, sides + 1), repeat=2):
            able = moves(row, set(dice), left)
            chosen = [min(able)] if leftmost and able else able
            found = [
                turn(number + 1, (*row[:place], face, *row[place + 1 :]), left - cost)
                for place, cost, face in chosen
            ]
            if not (leftmost and able):
                found.append(turn(number + 1, row, left) - 1)
            worth += max(found)
        return worth / sides**2

    return turn(1, (0,) * panes, tools)


@pytest.mark.parametrize(("panes", "sides", "tools"), [(4, 4, 2), (3, 6, 1), (4, 3, 0)])
def test_panes_of_a_window_whose_neighbours_differ(panes: int, sides: int, tools: int) -> None:
    game = dicegames.load(SECOND / "window.dg", panes=panes, sides=sides, tools_each=tools)
    for strategy in (None, "Leftmost"):
        expected = window(panes, sides, tools, leftmost=strategy is not None)
        found = dicegames.solve(game, strategy=strategy).value
        assert found == pytest.approx(float(expected), abs=1e-11), strategy
