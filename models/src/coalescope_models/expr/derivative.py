# SPDX-License-Identifier: Apache-2.0
"""Derivatives of a graph: values and tangents carried forward together, exact to rounding.

Every operation has its rule; a tangent of None is one that is zero everywhere, and costs nothing.
At a jump (`ceil`, `floor`, the edge of a `where`, a tie in `minimum`) the derivative is that of
the side on which the point lies: a fit sees a step as flat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from .errors import EvaluationError
from .expression import Graph, on_arrays, silenced

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
    return Differentiable(graph, output, values, names, xp).at(values)


class _Step(NamedTuple):
    """A node that the names move: its value, and how each tangent that it has follows."""

    node: int
    function: Callable[..., Any]
    args: tuple[int, ...]
    rule: _Rule
    by: tuple[int, ...]


class Differentiable:
    """An output as a function of some inputs, the others fixed, to be computed many times.

    What depends on none of `names` is computed once. Arguments and errors are those of
    `value_and_derivatives`; of `fixed`, values of `names` are passed over.
    """

    def __init__(
        self, graph: Graph, output: str, fixed: Mapping[str, Any], names: Sequence[str], xp: Any
    ) -> None:
        unknown = [name for name in names if name not in graph.inputs]
        if unknown:
            raise EvaluationError(f"not an input of this graph: {', '.join(unknown)}")
        _check_there([name for name in graph.inputs if name not in names], fixed)
        self._names, self._xp, self._last = names, xp, graph.result(output)
        self._inputs: dict[int, str] = {}
        self._fixed: dict[int, Any] = {}
        self._steps: list[_Step] = []
        self._by: dict[int, tuple[int, ...]] = {}
        with silenced(xp):
            for index in graph.live(output):
                self._prepare(graph, index, fixed)

    def value(self, values: Mapping[str, Any]) -> Any:
        """The value alone, to the last bit that of `at`."""
        return self._results(values)[self._last]

    def at(self, values: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The value, and the derivative by each name, where the names have those values."""
        xp, results = self._xp, self._results(values)
        nothing: list[Any] = [None] * len(self._names)
        tangents = dict.fromkeys(self._fixed, nothing)
        for index, name in self._inputs.items():
            tangents[index] = [xp.asarray(1.0) if name == other else None for other in self._names]
        with silenced(xp):
            for index, _, args, rule, by in self._steps:
                operands = [results[argument] for argument in args]
                found = tangents[index] = nothing.copy()
                for k in by:
                    found[k] = rule(xp, operands, results[index], [tangents[a][k] for a in args])
        slopes = (xp.asarray(0.0) if slope is None else slope for slope in tangents[self._last])
        return results[self._last], dict(zip(self._names, slopes, strict=True))

    def _results(self, values: Mapping[str, Any]) -> dict[int, Any]:
        """Of each node."""
        _check_there(self._names, values)
        xp, results = self._xp, dict(self._fixed)
        for index, name in self._inputs.items():
            results[index] = xp.asarray(values[name], dtype=xp.float64)
        with silenced(xp):
            for index, function, args, _, _ in self._steps:
                results[index] = function(*[results[argument] for argument in args])
        return results

    def _prepare(self, graph: Graph, index: int, fixed: Mapping[str, Any]) -> None:
        """Compute a node that nothing moves; of another, note how it is computed."""
        node, xp = graph.nodes[index], self._xp
        name = graph.inputs[node.args[0]] if node.op == "input" else None
        if name is not None and name in self._names:
            self._inputs[index] = name
            self._by[index] = tuple(k for k, other in enumerate(self._names) if other == name)
        elif name is not None:
            self._fixed[index] = xp.asarray(fixed[name], dtype=xp.float64)
        elif node.op == "const":
            self._fixed[index] = xp.asarray(node.value, dtype=xp.float64)
        elif all(argument in self._fixed for argument in node.args):
            operands = [self._fixed[argument] for argument in node.args]
            self._fixed[index] = on_arrays(node.op, xp)(*operands)
        else:
            rule = _RULES.get(node.op)
            by = {k for argument in node.args for k in self._by.get(argument, ())}
            self._by[index] = () if rule is None else tuple(sorted(by))
            function = on_arrays(node.op, xp)
            step = _Step(index, function, node.args, rule or _flat, self._by[index])
            self._steps.append(step)


def _check_there(names: Sequence[str], values: Mapping[str, Any]) -> None:
    missing = [name for name in names if name not in values]
    if missing:
        raise EvaluationError(f"no value for {', '.join(missing)}")


def _flat(*_: object) -> None:
    """Nothing moves it."""


def _plus(a: Any, b: Any) -> Any:
    """Add two tangents, either of which may be absent."""
    if a is None:
        return b
    return a if b is None else a + b


def _choose(xp: Any, condition: Any, a: Any, b: Any) -> Any:
    zero = xp.asarray(0.0)
    return xp.where(condition, zero if a is None else a, zero if b is None else b)


def _sub(xp: Any, x: Sequence[Any], y: Any, t: Sequence[Any]) -> Any:
    return _plus(t[0], None if t[1] is None else -t[1])


def _mul(xp: Any, x: Sequence[Any], y: Any, t: Sequence[Any]) -> Any:
    left = None if t[0] is None else x[1] * t[0]
    return _plus(left, None if t[1] is None else x[0] * t[1])


def _div(xp: Any, x: Sequence[Any], y: Any, t: Sequence[Any]) -> Any:
    above = None if t[0] is None else 1.0 / x[1] * t[0]
    return _plus(above, None if t[1] is None else -y / x[1] * t[1])


def _pow(xp: Any, x: Sequence[Any], y: Any, t: Sequence[Any]) -> Any:
    base = None if t[0] is None else x[1] * x[0] ** (x[1] - 1.0) * t[0]
    return _plus(base, None if t[1] is None else y * xp.log(x[0]) * t[1])


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
