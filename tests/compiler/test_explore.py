"""Exploring: what is alike is followed once and kept once."""

import gc
from pathlib import Path

import dicegames
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.ground.collector import collector_at_rest
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.rules.parts.flow import Choose
from dicegames.rules.parts.types import Value
from dicegames.solver.model import fingerprint

GAMES = Path(__file__).parents[2] / "games"

PAIRS = """\
game "Pairs"
dice 3d3
each player
    score = 0
boxes box
    "Ones"  1 1 pays 5
    "Pair"  x x pays sum
turn
    roll all
    choose
        one of open box as b naming its faces
            use b
            repeat until dice show b
                choose
                    "Stop": leave
                    "On": roll spare of b
            if dice show b: score + points of b
ends when all boxes are used
payoff highest score
"""


def compiled_pairs() -> Compiled:
    return compile_game(check(Source("pairs.dg", PAIRS), {}))


def test_rolls_in_which_as_much_is_missing_are_one_situation() -> None:
    compiled = compiled_pairs()
    explorer, game = compiled.explorer, compiled.game
    dice, box = game.names.variables["dice"].base, _slot_of_box(compiled)
    loop = next(i for i in game.flow if isinstance(i, Choose) and i.options[0].label == "Stop")
    at = next(n for n, i in enumerate(game.flow) if game.flow.index(loop) in i.successors())
    ones = game.names.rows["Ones"].box()

    def key(*counts: int) -> tuple[Value, ...]:
        env = game.start()
        for slot, leaf in explorer.leaves.items():
            env[slot] = leaf
        env[dice], env[box] = counts, ones
        return explorer.keeper(at).key(env)

    assert key(1, 2, 0) == key(1, 1, 1) == key(1, 0, 2)  # one 1, two spare dice
    assert key(0, 3, 0) == key(0, 0, 3)
    assert key(2, 1, 0) == key(2, 0, 1) == key(3, 0, 0)  # it is there, whatever else lies there
    assert len({key(0, 3, 0), key(1, 2, 0), key(2, 1, 0)}) == 3


def _slot_of_box(compiled: Compiled) -> int:
    return next(n for n, v in enumerate(compiled.game.names.slots) if v.name == "b")


def test_moves_that_are_alike_are_one_edge() -> None:
    explorer = compiled_pairs().explorer
    edges = [(n.at, e) for n in explorer.nodes if n.kind == "choice" for e in n.edges]
    assert len({id(e) for _, e in edges}) == len(set(edges)) < len(edges)


def test_the_choices_of_all_rolls_are_there() -> None:
    compiled = compiled_pairs()
    first = dicegames.Game(compiled.game).start().node
    rolls = [first.play(outcome) for outcome in first.outcomes()]
    assert len(rolls) == 10
    for roll in rolls:
        _, node, point = compiled.locate(roll)
        edges = range(*compiled.model.first_edge[node : node + 2])
        legal = [e for e in edges if _holds(compiled, int(compiled.model.guard[e]), point)]
        ways = {_target(compiled, roll.play(move)) for move in roll.moves()}
        assert len(legal) == len(ways)


def _holds(compiled: Compiled, guard: int, point: tuple[int, ...]) -> bool:
    lookups = [compiled.model.lookups[n] for n in compiled.model.guards[guard]]
    return all(look.values[tuple(point[a] for a in look.axes)] for look in lookups)


def _target(compiled: Compiled, position: dicegames.Position) -> tuple[object, ...]:
    return compiled.locate(position)


def test_rules_have_the_same_model_twice() -> None:
    rules = dicegames.load(GAMES / "yahtzee.dg").rules
    one, two = compile_game(rules).model, compile_game(rules).model
    assert fingerprint(one) == fingerprint(two)


def test_what_was_made_while_the_collector_rested_is_old() -> None:
    assert gc.isenabled()
    with collector_at_rest():
        assert not gc.isenabled()
        made = [[i] for i in range(1000)]
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    old = {id(o) for o in gc.get_objects(generation=2)}
    assert all(id(each) in old for each in made)
