"""`dicegames export`: a game for an independent tool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dicegames.analysis.export.drn import drn_text
from dicegames.analysis.export.prism import prism_text
from dicegames.analysis.export.process import process_of
from dicegames.analysis.solution import Solution, SolutionError
from dicegames.cli.printing.in_words import settings_text, unit
from dicegames.cli.printing.output import number
from dicegames.cli.printing.streams import write_utf8
from dicegames.cli.solving import Solving, progress, solved
from dicegames.ground.limits import Limit, Limits, TooLarge
from dicegames.ground.writing import demand_writable, whole_file
from dicegames.loading import Game
from dicegames.rules.running.playing import demand_seats, played_by
from dicegames.rules.running.referee import Move, Position

POSITIONS_LISTED = 200_000
EXPORTED_PLACES = 12


def run(game: Game, form: str, fixed: Sequence[int], out: str | None, solving: Solving) -> None:
    """Write a game in a form that model checkers read."""
    demand_writable(out, game.file)
    demand_seats(game.rules, fixed)
    text = (_prism if form == "prism" else _drn)(game, fixed, solving)
    if out is None:
        for piece in text:
            write_utf8(piece)
        return
    first = next(text)  # what cannot be written is told before a file is begun
    with whole_file(out) as written:
        written.write(first.encode())
        for piece in text:
            written.write(piece.encode())


def _prism(game: Game, fixed: Sequence[int], solving: Solving) -> Iterator[str]:
    """Give the text of a small game in the language of PRISM, from the rules alone."""
    rules = game.rules
    if fixed:
        solution = solved(game, solving)

        def best(position: Position) -> Move:
            choice = solution.best(position)
            assert choice is not None
            return choice.move

        seats = range(1, game.players + 1)
        rules = played_by(rules, tuple(best if s in fixed else None for s in seats))
    try:
        yield prism_text(rules, solving.objective, Limit.within(solving.time, POSITIONS_LISTED))
    except TooLarge as large:
        message = f"{large}: only small games are written for PRISM; {large.remedy}, "
        raise SolutionError(message + "or write Storm's format: --format drn") from None


def _drn(game: Game, fixed: Sequence[int], solving: Solving) -> Iterator[str]:
    """Give the text of a game in Storm's explicit format, from the model that is solved."""
    solution = solved(game, solving)
    with progress(f"Listing the states of {game.title}"):
        process = process_of(solution.compiled, solution.solved, fixed, Limits(**solving.limits))
    told = [f"{game.title}: {settings_text(game.options)}".rstrip(": ")]
    told += [f"Seat {seat} plays as dicegames has solved the game." for seat in sorted(set(fixed))]
    seat = min(process.choosers, default=0) + 1
    told.append(_question(solution, seat, chosen=bool(process.choosers)))
    with progress(f"Writing {process.states:,} states") as report:
        yield from drn_text(process, told, report)


def _question(solution: Solution, seat: int, *, chosen: bool) -> str:
    """Say what to ask for, and what the answer should be."""
    best = ("max" if solution.maximise else "min") if chosen else ""
    asked = f'R{{"seat{seat}"}}{best}=? [ F "over" ]'
    told = f"{number(solution.value_for(seat), EXPORTED_PLACES)}, within {solution.error_bound:.1e}"
    return f"{asked} should be {told}: {unit(solution)}"
