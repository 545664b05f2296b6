# SPDX-License-Identifier: Apache-2.0
"""The listed operations, and what each means on plain floats.

On floats every operation follows IEEE 754, as numpy and JavaScript do, so that a division by zero
gives the same inf or nan in all of them instead of an exception in one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

Kind = Literal["real", "boolean"]

_NAN = math.nan
_INF = math.inf


@dataclass(frozen=True)
class Operation:
    """One operation that a graph may hold.

    Attributes:
        name: its name in the graph; those in the namespace of a model carry the same name.
        operands: the kind of each operand.
        result: the kind of the result.
        on_floats: its meaning on Python floats.
        spelling: the Python operator that is traced to it, "" where a function of `xp` is.
    """

    name: str
    operands: tuple[Kind, ...]
    result: Kind
    on_floats: Callable[..., Any]
    spelling: str = ""


def _is_odd(value: float) -> bool:
    return math.isfinite(value) and math.fmod(value, 2.0) in (1.0, -1.0)


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a):
        return _NAN
    return math.copysign(_INF, a) * math.copysign(1.0, b)


def _pow(a: float, b: float) -> float:
    try:
        return math.pow(a, b)
    except OverflowError:
        return -_INF if a < 0.0 and _is_odd(b) else _INF
    except ValueError:
        if a == 0.0:  # a negative power of zero
            return math.copysign(_INF, a) if _is_odd(b) else _INF
        return _NAN


def _minimum(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return _NAN
    return min(a, b)


def _maximum(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return _NAN
    return max(a, b)


def _where(condition: bool, a: float, b: float) -> float:
    return a if condition else b


def _exp(a: float) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return _INF


def _expm1(a: float) -> float:
    try:
        return math.expm1(a)
    except OverflowError:
        return _INF


def _log(a: float) -> float:
    if a > 0.0:
        return math.log(a)
    return -_INF if a == 0.0 else _NAN


def _log1p(a: float) -> float:
    if a > -1.0:
        return math.log1p(a)
    return -_INF if a == -1.0 else _NAN


def _sqrt(a: float) -> float:
    return math.sqrt(a) if a >= 0.0 else _NAN


def _ceil(a: float) -> float:
    # copysign keeps ceil(-0.5) = -0, as IEEE 754 has it
    return math.copysign(float(math.ceil(a)), a) if math.isfinite(a) else a


def _floor(a: float) -> float:
    return math.copysign(float(math.floor(a)), a) if math.isfinite(a) else a


_R: Kind = "real"
_B: Kind = "boolean"

_LISTED = (
    Operation("add", (_R, _R), _R, operator.add, "+"),
    Operation("sub", (_R, _R), _R, operator.sub, "-"),
    Operation("mul", (_R, _R), _R, operator.mul, "*"),
    Operation("div", (_R, _R), _R, _divide, "/"),
    Operation("pow", (_R, _R), _R, _pow, "**"),
    Operation("neg", (_R,), _R, operator.neg, "-"),
    Operation("lt", (_R, _R), _B, operator.lt, "<"),
    Operation("le", (_R, _R), _B, operator.le, "<="),
    Operation("gt", (_R, _R), _B, operator.gt, ">"),
    Operation("ge", (_R, _R), _B, operator.ge, ">="),
    Operation("eq", (_R, _R), _B, operator.eq, "=="),
    Operation("ne", (_R, _R), _B, operator.ne, "!="),
    Operation("minimum", (_R, _R), _R, _minimum),
    Operation("maximum", (_R, _R), _R, _maximum),
    Operation("where", (_B, _R, _R), _R, _where),
    Operation("exp", (_R,), _R, _exp),
    Operation("expm1", (_R,), _R, _expm1),
    Operation("log", (_R,), _R, _log),
    Operation("log1p", (_R,), _R, _log1p),
    Operation("sqrt", (_R,), _R, _sqrt),
    Operation("ceil", (_R,), _R, _ceil),
    Operation("floor", (_R,), _R, _floor),
    Operation("abs", (_R,), _R, abs),
)

#: Every operation that a graph may hold, by name. There are no others.
OPERATIONS: Mapping[str, Operation] = MappingProxyType({op.name: op for op in _LISTED})

#: The operations that a model calls through its namespace: `xp.sqrt(a)` and so on.
FUNCTIONS: Mapping[str, Operation] = MappingProxyType(
    {op.name: op for op in _LISTED if not op.spelling}
)


class FloatNamespace:
    """The array namespace for plain floats: `FLOATS.sqrt(-1.0)` is nan, as numpy has it.

    The operators of a model that is called directly on floats stay Python's own, which raise
    `ZeroDivisionError`; evaluate the traced graph for IEEE 754 throughout.
    """

    def __getattr__(self, name: str) -> Callable[..., float]:
        operation = FUNCTIONS.get(name)
        if operation is None:
            raise AttributeError(f"xp.{name} is not a listed operation")
        return operation.on_floats


FLOATS = FloatNamespace()
