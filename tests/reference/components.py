"""What leads back to each other, and linear equations in fractions."""

from __future__ import annotations

from fractions import Fraction


def components(targets: list[list[int]]) -> list[list[int]]:
    """Return the strongly connected components of a graph, those that are led to first (Tarjan)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    waiting: set[int] = set()
    found: list[list[int]] = []
    for root in range(len(targets)):
        if root in index:
            continue
        path = [(root, iter(targets[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        waiting.add(root)
        while path:
            node, following = path[-1]
            target = next(following, None)
            if target is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    found.append(stack[at:])
                    waiting.difference_update(stack[at:])
                    del stack[at:]
            elif target not in index:
                index[target] = low[target] = len(index)
                stack.append(target)
                waiting.add(target)
                path.append((target, iter(targets[target])))
            elif target in waiting:
                low[node] = min(low[node], index[target])
    return found


def solve_equations(
    rows: list[dict[int, Fraction]], sides: list[list[Fraction]]
) -> list[list[Fraction]] | None:
    """Solve linear equations by elimination; None where there is no single solution."""
    rows, sides = [dict(row) for row in rows], [list(side) for side in sides]
    for column in range(len(rows)):
        pivot = next((r for r in range(column, len(rows)) if rows[r].get(column)), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        sides[column], sides[pivot] = sides[pivot], sides[column]
        first = rows[column][column]
        rows[column] = {c: f / first for c, f in rows[column].items() if f}
        sides[column] = [s / first for s in sides[column]]
        for other in range(len(rows)):
            factor = rows[other].pop(column, Fraction(0)) if other != column else Fraction(0)
            if factor:
                for c, f in rows[column].items():
                    if c != column:
                        rows[other][c] = rows[other].get(c, Fraction(0)) - factor * f
                sides[other] = [
                    s - factor * t for s, t in zip(sides[other], sides[column], strict=True)
                ]
    return sides
