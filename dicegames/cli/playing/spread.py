"""Final scores among all that may happen: the exact distribution under best play, as a picture."""

from __future__ import annotations

from dicegames.cli.failure import failure_of
from dicegames.cli.playing.table import GameTable
from dicegames.cli.printing.histogram import histogram, shown
from dicegames.cli.solving import spreads
from dicegames.cli.watch import within
from dicegames.compiler.limits import LimitReached
from dicegames.play.match import Match
from dicegames.play.record import SAME, luck_percentile
from dicegames.play.screen import heading
from dicegames.play.wording import Line


def spread_lines(table: GameTable, match: Match, patience: float | None = None) -> list[Line]:
    """Return where the final scores lie; nothing where players meet, or one only wins or loses.

    Nobody waits for it for longer than `patience` seconds, nor after Ctrl-C.
    """
    compiled = table.compiled
    if compiled is None or table.unit.is_share or compiled.game.players > 1:
        return []
    try:
        with within(patience):
            found = spreads(table.game, table.solution, table.solving)[0]
    except (KeyboardInterrupt, LimitReached):
        told = "how it compares with all games is still to be computed: dicegames analyse last"
        return [[("", "")], [(told, "dim")]]
    except Exception as error:
        failure = failure_of(error)
        if failure is None:
            raise
        return [[(f"the distribution is not known: {failure.listed()[0]['message']}", "dim")]]
    lines = heading("Among all games that are played in the best way", table.terminal)
    results = list(zip(table.names, map(float, match.result), strict=True))
    values, masses = found.values, found.masses
    for seat, (name, result) in enumerate(results):
        less, more = masses[values < result - SAME].sum(), masses[values > result + SAME].sum()
        same = masses.sum() - less - more
        told = f"less in {less:.1%}, the same in {same:.1%}, more in {more:.1%}"
        lines.append([(f"{name}: {shown(result)}", "bold"), (f", {told}", "")])
        account = table.ledger.account(seat) if table.ledger is not None else None
        if account is not None and account.losses > SAME:  # else it says no more than the result
            maximise = table.solution.maximise
            share = luck_percentile([account.luck], values, masses, maximise=maximise)
            told = f"  luck {table.unit.change(account.luck)}: more than in {share:.1%} of them"
            lines.append([(told, "")])
    if table.terminal.plain:
        return lines
    return lines + histogram(found, table.terminal.width, results)
