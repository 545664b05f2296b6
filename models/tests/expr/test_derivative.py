# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from coalescope_models.catalogue import MODELS
from coalescope_models.expr import (
    OPERATIONS,
    Differentiable,
    EvaluationError,
    trace,
    value_and_derivatives,
)
from coalescope_models.expr.expression import on_arrays
from hypothesis import given
from hypothesis import strategies as st

# each smooth operation on (a, b), where a lies in 0.5 … 3 and b in 0.5 … 2, both away from ties
_OPERATIONS = {
    "add": lambda a, b, xp: {"y": a + b},
    "sub": lambda a, b, xp: {"y": a - b},
    "mul": lambda a, b, xp: {"y": a * b},
    "div": lambda a, b, xp: {"y": a / b},
    "pow": lambda a, b, xp: {"y": a**b},
    "neg": lambda a, b, xp: {"y": -a * b},
    "minimum": lambda a, b, xp: {"y": xp.minimum(a * a, b)},
    "maximum": lambda a, b, xp: {"y": xp.maximum(a * a, b)},
    "where": lambda a, b, xp: {"y": xp.where(a < b, a * b, a / b)},
    "exp": lambda a, b, xp: {"y": xp.exp(a * b)},
    "expm1": lambda a, b, xp: {"y": xp.expm1(a - b)},
    "log": lambda a, b, xp: {"y": xp.log(a * b)},
    "log1p": lambda a, b, xp: {"y": xp.log1p(a * b)},
    "sqrt": lambda a, b, xp: {"y": xp.sqrt(a + b)},
    "abs": lambda a, b, xp: {"y": xp.abs(a - 4.0 * b)},
}


def central_difference(graph, output, values, name):
    """Richardson's extrapolation of two central differences: error of order h⁴."""
    size = reach(values[name])

    def slope(step):
        up = graph.evaluate({**values, name: values[name] + step}, np)[output]
        down = graph.evaluate({**values, name: values[name] - step}, np)[output]
        return (up - down) / (2.0 * step)

    return (4.0 * slope(size / 2.0) - slope(size)) / 3.0


def reach(at):
    """How far on each side of a point a difference is taken."""
    return 1e-4 * np.maximum(np.abs(at), 1e-3)


@pytest.mark.parametrize("name", _OPERATIONS)
@given(a=st.floats(0.5, 3.0), b=st.floats(0.5, 2.0))
def test_each_operation_against_differences(name, a, b):
    if abs(a * a - b) < 1e-2 or abs(a - b) < 1e-2 or abs(a - 4.0 * b) < 1e-2:
        return  # at a kink there is no derivative
    graph = trace(_OPERATIONS[name], ["a", "b"])
    values = {"a": a, "b": b}
    value, slopes = value_and_derivatives(graph, "y", values, ["a", "b"], np)
    assert value == graph.evaluate(values)["y"] or value == pytest.approx(
        graph.evaluate(values)["y"], rel=1e-14
    )
    for by, slope in slopes.items():
        expected = central_difference(graph, "y", values, by)
        assert float(slope) == pytest.approx(expected, rel=1e-8, abs=1e-9 * max(1.0, abs(value)))


@pytest.mark.parametrize(
    ("model", "output"),
    [(model, quantity.name) for model in MODELS.values() for quantity in model.outputs],
    ids=lambda item: getattr(item, "id", item),
)
def test_each_model_against_differences(model, output):
    """At points of no step: steps are flat, and a difference across one means nothing."""
    rng = np.random.default_rng(1)
    points = []
    for _ in range(40):
        at = {q.name: rng.uniform(*q.typical) for q in model.inputs}
        at |= {p.name: p.lo + (p.hi - p.lo) * rng.uniform(0.1, 0.9) for p in model.parameters}
        points.append(at)
    values = {name: np.array([at[name] for at in points]) for name in model.names}
    value, slopes = value_and_derivatives(model.graph, output, values, model.names, np)
    tried = 0
    for name, slope in slopes.items():
        smooth = ~_steps(model.graph, values, name) & ~np.isnan(value)  # not known: no slope
        expected = central_difference(model.graph, output, values, name)
        scale = np.abs(value) / np.maximum(np.abs(values[name]), 1e-3)
        off = np.abs(slope - expected)
        assert np.all((off <= np.maximum(1e-6 * np.abs(expected), 1e-7 * scale))[smooth]), name
        tried += np.count_nonzero(smooth)
    assert tried > 40


