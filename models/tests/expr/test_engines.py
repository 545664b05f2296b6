# SPDX-License-Identifier: Apache-2.0
"""Floats, numpy and the printed JavaScript must agree to rounding times condition."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest
from coalescope_models.catalogue import MODELS, evaluate
from coalescope_models.expr import FLOATS, OPERATIONS, EvaluationError, Graph, Node, kernel, trace
from hypothesis import assume, given, settings
from hypothesis import strategies as st

_spec = importlib.util.spec_from_file_location(
    "conditioning", Path(__file__).with_name("conditioning.py")
)
conditioning = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(conditioning)
tolerances = conditioning.tolerances

_EDGES = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 3.0, 1e-300, 1e300, math.inf, -math.inf, math.nan]


def same(a, b, tolerance=0.0):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= tolerance


def on_numpy(graph, values):
    outputs = graph.evaluate({name: np.array([value]) for name, value in values.items()}, np)
    return {name: float(np.ravel(value)[0]) for name, value in outputs.items()}


def on_node(node, graph, values, output="out"):
    inputs = [values[name] for name in graph.inputs]
    return float(node.run(kernel(graph, output), inputs)[0, 0])


@pytest.mark.parametrize("op", OPERATIONS)
def test_every_operation_at_the_edges_of_its_domain(node, op):
    """Division by zero, log of a negative number, powers of ±1: IEEE 754 in all three engines."""
    operation = OPERATIONS[op]
    if operation.result == "boolean":
        graph = trace(
            lambda a, b, xp: {"out": xp.where(operation.on_floats(a, b), 1.0, 2.0)}, ["a", "b"]
        )
    elif op == "where":
        graph = trace(lambda a, b, xp: {"out": xp.where(a < b, a, b)}, ["a", "b"])
    elif len(operation.operands) == 2:
        graph = Graph(
            ("a", "b"),
            (Node("input", (0,)), Node("input", (1,)), Node(op, (0, 1))),
            {"out": 2},
        )
    else:
        graph = Graph(("a", "b"), (Node("input", (0,)), Node(op, (0,))), {"out": 1})
    a, b = (np.ravel(x) for x in np.meshgrid(_EDGES, _EDGES))
    javascript = node.run(kernel(graph, "out", {"a": "x", "b": "x"}), [a, b], len(a), 1)[0]
    arrays = np.broadcast_to(graph.evaluate({"a": a, "b": b}, np)["out"], a.shape)
    for k in range(len(a)):
        values = {"a": float(a[k]), "b": float(b[k])}
        expected = graph.evaluate(values)["out"]
        tolerance = abs(expected) * 1e-15 if math.isfinite(expected) else 0.0
        assert same(javascript[k], expected, tolerance), (op, values)
        assert same(float(arrays[k]), expected, tolerance), (op, values)


def test_constants_among_themselves_follow_ieee_754(node):
    graph = Graph(
        ("a",), (Node("const", (), 1.0), Node("const", (), 0.0), Node("div", (0, 1))), {"out": 2}
    )
    assert graph.evaluate({"a": 0.0}) == {"out": math.inf}
    assert on_numpy(graph, {"a": 0.0}) == {"out": math.inf}
    assert on_node(node, graph, {"a": 0.0}) == math.inf


def test_the_float_namespace_does_not_raise():
    assert math.isnan(FLOATS.sqrt(-1.0))
    assert FLOATS.log(0.0) == -math.inf
    assert FLOATS.exp(1e4) == FLOATS.expm1(1e4) == math.inf
    assert math.copysign(1.0, FLOATS.ceil(-0.5)) == -1.0
    with pytest.raises(AttributeError, match=r"xp\.sin"):
        _ = FLOATS.sin


_moderate = st.floats(-50.0, 50.0) | st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 1e-9, 1e9])


@st.composite
def graphs(draw):
    """Any graph of listed operations over two inputs."""
    nodes = [Node("input", (0,)), Node("input", (1,)), Node("const", (), draw(_moderate))]
    kinds = ["real", "real", "real"]
    for _ in range(draw(st.integers(1, 14))):
        usable = [op for op in OPERATIONS.values() if set(op.operands) <= set(kinds)]
        op = draw(st.sampled_from(usable))
        args = tuple(
            draw(st.sampled_from([k for k, kind in enumerate(kinds) if kind == wanted]))
            for wanted in op.operands
        )
        nodes.append(Node(op.name, args))
        kinds.append(op.result)
    assume(kinds[-1] == "real")
    return Graph(("a", "b"), tuple(nodes), {"out": len(nodes) - 1})


@settings(max_examples=300)
@given(graph=graphs(), a=_moderate, b=_moderate)
def test_any_graph_agrees_between_the_engines(node, graph, a, b):
    values = {"a": a, "b": b}
    expected = graph.evaluate(values)["out"]
    tolerance = tolerances(graph, values)["out"]
    assume(math.isfinite(tolerance))
    assert same(on_numpy(graph, values)["out"], expected, tolerance)
    assert same(on_node(node, graph, values), expected, tolerance)


@settings(max_examples=100)
@given(
    graph=graphs(),
    x=st.lists(_moderate, min_size=1, max_size=4),
    y=st.lists(_moderate, min_size=1, max_size=4),
    layout=st.sampled_from([("x", "y"), ("y", "x"), ("x", "xy"), ("xy", None), ("y", None)]),
)
def test_hoisted_kernels_equal_the_cell_by_cell_evaluation(node, graph, x, y, layout):
    axes = {name: axis for name, axis in zip(("a", "b"), layout, strict=True) if axis}
    shapes = {"x": (1, len(x)), "y": (len(y), 1), "xy": (len(y), len(x)), None: ()}
    pool = np.array([*x, *y, *x, *y] * 4)
    arrays = {
        name: np.resize(pool, shapes[axis]) for name, axis in zip(("a", "b"), layout, strict=True)
    }
    source = kernel(graph, "out", axes)
    grid = node.run(source, [arrays["a"], arrays["b"]], len(x), len(y))
    for j in range(len(y)):
        for i in range(len(x)):
            values = {
                name: float(np.broadcast_to(array, (len(y), len(x)))[j, i])
                for name, array in arrays.items()
            }
            tolerance = tolerances(graph, values)["out"]
            if math.isfinite(tolerance):
                assert same(grid[j, i], graph.evaluate(values)["out"], tolerance)


def from_domain(quantity):
    """Values of a quantity's own domain; without a bound, far beyond what is typical."""
    lo, hi = quantity.domain
    reach = 1e4 * max(1.0, *map(abs, quantity.typical))
    inside = st.floats(-reach if lo is None else lo, reach if hi is None else hi)
    return inside | st.floats(*quantity.typical)


