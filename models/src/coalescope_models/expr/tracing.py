# SPDX-License-Identifier: Apache-2.0
"""Run a function once with operands that record what is done to them."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from .errors import TraceError, UnlistedOperationError
from .expression import LIMITS, Graph, Node
from .operations import FUNCTIONS, OPERATIONS, Kind

_BRANCH = (
    "the function branches on a traced value (if, and, or, not, while, min(), max(), sorted()): "
    "write xp.where(condition, a, b), xp.minimum or xp.maximum"
)
_LEAVE = (
    "the function leaves its namespace: a traced value was converted to {what} "
    "(math.*, float(), int(), round()): use the operations of xp"
)


def trace(function: Callable[..., Mapping[str, Any]], names: Sequence[str]) -> Graph:
    """Record a function as a graph.

    Args:
        function: takes each name, and `xp`, as keyword arguments and returns a mapping from output
            name to value. It may use + - * / ** and comparisons, and the listed functions of `xp`.
        names: the inputs of the graph, in order.

    Returns:
        The graph, without what no output depends on.

    Raises:
        TraceError: the function branches on a value, leaves the namespace, or returns something
            else than numbers by name. The message says what to write instead.
        GraphLimitError: the graph becomes too large; raised while it grows.
        GraphFormatError: a name is not an identifier, or is given twice.
    """
    recorder = _Recorder()
    operands = {name: recorder.input(index) for index, name in enumerate(names)}
    namespace = TracingNamespace(recorder)
    try:
        inspect.signature(function).bind(**operands, xp=namespace)
    except TypeError as error:
        raise TraceError(
            f"the function cannot be called with these inputs and xp: {error}"
        ) from None
    result = function(**operands, xp=namespace)
    if not isinstance(result, Mapping):
        raise TraceError("the function must return a mapping from output name to value")
    outputs = {name: recorder.index_of(value) for name, value in result.items()}
    return _pruned(tuple(names), recorder.nodes, outputs)


class Traced:
    """An operand that records the operations applied to it."""

    __slots__ = ("_index", "_kind", "_recorder")
    __array_ufunc__ = None  # numpy hands its operators over to ours

    def __init__(self, recorder: _Recorder, index: int, kind: Kind) -> None:
        self._recorder = recorder
        self._index = index
        self._kind = kind

    def __repr__(self) -> str:
        return f"<traced {self._kind} {self._index}>"

    def __add__(self, other: Any) -> Traced:
        return self._recorder.apply("add", self, other)

    def __radd__(self, other: Any) -> Traced:
        return self._recorder.apply("add", other, self)

    def __sub__(self, other: Any) -> Traced:
        return self._recorder.apply("sub", self, other)

    def __rsub__(self, other: Any) -> Traced:
        return self._recorder.apply("sub", other, self)

    def __mul__(self, other: Any) -> Traced:
        return self._recorder.apply("mul", self, other)

    def __rmul__(self, other: Any) -> Traced:
        return self._recorder.apply("mul", other, self)

    def __truediv__(self, other: Any) -> Traced:
        return self._recorder.apply("div", self, other)

    def __rtruediv__(self, other: Any) -> Traced:
        return self._recorder.apply("div", other, self)

    def __pow__(self, other: Any) -> Traced:
        return self._recorder.apply("pow", self, other)

    def __rpow__(self, other: Any) -> Traced:
        return self._recorder.apply("pow", other, self)

    def __neg__(self) -> Traced:
        return self._recorder.apply("neg", self)

    def __pos__(self) -> Traced:
        return self

    def __abs__(self) -> Traced:
        return self._recorder.apply("abs", self)

    def __lt__(self, other: Any) -> Traced:
        return self._recorder.apply("lt", self, other)

    def __le__(self, other: Any) -> Traced:
        return self._recorder.apply("le", self, other)

    def __gt__(self, other: Any) -> Traced:
        return self._recorder.apply("gt", self, other)

    def __ge__(self, other: Any) -> Traced:
        return self._recorder.apply("ge", self, other)

    def __eq__(self, other: Any) -> Traced:  # type: ignore[override]
        return self._recorder.apply("eq", self, other)

    def __ne__(self, other: Any) -> Traced:  # type: ignore[override]
        return self._recorder.apply("ne", self, other)

    def __hash__(self) -> int:
        raise TraceError("a traced value cannot be a key of a dict or a member of a set")

    def __bool__(self) -> bool:
        raise TraceError(_BRANCH)

    def __float__(self) -> float:
        _leave("a float")

    def __int__(self) -> int:
        _leave("an int")

    def __index__(self) -> NoReturn:  # noqa: PLE0305 - it raises
        _leave("an index")

    def __complex__(self) -> complex:
        _leave("a complex number")

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        _leave("an array")

    def __round__(self, digits: int | None = None) -> NoReturn:
        raise TraceError("round() cannot be traced: use xp.floor(value + 0.5)")

    def __trunc__(self) -> NoReturn:
        raise TraceError("int() cannot be traced: use xp.floor or xp.ceil")

    def __floor__(self) -> NoReturn:
        raise TraceError("math.floor cannot be traced: use xp.floor")

    def __ceil__(self) -> NoReturn:
        raise TraceError("math.ceil cannot be traced: use xp.ceil")

    def __floordiv__(self, other: Any) -> NoReturn:
        raise TraceError("// cannot be traced: use xp.floor(a / b)")

    __rfloordiv__ = __floordiv__

    def __mod__(self, other: Any) -> NoReturn:
        raise TraceError("% cannot be traced: use a - b * xp.floor(a / b)")

    __rmod__ = __mod__

    def __iter__(self) -> NoReturn:
        raise TraceError("a traced value is one number: it cannot be iterated over")

    def __getitem__(self, key: Any) -> NoReturn:
        raise TraceError("a traced value is one number: it cannot be indexed")

    def __len__(self) -> int:
        raise TraceError("a traced value is one number: it has no length")


class TracingNamespace:
    """The `xp` of a function that is being traced: the listed functions and nothing else."""

    def __init__(self, recorder: _Recorder) -> None:
        self._recorder = recorder

    def __getattr__(self, name: str) -> Callable[..., Traced]:
        operation = FUNCTIONS.get(name)
        if operation is None:
            listed = ", ".join(FUNCTIONS)
            raise UnlistedOperationError(f"xp.{name} is not a listed operation; there are {listed}")

        def record(*operands: Any) -> Traced:
            if len(operands) != len(operation.operands):
                count = len(operation.operands)
                raise TraceError(f"xp.{name} takes {count} operands, not {len(operands)}")
            return self._recorder.apply(name, *operands)

        return record


class _Recorder:
    """Keeps every distinct node once (hash consing) and stops when there are too many."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._sizes: list[int] = []
        self._known: dict[tuple[str, tuple[int, ...], str], int] = {}

    def input(self, index: int) -> Traced:
        return self._record(Node("input", (index,)), "real")

    def apply(self, op: str, *operands: Any) -> Traced:
        operation = OPERATIONS[op]
        traced = [self._lift(operand) for operand in operands]
        for operand, kind in zip(traced, operation.operands, strict=True):
            if operand._kind != kind:
                raise TraceError(_KIND_ADVICE[kind].format(op=op))
        if op in ("mul", "div") and self._is_one(traced[1]):
            return traced[0]  # exact in IEEE 754, so are the next two lines
        if op == "mul" and self._is_one(traced[0]):
            return traced[1]
        return self._record(Node(op, tuple(item._index for item in traced)), operation.result)

    def index_of(self, value: Any) -> int:
        traced = self._lift(value)
        if traced._kind != "real":
            raise TraceError("an output is a comparison: use xp.where(condition, 1.0, 0.0)")
        return traced._index

    def _lift(self, value: Any) -> Traced:
        if isinstance(value, Traced):
            if value._recorder is not self:
                raise TraceError("a traced value was kept from an earlier trace")
            return value
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TraceError(f"{type(value).__name__} is not a number that a graph can hold")
        try:
            constant = float(value)
        except OverflowError:
            constant = math.inf
        if not math.isfinite(constant):
            raise TraceError("a constant of a graph must be finite")
        return self._record(Node("const", (), constant), "real")

    def _is_one(self, operand: Traced) -> bool:
        return self.nodes[operand._index].value == 1.0

    def _record(self, node: Node, kind: Kind) -> Traced:
        # hex() tells 0.0 from -0.0, which compare equal
        key = (node.op, node.args, "" if node.value is None else node.value.hex())
        index = self._known.get(key)
        if index is None:
            size = 1
            if node.op in OPERATIONS:
                size += sum(self._sizes[argument] for argument in node.args)
            LIMITS.check("nodes", len(self.nodes) + 1)
            LIMITS.check("expanded_size", size)
            index = len(self.nodes)
            self.nodes.append(node)
            self._sizes.append(size)
            self._known[key] = index
        return Traced(self, index, kind)


_KIND_ADVICE: Mapping[Kind, str] = {
    "real": "a comparison was used as a number in {op}: use xp.where(condition, 1.0, 0.0)",
    "boolean": "the condition of {op} must be a comparison of traced values",
}


def _leave(what: str) -> NoReturn:
    raise TraceError(_LEAVE.format(what=what))


def _pruned(inputs: tuple[str, ...], nodes: Sequence[Node], outputs: Mapping[str, int]) -> Graph:
    """Drop what no output depends on, and number the rest anew."""
    wanted = set(outputs.values())
    for index in range(len(nodes) - 1, -1, -1):
        if index in wanted and nodes[index].op in OPERATIONS:
            wanted.update(nodes[index].args)
    order = sorted(wanted)
    position = {index: place for place, index in enumerate(order)}
    kept = tuple(_renumbered(nodes[index], position) for index in order)
    return Graph(inputs, kept, {name: position[index] for name, index in outputs.items()})


def _renumbered(node: Node, position: Mapping[int, int]) -> Node:
    if node.op not in OPERATIONS:
        return node
    return Node(node.op, tuple(position[argument] for argument in node.args))
