"""Exploring the rules with the axes left open: from the flow of a turn to a control graph.

The instructions are run exactly as the referee runs them, but variables that are axes hold open
values. At every choice or throw a node begins: its key is the instruction and the live values that
are not axes (`situations`); what happens between two nodes is found by `follow`.

A change of an axis is carried along ("pending") until the turn is over, because within a turn
nothing is gained by storing it; only inner axes, which change in loops, are settled at every node.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from dicegames.compiler.effort import A_SEARCH, A_STEP, Effort
from dicegames.compiler.exploring.control_nodes import NodesByKey
from dicegames.compiler.exploring.follow import Follower, Results
from dicegames.compiler.exploring.keys import Getter, KeyMaker, getter
from dicegames.compiler.exploring.roles import Roles
from dicegames.compiler.exploring.turn_ends import Ends
from dicegames.compiler.goal import Goal
from dicegames.compiler.graph import (
    CERTAIN,
    END_TARGET,
    NEVER,
    AxisStep,
    ControlNode,
    Edge,
    Gain,
    Guard,
    Overrun,
    TooWide,
)
from dicegames.compiler.open_values.joint import Values, in_order
from dicegames.ground.limits import LimitReached
from dicegames.ground.multiset import Multiset
from dicegames.rules.parts.broken import RuleBroken, no_move
from dicegames.rules.parts.flow import Choose, Decided, Environment, Move, Throw, reads_of
from dicegames.rules.parts.types import Value
from dicegames.rules.parts.unknown import KNOWN, NeedsValue, Unknown, unknown
from dicegames.rules.running.playing import looking
from dicegames.rules.running.referee import moves_of, offers
from dicegames.rules.running.search import BreakSearch, find_break


class Explorer:
    """Builds the control graph of a game for an objective."""

    def __init__(
        self,
        goal: Goal,
        roles: Roles,
        domain: Values,
        *,
        both: bool = False,
        effort: Effort,
        ends: Ends = Ends.ON_THE_WAY,
    ):
        self.goal = goal
        self.both = both  # where strategies play, all legal moves are explored as well
        self.game = goal.game
        self._searched = looking(goal.game, frozenset()) if both else goal.game
        self.roles = roles
        self.nothing: Gain = (0,) * goal.seats
        self.no_way = Edge(CERTAIN, NEVER, (), self.nothing, END_TARGET)
        self.steps: dict[AxisStep, None] = {}  # in the order in which they are met
        self.overruns: list[Overrun] = []
        self.silent: list[tuple[ControlNode, Guard]] = []  # where a strategy says nothing
        self._situations = NodesByKey(goal, roles, effort)
        self._follower = Follower(goal, roles, domain, self._situations, effort, ends=ends)
        self._effort = effort
        self._made = 0  # edges
        self._most_ways = effort.ways
        self._odds = cache(Fraction)  # equal ones are one object
        self.nodes = self._situations.nodes
        self.leaves = self._situations.leaves
        self.keeper = self._situations.keeper
        self.asked = self._follower.asked
        self.broken = self._follower.broken
        self.endless = self._follower.endless
        self._branches: dict[Results, int] = {}
        self._stepped: dict[tuple[int, Guard], set[int]] = {}
        self._thrown: dict[tuple[Value, ...], dict[Multiset, Results]] = {}
        self._ways: dict[tuple[int, Guard, Guard, int, bool], Edge] = {}
        self._asking: dict[int, Getter] = {}
        self._decisions: dict[int, tuple[tuple[Value, ...], Decided]] = {}

    # ---- the whole

    def explore(self) -> int:
        """Explore everything and return the node at the start of the game.

        Raises LimitReached where that takes too long or too much memory, with what grows; an
        interrupt is told as much.
        """
        try:
            return self._explored()
        except LimitReached as reached:
            raise LimitReached(f"{reached}: {self._situations.told()}") from None
        except KeyboardInterrupt as stopped:
            stopped.add_note(self._situations.told())
            raise

    def find_break(self) -> BreakSearch:
        """Search for a position in which the rules break, by the moves that are explored."""
        return find_break(self._searched, self.goal.objective)

    def demand_points(self) -> None:
        """Raise RuleBroken where the points of a turn are asked for, and the rules break by it."""
        found = self.find_break()
        found.demand()
        if not found.exhausted and (broken := self._follower.points.broken) is not None:
            turn = self.game.flow[self.game.end_turn].span
            raise broken.located(turn, self.game.source).not_shown("")

    def apart(self) -> list[AxisStep]:
        """Return the steps from node to node, the dice told apart; `steps` have instructions."""
        edges = ((number, edge) for number, node in enumerate(self.nodes) for edge in node.edges)
        return [AxisStep(n, e.guard + e.facts, e.effect, e.target, e.crossed) for n, e in edges]

    def forget(self) -> None:
        """Forget what was kept to explore faster; what is asked later is followed anew."""
        self._thrown.clear()
        self._stepped.clear()
        self._decisions.clear()
        self._follower.forget()

    def _explored(self) -> int:
        start = self._follower.start()
        if any(result.overruns for result in start):
            self.find_break().demand()
        if len(start) != 1 or start[0].target == END_TARGET:
            what = "first turn" if self.goal.objective.one_turn else "game"
            message = f"the {what} is over before anything is chosen or thrown"
            remedy = f"look at what ends the {what}, and at the options that are set"
            raise RuleBroken(message, None, self.game.source, "over-at-once", remedy)
        self.at_start = {s: v.initial for s, v in enumerate(self.game.names.slots)}
        self.at_start |= dict(start[0].effect)
        self.start_notes = start[0].notes
        self.first_node = start[0].target
        self._drain()
        self._most_ways = None  # what is asked for later is followed whatever it takes
        return self.first_node

    def _drain(self) -> None:
        pending, listed = self._situations.pending, self._effort.listed
        # Near ones first where few are allowed: many are soon found to be many.
        take = pending.pop if self._effort.nodes is None else pending.popleft
        while pending:
            self._effort.look(len(self.nodes), self._made)
            listed.nodes, listed.edges = len(self.nodes), self._made
            node = self.nodes[take()]
            if node.kind == "chance":
                self._throw(node)
            elif node.kind == "choice":
                self._choose(node)
            else:
                after = self._follower.after_turn(node.at, node.env)
                node.edges.append(self._edge(node, CERTAIN, (), after))

    # ---- throws

    def _throw(self, node: ControlNode) -> None:
        """Add the edges of a throw, one for all outcomes that lead to the same."""
        throw = self.game.flow[node.at]
        assert isinstance(throw, Throw)
        _, total = throw.ways(node.env)
        after = list(node.env)
        after[throw.pile], after[throw.count] = None, 0
        keeper = self.keeper(throw.next)
        # by the dice that lie then: the same may lie after throws of other dice
        known = self._thrown.setdefault((throw.next, *keeper.raw(after)), {})
        gathered: defaultdict[int, int] = defaultdict(int)
        found: dict[int, Results] = {}
        for dice, ways in throw.lying(node.env):
            results = known.get(dice)
            if results is None:
                after[throw.pile] = dice
                results = known[dice] = self._follow(throw.next, after, keeper)
            gathered[id(results)] += ways
            found[id(results)] = results
        for number, ways in gathered.items():
            node.edges.append(self._edge(node, self._odds(ways, total), (), found[number]))

    def _follow(self, at: int, env: Environment, keeper: KeyMaker | None = None) -> Results:
        """Return where an outcome or a move leads.

        Raises LimitReached, or TooWide where more are followed than were thought worth it.
        """
        self._effort.look(len(self.nodes), self._made)
        listed, most = self._effort.listed, self._most_ways
        listed.ways += 1
        if most is not None and listed.ways > most:
            span = self.game.flow[at].span
            raise TooWide("", span, f"more than {most:,} outcomes of throws, and moves")
        return self._follower.results(at, env, keeper)

    def connect(self, node: ControlNode, at: int, env: Environment, weight: Fraction) -> None:
        """Add the edges from a node to where the rules lead from an instruction."""
        node.edges.append(self._edge(node, weight, (), self._follower.results(at, env)))

    # ---- choices

    def _choose(self, node: ControlNode) -> None:
        choose = self.game.flow[node.at]
        assert isinstance(choose, Choose)
        KNOWN.update(node.known)
        try:
            decided = self._decide(choose, node)
            legal = offers(choose, node.env) if self.both else []
        except NeedsValue as need:
            self._split(node, need.value)
            return
        except RuleBroken as broken:
            self._break_off(node, broken)
            return
        finally:
            KNOWN.clear()
        played = list(self._moves(node, decided.moves))
        played += self._moves(node, decided.for_turn, for_turn=True)
        if decided.silent is not False:
            guard = () if decided.silent is True else (decided.silent,)
            played.append(Edge(CERTAIN, guard, (), self.nothing, END_TARGET))
            self.silent.append((node, guard))
        if self.both:
            node.played = played
            node.edges.extend(self._moves(node, [(m, ok, ok) for _, m, ok in legal]))
        else:
            node.edges.extend(played)
            node.kind = node.kind if decided.free else "branch"
        if not node.edges:
            self._break_off(node, no_move(choose.span))

    def moves_at(self, node: ControlNode, *, played: bool = False) -> list[tuple[Move, Edge]]:
        """Return the moves of a choice with their edges: those that come to the same have one.

        Of all that are legal, or of those that strategies play.
        """
        choose = self.game.flow[node.at]
        assert isinstance(choose, Choose)
        KNOWN.update(node.known)
        try:
            offered = [(m, ok, ok) for _, m, ok in offers(choose, node.env)]
            moves = self._decide(choose, node).moves if played else offered
        finally:
            KNOWN.clear()
        return [(move[0], edge) for move in moves for edge in self._moves(node, [move])]

    def _break_off(self, node: ControlNode, broken: RuleBroken) -> None:
        """End play at a choice at which the rules break; it may be that no game comes to it."""
        span = self.game.flow[node.at].span
        self.broken.setdefault(node.at, broken.located(span, self.game.source))
        self._suspect(node, (), node.at, True)
        node.edges.append(Edge(CERTAIN, (), (), self.nothing, END_TARGET))

    def _decide(self, choose: Choose, node: ControlNode) -> Decided:
        """Return the moves of a choice; where it reads what it read last, they are the same."""
        if node.at not in self._asking:
            self._asking[node.at] = getter(sorted(reads_of(choose)))
        asked = (*node.known.items(), *self._asking[node.at](node.env))
        last = self._decisions.get(node.at)
        if last is None or last[0] != asked:
            decided = moves_of(choose, node.env)
            last = self._decisions[node.at] = (asked, decided)
        return last[1]

    def _moves(
        self,
        node: ControlNode,
        moves: Iterable[tuple[Move, Value, Value]],
        *,
        for_turn: bool = False,
    ) -> Iterable[Edge]:
        """Return the edges of moves, those that are alike once."""
        env = list(node.env)
        found: dict[int, Edge] = {}
        for move, condition, wanted in moves:
            legal = self._follower.decided(condition)
            played = legal if wanted is condition else self._follower.decided(wanted)
            if played is False:
                continue
            guard = () if played is True else (played,)
            facts = () if legal is True or legal is played else (legal,)
            if move.slot >= 0:
                env[move.slot] = move.value
            results = self._follow(move.entry, env)
            edge = self._way(node, guard, facts, results, for_turn=for_turn)
            if move.slot >= 0:
                env[move.slot] = node.env[move.slot]
            found[id(edge)] = edge
        return found.values()

    def _way(
        self, node: ControlNode, guard: Guard, facts: Guard, results: Results, *, for_turn: bool
    ) -> Edge:
        """Return the edge of a move; moves of several nodes that are alike are one edge."""
        key = (node.at, guard, facts, id(results), for_turn)
        edge = self._ways.get(key)
        if edge is None:
            edge = self._edge(node, CERTAIN, guard, results, facts)
            edge = self._ways[key] = edge._replace(for_turn=True) if for_turn else edge
        else:
            self._note_overruns(node, guard + facts, results)
        return edge

    def _split(self, node: ControlNode, value: Unknown) -> None:
        """Turn a choice whose options depend on an open value into a branch over its values."""
        node.kind = "branch"
        for plain in in_order(self._follower.possible(value)):
            guard = (unknown("eq", value, plain),)
            env = [plain if v is value else v for v in node.env]
            known = {**node.known, value: plain}
            key = (node.at, "split", *known.items(), self.keeper(node.at).raw(node.env))
            target = self._situations.node(key, node.at, env, "choice")
            self.nodes[target].known = known
            node.edges.append(Edge(CERTAIN, guard, (), self.nothing, target))

    # ---- edges

    def _edge(
        self, node: ControlNode, weight: Fraction, guard: Guard, results: Results, facts: Guard = ()
    ) -> Edge:
        """Return the edge from a node to where the rules lead."""
        self._made += 1
        self._note_overruns(node, guard + facts, results)
        stepped, before = self._stepped.setdefault((node.at, guard), set()), len(self.steps)
        for r in () if id(results) in stepped else results:
            target = END_TARGET if r.target == END_TARGET else self.nodes[r.target].at
            self.steps[AxisStep(node.at, guard + r.guard, r.effect, target, r.crossed)] = None
        stepped.add(id(results))
        self._effort.work.add(A_STEP * (len(self.steps) - before))
        if len(results) == 1 and not results[0].guard:
            return results[0]._replace(weight=weight, guard=guard, facts=facts, overruns=())
        branch = self._branches.get(results)
        if branch is None:
            branch = self._branches[results] = len(self.nodes)
            edges = [r._replace(overruns=()) for r in results]
            self.nodes.append(ControlNode(-1, [], "branch", edges=edges))
        return Edge(weight, guard, (), self.nothing, branch, facts=facts)

    def _note_overruns(self, node: ControlNode, guard: Guard, results: Results) -> None:
        for r in results:
            for at, outside in r.overruns:
                self._suspect(node, guard + r.guard, at, outside)

    def _suspect(self, node: ControlNode, guard: Guard, at: int, outside: Value) -> None:
        """Note that the rules may break; where they always do, the referee looks for it at once."""
        if outside is True and guard:
            outside = guard[-1]
        elif outside is True:
            self._effort.work.add(A_SEARCH)
            self.find_break().demand()
        self.overruns.append(Overrun(node, guard, at, outside))
