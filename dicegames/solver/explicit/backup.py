"""Kernels that solve an expanded game component by component.

Inside one strongly connected component the values are the fixpoint of the backup T.  Sweeps
(Gauss-Seidel, to and fro; a throw that comes back to its state is made until it does not) bring the
residual |T V - V| down to `rho`; the fixpoint then lies within ``rho * w`` of V, where
``w >= 1 + max over policies of P w`` bounds the expected number of steps inside the component:
V + rho w is a supersolution and V - rho w a subsolution.  Where moves that nobody makes stay for
long, w is taken over the policies that are nearly greedy for V, and it is looked whether T takes
what lies between V - rho w and V + rho w to what lies there: if so, a fixpoint does, and there is
but one.  When a player could stay for ever no such w exists.  Then w is taken over the policies
that are greedy for V; it still proves the side of the chooser's own policies.  Errors of later
components are carried along, since T does not expand them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicegames.solver.kernels.arrays import Vector
from dicegames.solver.kernels.evaluate import PURE
from dicegames.solver.kernels.kernel import njit
from dicegames.solver.model import Array

MEAN_OF = 0
MAX_OF = 1
MIN_OF = 2

ALL_MOVES = 0
NEARLY_BEST = 1
BEST_TO_LEAVE = 2
"""Over which moves stays are counted; of the best ones the longest stay, or the shortest."""
NEAR_STAYS = 1e-8
"""Moves within this part of the best one are nearly best; that others are not needed is proven."""
TIED_STAYS = 1e-11
"""The same for moves that are as good as the best one."""
ROUNDOFF = 1.2e-16
"""What a number is rounded by, as a part of it."""
LONGEST_COUNTED = 1e9
ALWAYS_BACK = 1.0 - 1e-9
"""A throw that comes back more often is taken to come back always."""
MOST_EXITS = 1000
SMALL_SETTLED = 1e-13
"""What is left of small components, in parts of the largest value; others are swept on."""
SMALL_SET = 16
FEW_SWEEPS = 500
"""So many states are swept at once and so often; with more, sweeps are left to be stopped."""


class Steps(NamedTuple):
    """Transitions of an expanded game in compressed rows (see `expand.expand`)."""

    first: Vector[np.int64]  # [states + 1]
    target: Vector[np.int32]  # -1 for the end
    weight: Vector[np.float64]  # 1 outside chance states
    reward: Vector[np.float64]  # the constant sum included where the seats rotate
    sign: Vector[np.float64]  # -1 where the seats rotate under a constant sum
    mode: Vector[np.uint8]  # [states]: MEAN_OF, MAX_OF, MIN_OF


@njit(**PURE)
def term(s: Steps, value: Array, k: int) -> float:
    """What transition k brings."""
    t = s.target[k]
    return float(s.reward[k] + s.sign[k] * value[t]) if t >= 0 else float(s.reward[k])


@njit(**PURE)
def backup(s: Steps, value: Array, state: int) -> float:
    """T value at one state."""
    lo, hi = s.first[state], s.first[state + 1]
    if s.mode[state] == MEAN_OF:
        total = 0.0
        for k in range(lo, hi):
            total += s.weight[k] * term(s, value, k)
        return total
    best = term(s, value, lo)
    for k in range(lo + 1, hi):
        new = term(s, value, k)
        if (new > best) == (s.mode[state] == MAX_OF) and new != best:
            best = new
    return best


@njit(**PURE)
def rounded(s: Steps, value: Array, state: int) -> float:
    """What a backup may be wrong by: terms, weights, products and sums are rounded."""
    lo, hi = s.first[state], s.first[state + 1]
    total, largest = 0.0, 0.0
    for k in range(lo, hi):
        size = abs(term(s, value, k))
        total += s.weight[k] * size
        largest = max(largest, size)
    return float(
        (hi - lo + 3) * ROUNDOFF * total if s.mode[state] == MEAN_OF else ROUNDOFF * largest
    )


@njit(**PURE)
def _tries(s: Steps, state: int) -> float:
    """How often a throw is made until it leads to another state, on average.

    With v = r + p v, and x in place of v on the right, v = x + (r + p x - x) / (1 - p).
    """
    again = 0.0
    for k in range(s.first[state], s.first[state + 1]):
        if s.target[k] == state and s.mode[state] == MEAN_OF:
            again += s.weight[k] * s.sign[k]
    return float(1.0 / (1.0 - again) if again < ALWAYS_BACK else 1.0)


@njit(**PURE)
def _sweep(
    s: Steps,
    value: Array,
    states: Array,
    tries: Array,
    forward: bool,  # noqa: FBT001
) -> float:
    change = 0.0
    n = states.size
    for i in range(n):
        state = states[i] if forward else states[n - 1 - i]
        moved = backup(s, value, state) - value[state]
        change = max(change, abs(moved))
        value[state] += tries[state] * moved
    return change


@njit(**PURE)
def one_signed(s: Steps, states: Array, mode: int) -> bool:
    """Whether all choices are of one mode and no reward helps to stay (see `explicit`)."""
    for i in range(states.size):
        state = states[i]
        lo, hi = s.first[state], s.first[state + 1]
        if s.mode[state] != MEAN_OF and s.mode[state] != mode and hi - lo > 1:
            return False
        for k in range(lo, hi):
            if s.sign[k] < 0 or ((s.reward[k] < 0) == (mode == MIN_OF) and s.reward[k] != 0):
                return False
    return True


@njit(**PURE)
def _exit_value(s: Steps, value: Array, states: Array, component: Array) -> float:
    """The best of the exits, seen by the other side."""
    own = component[states[0]]
    low, high = 0.0, 0.0
    for i in range(min(states.size, MOST_EXITS)):
        for k in range(s.first[states[i]], s.first[states[i] + 1]):
            t = s.target[k]
            if t >= 0 and component[t] != own:
                low = min(low, s.sign[k] * value[t])
                high = max(high, s.sign[k] * value[t])
    if one_signed(s, states, MIN_OF):
        return low
    return high if one_signed(s, states, MAX_OF) else 0.0


ROUNDING_OF_SWEEPS = 1e-14
"""So much of the largest value may be rounding, where sweeps change no less than ..."""
PATIENT_SWEEPS = 300
"""... so many sweeps before."""


@njit(**PURE)
def settle(
    s: Steps, value: Array, states: Array, component: Array, tries: Array, sweeps: int, stop: Array
) -> tuple[float, float, bool]:
    """Sweep a component until nothing but rounding moves: the residual, the largest value, whether.

    What rounding may hide is part of the residual. Sweeps begin from where they approach the
    fixpoint: the best of the exits, seen by the other side. Rounding may go round for ever: it does
    where changes are small and become no smaller. `tries` is room for a number for each state.
    """
    start = _exit_value(s, value, states, component)
    for i in range(states.size):
        value[states[i]] = start
        tries[states[i]] = _tries(s, states[i])
    quiet, largest, least, fell, settled = 0, 1.0, np.inf, 0, False
    for turn in range(sweeps):
        change = _sweep(s, value, states, tries, turn % 2 == 0)
        largest = 1.0
        for i in range(states.size):
            largest = max(largest, abs(value[states[i]]))
        quiet = quiet + 1 if change <= 4e-16 * largest else 0
        if change < least:
            least, fell = change, turn
        is_rounding = change <= ROUNDING_OF_SWEEPS * largest and turn - fell > PATIENT_SWEEPS
        settled = quiet == 3 or is_rounding
        if settled or stop[0] != 0:
            break
    rest = 0.0
    for i in range(states.size):
        change = abs(backup(s, value, states[i]) - value[states[i]])
        rest = max(rest, change + rounded(s, value, states[i]))
    return rest, largest, settled


@njit(**PURE)
def _stay(s: Steps, steps: Array, k: int, component: Array, own: int) -> float:
    t = s.target[k]
    return float(steps[t]) if t >= 0 and component[t] == own else 0.0


@njit(**PURE)
def _longest(
    s: Steps, value: Array, steps: Array, state: int, component: Array, over: int
) -> float:
    """1 + expected further steps, over the moves that are looked at."""
    lo, hi = s.first[state], s.first[state + 1]
    own = component[state]
    total = 0.0
    if s.mode[state] == MEAN_OF:
        again = 0.0
        for k in range(lo, hi):
            if s.target[k] == state:
                again += s.weight[k]
            else:
                total += s.weight[k] * _stay(s, steps, k, component, own)
        return float((1.0 + total) / (1.0 - again) if again < ALWAYS_BACK else np.inf)
    if over == ALL_MOVES:
        for k in range(lo, hi):
            total = max(total, _stay(s, steps, k, component, own))
        return 1.0 + total
    best = backup(s, value, state)
    near = (NEAR_STAYS if over == NEARLY_BEST else TIED_STAYS) * max(1.0, abs(best))
    total = 0.0 if over == NEARLY_BEST else np.inf
    for k in range(lo, hi):
        if abs(term(s, value, k) - best) <= near:
            stay = _stay(s, steps, k, component, own)
            total = max(total, stay) if over == NEARLY_BEST else min(total, stay)
    return 1.0 + total


@njit(**PURE)
def longest_stay(
    s: Steps, value: Array, states: Array, component: Array, steps: Array, over: int, sweeps: int
) -> float:
    """Bound w of the expected steps inside a component, proven by its inequality; else inf."""
    slack = 1e-3
    for i in range(states.size):
        steps[states[i]] = 0.0
    for turn in range(sweeps):
        change, largest = 0.0, 1.0
        for i in range(states.size):
            state = states[i] if turn % 2 == 0 else states[states.size - 1 - i]
            new = _longest(s, value, steps, state, component, over)
            change = max(change, abs(new - steps[state]))
            steps[state] = new
            largest = max(largest, new)
        if largest > LONGEST_COUNTED:
            return np.inf
        if change < slack * 0.25:
            for i in range(states.size):
                steps[states[i]] *= 1.0 + slack
            for i in range(states.size):
                state = states[i]
                if steps[state] < _longest(s, value, steps, state, component, over):
                    return np.inf
            return largest * (1.0 + slack)
    return np.inf


@njit(**PURE)
def encloses(
    s: Steps, value: Array, states: Array, component: Array, steps: Array, rest: float
) -> bool:
    """Whether what lies within `rest` times `steps` of the values does so after a backup, too."""
    own = component[states[0]]
    for i in range(states.size):
        state = states[i]
        lo, hi = s.first[state], s.first[state + 1]
        allowed = rest * steps[state] - rounded(s, value, state)
        if s.mode[state] == MEAN_OF:
            wide = 0.0
            for k in range(lo, hi):
                wide += rest * s.weight[k] * _stay(s, steps, k, component, own)
            if abs(backup(s, value, state) - value[state]) + wide > allowed:
                return False
            continue
        sign = 1.0 if s.mode[state] == MAX_OF else -1.0
        over = under = -np.inf
        for k in range(lo, hi):
            wide = rest * _stay(s, steps, k, component, own)
            further = sign * (term(s, value, k) - value[state])
            over = max(over, further + wide)
            under = max(under, further - wide)
        if over > allowed or under < -allowed:
            return False
    return True


@njit(**PURE)
def carried(s: Steps, errors: Array, states: Array, component: Array) -> float:
    """Largest error of a successor outside the component."""
    worst = 0.0
    own = component[states[0]]
    for i in range(states.size):
        for k in range(s.first[states[i]], s.first[states[i] + 1]):
            t = s.target[k]
            if t >= 0 and component[t] != own:
                worst = max(worst, errors[t])
    return worst


@njit(**PURE)
def loops(s: Steps, state: int) -> bool:
    """Whether a state can be its own successor."""
    for k in range(s.first[state], s.first[state + 1]):
        if s.target[k] == state:
            return True
    return False


@njit(**PURE)
def _solve_small(
    s: Steps, value: Array, errors: Array, states: Array, component: Array, stay: Array, stop: Array
) -> bool:
    """Solve a small component with a cycle; False where nothing is proven in a few sweeps."""
    rest, largest, _ = settle(s, value, states, component, stay, FEW_SWEEPS, stop)
    if not rest <= SMALL_SETTLED * largest:  # nor is it a number
        return False
    longest = longest_stay(s, value, states, component, stay, ALL_MOVES, FEW_SWEEPS)
    error = carried(s, errors, states, component) + rest * longest
    for i in range(states.size):
        errors[states[i]] = error
    return bool(np.isfinite(error))


@njit(**PURE)
def solve_alone(
    s: Steps, value: Vector[np.float64], errors: Vector[np.float64], order: Vector[np.int64],
    ends: Vector[np.int64], begin: int, component: Vector[np.int32],
) -> int:  # fmt: skip
    """Solve components in order from `begin` on, up to the first with a cycle; return that."""
    for c in range(begin, ends.size - 1):
        state = order[ends[c]]
        if ends[c + 1] - ends[c] > 1 or loops(s, state):
            return c
        if s.first[state] < s.first[state + 1]:  # else its value is known
            value[state] = backup(s, value, state)
            errors[state] = carried(s, errors, order[ends[c] : ends[c + 1]], component)
            errors[state] += rounded(s, value, state)
    return int(ends.size - 1)


@njit(**PURE)
def solve_easy(
    s: Steps, value: Array, errors: Array, order: Array, ends: Array, begin: int, component: Array,
    stay: Array, stop: Array,
) -> tuple[int, int]:  # fmt: skip
    """The same up to the first cycle that is not easy; with how many cycles were solved."""
    cycles, c = 0, solve_alone(s, value, errors, order, ends, begin, component)
    while c < ends.size - 1:
        states = order[ends[c] : ends[c + 1]]
        if states.size > SMALL_SET or not _solve_small(
            s, value, errors, states, component, stay, stop
        ):
            break
        cycles += 1
        c = solve_alone(s, value, errors, order, ends, c + 1, component)
    return c, cycles
