"""Random games in the forms that people play.

A card to fill, a race to a target, men on a track, a hand to beat with as many throws as the first.

The other random games are odd on purpose, and seldom have what these rest on: boxes that are used
one by one until none is left, points at risk without a limit, players who do not meet at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.random_games.draws import BySeed, Draws
from tests.random_games.statements import STEP, Lines

ROWS = (
    *("any 1  pays sum", "any 2  pays sum", "x x  pays sum", "x x  pays 2 * x", "1 2  pays 3"),
    *("x x | 2 2  pays 4", "x x | 1  pays 3", "x y  pays 2", "2  pays sum of dice"),
    *("any 1  pays 2 each", "any dice  pays sum", "any dice  pays lowest of dice"),
)


def usual_by_seed(seed: int, *, limited: bool = False) -> str:
    """Return the text of a rules file; the same for the same seed.

    If `limited`, points at risk stop where more of them can no longer matter to who wins: then
    there are only so many positions.
    """
    draws = BySeed(Random(seed))
    form: Callable[[Draws, bool], Lines] = draws.one([_card, _race, _track, _hand])
    return "\n".join([f'game "{form.__name__.strip("_")}"', *form(draws, limited)]) + "\n"


def points_by_seed(seed: int) -> str:
    """Return the text of such a game in which two players or more each play for their points."""
    lines = usual_by_seed(seed, limited=True).splitlines()
    alone = "option players = 1 "
    lines = [line.replace(alone, "option players = 2 ") for line in lines]
    if "payoff win" in lines:
        lines.remove("payoff win")
        ranking = "ranking ((highest|lowest) .*?)(, ties .*)?"
        lines = [re.sub(f"^{ranking}$", r"payoff \1", line) for line in lines]
    return "\n".join(lines) + "\n"


def _indented(depth: int, *lines: str) -> Lines:
    return [STEP * depth + line for line in lines]


def _goal(draws: Draws, players: int, counted: str) -> Lines:
    best = draws.one(["highest", "highest", "lowest"])
    ties = draws.one(["", "", ", ties share", ", ties earlier"])
    if players > 1 and draws.often(50):
        return [f"ranking {best} {counted}{ties}", "payoff win"]
    return [f"payoff {best} {counted}"]


def _card(draws: Draws, _limited: bool) -> Lines:
    """Return a card whose boxes are used one by one; dice may be thrown again before."""
    players = draws.one([1, 2, 1, 2, 3])
    rows = [draws.one(ROWS) for _ in range(draws.one([2, 2, 3]) if players == 1 else 2)]
    card = [f'{STEP}"{"ABC"[number]}"  {row}' for number, row in enumerate(rows)]
    parts, saved, bonus, marked = (draws.often(percent) for percent in (40, 25, 40, 20))
    lines = [f"option players = {players} from 1 to 3", f"dice 2d{draws.one([2, 2, 3])}"]
    lines += ["each player", f"{STEP}score = 0"]
    lines += [f"{STEP}filled = 0 to 2 capped"] * bonus + [f"{STEP}saved = 0 to 2 capped"] * saved
    lines += [f"{STEP}missed = 0 from 0 to 1"] * marked
    lines += ["boxes upper", card[0], "boxes lower", *card[1:]] if parts else ["boxes card", *card]
    lines += ["turn", f"{STEP}roll all"]
    how = draws.one(["any", "some"])
    keep = f'"Keep" {how} of dice as k{" for 1 saved" * saved}: roll dice - k'
    if saved:
        lines += _indented(
            1, "repeat", f"{STEP}choose", f"{STEP * 2}{keep}", f'{STEP * 2}"Stay": leave'
        )
    elif draws.often(85):
        again = f"repeat {draws.one([1, 1, 2]) if players == 1 else 1} times"
        lines += _indented(1, again, f"{STEP}choose", f"{STEP * 2}{keep}")
        lines += _indented(3, '"Stay": leave') * (how == "some")
    lines += _indented(1, "choose", f"{STEP}one of open boxes as b")
    if bonus:
        first = "upper" if parts else "card"
        full = "filled < 2 and filled + points of b >= 2"
        lines += _indented(3, f"if b in {first} and {full}: score + 3")
        lines += _indented(3, f"if b in {first}: filled + points of b")
    if marked:
        lines += _indented(3, "if points of b = 0 and missed = 1: score - 1")
        lines += _indented(3, "missed = 1 if points of b = 0 else 0")
    lines += _indented(3, "score + points of b", "use b")
    if draws.often(30):
        late = " when round > 1" * draws.often(40)
        lines += _indented(2, f'"Strike" one of open boxes as c{late}: use c')
    lines += _indented(1, "saved + 1") * saved
    lines += [draws.one([*["ends when all boxes are used"] * 3, "ends after 2 rounds"])]
    return [*lines, *_goal(draws, players, "score")]


def _race(draws: Draws, limited: bool) -> Lines:
    """Return a race in which points are won by throw after throw, and kept if one stops in time."""
    players = draws.one([1, 2, 2, 2])
    target = draws.one([2, 3, 4] if players > 1 else [3, 4, 5, 6])
    dice, faces = draws.one([(1, 2), (1, 3), (2, 2), (1, 3)])
    most = f" to {max(target, 4) + 1} capped" * limited
    dares, counted, alone = draws.often(25), draws.often(25), players == 1
    lines = [f"option players = {players} from 1 to 2", f"option target = {target} from 1 to 9"]
    lines += [f"dice {dice}d{faces}", "each player", f"{STEP}total = 0"]
    lines += [f"{STEP}left = {draws.one([1, 3])} to 0 capped"] * alone
    lines += [f"{STEP}risk = 0 to 2 capped"] * dares
    lines += ["this turn", f"{STEP}points = 0{most}", *[f"{STEP}throws = 0{most}"] * counted]
    lines += ["turn", *_indented(1, *["left - 1"] * alone, "repeat", f"{STEP}roll all")]
    lost = ["dice show 1", "dice show 2", "1 in dice", f"number of {faces} in dice >= {dice}"]
    ends = ["end turn", "end turn", "points = 0, end turn", "total = 0, end turn", "leave"]
    lines += _indented(2, f"if {draws.one(lost)}: {draws.one(ends)}")
    gains = ["sum of dice", "sum of dice", "1", "highest of dice", "number of 2 in dice + 1"]
    lines += _indented(2, f"points + {draws.one(gains)}", *["throws + 1"] * counted)
    lines += _indented(2, *[f"if throws = {draws.one([2, 3])}: points + 1"] * counted)
    again = ["", "", " when total + points < target", " when points < target"]
    again += [" when throws < 3"] * counted
    lines += _indented(2, "choose", f'{STEP}"Roll"{draws.one(again)}: next')
    lines += _indented(3, '"Dare" for 1 risk: points + 1, next') * dares
    hold = [f"total + {draws.one(['points', 'points', 'points', 'points + 1'])}"]
    hold += [draws.one(["risk + 1", "if points = 2: risk + 1"])] * dares
    if not alone and draws.often(25):
        hold += ["if total of left of mover = total: total of left of mover = 0"]
    least = " when points >= 2" * draws.often(25)
    lines += _indented(3, f'"Hold"{least}', *(STEP + line for line in [*hold, "end turn"]))
    lines += _indented(3, "otherwise: end turn") * bool(least)
    lines += [
        f"ends {draws.one(['', '', '', 'after the round '])}when any player has total >= target"
    ]
    if alone:
        return [*lines, "payoff highest left"]
    ties = draws.one(["", ", ties share", ", ties earlier"])
    return [*lines, f"ranking highest lowest of (total, target){ties}", "payoff win"]


def _track(draws: Draws, _limited: bool) -> Lines:
    """Return a race of one or two men on a track, from which others may send them back."""
    players = draws.one([1, 2, 2, 2])
    goal, dice, exact, alone = (
        draws.one([3, 4, 4]),
        draws.one([1, 2, 2]),
        draws.often(30),
        players == 1,
    )
    men = ["place", "other"] if draws.often(35) else ["place"]
    lines = [f"option players = {players} from 1 to 2", f"dice {dice}d2", "each player"]
    lines += [f"{STEP}{man} = 0 to {goal} capped" for man in men]
    lines += [f"{STEP}left = {draws.one([1, 3])} to 0 capped"] * alone
    lines += [
        "map jump",
        f"{STEP}1 -> {draws.one([1, 2, 3])}",
        f"{STEP}3 -> {draws.one([0, 1, 2])}",
    ]
    lines += [f"{STEP}otherwise -> 9"]
    lines += ["turn", *_indented(1, *["left - 1"] * alone, "roll all")]
    if draws.often(30):
        when = draws.one(["dice show 1 ...", "place = 1", "round > 3 and place = 0"])
        lines += _indented(1, f"if {when}: {draws.one(['end turn', 'roll all'])}")
    lines += _indented(1, "choose")
    steps = draws.one(["sum of dice", "sum of dice", "highest of dice", "lowest of dice"])
    for man in men:
        for name, step in [("Go", steps), *[("Creep", "1")] * (dice == 2 and draws.often(50))]:
            fits = f" when {man} + {step} <= {goal}" * exact
            lines += _indented(2, f'"{name} {man}"{fits}: {man} + {step}')
    lines += _indented(2, "otherwise: pass") * (exact or draws.often(30))
    lines += _indented(1, "if jump of place < 9: place = jump of place") * draws.often(50)
    if not alone and draws.often(60):
        met = f"place of left of mover = place and place < {goal}"
        lines += _indented(1, f"if {met}: place of left of mover = {draws.one([0, 0, 1])}")
    arrived = " and ".join(f"{man} = {goal}" for man in men)
    lines += [f"ends when any player has ({arrived})"]
    if alone:
        return [*lines, "payoff highest left"]
    return [*lines, f"ranking highest {' + '.join(men)}", "payoff win"]


def _hand(draws: Draws, _limited: bool) -> Lines:
    """Return a game for the best hand, in which one player says how often the others may throw."""
    players = draws.one([1, 2, 2, 3])
    dice, most, rounds = draws.one(["2d2", "2d3", "3d2"]), draws.one([2, 3]), draws.one([1, 1, 2])
    begun, first = f" from 1 to {most}" * draws.often(30), draws.one([0, 1])
    lines = [f"option players = {players} from 1 to 3", f"dice {dice}"]
    lines += ["table", f"{STEP}limit = {most}{begun}", "each player", f"{STEP}hand = 0"]
    lines += ["this turn", f"{STEP}thrown = {first}{f' from 0 to {most}' * draws.often(30)}"]
    lines += ["patterns ranks", f'{STEP}"Pair"  x x  pays {draws.one([7, 50])} + x']
    lines += [f'{STEP}"Rest"  any dice  pays {draws.one(["sum of dice", "highest of dice"])}']
    lines += ["turn"]
    if draws.often(20):
        lines += _indented(1, f"if round = 1 and seat = 1: limit = {most}")
    lines += _indented(1, *["thrown = 1"] * (first == 0 or draws.often(50)), "roll all")
    until = draws.one(["= limit", "= limit", ">= limit"])
    lines += _indented(1, f"repeat until thrown {until}")
    how = draws.one(["some", "any"])
    lines += _indented(2, "choose", f'{STEP}"Throw" {how} of dice as k: roll k, thrown + 1')
    lines += _indented(3, '"Stand": leave')
    setting = draws.one(["if seat = 1: limit = thrown", "limit = thrown", "limit = thrown"])
    lines += _indented(1, setting)
    change = draws.one(["=", "=", "+"])
    worth = "points of best of ranks"
    lines += _indented(1, f"hand = {worth}" if change == "=" else f"hand + {worth}")
    return [*lines, f"ends after {rounds} rounds", *_goal(draws, players, "hand")]
