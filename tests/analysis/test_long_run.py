"""The long run: the average of turns that come again, and turns that carry something over."""

from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from dicegames.analysis.solution import Solution, SolutionError, solve_game
from dicegames.compiler.compile import compile_game
from dicegames.compiler.explored import domains
from dicegames.ground.source import Source
from dicegames.loading import load
from dicegames.rules.check import check
from dicegames.rules.parts.broken import NotShown, RuleBroken
from dicegames.rules.parts.game import Rules
from dicegames.rules.running.exploration import exact_value
from dicegames.rules.running.objectives import ObjectiveError
from tests.rules.small import game

GAMES = Path(__file__).parents[2] / "games"

TIRED = """
game "Tired"
option strict = no
dice 1d4
each player
    total = 0
    tired = no
turn
    roll all
    choose
        "Work"
            if tired: total + sum of dice - 2
            else: total + sum of dice
            tired = yes
        "Rest": tired = no
    if strict and total > 10: end game
ends after 7 rounds
payoff highest total
"""


def tired(**options: object) -> Rules:
    return check(Source("tired.dg", TIRED.strip() + "\n"), options)


def average_of(fresh: set[int], weary: set[int]) -> Fraction:
    """Points per turn of who works on these faces: a chain of two states, by hand."""
    tires, stays = Fraction(len(fresh), 4), Fraction(len(weary), 4)
    if tires == 0:
        return Fraction(0)
    worn = tires / (tires + 1 - stays)  # share of turns that begin tired
    gains = Fraction(sum(fresh), 4), Fraction(sum(weary) - 2 * len(weary), 4)
    return (1 - worn) * gains[0] + worn * gains[1]


def faces() -> list[set[int]]:
    return [{f for f in range(1, 5) if chosen[f - 1]} for chosen in product([0, 1], repeat=4)]


@pytest.mark.parametrize(("sense", "best"), [("", max), ("minimised", min)])
def test_all_strategies_of_a_small_game(sense: str, best: object) -> None:
    wanted = float(best(average_of(a, b) for a in faces() for b in faces()))  # type: ignore[operator]
    solution = solve_game(tired(), f"average {sense}".strip())
    assert solution.value == pytest.approx(wanted, rel=0, abs=1e-12)
    assert isinstance(solution.lower, float)
    assert isinstance(solution.upper, float)
    assert solution.lower <= wanted <= solution.upper
    assert solution.error_bound < 1e-11


def test_positions_of_the_long_run() -> None:
    solution = solve_game(tired(), "average")
    average, other = solution.value, solution.value_of("tired yes")
    assert isinstance(average, float)
    assert isinstance(other, float)
    # after work the next turn begins tired, after rest fresh; a turn costs the average
    options = {choice.name: choice.value for choice in solution.options("dice 3")}
    assert options == pytest.approx({"Work": 3 + other - average, "Rest": 0.0}, rel=0, abs=1e-11)
    gains = [max(face + other - average, 0.0) for face in range(1, 5)]
    assert average == pytest.approx(sum(gains) / 4, rel=0, abs=1e-11)


TOKENS = """
game "Tokens"
dice 1d6
each player
    score = 0
    tokens = 2 from 0 to 3 capped
turn
    roll all
    repeat
        choose
            "Again" for 1 tokens: roll all
            "Stay": leave
    if dice show 6: tokens + 1
    score + sum of dice
ends after 3 rounds
payoff highest score
"""


def test_a_move_may_keep_within_a_range_before_the_dice_are_thrown() -> None:
    """The heat is changed when the turn is over; the throw alone does not say that it has room."""
    text = """
game "Stoker"
dice 1d2
each player
    heat = 0 to 2
    score = 0
turn
    choose
        "Stoke" when heat < 2: heat + 1
        "Stay": pass
    roll all
    if dice show 1: heat = 0
    else: score + heat
ends after 7 rounds
payoff highest score
"""
    solution = solve_game(check(Source("stoker.dg", text.strip() + "\n"), {}), "average")
    # half of all turns begin with 0, a quarter with 1, a quarter with 2
    assert solution.value == pytest.approx(1 / 2 * 1 / 2 + 1 / 4 * 1 + 1 / 4 * 1, abs=1e-12)


def test_what_is_spent_inside_a_turn_is_missing_in_the_next() -> None:
    """The average g with the worth h of the tokens fulfils g + h = F(h): Odoni's bounds meet."""
    average = Fraction(109, 28)
    worth = [Fraction(0), Fraction(33, 14), Fraction(117, 28), Fraction(151, 28)]
    turns: list[Fraction] = []
    for tokens in range(4):
        stay = [face + worth[min(3, tokens + (face == 6))] for face in range(1, 7)]
        again = turns[tokens - 1] if tokens else min(stay)
        turns.append(sum((max(value, again) for value in stay), Fraction(0)) / 6)
    assert turns == [average + h for h in worth]
    solution = solve_game(check(Source("tokens.dg", TOKENS.strip() + "\n"), {}), "average")
    assert solution.value == pytest.approx(float(average), rel=0, abs=1e-12)
    assert isinstance(solution.lower, float)
    assert isinstance(solution.upper, float)
    assert solution.lower <= average <= solution.upper
    for tokens, turn in enumerate(turns):
        found = solution.value_of(f"tokens {tokens}")
        assert found == pytest.approx(float(turn - worth[2]), rel=0, abs=1e-11)


