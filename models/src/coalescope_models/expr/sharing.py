# SPDX-License-Identifier: Apache-2.0
"""Choose the parts of a formula that get a line and a symbol of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from .expression import Graph, Node

# In numbers and symbols: what is short enough to be repeated, and what one line holds; what the
# words of an operation take of it.
_REPEATED = 4
_LINE = 13
_WORDS = {"minimum": 2, "maximum": 2, "where": 3, "sqrt": 1, "log": 1, "log1p": 2, "expm1": 2}
_COMPARISONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
# below this, a constant in a minimum or maximum only keeps a division from dividing by zero
_GUARD = 1e-200


def guarded(graph: Graph, node: Node) -> int | None:
    """Return what a minimum or maximum guards against zero, None where it is a real one."""
    if node.op not in ("minimum", "maximum"):
        return None
    for guard, rest in (node.args, node.args[::-1]):
        value = graph.nodes[guard].value
        if graph.nodes[guard].op == "const" and value is not None and 0 < abs(value) < _GUARD:
            return rest
    return None


def lines_of(graph: Graph, result: int, known: Collection[int]) -> tuple[int, ...]:
    """Return the nodes that get a line each: the result first, then in the order of their use.

    Args:
        graph: the graph.
        result: the node of the first line.
        known: nodes that have a symbol in any case.
    """
    chosen = _chosen(graph, result, known)
    depth = {result: 0}
    first: dict[int, int] = {}
    # a node refers to earlier ones only: from the last to the first, all that refer to it are known
    for line in range(result, -1, -1):
        if line not in depth:
            continue
        for index in printed_in(graph, line, chosen):
            if index in chosen:
                depth[index] = max(depth.get(index, 0), depth[line] + 1)
                first.setdefault(index, len(first))
    return tuple(sorted(depth, key=lambda line: (depth[line], first.get(line, -1))))


def _chosen(graph: Graph, result: int, known: Collection[int]) -> set[int]:
    live = _live(graph, result)
    uses = Counter(argument for index in live for argument in _operands(graph, index))
    cases = _cases_within(graph, live)
    chosen = {index for index in known if index in live and index != result}
    weights: dict[int, int] = {}
    for index in live:
        weights[index] = _weigh(graph, index, weights, chosen)
        if index == result or index in chosen:
            continue
        shared = uses[index] > 1 and weights[index] > _REPEATED
        if graph.nodes[index].op not in _COMPARISONS and (shared or index in cases):
            chosen.add(index)
    return chosen


def _weigh(graph: Graph, index: int, weights: dict[int, int], chosen: set[int]) -> int:
    """Return the numbers and symbols that a node prints; too heavy operands become lines."""
    operands = _operands(graph, index)
    if not operands:
        return 1
    if len(operands) == 1 and graph.nodes[index].op in ("minimum", "maximum"):
        return 1 if operands[0] in chosen else weights[operands[0]]
    words = _WORDS.get(graph.nodes[index].op, 0)

    def weight() -> int:
        parts = [1 if i in chosen else weights[i] for i in operands]
        if graph.nodes[index].op == "where":
            return max(words + parts[0] + parts[1], parts[2])
        return words + sum(parts)

    while weight() > _LINE:
        heavy = max((i for i in operands if i not in chosen), key=lambda i: weights[i])
        if weights[heavy] <= _REPEATED or graph.nodes[heavy].op in _COMPARISONS:
            break
        chosen.add(heavy)
    return weight()


def _cases_within(graph: Graph, live: Collection[int]) -> set[int]:
    """Return distinctions of cases inside of something else: only a line can begin with one.

    In the last branch of another, one more case is one more line of the same brace.
    """
    last = {graph.nodes[i].args[2] for i in live if graph.nodes[i].op == "where"}
    elsewhere = {
        argument
        for i in live
        for argument in (
            graph.nodes[i].args[:2] if graph.nodes[i].op == "where" else _operands(graph, i)
        )
    }
    found = {i for i in live if graph.nodes[i].op == "where"}
    return {i for i in found if i in elsewhere or i not in last}


def _operands(graph: Graph, index: int) -> tuple[int, ...]:
    node = graph.nodes[index]
    if node.op in ("const", "input"):
        return ()
    rest = guarded(graph, node)
    return node.args if rest is None else (rest,)


def _live(graph: Graph, result: int) -> tuple[int, ...]:
    wanted = {result}
    for index in range(result, -1, -1):
        if index in wanted:
            wanted.update(_operands(graph, index))
    return tuple(sorted(wanted))


def printed_in(graph: Graph, line: int, chosen: Collection[int]) -> list[int]:
    """Return the nodes of a line from left to right, those with a symbol of their own as leaves."""
    found: list[int] = []
    waiting = [line]
    while waiting:
        index = waiting.pop()
        if index != line:
            found.append(index)
            if index in chosen:
                continue
        operands = _operands(graph, index)
        if graph.nodes[index].op == "where":
            operands = (operands[1], operands[0], operands[2])
        waiting += reversed(operands)
    return found
