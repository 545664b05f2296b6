# SPDX-License-Identifier: Apache-2.0
"""`Graph`: an immutable, validated, bounded expression graph."""

from __future__ import annotations

import contextlib
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from .errors import EvaluationError, GraphFormatError, GraphLimitError
from .operations import FLOATS, OPERATIONS, Kind

FORMAT = 1
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}\Z")
_KEYS = frozenset({"format", "inputs", "nodes", "outputs"})


@dataclass(frozen=True)
class Limits:
    """How large a graph may be.

    Attributes:
        nodes: distinct nodes.
        expanded_size: nodes of the largest output when nothing is shared, as LaTeX prints it.
        inputs: named inputs.
        outputs: named outputs.
    """

    nodes: int = 2_000
    expanded_size: int = 20_000
    inputs: int = 64
    outputs: int = 64

    def check(self, name: str, value: int) -> None:
        """Raise `GraphLimitError` when a size exceeds the bound of that name."""
        allowed: int = getattr(self, name)
        if value > allowed:
            raise GraphLimitError(name, allowed)


LIMITS = Limits()


@dataclass(frozen=True)
class Node:
    """One node: a constant (`value`), an input (`args` holds its index) or an operation.

    The arguments of an operation are indices of earlier nodes.
    """

    op: str
    args: tuple[int, ...] = ()
    value: float | None = None

    def to_json(self) -> list[Any]:
        """Return ``["const", 1.5]``, ``["input", 0]`` or ``["add", 0, 1]``."""
        return [self.op, self.value] if self.op == "const" else [self.op, *self.args]


