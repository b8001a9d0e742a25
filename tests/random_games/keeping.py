"""Random games in which many small dice are thrown and kept, as no other random game has so many.

The compiler takes the dice one at a time there (`explored/one_die_at_a_time`), for which there must
be four dice of three faces, or five of two.
"""

from __future__ import annotations

from random import Random

from tests.random_games.draws import BySeed, Draws


def keeping_by_seed(seed: int) -> str:
    """Return the text of a rules file; the same for the same seed."""
    return _rules(BySeed(Random(seed)))


def _rules(draws: Draws) -> str:
    count = draws.one([4, 3, 5])
    faces = {3: 4, 4: draws.one([3, 2]), 5: 2}[count]
    most = draws.one([2, 3])
    lines = ['game "Keep"', "option players = 1 from 1 to 2"]
    if draws.often(50):
        lines += [f"dice {count} with {faces} sides"]
    else:
        shown = (f"{face} times {draws.one([1, 2])}" for face in range(1, faces + 1))
        lines += [f"dice {count} with faces {', '.join(shown)}"]
    lines += ["pile away", "pile lost"]
    lines += ["each player", "    score = 0", "    coins = 2 from 0 to 3 capped"]
    lines += ["this turn", f"    throws = 0 to {most}"]
    lines += ["turn", "    roll all", "    repeat", "        throws + 1"]
    lines += [f"        {line}" for line in _moved(draws, faces)]
    if draws.often(20):
        lines += [f"        score + {draws.one(['1', 'number of 1 in dice', 'size of away'])}"]
    lines += [f"        if dice is empty or throws = {most}: leave", "        choose"]
    lines += [f"            {line}" for line in _choice(draws, faces)]
    lines += [f"    score + {draws.one(_scores(faces))}"]
    ends = ("after 1 rounds", "after 2 rounds", "when any player has score >= 5 or round >= 2")
    lines += [f"ends {draws.one(ends)}"]
    lines += [f"payoff {draws.one(['highest score', 'lowest score', 'highest score * score'])}"]
    return "\n".join(lines) + "\n"


def _moved(draws: Draws, faces: int) -> list[str]:
    """Return how dice leave the table before a choice."""
    face = draws.one(range(1, faces + 1))
    pairs = f"lowest of (number of 1 in dice, number of {faces} in dice)"
    few = [f"move those f in dice where f = {face} to away"]
    few += [f"if {face} in dice: move {{{face}}} to away"]
    few += ["if throws = 1: move highest 1 of dice to away"]
    few += [f"move {{{draws.one([1, faces])} times ({pairs})}} to away"]
    few += [f"if number of {face} in dice >= 2: move {{{face} times 2}} to away"]
    few += ["if dice show 1 2 ...: move those f in dice where f = 1 to away"]
    few += ["if size of away > 1: move away to lost", "pass"]
    return [draws.one(few) for _ in range(draws.one([1, 1, 2]))]


def _choice(draws: Draws, faces: int) -> list[str]:
    """Return the moves: some of the dice are thrown, or all, or none."""
    limits = ["", "", "", " where size of k >= 2", " where size of k <= 2", " when throws < 2"]
    limits += [f" where {draws.one(range(1, faces + 1))} not in k", " unless dice show 1 2 ..."]
    throws = ["roll k", "roll k", "roll k", "roll dice - k", "move dice - k to away, roll k"]
    throws += ["move k to away, roll dice", "move k to lost, roll dice"]
    limit = draws.one([*limits, " for 1 coins"])
    moves = [f'"Throw" {draws.one(["some", "some", "any"])} of dice as k{limit}: ']
    moves[0] += draws.one(throws)
    moves += ['"All" when throws < 2: roll all'] * draws.often(30)
    return [*moves, draws.one(['"Stop": leave', "otherwise: leave"])]


def _scores(faces: int) -> list[str]:
    few = ["sum of dice", "number of 1 in dice", "distinct of dice", "size of away"]
    few += ["highest of dice + size of away", f"sum of dice + 2 * number of {faces} in dice"]
    return [*few, "sum of away - lowest of dice", "sum of (dice + away)"]
