"""Following the rules from one node to the next, with the axes left open.

A condition on an open value splits the path in two, each with its guard; assignments to axes
collect into effects. Where the rules need a plain value, the path is followed once for every value
that is possible. A path ends at a choice or a throw, or when play is over.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from dicegames.compiler.effort import A_PAYMENT, Effort
from dicegames.compiler.exploring.control_nodes import NodesByKey
from dicegames.compiler.exploring.happenings import PointCount, at_the_end, happening, payment
from dicegames.compiler.exploring.keys import KeyMaker
from dicegames.compiler.exploring.roles import Roles, slot_name
from dicegames.compiler.exploring.turn_ends import AskedAtEnds, Ends
from dicegames.compiler.goal import Goal
from dicegames.compiler.graph import END_TARGET, Edge, Effect, Gain, Guard, Path, Payment, TooWide
from dicegames.compiler.open_values.cases import changes_of_rewards, overruns_of, pays_if, settled
from dicegames.compiler.open_values.joint import Impossible, Possible, Values, in_order
from dicegames.compiler.open_values.tables import slots_of
from dicegames.rules.parts.broken import GOES_ROUND, NotShown, RuleBroken
from dicegames.rules.parts.flow import (
    Choose,
    Environment,
    Expression,
    Finish,
    Instruction,
    Note,
    Pay,
    Set,
    Test,
    Throw,
    TurnEnds,
)
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import KNOWN, NeedsValue, Unknown, is_open, negate, unknown
from dicegames.rules.running.effects import assign, pay
from dicegames.rules.running.liveness import matters
from dicegames.rules.running.referee import LONGEST_RUN

MOST_CASES = 10_000
"""With more ways on from one situation than this, the rules ask too much at once."""
LONG_GUARD = 32
"""With so many conditions on a path it is asked of each new one whether it can hold as well."""
MOST_LIMIT_VALUES = 100
"""With more values than this, what a loop asks for is not told apart, value by value."""

Results = tuple[Edge, ...]
"""Where the rules lead under different guards; equal ones are one object."""


class Follower:
    """Follows paths through the rules; where one ends, a node of `situations` begins."""

    def __init__(
        self,
        goal: Goal,
        roles: Roles,
        domain: Values,
        situations: NodesByKey,
        effort: Effort,
        *,
        ends: Ends = Ends.ON_THE_WAY,
    ):
        self.asked: set[Unknown] = set()  # open values that the rules need plain
        self.broken: dict[int, RuleBroken] = {}  # how the rules may break, by instruction
        self.endless: set[int] = set()  # instructions from which the rules may go round for ever
        self._goal = goal
        self._game = goal.game
        self._roles = roles
        flow = enumerate(goal.game.flow)
        idle = {at for at, i in flow if not matters(i, roles.live[i.next])}
        self._idle = idle - roles.watched
        self._gains = changes_of_rewards(goal.game.flow, roles.rewards)
        slots = goal.game.names.slots
        finishes = [at for at, i in enumerate(goal.game.flow) if isinstance(i, Finish)]
        self._ends = {*goal.ends, *finishes}
        beside = {*self._idle, *self._ends}
        counts = {throw.count for throw in goal.game.flow if isinstance(throw, Throw)}
        self._plain, self._tests = {}, {}
        for at, instruction in enumerate(goal.game.flow):
            match instruction:
                case _ if at in beside:
                    continue
                case Test(condition=Expression(run=run)):
                    self._tests[at] = (run, instruction)
                case Set(slot=slot, value=Expression(run=run)) if at != goal.game.end_turn:
                    # what sets a pile of dice, or how many are thrown: these are never open
                    if slots[slot].type.kind == "dice" or slot in counts:
                        self._plain[at] = (slot, run, instruction.next)
        self.points = PointCount(goal)
        self._possible = Possible(domain, effort.work)
        self._situations = situations
        self._effort = effort
        turn_axes = any(slots[s].scope == "turn" for s in roles.axes)
        apart = turn_axes and not goal.objective.one_turn  # turns may be solved one by one
        self._begins_apart = goal.objective.endless or apart
        self._cases = 0  # of the situation that is being followed
        self._nothing: Gain = (0,) * goal.seats
        self._rotates = goal.rotates
        self._equal: defaultdict[int, dict[tuple[Value, ...], Results]] = defaultdict(dict)
        self._one: dict[Results, Results] = {}
        self._settled: dict[Unknown, bool | None] = {}
        self._at_ends = AskedAtEnds(goal.game, ends)

    def start(self) -> Results:
        """Return where the rules lead from the start of the game."""
        return self._advance(Path(self._game.turn, self._game.start(), (), {}, crossed=True))

    def results(self, at: int, env: Environment, keeper: KeyMaker | None = None) -> Results:
        """Return where the rules lead from an instruction; equal situations are followed once.

        `keeper` is that of the instruction, for those who have it at hand.
        """
        key, known = (keeper or self._situations.keeper(at)).key(env), self._equal[at]
        if key not in known:
            results = self._advance(Path(at, list(env), (), {}))
            known[key] = self._one.setdefault(results, results)
        return known[key]

    def after_turn(self, at: int, env: Environment) -> Results:
        """Return where the rules lead from the end of a turn that is a node."""
        return self._advance(Path(at, list(env), (), {}, ended=True))

    def forget(self) -> None:
        """Forget where situations lead; where that is asked again, they are followed again."""
        self._equal.clear()
        self._possible.forget()

    def decided(self, condition: Value) -> Value:
        """Return whether an open condition holds, where limits tell: else the condition itself."""
        if not isinstance(condition, Unknown):
            return condition
        if condition not in self._settled:
            known = settled(self._game, condition)
            if known is None and not self._roles.carried.isdisjoint(condition.slots):
                values = self.possible(condition)  # what is carried along a loop comes to an end
                known = values == {True} if len(values) == 1 else None
            self._settled[condition] = known
        return condition if (known := self._settled[condition]) is None else known

    def possible(self, value: Unknown, guard: Guard = ()) -> set[Value]:
        """Return the plain values that an open expression may have where a guard holds."""
        self.asked.add(value)
        return self._possible.values(value, guard)

    def _advance(self, path: Path) -> Results:
        results = []
        stack = [path]
        self._cases = 1
        for slot in self._roles.rewards:
            path.env[slot] = 0
        while stack:
            self._effort.look(len(self._situations.nodes))
            current = stack.pop()
            try:
                KNOWN.update(current.known)
                results.append(self._follow(current, stack))
            except NeedsValue as need:
                stack.extend(self._forks(current, need.value))
            except Impossible:
                continue
            except NotShown:  # too many cases: nothing is known to be wrong
                raise
            except RuleBroken as broken:
                results.append(self._break_off(current, broken))
            finally:
                KNOWN.clear()
        return tuple(r for r in results if r is not None)

    def _one_more_case(self, path: Path) -> None:
        """Count the cases that one situation leads to; refuse too many, with what is asked."""
        self._cases += 1
        if self._cases > MOST_CASES:
            slots = sorted({slot for condition in path.guard for slot in slots_of(condition)})
            names = ", ".join(f'"{slot_name(self._game, slot)}"' for slot in slots)
            message = "too many cases are told apart here, without a throw or a choice; asked is "
            span, source = self._game.flow[path.at].span, self._game.source
            hint = "give what is asked a small range, or ask for less of it at once"
            raise NotShown(message + names, span, source, "too-wide", hint)

    def _forks(self, path: Path, value: Unknown) -> Iterator[Path]:
        """Return the path once for every plain value that an open expression may have."""
        for plain in reversed(in_order(self.possible(value, path.guard))):
            self._one_more_case(path)
            guard = unknown("eq", value, plain)
            env = [plain if v is value else v for v in path.env]
            yield path.fork(path.at, env, (*path.guard, guard), {**path.known, value: plain})

    def _follow(self, path: Path, stack: list[Path]) -> Edge | None:
        """Follow one path to the next node; branches that turn up are put on the stack."""
        flow, env, end_turn = self._game.flow, path.env, self._game.end_turn
        plain, tests = self._plain, self._tests
        for _ in range(LONGEST_RUN):
            at = path.at
            if at in plain:
                slot, run, after = plain[at]
                env[slot] = run(env)
                path.at = after
                continue
            if at == end_turn:
                if self._at_ends.ends is Ends.NODES and not path.ended:
                    return self._arrive(path, "branch")
                self._count(path)
                if path.repeats():
                    break
            if at in tests:
                run, test = tests[at]
                holds = run(env)
                if holds is True or holds is False:
                    path.at = test.next if holds else test.other
                else:
                    self._test(path, test, holds, stack)
                continue
            instruction = flow[at]
            if at in self._ends:
                return self._finish(path)
            match instruction:
                case Choose():
                    return self._arrive(path, "choice")
                case Throw(count=count) if env[count]:
                    return self._arrive(path, "chance")
            if at not in self._idle:  # else what it reads may not be known
                self._change(path, instruction)
            path.at = instruction.next
        return self._round_for_ever(path)

    def _change(self, path: Path, instruction: Instruction) -> None:
        """Carry out what changes something, and note what that may break and what it pays."""
        match instruction:
            case Set():
                change = self._gains.get(path.at, instruction)
                slot = assign(change, path.env)
                if isinstance(path.env[slot], Unknown):
                    path.overruns += overruns_of(path.at, change, slot, path.env[slot])
                if self._goal.traced:
                    path.paid += payment(self._goal, self._roles, instruction, slot, path.env)
            case Pay():
                pay(instruction, path.env)
                path.paid += (Payment("payments", None),) if self._goal.traced else ()
            case Note():
                path.notes += happening(self._goal, instruction, path.env)
            case TurnEnds():
                self._end_turn(path)

    def _end_turn(self, path: Path) -> None:
        """Pass on to the next player; raise Impossible for a path that no values can take.

        That is asked when a whole turn brought nothing: not all players can sit out, and those who
        do must not be followed for ever.
        """
        if path.turns:
            self.asked.update(path.guard)
            self._possible.demand(path.guard)
        path.end_turn(self._game)
        path.paid += self._for_a_turn

    def _round_for_ever(self, path: Path) -> Edge:
        """Refuse a path without end; if only some values lead there, note it: may they come up?"""
        if not path.guard:
            raise RuleBroken(GOES_ROUND, code="goes-round")
        self.endless.add(path.at)
        return self._suspect(path)

    def _break_off(self, path: Path, broken: RuleBroken) -> Edge:
        """End a path on which the rules break; it may be that no game comes to it."""
        located = broken.located(self._game.flow[path.at].span, self._game.source)
        self.broken.setdefault(path.at, located)
        return self._suspect(path)

    def _suspect(self, path: Path) -> Edge:
        """End a path that must not be taken; its last condition is noted with the instruction."""
        told = (*path.overruns, (path.at, path.guard[-1] if path.guard else True))
        edge = path.edge(self._nothing, END_TARGET)
        return edge._replace(notes=(), paid=(), overruns=told)

    def _test(self, path: Path, test: Test, holds: Value, stack: list[Path]) -> None:
        """Go where a condition leads; if it is open, the other way is put on the stack."""
        for slot in self._roles.apart.get(path.at, ()):
            self._tell_apart(path, path.env[slot])
        holds = path.said(self.decided(holds))
        if not isinstance(holds, Unknown):
            path.at = test.next if holds else test.other
        elif not self._goal.traced and pays_if(
            self._game.flow, test, holds, path.env, self._roles.rewards
        ):
            path.at = test.other
            self._effort.work.add(A_PAYMENT)
        else:
            self._one_more_case(path)
            self._at_ends.meet(path.at, holds)
            guard = (*path.guard, negate(holds))
            stack.append(path.fork(test.other, list(path.env), guard, path.known))
            path.guard = (*path.guard, holds)
            path.at = test.next
            self._cut_endless(path)

    def _tell_apart(self, path: Path, value: Value) -> None:
        """Raise NeedsValue for a value that is open; TooWide where there may be too many."""
        if isinstance(value, Unknown):
            if len(self.possible(value, path.guard)) > MOST_LIMIT_VALUES:
                raise TooWide("", self._game.flow[path.at].span, f"more than {MOST_LIMIT_VALUES}")
            raise NeedsValue(value)

    def _cut_endless(self, path: Path) -> None:
        """Raise Impossible for a path that repeats something more often than any value says."""
        if len(path.guard) >= LONG_GUARD:
            self.asked.update(path.guard)
            if True not in self.possible(path.guard[-1], path.guard):
                raise Impossible

    def _finish(self, path: Path) -> Edge:
        env, goal = path.env, self._goal
        gains = [goal.final(env, self._seat_there(s, path)) for s in range(goal.seats)]
        gains[0] = gains[0] + (path.turns + 1) * goal.per_turn  # one ends here
        points = self.points.count(env) if path.points is None else path.points
        paid = path.paid + self._for_a_turn
        if self._goal.traced and (last := at_the_end(goal, self._roles)):
            paid += (Payment(last, None),)
        return path.edge(tuple(gains), END_TARGET)._replace(paid=paid, points=points)

    def _count(self, path: Path) -> None:
        """Count the points of a turn where the first turn of a path is over."""
        if path.points is None:
            path.points = self.points.count(path.env)

    @property
    def _for_a_turn(self) -> tuple[Payment, ...]:
        """What a turn pays for itself, if that is told apart."""
        each = self._goal.per_turn
        return (Payment("turns", each),) if each and self._goal.traced else ()

    def _seat_there(self, seat: int, path: Path) -> int:
        """Return how a seat at the start of a path is counted at its end."""
        return (seat - path.rotate) % self._game.players if self._rotates else seat

    def _settle(self, path: Path) -> Effect:
        """Return the changes of axes where a path ends that do not wait for the end of the turn.

        Those are of the inner ones, and all that were set to something that such a change would
        alter. What is settled is open again, and so is what nobody reads.
        """
        env, live, leaves = path.env, self._roles.live[path.at], self._situations.leaves
        changed = [s for s, leaf in leaves.items() if env[s] is not leaf]
        if not changed:
            return ()
        pending = live.intersection(changed)
        whole = path.crossed or path.at == self._game.end_turn
        settled = pending if whole else pending & self._roles.inner
        while settled and settled < pending:
            stale = {s for s in pending - settled if not settled.isdisjoint(slots_of(env[s]))}
            if not stale:
                break
            settled = settled | stale
        effect = tuple([(s, env[s]) for s in changed if s in settled])
        for slot in changed:
            if slot in settled or slot not in live:
                env[slot] = leaves[slot]
        return effect

    def _arrive(self, path: Path, kind: str) -> Edge:
        """Settle what must be settled and return the node at which play stands."""
        env, at, situations = path.env, path.at, self._situations
        keeper = situations.keeper(at)
        self._roles.cap(env)  # on the way to here everything is what it is
        control = keeper.control_raw(env)
        if is_open(*control):  # before anything of the path is settled
            raise NeedsValue(next(value for value in control if isinstance(value, Unknown)))
        effect = self._settle(path)
        gains = list(self._nothing)
        gains[0] = path.turns * self._goal.per_turn
        points: Value = 0
        for slot, factors in self._roles.rewards.items():
            if env[slot] == 0:
                continue
            for seat in range(len(gains)):
                gains[seat] = gains[seat] + factors[self._seat_there(seat, path)] * env[slot]
            points = points + self._roles.points.get(slot, 0) * env[slot]
            env[slot] = 0
        if path.points is not None:
            points = path.points  # what the next player does is not of this turn
        KNOWN.clear()  # others come to this node too, for whom something else holds
        key: tuple[Value, ...] = (at, keeper.key(env))
        if path.crossed and self._begins_apart:
            key = ("a turn begins", *key)  # told from the same situation inside a turn
        target = situations.node(key, at, env, kind)
        if path.crossed or at == self._game.end_turn:
            situations.nodes[target].stored = True
        passed = path.turns - 1 if path.turns and self._goal.objective.endless else 0
        rotate = path.rotate if self._rotates else 0
        edge = path.edge(tuple(gains), target, effect)
        return edge._replace(rotate=rotate, points=points, crossed=path.crossed, passed=passed)
