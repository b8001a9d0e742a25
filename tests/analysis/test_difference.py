"""What a house rule is worth, and the decisions that it changes."""

import json
from pathlib import Path

import pytest

import dicegames
from dicegames.analysis.solution import solve_game
from dicegames.analysis.studies.difference import difference
from dicegames.cli.entry import main
from dicegames.ground.source import Source
from dicegames.rules.check import check

GAMES = Path(__file__).parents[2] / "games"
SHUT = str(GAMES / "shut_the_box.dg")


def shut(**options: object) -> dicegames.Solution:
    return dicegames.solve(dicegames.load(SHUT, tiles=6, **options))


def test_values_and_changed_decisions() -> None:
    low, all_ = shut(), shut(aim="shut_all")
    found = difference(low, all_, games=60, seed=3)
    assert found.before == (low.value,)
    assert found.after == (all_.value,)
    assert found.value == (found.after[0] - found.before[0],)
    assert 0 < found.times_changed < found.decisions
    assert found.elsewhere == 0
    losses = [each.loss for each in found.changed]
    assert losses == sorted(losses, key=lambda loss: -(loss or 0))
    for each in found.changed:
        best = low.best(each.position)
        other = all_.best(each.position)
        assert best is not None
        assert other is not None
        assert (each.before, each.after) == (best.name, other.name)
        assert each.loss == pytest.approx(all_.regret(each.position, each.before))
        assert each.loss is not None
        assert each.loss > 1e-9


def test_nothing_changes_against_itself() -> None:
    solution = shut()
    found = difference(solution, solution, games=20, seed=1)
    assert (found.value, found.changed, found.elsewhere) == ((0.0,), [], 0)
    assert difference(solution, solution, games=20, seed=1) == found
    assert found.decisions > 0


def test_what_the_second_rules_do_not_allow_or_know() -> None:
    two, three = shut(shut_at_most=1), shut(shut_at_most=3)
    found = difference(three, two, games=60, seed=1)
    assert found.changed[0].loss is None
    eight = dicegames.solve(dicegames.load(SHUT, tiles=8))
    assert difference(eight, shut(), games=20, seed=1).elsewhere > 0


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["diff", SHUT, "shut_at_most=1", "--set", "tiles=6", "--games", "60", "--seed", "3"]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "shut_at_most 12, aim" in told
    assert "difference  " in told
    assert main([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    found = difference(shut(), shut(shut_at_most=1), games=60, seed=3)
    assert answer["difference"] == list(found.value)
    assert [each["position"] for each in answer["changed"]] == [c.position for c in found.changed]
    assert answer["games"][1]["options"]["shut_at_most"] == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["nothing.dg"], 2, "no such file"),
        (["tils=4"], 2, "tiles"),
        (["aim="], 2, "sets nothing"),
        (["aim=shut_all"], 2, "in the other less"),
        ([str(GAMES / "pig.dg"), "--set", "tiles=4"], 2, "tiles"),
    ],
)
def test_mistakes(
    words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["diff", SHUT, *words]) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("throws", ["", "roll all"])
def test_play_that_goes_round_is_refused(throws: str) -> None:
    rules = f"""
game "Round and round"
dice 1d2
each player
    a = 0 to 2 capped
turn
    roll all
    a = 2
    choose
        "Again"
            a + 1
            {throws or "pass"}
            choose again
        "Stop": pass
ends after 1 rounds
payoff highest a
"""
    solution = solve_game(check(Source("round.dg", rules), {}))
    with pytest.raises(dicegames.SolutionError, match="goes round for ever"):
        difference(solution, solution, games=1)
