"""Exploring the rules with the axes left open: from the flow of a turn to a control graph.

The instructions are run exactly as the referee runs them, but variables that are axes hold open
values. A condition on an open value splits the path in two, each with its guard; assignments to
axes collect into effects. At every choice or throw a node begins: its key is the instruction and
the live values that are not axes.

A change of an axis is carried along ("pending") until the turn is over, because within a turn
nothing is gained by storing it; only inner axes, which change in loops, are settled at every node.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from attrs import evolve

from dicegames.compiler.cases import overruns_of, pays_if, settled
from dicegames.compiler.graph import END, Edge, Gain, Guard, Node, Overrun, Path, Result, Step
from dicegames.compiler.happenings import happening
from dicegames.compiler.keys import Keeper, Reader
from dicegames.compiler.objective import Objective
from dicegames.compiler.roles import Roles
from dicegames.compiler.tables import values_of
from dicegames.compiler.widths import Widths
from dicegames.ground import multiset
from dicegames.rules.broken import RuleBroken
from dicegames.rules.flow import (
    Choose,
    Decided,
    Environment,
    Finish,
    Note,
    Pay,
    Set,
    Test,
    Throw,
    TurnEnds,
)
from dicegames.rules.referee import LONGEST_RUN, moves_of, offers, pay, rotate
from dicegames.rules.types import Value
from dicegames.rules.unknown import KNOWN, NeedsValue, Unknown, negate, unknown

MOST_NODES = 60_000
"""With more nodes than this a turn is too large."""


class Explorer:
    """Builds the control graph of a game for an objective."""

    def __init__(
        self,
        goal: Objective,
        roles: Roles,
        domain: dict[int, tuple[int, ...]],
        *,
        both: bool = False,
    ):
        self.goal = goal
        self.both = both  # where strategies play, all legal moves are explored as well
        self.game = goal.game
        self.roles = roles
        self.domain = domain  # slot of an axis -> its values as far as they are known
        self.leaves = {slot: unknown("slot", slot) for slot in roles.axes}
        self.inner = roles.inner
        self.nothing: Gain = (0,) * goal.seats
        self.nodes: list[Node] = []
        self.keys: dict[tuple[Value, ...], int] = {}
        self.branches: dict[tuple[Result, ...], int] = {}
        self.memo: dict[tuple[Value, ...], tuple[Result, ...]] = {}
        self.equal: dict[tuple[Value, ...], tuple[Result, ...]] = {}
        self.interned: dict[tuple[Result, ...], tuple[Result, ...]] = {}
        self.steps: set[Step] = set()
        self.overruns: list[Overrun] = []
        self.stepped: set[tuple[int, Guard, int]] = set()
        self.asked: set[Unknown] = set()
        self.pending: list[int] = []
        self.widths = Widths(goal.game.names.slots)
        self.keepers: dict[int, Keeper] = {}
        self.asked_of_dice: dict[int, Reader] = {}
        self.settled: dict[Unknown, bool | None] = {}
        self.silent: list[tuple[Node, Guard]] = []  # where a strategy says nothing

    def keeper(self, at: int) -> Keeper:
        """Return how to make the key of a situation at an instruction."""
        found = self.keepers.get(at)
        if found is None:
            aside = set(self.leaves) | set(self.roles.rewards)
            control = sorted(self.roles.live[at] - aside)
            found = Keeper(self.goal, self.roles, at, control, self.leaves, self.asked_of_dice)
            self.keepers[at] = found
        return found

    # ---- the whole

    def explore(self) -> int:
        """Explore everything and return the node at the start of the game."""
        env = self.game.start()
        start = self._advance(Path(self.game.turn, env, (), {}, crossed=True))
        if len(start) != 1 or start[0].target == END:
            message = "the game is over before anything is chosen or thrown"
            remedy = "look at what ends the game, and at the options that are set"
            raise RuleBroken(message, None, self.game.source, "over-at-once", remedy)
        self.start_effect = dict(start[0].effect)
        self.start_notes = start[0].notes
        self._drain()
        return start[0].target

    def _drain(self) -> None:
        while self.pending:
            number = self.pending.pop()
            node = self.nodes[number]
            if node.kind == "chance":
                self._throw(node)
            elif node.kind == "choice":
                self._choose(node)

    def _throw(self, node: Node) -> None:
        throw = self.game.flow[node.at]
        assert isinstance(throw, Throw)
        assert throw.kind is not None
        gathered: dict[int, int] = {}
        found: dict[int, tuple[Result, ...]] = {}
        lying, count = node.env[throw.pile], node.env[throw.count]
        for dice, ways in multiset.ways(count, throw.kind.weights):
            after = list(node.env)
            after[throw.pile] = multiset.add(lying, dice)
            after[throw.count] = 0
            results = self._results(throw.next, after)
            gathered[id(results)] = gathered.get(id(results), 0) + ways
            found[id(results)] = results
        total = sum(throw.kind.weights) ** count
        for key, ways in gathered.items():
            node.edges.append(self._edge(node, Fraction(ways, total), (), found[key]))

    def connect(self, node: Node, at: int, env: Environment, weight: Fraction) -> None:
        """Add the edges from a node to where the rules lead from an instruction."""
        node.edges.append(self._edge(node, weight, (), self._results(at, env)))

    def _choose(self, node: Node) -> None:
        choose = self.game.flow[node.at]
        assert isinstance(choose, Choose)
        KNOWN.update(node.known)
        try:
            decided = moves_of(choose, node.env)
            legal = offers(choose, node.env) if self.both else []
        except NeedsValue as need:
            self._split(node, need.value)
            return
        except RuleBroken as broken:
            raise broken.located(choose.span, self.game.source) from None
        finally:
            KNOWN.clear()
        played = list(self._moves(node, decided))
        if decided.silent is not False:
            guard = () if decided.silent is True else (decided.silent,)
            played.append(Edge(Fraction(1), guard, (), self.nothing, END))
            self.silent.append((node, guard))
        if self.both:
            node.played = played
            node.edges.extend(self._moves(node, Decided([(m, ok, ok) for _, m, ok in legal])))
        else:
            node.edges.extend(played)
            node.kind = node.kind if decided.free else "branch"

    def _moves(self, node: Node, decided: Decided) -> Iterator[Edge]:
        """Yield the edges of moves, those that are alike once."""
        seen = set()
        for move, condition, wanted in decided.moves:
            legal, played = self._decided(condition), self._decided(wanted)
            if played is False:
                continue
            env = list(node.env)
            if move.slot >= 0:
                env[move.slot] = move.value
            guard = () if played is True else (played,)
            facts = () if legal is True or legal is played else (legal,)
            results = self._results(move.entry, env)
            if (guard, facts, id(results)) not in seen:
                seen.add((guard, facts, id(results)))
                yield self._edge(node, Fraction(1), guard, results, facts)

    def _split(self, node: Node, value: Unknown) -> None:
        """Turn a choice whose options depend on an open value into a branch over its values."""
        node.kind = "branch"
        self.asked.add(value)
        for plain in sorted(self.possible(value)):
            guard = (unknown("eq", value, plain),)
            env = [plain if v is value else v for v in node.env]
            known = {**node.known, value: plain}
            key = (node.at, "split", *known.items(), self.keeper(node.at).raw(node.env))
            target = self._node(key, node.at, env, "choice")
            self.nodes[target].known = known
            node.edges.append(Edge(Fraction(1), guard, (), self.nothing, target))

    def _edge(
        self,
        node: Node,
        weight: Fraction,
        guard: Guard,
        results: tuple[Result, ...],
        facts: Guard = (),
    ) -> Edge:
        """Return the edge from a node to where the rules lead."""
        seen = (node.at, guard, id(results))
        self.overruns += [Overrun(node, guard + r.guard, *o) for r in results for o in r.overruns]
        for r in () if seen in self.stepped else results:
            target = END if r.target == END else self.nodes[r.target].at
            self.steps.add(Step(node.at, guard + r.guard, r.effect, target, r.crossed))
        self.stepped.add(seen)
        if len(results) == 1 and not results[0].guard:
            return results[0].edge(weight, guard, facts)
        branch = self.branches.get(results)
        if branch is None:
            branch = self.branches[results] = len(self.nodes)
            edges = [r.edge(Fraction(1), r.guard) for r in results]
            self.nodes.append(Node(-1, [], "branch", edges=edges))
        return Edge(weight, guard, (), self.nothing, branch, facts=facts)

    def _decided(self, condition: Value) -> Value:
        """Return whether an open condition holds, where the declared limits tell."""
        if not isinstance(condition, Unknown):
            return condition
        if condition not in self.settled:
            self.settled[condition] = settled(self.game, condition)
        known = self.settled[condition]
        return condition if known is None else known

    # ---- following the rules

    def _results(self, at: int, env: Environment) -> tuple[Result, ...]:
        """Return where the rules lead from an instruction; equal situations are followed once."""
        keeper = self.keeper(at)
        raw = (at, keeper.raw(env))
        found = self.memo.get(raw)
        if found is not None:
            return found
        key = (at, keeper.key(env)) if keeper.readers else raw
        found = self.equal.get(key) if keeper.readers else None
        if found is None:
            results = self._advance(Path(at, env, (), {}))
            found = self.interned.setdefault(results, results)
            self.equal[key] = found
        self.memo[raw] = found
        return found

    def _advance(self, path: Path) -> tuple[Result, ...]:
        results = []
        stack = [path]
        for slot in self.roles.rewards:
            path.env[slot] = 0
        while stack:
            current = stack.pop()
            try:
                KNOWN.clear()
                KNOWN.update(current.known)
                results.append(self._follow(current, stack))
            except NeedsValue as need:
                stack.extend(self._forks(current, need.value))
            except RuleBroken as broken:
                place = self.game.flow[current.at].span
                raise broken.located(place, self.game.source) from None
            finally:
                KNOWN.clear()
        return tuple(r for r in results if r is not None)

    def _forks(self, path: Path, value: Unknown) -> Iterator[Path]:
        """Return the path once for every plain value that an open expression may have."""
        self.asked.add(value)
        for plain in sorted(self.possible(value), reverse=True):
            guard = unknown("eq", value, plain)
            env = [plain if v is value else v for v in path.env]
            yield Path(
                path.at,
                env,
                (*path.guard, guard),
                {**path.known, value: plain},
                path.rotate,
                path.turns,
                path.crossed,
                path.overruns,
                path.notes,
            )

    def _follow(self, path: Path, stack: list[Path]) -> Result | None:
        """Follow one path to the next node; branches that turn up are put on the stack."""
        flow, env, ends = self.game.flow, path.env, self.goal.ends
        for _ in range(LONGEST_RUN):
            at = path.at
            instruction = flow[at]
            if at in ends:
                return self._finish(path)
            match instruction:
                case Set():
                    slot = path.assign(instruction)
                    path.overruns += overruns_of(at, instruction, slot, env[slot])
                case Test():
                    self._test(path, instruction, stack)
                    continue
                case Choose():
                    return self._arrive(path, "choice")
                case Throw(count=count):
                    if env[count]:
                        return self._arrive(path, "chance")
                case TurnEnds():
                    rotate(self.game, env)
                    path.rotate = (path.rotate + 1) % self.game.players
                    path.turns += 1
                    path.crossed = True
                case Pay():
                    pay(instruction, env)
                case Note():
                    path.notes += happening(self.goal, instruction, env)
                case Finish():
                    return self._finish(path)
            path.at = instruction.next
        message = "this goes round for ever: no throw, no choice, and nothing that ends it"
        raise RuleBroken(message, flow[path.at].span, code="goes-round")

    def _test(self, path: Path, test: Test, stack: list[Path]) -> None:
        """Go where a condition leads; if it is open, the other way is put on the stack."""
        assert test.condition is not None
        holds = self._decided(test.condition.run(path.env))
        if not isinstance(holds, Unknown):
            path.at = test.next if holds else test.other
        elif pays_if(self.game.flow, test, holds, path.env, self.roles.rewards):
            path.at = test.other
        else:
            guard = (*path.guard, negate(holds))
            known, env = dict(path.known), list(path.env)
            stack.append(evolve(path, at=test.other, env=env, guard=guard, known=known))
            path.guard = (*path.guard, holds)
            path.at = test.next

    def _finish(self, path: Path) -> Result:
        env, goal = path.env, self.goal
        turns = path.turns + (goal.name == "turns")
        gains = [goal.final(env, self._seat_there(s, path)) for s in range(goal.seats)]
        gains[0] = gains[0] + turns * goal.per_turn
        told = (path.overruns, path.notes)
        return Result(path.guard, (), tuple(gains), END, 0, False, *told)

    def _seat_there(self, seat: int, path: Path) -> int:
        """Return how a seat at the start of a path is counted at its end."""
        return (seat - path.rotate) % self.game.players if self.goal.rotates else seat

    def _arrive(self, path: Path, kind: str) -> Result:
        """Settle what must be settled and return the node at which play stands."""
        env, at = path.env, path.at
        live = self.roles.live[at]
        effect = []
        for slot, leaf in self.leaves.items():
            value = env[slot]
            if value is leaf:
                continue
            if slot not in live:
                env[slot] = leaf
            elif path.crossed or slot in self.inner:
                effect.append((slot, value))
                env[slot] = leaf
        for slot in [s for s in self.keeper(at).control if isinstance(env[s], Unknown)]:
            raise NeedsValue(env[slot])
        gains = list(self.nothing)
        gains[0] = path.turns * self.goal.per_turn
        for slot, factors in self.roles.rewards.items():
            for seat in range(len(gains)):
                gains[seat] = gains[seat] + factors[self._seat_there(seat, path)] * env[slot]
            env[slot] = 0
        key: tuple[Value, ...] = (at, self.keeper(at).key(env))
        if path.crossed and self.goal.name == "average":
            key = ("a turn begins", *key)  # told from the same situation inside a turn
        target = self._node(key, at, env, kind)
        if path.crossed:
            self.nodes[target].stored = True
        way = (path.rotate if self.goal.rotates else 0, path.crossed, path.overruns, path.notes)
        return Result(path.guard, tuple(effect), tuple(gains), target, *way)

    def _node(self, key: tuple[Value, ...], at: int, env: Environment, kind: str) -> int:
        found = self.keys.get(key)
        if found is None:
            found = self.keys[key] = len(self.nodes)
            keep = set(self.keeper(at).control) | set(self.leaves)
            slots = self.game.names.slots
            env = [v if i in keep else slots[i].initial for i, v in enumerate(env)]
            self.nodes.append(Node(at, env, kind))
            self.pending.append(found)
            self._watch(at, env)
        return found

    def _watch(self, at: int, env: Environment) -> None:
        """Notice a variable that takes ever more values, and a turn that is too large."""
        for slot in self.keeper(at).control:
            self.widths.meet(slot, env[slot])
        if len(self.nodes) > MOST_NODES:
            raise self.widths.too_many(self.game.flow[at].span)

    def possible(self, value: Unknown) -> set[Value]:
        """Return the plain values that an open expression may have, as far as known."""
        return values_of(value, self.domain)