FOR_EVER = """
game "For ever"
dice 1d2
each player
    score = 0
    taken = no
turn
    roll all
    choose
        "Take": taken = yes
        "No": pass
    if taken: score + sum of dice
    else: score + 2
ends after 3 rounds
payoff highest score
"""


def test_a_long_run_that_depends_on_what_came_before_is_refused() -> None:
    """The first turn may fix for ever that turns bring 2 or 3/2."""
    with pytest.raises(SolutionError, match=r"depends on what has happened.* between 1\.5 and 2"):
        solve_game(check(Source("ever.dg", FOR_EVER.strip() + "\n"), {}), "average")


STUCK = TOKENS.replace('            "Stay": leave\n', '            "Stay" when tokens > 0: leave\n')


def test_a_turn_without_a_legal_move_is_told_with_its_position() -> None:
    with pytest.raises((SolutionError, RuleBroken), match=r"no legal move|no move is legal"):
        solve_game(check(Source("stuck.dg", STUCK.strip() + "\n"), {}), "average")


def test_what_has_no_long_run() -> None:
    with pytest.raises(ObjectiveError, match="the state of play ends the game"):
        compile_game(tired(strict=True), "average")
    with pytest.raises(ObjectiveError, match="--objective turn looks at a single turn"):
        compile_game(load(GAMES / "despirala.dg").rules, "average")


def test_a_counter_without_limit_beside_others(tmp_path: Path) -> None:
    game = load(GAMES / "zilch.dg", rounds=2, penalty=False).rules
    whole, turn = solve_game(game), solve_game(game, "turn")
    assert isinstance(turn.value, float)
    assert whole.value == pytest.approx(2 * turn.value, rel=0, abs=1e-9)
    path = tmp_path / "two.solution"
    whole.save(path)
    again = Solution.load(path, game)
    assert again.value_of("round 2") == whole.value_of("round 2")
    assert whole.value_of("round 2") == pytest.approx(turn.value, rel=0, abs=1e-9)


RACE = """
game "Race"
option target = 12
dice 1d6
each player
    total = 0
this turn
    points = 0 to target capped
turn
    repeat
        roll all
        if dice show 1: end turn
        points + sum of dice
        choose
            "Roll": next
            "Hold": total + points, end turn
ends when any player has total >= target
ranking highest total
payoff win
"""


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have points of a turn counted without end, as where there are too many up to the target."""
    monkeypatch.setattr(domains, "MOST_DECIDED", 0)


@pytest.mark.usefixtures("endless")
@pytest.mark.parametrize("chances", ["if dice show 1", "if dice show 1 or dice show 2"])
def test_turns_that_may_lead_back_to_their_own_start(chances: str, tmp_path: Path) -> None:
    """More points in a turn than the target are of no use: the game is the same without limit."""
    text = RACE.strip().replace("if dice show 1", chances) + "\n"
    game = check(Source("race.dg", text), {})
    free = check(Source("race.dg", text.replace(" = 0 to target capped", " = 0")), {})
    limited, found = solve_game(game, "turns"), solve_game(free, "turns")
    exact = exact_value(game, objective="turns")
    assert limited.solved.method == "blocks"
    assert found.solved.method.startswith("turn by turn")
    assert isinstance(exact, Fraction)
    assert isinstance(found.value, float)
    assert abs(found.value - float(exact)) <= found.solved.error_bound < 1e-10
    found.save(tmp_path / "race.solution")
    again = Solution.load(tmp_path / "race.solution", free, "turns")
    for line in ("total 5", "total 11 | points 0"):
        assert found.value_of(line) == pytest.approx(limited.value_of(line), abs=1e-9)
        assert again.value_of(line) == pytest.approx(limited.value_of(line), abs=1e-9)


@pytest.mark.parametrize(
    ("payoff", "told"),
    [("win", "every game brings 1"), ("(1 if total >= 15 else 0)", "objective turns")],
)
@pytest.mark.usefixtures("endless")
def test_turns_that_are_lost_for_ever_at_no_cost(payoff: str, told: str) -> None:
    text = RACE.strip().replace(" = 0 to target capped", " = 0").replace("win", payoff) + "\n"
    line = text.rstrip().count("\n") + 1
    told += f".*; what is played for is said in line {line}$"
    with pytest.raises(SolutionError, match=f"turns may be lost for ever at no cost.*{told}"):
        solve_game(check(Source("race.dg", text), {}))


@pytest.mark.usefixtures("endless")
def test_no_turn_comes_again_where_rounds_are_counted() -> None:
    text = RACE.strip().replace(" = 0 to target capped", " = 0") + "\n"
    rounds = text.replace("total >= target", "total >= target or round = 3")
    solution = solve_game(check(Source("race.dg", rounds), {}))
    assert solution.value == pytest.approx(1, rel=0, abs=1e-12)


@pytest.mark.parametrize("payoff", ["win", "(1 if total >= 15 else 0)"])
def test_turns_may_be_lost_where_points_are_counted_as_far_as_they_matter(payoff: str) -> None:
    text = RACE.strip().replace("win", payoff) + "\n"
    free, limited = (
        solve_game(check(Source("race.dg", text.replace(" = 0 to target capped", points)), {}))
        for points in (" = 0", " = 0 to 40 capped")
    )
    assert free.value == pytest.approx(limited.value, rel=0, abs=1e-12)
    assert free.value == pytest.approx(1, rel=0, abs=1e-9)  # whoever has time enough


@pytest.mark.parametrize("game", ["tired", "threes"])
def test_no_game_of_the_long_run_is_followed_to_its_end(game: str) -> None:
    rules = tired() if game == "tired" else load(GAMES / "threes.dg", how_many=2).rules
    solution = solve_game(rules, "average")
    for ask in (solution.distribution, partial(solution.simulate, 10, seed=1)):
        with pytest.raises(SolutionError, match=r"no game ends in the long run.*--objective turn"):
            ask()


HEATS = """
game "Two heats"
dice 1d3
each player
    a = 0 to 4
    b = 0 to 4
    score = 0