@dataclass(frozen=True)
class Graph:
    """A function of named inputs with named outputs, as data.

    Attributes:
        inputs: names, in the order in which a JavaScript kernel takes their values.
        nodes: each refers to earlier ones only.
        outputs: name of each output and the index of its node.

    Raises:
        GraphFormatError: an operation that is not listed, a wrong arity or kind of operand, a
            reference forward, a constant that is not finite, a name that is not an identifier.
        GraphLimitError: one of `LIMITS` is exceeded.
    """

    inputs: tuple[str, ...]
    nodes: tuple[Node, ...]
    outputs: Mapping[str, int]
    _kinds: tuple[Kind, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_names("inputs", self.inputs)
        _check_names("outputs", tuple(self.outputs))
        LIMITS.check("inputs", len(self.inputs))
        LIMITS.check("outputs", len(self.outputs))
        LIMITS.check("nodes", len(self.nodes))
        object.__setattr__(self, "outputs", MappingProxyType(dict(self.outputs)))
        object.__setattr__(self, "_kinds", _check_nodes(self.nodes, len(self.inputs)))
        _check_outputs(self.outputs, self._kinds)

    def __hash__(self) -> int:
        return hash((self.inputs, self.nodes, tuple(self.outputs.items())))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Graph, (self.inputs, self.nodes, dict(self.outputs)))

    def live(self, output: str) -> tuple[int, ...]:
        """Return the indices of the nodes that an output depends on, in order of evaluation."""
        wanted = {self.result(output)}
        for index in range(len(self.nodes) - 1, -1, -1):
            node = self.nodes[index]
            if index in wanted and node.op in OPERATIONS:
                wanted.update(node.args)
        return tuple(sorted(wanted))

    def needed(self, output: str) -> tuple[str, ...]:
        """Return the names of the inputs that an output depends on, in the order of the inputs."""
        nodes = [self.nodes[index] for index in self.live(output)]
        places = sorted(node.args[0] for node in nodes if node.op == "input")
        return tuple(self.inputs[place] for place in places)

    def evaluate(self, values: Mapping[str, Any], xp: Any = FLOATS) -> dict[str, Any]:
        """Compute every output.

        Args:
            values: a number, or with an array namespace an array, for each input. Arrays broadcast.
            xp: `FLOATS`, or an array namespace such as numpy.

        Returns:
            The value of each output. An output that depends on no array is a scalar.

        Raises:
            EvaluationError: an input is missing, or a name is not an input.
        """
        self._check_values(values)
        if xp is FLOATS:
            return self._evaluate_floats({name: float(values[name]) for name in self.inputs})
        arrays = {name: xp.asarray(values[name], dtype=xp.float64) for name in self.inputs}
        with silenced(xp):
            return self._evaluate_arrays(arrays, xp)

    def to_json(self) -> dict[str, Any]:
        """Return the graph as JSON data; `from_json` is the inverse."""
        return {
            "format": FORMAT,
            "inputs": list(self.inputs),
            "nodes": [node.to_json() for node in self.nodes],
            "outputs": dict(self.outputs),
        }

    @staticmethod
    def from_json(data: object) -> Graph:
        """Read a graph from decoded JSON, trusting nothing.

        Raises:
            GraphFormatError: the data is not a graph of this format.
            GraphLimitError: it is one, but too large.
        """
        if not isinstance(data, dict):
            raise GraphFormatError("graph", "is not an object")
        if set(data) != _KEYS:
            raise GraphFormatError("graph", f"has other keys than {', '.join(sorted(_KEYS))}")
        if type(data["format"]) is not int or data["format"] != FORMAT:
            raise GraphFormatError("format", f"is not {FORMAT}")
        inputs, nodes, outputs = data["inputs"], data["nodes"], data["outputs"]
        if not isinstance(inputs, list):
            raise GraphFormatError("inputs", "is not a list")
        if not isinstance(nodes, list):
            raise GraphFormatError("nodes", "is not a list")
        if not isinstance(outputs, dict):
            raise GraphFormatError("outputs", "is not an object")
        LIMITS.check("nodes", len(nodes))
        return Graph(
            tuple(inputs),
            tuple(_read_node(f"nodes[{index}]", item) for index, item in enumerate(nodes)),
            outputs,
        )

    def result(self, name: str) -> int:
        """Return the index of the node of an output.

        Raises:
            EvaluationError: the graph has no such output.
        """
        try:
            return self.outputs[name]
        except KeyError:
            known = ", ".join(self.outputs)
            raise EvaluationError(f"the graph has no output {name!r}; it has {known}") from None

    def _check_values(self, values: Mapping[str, Any]) -> None:
        missing = [name for name in self.inputs if name not in values]
        if missing:
            raise EvaluationError(f"no value for {', '.join(missing)}")
        unknown = [str(name) for name in values if name not in self.inputs]
        if unknown:
            raise EvaluationError(f"not an input of this graph: {', '.join(unknown)}")

    def _evaluate_floats(self, values: Mapping[str, float]) -> dict[str, float]:
        results: list[Any] = []
        for node in self.nodes:
            if node.op == "const":
                results.append(node.value)
            elif node.op == "input":
                results.append(values[self.inputs[node.args[0]]])
            else:
                operands = (results[index] for index in node.args)
                results.append(OPERATIONS[node.op].on_floats(*operands))
        return {name: results[index] for name, index in self.outputs.items()}

    def _evaluate_arrays(self, values: Mapping[str, Any], xp: Any) -> dict[str, Any]:
        results: list[Any] = []
        for node in self.nodes:
            if node.op == "const":
                # an array, not a float: constants among themselves must follow IEEE 754 too
                results.append(xp.asarray(node.value, dtype=xp.float64))
            elif node.op == "input":
                results.append(values[self.inputs[node.args[0]]])
            else:
                operands = (results[index] for index in node.args)
                results.append(on_arrays(node.op, xp)(*operands))
        return {name: results[index] for name, index in self.outputs.items()}


_OPERATORS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "add": operator.add,
        "sub": operator.sub,
        "mul": operator.mul,
        "div": operator.truediv,
        "pow": operator.pow,
        "neg": operator.neg,
        "lt": operator.lt,
        "le": operator.le,
        "gt": operator.gt,
        "ge": operator.ge,
        "eq": operator.eq,
        "ne": operator.ne,
    }
)