def of_model(model):
    return st.fixed_dictionaries({name: from_domain(model.quantity(name)) for name in model.names})


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_every_model_agrees_between_the_engines(node, model):
    kernels = {output.name: kernel(model.graph, output.name) for output in model.outputs}

    @settings(max_examples=150)
    @given(values=of_model(model))
    def check(values):
        allowed = tolerances(model.graph, values)
        floats = evaluate(model, values)
        arrays = evaluate(model, {name: np.array([v, v]) for name, v in values.items()})
        for output in model.outputs:
            if not math.isfinite(allowed[output.name]):
                continue
            expected = floats[output.name]
            assert arrays[output.name].shape == (2,)
            assert same(float(arrays[output.name][1]), expected, allowed[output.name])
            got = node.run(kernels[output.name], [values[name] for name in model.names])[0, 0]
            assert same(float(got), expected, allowed[output.name]), output.name

    check()


@pytest.mark.parametrize("model", [m for m in MODELS.values() if m.axes], ids=lambda m: m.id)
def test_every_model_agrees_over_its_own_plane(node, model):
    nx, ny = 9, 7
    shapes = {"x": (1, nx), "y": (ny, 1), "xy": (ny, nx)}
    rng = np.random.default_rng(5)
    values = {}
    for name in model.names:
        lo, hi = model.quantity(name).typical
        values[name] = rng.uniform(lo, hi, shapes.get(model.axes.get(name), ()))
    outputs = evaluate(model, values)
    for output in model.outputs:
        source = kernel(model.graph, output.name, model.axes)
        got = node.run(source, [values[name] for name in model.names], nx, ny)
        np.testing.assert_allclose(got, np.broadcast_to(outputs[output.name], (ny, nx)), 1e-13)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_function_itself_agrees_with_its_graph(model):
    """The body runs on floats and arrays too, by name and by position."""
    values = {name: sum(model.quantity(name).typical) / 2 for name in model.names}
    expected = evaluate(model, values)
    assert model.function(**values, xp=FLOATS) == pytest.approx(expected, rel=1e-14)
    assert model.function(*values.values(), np) == pytest.approx(expected, rel=1e-14)
    assert list(expected) == [quantity.name for quantity in model.outputs]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_the_function_itself_agrees_with_its_graph_over_the_whole_domain(model):
    """Arrays, for at the ends of a domain numbers of Python's own would raise where IEEE 754 has
    an infinity."""

    @settings(max_examples=100)
    @given(values=of_model(model))
    def check(values):
        allowed = tolerances(model.graph, values)
        arrays = {name: np.array([value]) for name, value in values.items()}
        with np.errstate(all="ignore"):
            direct = model.function(**arrays, xp=np)
        for name, expected in evaluate(model, arrays).items():
            if math.isfinite(allowed[name]):
                assert same(float(np.ravel(direct[name])[0]), float(expected[0]), allowed[name])

    check()


def test_values_must_match_the_inputs():
    graph = trace(lambda a, xp: {"out": a}, ["a"])
    with pytest.raises(EvaluationError, match="no value for a"):
        graph.evaluate({})
    with pytest.raises(EvaluationError, match="not an input of this graph: b"):
        graph.evaluate({"a": 1.0, "b": 2.0})
    with pytest.raises(EvaluationError, match="no output 'missing'; it has out"):
        kernel(graph, "missing")


def test_the_comparison_of_engines_can_fail(node):
    """Negative control: a kernel that is wrong in the twelfth digit is caught."""
    graph = trace(lambda a, b, xp: {"out": xp.exp(a) / b}, ["a", "b"])
    values = {"a": 1.25, "b": 3.0}
    expected = graph.evaluate(values)["out"]
    tolerance = tolerances(graph, values)["out"]
    source = kernel(graph, "out")
    good = float(node.run(source, [1.25, 3.0])[0, 0])
    bad = float(node.run(source.replace("/ i1", "/ (i1 * (1 + 1e-12))"), [1.25, 3.0])[0, 0])
    assert same(good, expected, tolerance)
    assert not same(bad, expected, tolerance)