this turn
    points = 0 to 4
turn
    repeat
        choose
            "On" when points + a + b < 4
                roll all
                if dice show 1
                    a = 0
                    b = b div 2
                    score + 1
                    end turn
                points = lowest of (4 - a - b, points + sum of dice)
            "Stop": leave
    score + a * b
    if points mod 2 = 0: a + points
    else: b + points
    if a + b = 4 and a = b: a = 0
ends after 2 rounds
payoff highest score
"""


def test_more_time_is_proposed_only_where_positions_can_be_listed() -> None:
    """That a + b is at most 4 is no range; the long run is asked about turns, not positions."""
    rules = check(Source("heats.dg", HEATS), {})
    assert solve_game(rules).value == pytest.approx(exact_value(rules), abs=1e-12)
    with pytest.raises(NotShown, match="stays in its range") as refused:
        solve_game(rules, "average")
    assert "--time" not in str(refused.value)


def test_bounds_that_would_meet_slowly() -> None:
    """One turn in 216 leads up and two lead down again: up are a third of the turns, with 3 points.

    Sweeps alone halve the distance of the bounds in 50 turns.
    """
    rules = game("""
        dice 3d6
        each player
            score = 0
            level = 1 from 1 to 2
        turn
            roll all
            score + (1 if level = 1 else 3)
            if dice show 6 6 6: level = 3 - level
            else if level = 2 and dice show 1 1 1: level = 1
        ends after 5 rounds
        payoff highest score
        """)
    found = solve_game(rules, "average")
    assert found.value == pytest.approx(5 / 3, abs=1e-11)
    assert abs(found.values[0] - 5 / 3) <= found.error_bound < 1e-9


LASTING = """
game "Lasting"
option players = 1 from 1 to 2
dice 1d3
each player
    score = 0
    heat = {begin} from 0 to 3
turn
    {before}
    roll all
    {after}
    score + {gain}
