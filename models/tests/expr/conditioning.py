# SPDX-License-Identifier: Apache-2.0
"""How far two correct engines may disagree: first-order propagation of rounding.

Each operation may be off by one unit of relative error, and passes on what its operands are off
by. The result for an output, times the relative error of one operation, bounds its absolute error.
It is infinite where an operand lies so close to a jump (`ceil`, a comparison) or to the edge of a
domain that rounding decides on which side it falls.
"""

import math

from coalescope_models.expr import OPERATIONS

#: What one operation may be off by. The requirement is 1e-12; correct libraries stay within a few
#: units in the last place, so the tests hold them to that.
UNIT = 4e-15
_JUMP = 1e-12


def tolerances(graph, values):
    """Return for each output the absolute difference that rounding explains, inf for any."""
    found, errors = [], []
    for node in graph.nodes:
        if node.op == "const":
            found.append(node.value)
            errors.append(0.0)
        elif node.op == "input":
            found.append(float(values[graph.inputs[node.args[0]]]))
            errors.append(0.0)
        else:
            operands = [found[k] for k in node.args]
            given = [errors[k] for k in node.args]
            value = _VALUES[node.op](*operands)
            found.append(value)
            errors.append(_error(node.op, operands, given, value))
    return {name: UNIT * errors[k] for name, k in graph.outputs.items()}


def _error(op, x, e, value):
    if any(math.isinf(error) or math.isnan(error) for error in e):
        return math.inf
    if op in ("lt", "le", "gt", "ge", "eq", "ne"):
        if not (math.isfinite(x[0]) and math.isfinite(x[1])):
            return 0.0
        return math.inf if 0.0 < abs(x[0] - x[1]) <= _JUMP * (sum(e)) or _tie(x, e) else 0.0
    if op == "where":
        return math.inf if e[0] else e[1] if x[0] else e[2]
    if op in ("minimum", "maximum"):
        return max(e)
    if op == "neg" or op == "abs":
        return e[0]
    if op in ("ceil", "floor"):
        near = abs(x[0] - round(x[0])) if math.isfinite(x[0]) else 1.0
        return math.inf if e[0] and near <= _JUMP * e[0] else 0.0
    if _at_an_edge(op, x, e):
        return math.inf
    if not math.isfinite(value) or not all(map(math.isfinite, x)):
        return 0.0  # inf and nan come out the same in every engine, given that no edge is near
    total = abs(value)
    for slope, error in zip(_slopes(op, x, value), e, strict=True):
        if error:
            total += abs(slope) * error
    # near overflow rounding decides between inf and a number; near underflow it is all there is
    if not math.isfinite(total) or total > 1e300:
        return math.inf
    return total + 1e-290


def _tie(x, e):
    return x[0] == x[1] and any(e)


def _at_an_edge(op, x, e):
    margin = [_JUMP * error for error in e]
    if op == "div":
        return bool(e[1]) and abs(x[1]) <= margin[1]
    if op in ("log", "sqrt"):
        return bool(e[0]) and abs(x[0]) <= margin[0]
    if op == "log1p":
        return bool(e[0]) and abs(x[0] + 1.0) <= margin[0]
    if op == "pow":
        # signs, whole exponents and the special cases at 0 and 1 are decided by the last digit
        return any(e) and (
            x[0] <= margin[0]
            or not all(map(math.isfinite, x))
            or abs(x[1] * math.log(x[0])) > 600.0
        )
    if op in ("exp", "expm1"):
        return bool(e[0]) and 700.0 < abs(x[0]) < 760.0
    return False


def _slopes(op, x, value):
    divide = _VALUES["div"]
    if op in ("add", "sub"):
        return (1.0, 1.0)
    if op == "mul":
        return (x[1], x[0])
    if op == "div":
        return (divide(1.0, x[1]), divide(value, x[1]))
    if op == "pow":
        return (divide(value * x[1], x[0]), value * math.log(x[0])) if x[0] > 0 else (0.0, 0.0)
    if op == "exp":
        return (value,)
    if op == "expm1":
        return (value + 1.0,)
    if op == "log":
        return (divide(1.0, x[0]),)
    if op == "log1p":
        return (divide(1.0, 1.0 + x[0]),)
    return (divide(0.5, value),)  # sqrt


_VALUES = {name: operation.on_floats for name, operation in OPERATIONS.items()}
