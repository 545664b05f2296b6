# SPDX-License-Identifier: Apache-2.0
"""Print a graph as a JavaScript kernel over a grid.

Every node is computed at the cheapest loop level that it depends on: once, once per column, once
per row, or once per cell. What is printed consists of listed operations, finite number literals and
names made of a letter and an index: no text of a graph ever becomes code.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .errors import EvaluationError
from .expression import Graph
from .operations import OPERATIONS

_SCALAR, _X, _Y, _XY = 0, 1, 2, 3
_LEVELS: Mapping[str, int] = MappingProxyType({"x": _X, "y": _Y, "xy": _XY})

_TEMPLATES: Mapping[str, str] = MappingProxyType(
    {
        "add": "{} + {}",
        "sub": "{} - {}",
        "mul": "{} * {}",
        "div": "{} / {}",
        "pow": "pow({}, {})",
        "neg": "-{}",
        "lt": "{} < {}",
        "le": "{} <= {}",
        "gt": "{} > {}",
        "ge": "{} >= {}",
        "eq": "{} === {}",
        "ne": "{} !== {}",
        "minimum": "Math.min({}, {})",
        "maximum": "Math.max({}, {})",
        "where": "{} ? {} : {}",
        "exp": "Math.exp({})",
        "expm1": "Math.expm1({})",
        "log": "Math.log({})",
        "log1p": "Math.log1p({})",
        "sqrt": "Math.sqrt({})",
        "ceil": "Math.ceil({})",
        "floor": "Math.floor({})",
        "abs": "Math.abs({})",
    }
)

# Math.pow(1, NaN) and Math.pow(±1, ±Infinity) are NaN; IEEE 754, C and numpy have 1.
_POW = """\
const pow = (a, b) =>
  a === 1 || (a === -1 && (b === Infinity || b === -Infinity)) ? 1 : Math.pow(a, b);
