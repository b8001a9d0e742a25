"""Record what the program says of many games, and compare what two commits say.

    python -m tests.recorded draw FOLDER            random games
    python -m tests.recorded write FILE FOLDER      in the checkout of each commit
    python -m tests.recorded compare OLD NEW

Recorded of every game of the library, with cheap settings, and of random games: values, decisions
along random play, the distribution, simulated games and the exported model. Nothing but the public
face and the command line is used, so that the file runs in older commits too. It is run by hand
where the inside of the solver changes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import dicegames
from dicegames.cli import main as run
from tests.random_games.games import by_seed

RANDOM_GAMES = 300
DECISIONS = 8
SIMULATED = 200
FEW_STATES = 10_000
"""So many states may a model have that is exported."""
LIMITS: dict[str, Any] = {"threads": 1, "time": 20.0, "memory": 1_000_000_000}
CHEAP: dict[str, list[dict[str, int]]] = {
    "dice_poker": [{"target": 40}],
    "lange_strasse": [{"players": 1}],
    "maxi_yatzy": [],
    "pig": [{"target": 30}, {"players": 3, "target": 15}],
    "qwixx": [],
}
"""Settings with which games are recorded, where those of the file take minutes."""
Facts = dict[str, Any]


def facts(file: Path, **options: Any) -> Facts:
    """What is said of a game; a refusal is what it says."""
    found: Facts = {}
    try:
        game = dicegames.load(file, **options)
    except dicegames.DicegamesError as error:
        return {"rules": type(error).__name__}
    _ask(found, "payoff", lambda: _solved(game, "payoff"))
    _ask(found, "turn", lambda: _solved(game, "turn"))
    words = [f"{name}={value}" for name, value in options.items()]
    solved = found["payoff"]
    if isinstance(solved, dict) and solved["states"] <= FEW_STATES:
        _ask(found, "model", lambda: _exported(file, words))
    return found


def _ask(found: Facts, name: str, question: Callable[[], Any]) -> None:
    try:
        found[name] = question()
    except dicegames.DicegamesError as error:
        found[name] = f"{type(error).__name__}: {error}"


def _solved(game: dicegames.Game, objective: str) -> Facts:
    solution = dicegames.solve(game, objective, **LIMITS)
    found: Facts = {
        "value": _bits(solution.value),
        "method": solution.method,
        "states": solution.states_stored,
        "decisions": list(_decisions(game, solution)),
    }
    _ask(found, "distribution", lambda: _distribution(solution))
    _ask(found, "simulated", lambda: _simulated(solution))
    return found


def _distribution(solution: dicegames.Solution) -> list[Any]:
    found = solution.distribution()
    return [_bits(number) for number in (*found.values, *found.masses)]


def _simulated(solution: dicegames.Solution) -> str:
    return _hash(solution.simulate(SIMULATED, seed=1).results.tobytes())


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _decisions(game: dicegames.Game, solution: dicegames.Solution) -> Iterator[list[Any]]:
    """Positions of random play in which something is to be chosen: values and moves, in order."""
    draws, position, left = Random(1), game.start(), DECISIONS
    for _ in range(40 * DECISIONS):
        if position.is_over:
            position = game.start()
        moves = position.moves()
        if len(moves) > 1:
            try:
                choices = solution.options(position)
            except dicegames.UnknownPosition as error:
                yield [str(position), str(error)]
            else:
                told = [[str(choice.move), _bits(choice.value)] for choice in choices]
                yield [str(position), _bits(solution.value_of(position)), told]
            left -= 1
            if not left:
                return
        ways: Any = moves or position.outcomes()
        weights = None if moves else [float(outcome.probability) for outcome in ways]
        position = position.play(draws.choices(ways, weights)[0])


def _exported(file: Path, settings: list[str]) -> str:
    """The hash of the game as it is written for model checkers."""
    told = StringIO()
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(told):
        to = Path(folder) / "model.drn"
        words = ["export", str(file), "--format", "drn", "-o", str(to), "--time", "20s"]
        words += [word for setting in settings for word in ("--set", setting)]
        code = run(words)
        if code:
            return f"refused with {code}"
        lines = [line for line in to.read_text().splitlines() if not line.startswith("//")]
    return _hash("\n".join(lines).encode())


def _bits(value: Any) -> Any:
    """Numbers so that no bit is lost."""
    if isinstance(value, tuple):
        return [_bits(each) for each in value]
    return float(value).hex()


def write(out: Path, games: Path) -> None:
    """Record the games of a folder and of the library, a line for each."""
    library = Path(__file__).parents[1] / "games"
    with out.open("w") as lines:
        for file in (*sorted(games.glob("*.dg")), *sorted(library.glob("*.dg"))):
            for options in CHEAP.get(file.stem, [{}]):
                name = f"{file.stem} {_hash(file.read_bytes())} {options}"
                told = json.dumps([name, facts(file, **options)]).replace(str(file), file.name)
                lines.write(told + "\n")
                lines.flush()


def draw(games: Path) -> None:
    """Write the random games into a folder, so that all commits record the same ones."""
    games.mkdir(parents=True)
    for seed in range(RANDOM_GAMES):
        (games / f"random_{seed}.dg").write_text(by_seed(seed))


def compare(old: Path, new: Path) -> int:
    """Say where two records differ; 1 where they do by more than rounding."""
    before, after = _read(old), _read(new)
    tally: Counter[str] = Counter()
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            tally["games in one record only"] += 1
            continue
        for path, left, right in _leaves(before[name], after[name], ""):
            kind = _kind(left, right)
            tally[f"{path.split('/')[-1].split('[')[0] or path}: {kind}"] += 1
            if kind not in {"same", "rounding"}:
                print(f"{name}: {path}: {left!s:.70} -> {right!s:.70}")  # noqa: T201 - its output
    for what, count in sorted(tally.items()):
        print(f"{count:8}  {what}")  # noqa: T201 - its output
    return int(any(not what.endswith((": same", ": rounding")) for what in tally))


def _read(path: Path) -> dict[str, Facts]:
    return dict(json.loads(line) for line in path.read_text().splitlines())


def _leaves(left: Any, right: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            yield from _leaves(left.get(key), right.get(key), f"{path}/{key}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for number, pair in enumerate(zip(left, right, strict=True)):
            yield from _leaves(*pair, f"{path}[{number}]")
    else:
        yield path, left, right


def _kind(left: Any, right: Any) -> str:
    if left == right:
        return "same"
    try:
        one, other = float.fromhex(left), float.fromhex(right)
    except (TypeError, ValueError):
        return "different"
    return "rounding" if abs(one - other) <= 1e-11 * max(1.0, abs(one)) else "different"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.recorded")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("draw").add_argument("folder", type=Path)
    writing = commands.add_parser("write")
    writing.add_argument("file", type=Path)
    writing.add_argument("folder", type=Path)
    both = commands.add_parser("compare")
    both.add_argument("old", type=Path)
    both.add_argument("new", type=Path)
    wanted = parser.parse_args()
    if wanted.command == "compare":
        return compare(wanted.old, wanted.new)
    if wanted.command == "draw":
        draw(wanted.folder)
    else:
        write(wanted.file, wanted.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