ends after 4 rounds
payoff {best} score
"""


@pytest.mark.parametrize(
    ("begin", "before", "after", "gain", "average"),
    [
        (0, "if heat = 1: heat = 0, end turn", "heat = 1", "sum of dice", 1),
        (1, "if heat = 1: heat = 0, end turn", "heat = 1", "sum of dice", 1),
        (
            3,
            "if heat >= 1: heat - 1, score + 1, end turn",
            "heat = 3",
            "sum of dice",
            Fraction(5, 4),
        ),
        (1, "if heat = 1: score + 2", "if dice show 1: heat = 1 - heat", "sum of dice", 3),
        (1, "if heat = 1: heat = 0, end turn", "pass", "sum of dice", 2),
    ],
)
@pytest.mark.parametrize("best", ["highest", "lowest"])
def test_turns_in_which_nothing_is_thrown_count_as_turns(
    begin: int, before: str, after: str, gain: str, average: Fraction | int, best: str
) -> None:
    """By hand: two points in every second turn; 2 + 1 + 1 + 1 in four; 2, and 2 more in half."""
    told = {"begin": begin, "before": before, "after": after, "gain": gain, "best": best}
    solution = solve_game(game(LASTING.format(**told)), "average")
    assert solution.value == pytest.approx(float(average), abs=1e-12)
    assert solution.error_bound < 1e-9


@pytest.mark.parametrize(("begin", "average"), [(0, 1 / 5), (1, 1 / 3), (2, 1 / 3), (3, 1 / 5)])
def test_only_turns_that_come_up_count(begin: int, average: float) -> None:
    """Heat 1 and 2 lead to each other, so do 0 and 3: there a 1 may be thrown again at 3.

    By hand: three turns of five begin at 3, and bring 1/3 of 1/3; the others bring 1/3.
    """
    cool = '"Cool" when heat = 3: heat = 0, roll all'
    after = f'choose\n        {cool}\n        "Stay": pass\n    heat = 3 - heat'
    told = {"begin": begin, "before": "pass", "after": after, "gain": "number of 1 in dice"}
    solution = solve_game(game(LASTING.format(best="lowest", **told)), "average")
    assert solution.value == pytest.approx(average, abs=1e-12)
    assert solution.error_bound < 1e-9


SPENT_ONCE = """
dice 1d2
each player
    score = 0
    tokens = 1 from 0 to 3 capped
turn
    roll all
    repeat 2 times
        choose
            "Again" when tokens < 3: tokens + 1, roll all
            "Stay": leave
    score + number of 1 in dice
ends after 2 rounds
payoff lowest score
"""


def test_what_is_spent_once_is_worth_what_it_brings() -> None:
    """Each of two throws that are left saves half a point, and no more, however late it is."""
    solution = solve_game(game(SPENT_ONCE), "average")
    assert solution.value == pytest.approx(1 / 2, rel=0, abs=1e-12)
    values = [solution.value_of(f"tokens {k}") for k in (1, 2, 3)]
    assert values == pytest.approx([1 / 2, 1, 3 / 2], rel=0, abs=1e-9)


JAIL = """
dice 2d6
each player
    won = 0
    jailed = 0 to 3
turn
    if jailed > 0
        roll all
        if dice show x x: jailed = 0
        else
            jailed - 1
            end turn
    else: roll all
    if sum of dice = 10: jailed = 3
    won + sum of dice
ends after 2 rounds
payoff highest won
"""


def test_what_a_turn_asked_before_its_throw_is_known_behind_it() -> None:
    """That "jailed" leaves its range was not excluded, since a game begins with none."""
    double, two_fives, ten = Fraction(1, 6), Fraction(1, 36), Fraction(1, 12)
    inside = sum((1 - double) ** turns for turns in range(3))  # for each turn that begins with 3
    outside = (1 - two_fives * inside) / ten
    gained = 7 * outside + 7 * double * inside
    solution = solve_game(game(JAIL), "average")
    assert solution.value == pytest.approx(float(gained / (outside + inside)), rel=0, abs=1e-12)
    assert solution.error_bound < 1e-9


MENDED = """
dice 2d4
each player
    won = 0
    wear = 0 to 3
turn
    if wear = 3
        roll all
        choose
            "Rebuild": wear = 0
            "Wait": pass
        end turn
    choose
        "Full"
            won + 1
            roll all
            if dice show x x: wear + 1
        "Mend": wear - lowest of (wear, 2)
ends after 2 rounds
payoff highest won
"""


def test_what_a_move_brings_about_whatever_was_before_is_known_at_the_next_turn() -> None:
    """To mend leaves a "wear" of 1 at most, which no condition says: it is asked nowhere."""
    solution = solve_game(game(MENDED), "average")
    at_full_speed = 3 * 4  # turns until three doubles have fallen, then one to rebuild
    assert solution.value == pytest.approx(at_full_speed / (at_full_speed + 1), rel=0, abs=1e-12)


COMES_ROUND = """
dice 2 with faces gold, fire, blank
pile chest
each player
    score = 0
    water = 1 to 0
turn
    roll all
    repeat
        move those f in dice where f = gold to chest
        if fire in dice: end turn
        choose
            "On" when dice is not empty: roll dice
            "Double" for 1 water: score + 2 * size of chest, end turn
            "Leave": score + size of chest, end turn
ends after 2 rounds
payoff highest score
"""


def test_a_turn_that_comes_round_is_one_turn() -> None:
    """Blanks are thrown again, and nothing has changed; the water brings nothing in the long run.

    With gold and a blank one has 1; thrown on, x = 1/3 of 2 and 1/3 of x, it is 1 as well. Two
    blanks begin again: v = 1/9 * 2 + 2/9 * 1 + 1/9 * v.
    """
    found = solve_game(check(Source("round.dg", f'game "Round"\n{COMES_ROUND}'), {}), "average")
    assert found.value == pytest.approx(1 / 2, abs=1e-12)