def on_arrays(op: str, xp: Any) -> Callable[..., Any]:
    """Return what an operation is on the arrays of a namespace."""
    function: Callable[..., Any] = _OPERATORS.get(op) or getattr(xp, op)
    return function


@contextlib.contextmanager
def silenced(xp: Any) -> Iterator[None]:
    """Without the warnings of a namespace that has them."""
    errstate = getattr(xp, "errstate", None)
    with contextlib.nullcontext() if errstate is None else errstate(all="ignore"):
        yield


def _check_names(where: str, names: tuple[object, ...]) -> None:
    for index, name in enumerate(names):
        if not isinstance(name, str) or not _NAME.match(name):
            raise GraphFormatError(f"{where}[{index}]", "is not a name of letters, digits and _")
    if len(set(names)) != len(names):
        raise GraphFormatError(where, "holds a name twice")


def _check_nodes(nodes: tuple[Node, ...], input_count: int) -> tuple[Kind, ...]:
    kinds: list[Kind] = []
    sizes: list[int] = []
    for index, node in enumerate(nodes):
        where = f"nodes[{index}]"
        if node.op == "const":
            _check_constant(where, node)
            kinds.append("real")
            sizes.append(1)
        elif node.op == "input":
            _check_input(where, node, input_count)
            kinds.append("real")
            sizes.append(1)
        else:
            kinds.append(_check_operation(where, node, kinds))
            sizes.append(1 + sum(sizes[argument] for argument in node.args))
            LIMITS.check("expanded_size", sizes[-1])
    return tuple(kinds)


def _check_constant(where: str, node: Node) -> None:
    if node.args or type(node.value) is not float or not math.isfinite(node.value):
        raise GraphFormatError(where, "is not a finite constant")


def _check_input(where: str, node: Node, input_count: int) -> None:
    if node.value is not None or len(node.args) != 1 or type(node.args[0]) is not int:
        raise GraphFormatError(where, "is not an input")
    if not 0 <= node.args[0] < input_count:
        raise GraphFormatError(where, f"there is no input {node.args[0]}")


def _check_operation(where: str, node: Node, kinds: list[Kind]) -> Kind:
    operation = OPERATIONS.get(node.op)
    if operation is None:
        raise GraphFormatError(where, "is not a listed operation")
    if node.value is not None or len(node.args) != len(operation.operands):
        raise GraphFormatError(where, f"{node.op} takes {len(operation.operands)} operands")
    for argument, kind in zip(node.args, operation.operands, strict=True):
        if type(argument) is not int or not 0 <= argument < len(kinds):
            raise GraphFormatError(where, "refers to something that is not an earlier node")
        if kinds[argument] != kind:
            raise GraphFormatError(where, f"{node.op} wants a {kind} operand")
    return operation.result


def _check_outputs(outputs: Mapping[str, object], kinds: tuple[Kind, ...]) -> None:
    if not outputs:
        raise GraphFormatError("outputs", "is empty")
    for name, index in outputs.items():
        if type(index) is not int or not 0 <= index < len(kinds):
            raise GraphFormatError(f"outputs[{name}]", "is not the index of a node")
        if kinds[index] != "real":
            raise GraphFormatError(f"outputs[{name}]", "is a comparison, not a number")


def _read_node(where: str, item: object) -> Node:
    if not isinstance(item, list) or not item or not isinstance(item[0], str):
        raise GraphFormatError(where, "is not a list that starts with an operation")
    op, *rest = item
    if op != "const":
        return Node(op, tuple(rest))
    if len(rest) != 1 or type(rest[0]) not in (int, float):
        raise GraphFormatError(where, "is not a finite constant")
    try:
        return Node(op, (), float(rest[0]))
    except OverflowError:
        raise GraphFormatError(where, "is not a finite constant") from None
