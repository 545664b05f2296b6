# SPDX-License-Identifier: Apache-2.0
"""Derivatives of a graph: values and tangents carried forward together, exact to rounding.

Every operation has its rule; a tangent of None is one that is zero everywhere, and costs nothing.
At a jump (`ceil`, `floor`, the edge of a `where`, a tie in `minimum`) the derivative is that of
the side on which the point lies: a fit sees a step as flat.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .errors import EvaluationError
from .expression import Graph, Node, on_arrays

# (namespace, operands, value, tangents of the operands) → tangent of the value
_Rule = Callable[[Any, Sequence[Any], Any, Sequence[Any]], Any]


def value_and_derivatives(
    graph: Graph, output: str, values: Mapping[str, Any], names: Sequence[str], xp: Any
) -> tuple[Any, dict[str, Any]]:
    """Compute an output and its derivative by each of some inputs, in one pass.

    Args:
        graph: the function.
        output: which of its outputs.
        values: a number or an array for each input of the graph. Arrays broadcast.
        names: the inputs to differentiate by.
        xp: array namespace, such as numpy.

    Returns:
        The value, and for each name an array (or a zero) that broadcasts to the value's shape.

    Raises:
        EvaluationError: an input is missing, or a name is not an input or an output.
    """
    unknown = [name for name in names if name not in graph.inputs]
    if unknown:
        raise EvaluationError(f"not an input of this graph: {', '.join(unknown)}")
    missing = [name for name in graph.inputs if name not in values]
    if missing:
        raise EvaluationError(f"no value for {', '.join(missing)}")
    arrays = {name: xp.asarray(values[name], dtype=xp.float64) for name in graph.inputs}
    errstate = getattr(xp, "errstate", None)
    with contextlib.nullcontext() if errstate is None else errstate(all="ignore"):
        results, tangents = _forward(graph, graph.live(output), arrays, names, xp)
    last = graph.outputs[output]
    zero = xp.asarray(0.0)
    return results[last], {
        name: zero if tangents[last][k] is None else tangents[last][k]
        for k, name in enumerate(names)
    }


def _forward(
    graph: Graph, live: Sequence[int], arrays: Mapping[str, Any], names: Sequence[str], xp: Any
) -> tuple[dict[int, Any], dict[int, list[Any]]]:
    results: dict[int, Any] = {}
    tangents: dict[int, list[Any]] = {}
    for index in live:
        node = graph.nodes[index]
        if node.op in ("const", "input"):
            results[index], tangents[index] = _leaf(graph, node, arrays, names, xp)
            continue
        operands = [results[argument] for argument in node.args]
        results[index] = on_arrays(node.op, xp)(*operands)
        rule = _RULES.get(node.op)
        tangents[index] = [
            None
            if rule is None or all(tangents[argument][k] is None for argument in node.args)
            else rule(xp, operands, results[index], [tangents[a][k] for a in node.args])
            for k in range(len(names))
        ]
    return results, tangents


def _leaf(
    graph: Graph, node: Node, arrays: Mapping[str, Any], names: Sequence[str], xp: Any
) -> tuple[Any, list[Any]]:
    if node.op == "const":
        return xp.asarray(node.value, dtype=xp.float64), [None] * len(names)
    name = graph.inputs[node.args[0]]
    return arrays[name], [xp.asarray(1.0) if name == other else None for other in names]


def _plus(a: Any, b: Any) -> Any:
    """Add two tangents, either of which may be absent."""
    if a is None:
        return b
    return a if b is None else a + b


def _times(factor: Callable[[], Any], tangent: Any) -> Any:
    """Scale a tangent; the factor is computed only where there is one."""
    return None if tangent is None else factor() * tangent


def _choose(xp: Any, condition: Any, a: Any, b: Any) -> Any:
    zero = xp.asarray(0.0)
    return xp.where(condition, zero if a is None else a, zero if b is None else b)


def _sub(xp: Any, x: Sequence[Any], y: Any, t: Sequence[Any]) -> Any:
    return _plus(t[0], None if t[1] is None else -t[1])


def _mul(xp: Any, x: Sequence[Any], y: Any, t: Sequence[Any]) -> Any:
    return _plus(_times(lambda: x[1], t[0]), _times(lambda: x[0], t[1]))


def _div(xp: Any, x: Sequence[Any], y: Any, t: Sequence[Any]) -> Any:
    return _plus(_times(lambda: 1.0 / x[1], t[0]), _times(lambda: -y / x[1], t[1]))


def _pow(xp: Any, x: Sequence[Any], y: Any, t: Sequence[Any]) -> Any:
    base = _times(lambda: x[1] * x[0] ** (x[1] - 1.0), t[0])
    return _plus(base, _times(lambda: y * xp.log(x[0]), t[1]))


#: By operation. What is not here (comparisons, ceil, floor) is flat.
_RULES: Mapping[str, _Rule] = MappingProxyType(
    {
        "add": lambda xp, x, y, t: _plus(t[0], t[1]),
        "sub": _sub,
        "mul": _mul,
        "div": _div,
        "pow": _pow,
        "neg": lambda xp, x, y, t: -t[0],
        "minimum": lambda xp, x, y, t: _choose(xp, x[0] <= x[1], t[0], t[1]),
        "maximum": lambda xp, x, y, t: _choose(xp, x[0] >= x[1], t[0], t[1]),
        "where": lambda xp, x, y, t: _choose(xp, x[0], t[1], t[2]),
        "exp": lambda xp, x, y, t: y * t[0],
        "expm1": lambda xp, x, y, t: xp.exp(x[0]) * t[0],
        "log": lambda xp, x, y, t: t[0] / x[0],
        "log1p": lambda xp, x, y, t: t[0] / (1.0 + x[0]),
        "sqrt": lambda xp, x, y, t: t[0] / (2.0 * y),
        "abs": lambda xp, x, y, t: xp.where(x[0] < 0.0, -t[0], t[0]),
    }
)
