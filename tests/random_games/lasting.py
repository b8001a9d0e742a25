"""Random games of which one asks what a turn brings in the long run.

Something lasts from turn to turn and is spent, fills up, wears out, goes round or comes seldom;
points are only added to. Of the other random games one in 250 has a long run.
"""

from __future__ import annotations

from random import Random

from tests.random_games.draws import BySeed, Draws
from tests.random_games.statements import STEP, Lines


def lasting_by_seed(seed: int) -> str:
    """Return the text of a rules file; the same for the same seed."""
    return "\n".join(_rules(BySeed(Random(seed)))) + "\n"


def _rules(draws: Draws) -> Lines:
    count, faces = draws.one([(1, 2), (1, 3), (2, 2), (1, 6), (2, 3)])
    kinds = draws.one([("tokens",), ("heat",), ("tokens", "heat"), ("place", "tokens"), ("worn",)])
    most = {"tokens": draws.one([1, 2, 3, 9]), "heat": draws.one([2, 3]), "worn": draws.one([2, 5])}
    most["place"] = draws.one([1, 2, 3, 5])
    lines = ['game "Lasting"', f"option players = {draws.one([1, 1, 1, 2])} from 1 to 2"]
    lines += [f"dice {count}d{faces}"]
    lines += ["each player", f"{STEP}score = 0"]
    lines += [f"{STEP}{kind} = {draws.one([0, 1])} from 0 to {most[kind]} capped" for kind in kinds]
    lines += ["turn"]
    turn: Lines = []
    if draws.often(50):
        turn += _before(draws, kinds, most)
    turn += ["roll all"]
    turn += _again(draws, kinds, most, faces)
    turn += [line for kind in kinds for line in _after(draws, kind, most[kind], faces)]
    turn += [f"score + {_gain(draws, kinds)}"]
    at = turn.index("roll all") + 1
    turn[at:at] = _comes_round(draws, kinds, most, faces)
    lines += [STEP + line for line in turn]
    lines += [f"ends after {draws.one([2, 3])} rounds"]
    return [*lines, f"payoff {draws.one(['highest', 'highest', 'lowest'])} score"]


def _before(draws: Draws, kinds: tuple[str, ...], most: dict[str, int]) -> Lines:
    """Return what happens before the throw: a rest, a turn that is lost, or a price."""
    kind = draws.one(kinds)
    few = [[f"if {kind} = {most[kind]}: {kind} = 0, end turn"]]
    few += [["choose", f'{STEP}"Rest": {kind} = 0, end turn', f'{STEP}"Play": pass']]
    few += [["choose", f'{STEP}"Sell" when {kind} >= 1: score + {kind}, {kind} = 0',
             f'{STEP}"Keep": pass']]  # fmt: skip
    few += [[f"if {kind} >= {draws.one([1, 2])}: score + {draws.one([1, 2])}"]]
    return draws.one(few)


def _again(draws: Draws, kinds: tuple[str, ...], most: dict[str, int], faces: int) -> Lines:
    """Return whether dice are thrown again, and at what price."""
    kind = draws.one(kinds)
    dice = draws.one(["roll all", "roll all", "roll lowest 1 of dice"])
    few = [
        f'"Again" for 1 {kind}: {dice}',
        f'"Again" when {kind} < {most[kind]}: {kind} + 1, {dice}',
    ]
    few += [f'"Again" when {kind} = {most[kind]}: {kind} = 0, {dice}']
    few += [f'"Again" when {kind} >= 1: {kind} - 1, score - 1, {dice}']
    often = draws.one(["repeat", "repeat 1 times", "repeat 2 times", ""])
    again, price = draws.one(few), draws.often(30)
    stay = f'"Stay": {f"{kind} + 1, " if price else ""}leave'
    if not often:
        return ["choose", STEP + again, STEP + stay.replace("leave", "pass")]
    if often == "repeat" and "+ 1, roll" not in again and f"for 1 {kind}" not in again:
        often = "repeat 2 times"
    lost = [f"{STEP}if dice show {faces}: leave"] * draws.often(20)
    return [often, *lost, f"{STEP}choose", STEP * 2 + again, STEP * 2 + stay]


def _comes_round(draws: Draws, kinds: tuple[str, ...], most: dict[str, int], faces: int) -> Lines:
    """Return throws that may come again with nothing changed; mostly nothing.

    They are drawn after all else, so that the other games stay the same.
    """
    if not draws.often(40):
        return []
    kind, dice = draws.one(kinds), draws.one(["roll all", "roll all", "roll lowest 1 of dice"])
    shown = f"dice show {draws.one([1, faces])}"
    if not draws.often(60):
        return ["repeat", f"{STEP}if {shown}: leave", f"{STEP}{dice}"]
    few = [f'"On" when not {shown}: {dice}', f'"On": {dice}', f'"On" for 1 {kind}: {dice}']
    few += [f'"On": {kind} + 1, {dice}', f'"On" when {kind} < {most[kind]}: {kind} = 0, {dice}']
    stop = [f'"Off" when {shown}: leave', f'"Off": {kind} = 0, leave', '"Off": leave']
    lost = [f"{STEP}if {shown}: {dice}"] * draws.often(30)
    moves = [draws.one(few), draws.one(stop)]
    return ["repeat", *lost, f"{STEP}choose", *(STEP * 2 + move for move in moves)]


def _after(draws: Draws, kind: str, most: int, faces: int) -> Lines:
    """Return how what lasts changes at the end of a turn."""
    seldom = f"dice show {faces}" + f" and sum of dice = {faces * 2}" * draws.often(30)
    few = [f"if {seldom}: {kind} + 1", f"if {seldom}: {kind} = {most}", f"{kind} + 1"]
    few += [f"if dice show 1: {kind} - 1", f"{kind} = 0 if {kind} = {most} else {kind} + 1"]
    few += [f"if dice show 1: {kind} = {most} - {kind}", f"{kind} = {most} - {kind}", "pass"]
    return [draws.one(few) for _ in range(draws.one([1, 1, 2]))]


def _gain(draws: Draws, kinds: tuple[str, ...]) -> str:
    kind = draws.one(kinds)
    few = ["sum of dice", "highest of dice", f"sum of dice + {kind}", f"sum of dice * {kind}"]
    return draws.one([*few, f"(3 if {kind} = 0 else sum of dice)", "number of 1 in dice"])
