"""What does not fit is refused before it starts, whatever the method, with the rule to blame."""

import json
import tomllib
from pathlib import Path

import pytest

import dicegames
from dicegames.analysis.solving.outlook import outlook, refusal, without_limit
from dicegames.cli.entry import main
from dicegames.compiler.compile import compile_game
from dicegames.compiler.compiled import Compiled
from dicegames.ground.limits import PROGRAM_BYTES, UNLIMITED, Limits
from dicegames.ground.source import Source
from dicegames.rules.check import check
from dicegames.solver.explicit.explicit import BYTES_PER_STATE
from dicegames.solver.solve import solve
from tests.random_games.games import by_seed

GAMES = Path(__file__).parents[2] / "games"
ZILCH = str(GAMES / "zilch.dg")

PURSES = """\
game "Purses"
option players = 3
dice 1d6
each player
    chips = 0 to 9 capped
turn
    repeat 3 times
        roll all
        if dice show 6
            each p in others: chips of p + 2
        if dice show 1: leave
        chips + 1
ends when any player has chips = 9
ranking highest chips
payoff win
"""


def compiled(text: str) -> Compiled:
    return compile_game(check(Source("outlook.dg", text), {}))


def of_file(name: str, objective: str = "payoff") -> Compiled:
    return compile_game(dicegames.load(GAMES / name).rules, objective)


@pytest.fixture(scope="module")
def purses() -> Compiled:
    return compiled(PURSES)


def test_explicit_states_are_counted(purses: Compiled) -> None:
    found = outlook(purses)
    solved = dicegames.solve(dicegames.Game(purses.game))
    assert found.form == "explicit"
    assert found.reachable == solved.states_reachable
    assert found.memory == PROGRAM_BYTES + BYTES_PER_STATE * found.reachable


def test_explicit_states_are_not_counted_beyond_the_memory(purses: Compiled) -> None:
    every = outlook(purses).memory
    assert refusal(purses, outlook(purses, Limits(memory=every)), Limits(memory=every)) == ""
    tight = every - 100 * BYTES_PER_STATE
    found = outlook(purses, Limits(memory=tight))
    assert found.reachable == -1
    told = r'needs more than 23\d MB; the largest part is "chips" with 1,000 values, all 3 together'
    with pytest.raises(dicegames.SolutionError, match=told):
        dicegames.solve(dicegames.Game(purses.game), memory=tight)
    assert refusal(purses, found, UNLIMITED) == ""


def test_what_can_come_up_is_not_counted_in_large_tables() -> None:
    """What is told then is at most so, and refuses nothing."""
    yatzy = of_file("yatzy.dg")
    known = outlook(yatzy)
    found = outlook(yatzy, counted=known.table_states - 1)
    assert (found.form, found.reachable) == ("blocks", -1)
    assert found.table_states == known.table_states > known.reachable
    assert found.memory >= known.memory
    assert sum(found.layer_sizes) == known.table_states
    assert refusal(yatzy, found, Limits(1e-9, PROGRAM_BYTES)) == ""
    assert outlook(yatzy, counted=known.table_states).reachable == known.reachable


def test_what_is_asked_before_is_known_where_ways_join() -> None:
    """Of a row of Qwixx only higher numbers can be crossed: however nodes are merged, it ends.

    What conditions imply of each other makes 371 layers of 417; the values are the same bits.
    """
    found = outlook(of_file("qwixx.dg"))
    assert (found.form, found.cyclic, found.layers) == ("blocks", False, 371)


def test_memory_has_the_tables_of_the_rules() -> None:
    rules = dicegames.load(GAMES / "double_shutter.dg", tiles=7).rules
    found = compile_game(rules)
    tables = sum(lookup.values.nbytes for lookup in found.model.lookups)
    assert tables > 5_000_000
    assert outlook(found).memory > PROGRAM_BYTES + 2 * tables


def test_turns_without_limit_are_counted() -> None:
    zilch = of_file("zilch.dg")
    found = outlook(zilch)
    assert found.form == "turn by turn"
    # 20 rounds, with 0, 1 or 2 turns without points just before; fewer in the first two
    assert found.reachable == 1 + 2 + 18 * 3
    told = refusal(zilch, found, Limits(memory=PROGRAM_BYTES + 1))
    assert '"points" has no limit: line ' in told


def test_what_has_no_limit_is_told_with_its_line() -> None:
    [(name, line, words)] = without_limit(of_file("zilch.dg"))
    assert name == "points"
    assert words.startswith("points + ")
    source = (GAMES / "zilch.dg").read_text("utf-8").splitlines()
    assert words in source[line - 1]
    assert without_limit(of_file("pig.dg")) == []


def test_inspect_tells_what_has_no_limit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", ZILCH]) == 0
    assert "no limit         points: line " in capsys.readouterr().out
    assert main(["inspect", ZILCH, "--json"]) == 0
    [without] = json.loads(capsys.readouterr().out)["without_limit"]
    assert without["variable"] == "points"


@pytest.mark.parametrize(
    ("memory", "time", "message"),
    [
        (240_000_000, None, "solving needs about 401 MB, allowed are 240 MB"),
        (None, 9.0, "solving takes about"),
    ],
)
def test_turns_are_refused_before_they_start(
    memory: int | None, time: float | None, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("solving has begun")

    monkeypatch.setattr("dicegames.solver.methods.by_turns.ByTurns.solve", never)
    with pytest.raises(dicegames.SolutionError, match=message):
        dicegames.solve(dicegames.load(ZILCH), memory=memory, time=time)


def told_and_done(game: Compiled) -> bool:
    """Hold what is told beforehand against what is done; whether the game is solved."""
    told, done = outlook(game), solve(game.model)
    if not done.status.solved:
        return False
    assert told.form in done.method  # with the size of a tail, and how turns are solved
    if told.reachable >= 0:
        assert told.reachable == done.states_reachable
    if told.form == "blocks":
        assert told.layers == done.layers
    return True


QUICK = [
    name
    for name, entry in tomllib.loads((GAMES / "values.toml").read_text())["games"].items()
    if entry.get("seconds", 9.0) < 0.4
]


@pytest.mark.parametrize("name", QUICK)
def test_what_is_told_of_a_game_is_what_is_done(name: str) -> None:
    assert told_and_done(of_file(f"{name}.dg"))


def test_what_is_told_of_random_games_is_what_is_done() -> None:
    done = forms = 0
    for seed in range(60):
        try:
            game = compiled(by_seed(seed))
        except dicegames.DicegamesError:
            continue
        done += told_and_done(game)
        forms += 1
    assert done > 0.7 * forms > 20