"""


def kernel(graph: Graph, output: str, axes: Mapping[str, str] = MappingProxyType({})) -> str:
    """Print an ES module whose default export computes one output over a grid.

    The function is ``kernel(inputs, nx, ny, out)``; `inputs` is an array in the order of
    `Graph.inputs`. The result for column i and row j is ``out[j * nx + i]``.

    Args:
        graph: the graph.
        output: which output.
        axes: for each input that varies, "x" (array of nx), "y" (ny) or "xy" (nx·ny); an input
            that is not named is a number.

    Raises:
        EvaluationError: the graph has no such output, or no such input.
    """
    return _Kernel(graph, output, axes).source()


class _Kernel:
    def __init__(self, graph: Graph, output: str, axes: Mapping[str, str]) -> None:
        self._graph = graph
        self._live = graph.live(output)
        self._result = graph.result(output)
        self._levels = _levels(graph, axes)
        self._input_levels = _input_levels(graph, axes)
        self._stored = self._columns_to_store()

    def source(self) -> str:
        uses_pow = any(self._is_power(index) for index in self._live)
        head = _POW if uses_pow else ""
        if self._stored:
            head += "let store = new Float64Array(0);\n"
        lines = [*self._loads(), *self._statements(_SCALAR), *self._column_loop(), *self._rows()]
        body = "".join(f"  {line}\n" for line in lines)
        return f"{head}export default function kernel(inputs, nx, ny, out) {{\n{body}}}\n"

    def _columns_to_store(self) -> dict[int, int]:
        """Give each per-column operation that the inner loop reads a place in the store."""
        nodes, levels = self._graph.nodes, self._levels
        read = {self._result}
        for index in self._live:
            if nodes[index].op in OPERATIONS and levels[index] == _XY:
                read.update(nodes[index].args)
        wanted = [i for i in sorted(read) if levels[i] == _X and nodes[i].op in OPERATIONS]
        return {index: place for place, index in enumerate(wanted)}

    def _loads(self) -> list[str]:
        used = sorted(
            self._graph.nodes[index].args[0]
            for index in self._live
            if self._graph.nodes[index].op == "input"
        )
        # the unary plus tells the engine that a scalar is a number: its arithmetic needs no checks
        plus = {_SCALAR: "+"}
        return [
            f"const i{number} = {plus.get(self._input_levels[number], '')}inputs[{number}];"
            for number in used
        ]

    def _statements(self, level: int) -> list[str]:
        nodes = self._graph.nodes
        return [
            f"const v{index} = {self._expression(index, level)};"
            for index in self._live
            if nodes[index].op in OPERATIONS and self._levels[index] == level
        ]

    def _column_loop(self) -> list[str]:
        if not self._stored:
            return []
        size = f"{len(self._stored)} * nx"
        stores = [f"columns[{self._place(i)}] = v{i};" for i in self._stored]
        return [
            f"if (store.length < {size}) store = new Float64Array({size});",
            "const columns = store;",
            "for (let i = 0; i < nx; i++) {",
            *(f"  {line}" for line in [*self._statements(_X), *stores]),
            "}",
        ]

    def _rows(self) -> list[str]:
        cell = [*self._statements(_XY), f"out[o] = {self._reference(self._result, _XY)};"]
        return [
            "for (let j = 0; j < ny; j++) {",
            *(f"  {line}" for line in self._statements(_Y)),
            "  const row = j * nx;",
            "  for (let i = 0; i < nx; i++) {",
            "    const o = row + i;",  # a second induction variable costs 40 % in V8
            *(f"    {line}" for line in cell),
            "  }",
            "}",
            "return out;",
        ]

    def _expression(self, index: int, level: int) -> str:
        node = self._graph.nodes[index]
        if node.op == "pow" and not self._is_power(index):
            base = self._reference(node.args[0], level)
            return f"{base} * {base}"
        return _TEMPLATES[node.op].format(*(self._reference(arg, level) for arg in node.args))

    def _is_power(self, index: int) -> bool:
        """Say whether a node is a power that is not just a square."""
        node = self._graph.nodes[index]
        return node.op == "pow" and self._graph.nodes[node.args[1]].value != 2.0

    def _reference(self, index: int, level: int) -> str:
        node = self._graph.nodes[index]
        if node.op == "const":
            return _literal(node.value)
        if node.op == "input":
            return f"i{node.args[0]}" + _SUBSCRIPTS[self._levels[index]]
        if level == _XY and index in self._stored:
            return f"columns[{self._place(index)}]"
        return f"v{index}"

    def _place(self, index: int) -> str:
        place = self._stored[index]
        return "i" if place == 0 else f"{place} * nx + i"


_SUBSCRIPTS: Mapping[int, str] = MappingProxyType({_SCALAR: "", _X: "[i]", _Y: "[j]", _XY: "[o]"})


def _levels(graph: Graph, axes: Mapping[str, str]) -> list[int]:
    """Return for each node the axes that it depends on."""
    for name, axis in axes.items():
        if name not in graph.inputs:
            raise EvaluationError(f"{name!r} is not an input of this graph")
        if axis not in _LEVELS:
            raise EvaluationError(f"the axis of {name!r} is not x, y or xy")
    of_inputs = _input_levels(graph, axes)
    levels: list[int] = []
    for node in graph.nodes:
        level = _SCALAR
        if node.op == "input":
            level = of_inputs[node.args[0]]
        elif node.op != "const":
            for argument in node.args:
                level |= levels[argument]
        levels.append(level)
    return levels


def _input_levels(graph: Graph, axes: Mapping[str, str]) -> list[int]:
    """Return for each input the axes that it varies along."""
    return [_LEVELS[axes[name]] if name in axes else _SCALAR for name in graph.inputs]


def _literal(value: float | None) -> str:
    # repr() of a finite float is a JavaScript literal of the same double
    text = repr(value)
    return f"({text})" if text.startswith("-") else text