_JUMPS = {"ceil", "floor"} | {name for name, op in OPERATIONS.items() if op.result == "boolean"}


def _steps(graph, values, name):
    """Where a rounded number, or the side of a choice, differs within the difference's reach."""
    size = reach(values[name])
    reaches = []
    for step in (-size, 0.0, size):
        shifted = {**values, name: values[name] + step}
        seen, results = [], []
        for node in graph.nodes:
            operands = [results[index] for index in node.args] if node.op != "input" else []
            if node.op == "const":
                results.append(np.float64(node.value))
            elif node.op == "input":
                results.append(shifted[graph.inputs[node.args[0]]])
            else:
                with np.errstate(all="ignore"):
                    results.append(on_arrays(node.op, np)(*operands))
            if node.op in _JUMPS:
                seen.append(results[-1])
            if node.op in ("minimum", "maximum"):
                seen.append(operands[0] <= operands[1])
        reaches.append([np.broadcast_to(item, size.shape) for item in seen])
    below, here, above = (np.array(items).reshape(-1, *size.shape) for items in reaches)
    return np.any((below != here) | (here != above), axis=0)


def test_a_step_is_flat_and_a_value_that_nothing_moves_has_no_slope():
    graph = trace(lambda a, b, xp: {"y": xp.ceil(a) + xp.floor(a) + b, "z": b}, ["a", "b"])
    _, slopes = value_and_derivatives(graph, "y", {"a": 1.5, "b": 2.0}, ["a", "b"], np)
    assert (float(slopes["a"]), float(slopes["b"])) == (0.0, 1.0)
    _, slopes = value_and_derivatives(graph, "z", {"a": 1.5, "b": 2.0}, ["a"], np)
    assert float(slopes["a"]) == 0.0


def test_arrays_broadcast():
    graph = trace(lambda a, b, xp: {"y": a * b * b}, ["a", "b"])
    a, b = np.array([1.0, 2.0, 3.0]), np.array([[1.0], [4.0]])
    value, slopes = value_and_derivatives(graph, "y", {"a": a, "b": b}, ["a", "b"], np)
    assert value.shape == (2, 3)
    np.testing.assert_allclose(np.broadcast_to(slopes["a"], value.shape), b * b + 0 * a)
    np.testing.assert_allclose(slopes["b"], 2 * a * b)


def test_a_constant_power_of_zero_has_no_logarithm_in_it():
    graph = trace(lambda a, xp: {"y": a**2.0}, ["a"])
    _, slopes = value_and_derivatives(graph, "y", {"a": 0.0}, ["a"], np)
    assert float(slopes["a"]) == 0.0


def test_names_are_checked():
    graph = trace(lambda a, xp: {"y": a}, ["a"])
    with pytest.raises(EvaluationError, match="not an input of this graph: b"):
        value_and_derivatives(graph, "y", {"a": 1.0}, ["b"], np)
    with pytest.raises(EvaluationError, match="no value for a"):
        value_and_derivatives(graph, "y", {}, ["a"], np)
    with pytest.raises(EvaluationError, match="no output 'z'"):
        value_and_derivatives(graph, "z", {"a": 1.0}, ["a"], np)


def test_what_is_fixed_is_computed_once_and_all_is_alike_to_the_bit():
    counted = []

    class Counting:
        def __getattr__(self, name):
            function = getattr(np, name)
            if name != "exp":
                return function
            return lambda x: counted.append(name) or function(x)

    graph = trace(
        lambda a, b, xp: {"y": a * xp.exp(b) + xp.ceil(a * b) + xp.exp(a * 2.0)}, ["a", "b"]
    )
    b = np.array([0.1, 0.7, 1.3])
    prepared = Differentiable(graph, "y", {"b": b}, ["a"], Counting())
    assert len(counted) == 1
    for a in (0.25, 3.0):
        counted.clear()
        value, slopes = prepared.at({"a": a})
        assert len(counted) == 1
        assert np.array_equal(prepared.value({"a": a}), value)
        whole, derivatives = value_and_derivatives(graph, "y", {"a": a, "b": b}, ["a", "b"], np)
        assert np.array_equal(value, whole)
        assert np.array_equal(slopes["a"], derivatives["a"])
