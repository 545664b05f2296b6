# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np
import pytest
from coalescope_models.expr import (
    LIMITS,
    GraphFormatError,
    GraphLimitError,
    Node,
    TraceError,
    UnlistedOperationError,
    trace,
)


def traced(body, *names):
    return trace(lambda xp, **values: {"out": body(xp, **values)}, names or ("a", "b"))


def test_records_each_distinct_node_once():
    graph = traced(lambda xp, a, b: (a + b) * (a + b) + xp.sqrt(a + b))
    assert [node.op for node in graph.nodes] == ["input", "input", "add", "mul", "sqrt", "add"]


def test_tells_zero_from_minus_zero():
    graph = traced(lambda xp, a, b: (a + 0.0) + (b - -0.0))
    constants = [node.value for node in graph.nodes if node.op == "const"]
    assert [math.copysign(1.0, value) for value in constants] == [1.0, -1.0]


def test_drops_what_no_output_needs():
    def body(xp, a, b):
        xp.exp(b)
        return a + 1.0

    graph = traced(body)
    assert [node.op for node in graph.nodes] == ["input", "const", "add"]
    assert graph.inputs == ("a", "b")


def test_leaves_out_factors_of_one():
    assert traced(lambda xp, a, b: 1.0 * a / 1 * 1).nodes == (Node("input", (0,)),)
    assert len(traced(lambda xp, a, b: 1.0 / a).nodes) == 3


def test_traces_every_operator_and_function():
    def body(xp, a, b):
        reals = [a + 1, 1 + a, a - 1, 1 - a, a * 2, 2 * a, a / 2, 2 / a, a**2, 2**a, -a, +a, abs(a)]
        for condition in (a < b, a <= b, a > b, a >= b, a == b, a != b):
            reals.append(xp.where(condition, a, b))
        reals += [xp.minimum(a, b), xp.maximum(a, 1)]
        reals += [xp.exp(a), xp.expm1(a), xp.log(a), xp.log1p(a), xp.sqrt(a)]
        reals += [xp.ceil(a), xp.floor(a), xp.abs(a)]
        return sum(reals)

    graph = traced(body)
    value = graph.evaluate({"a": 0.75, "b": 2.5})["out"]
    direct = body(np, np.float64(0.75), np.float64(2.5))
    assert value == pytest.approx(float(direct), rel=1e-15)


def test_accepts_numpy_operands_on_either_side():
    graph = traced(lambda xp, a, b: np.float64(3.0) * a + b * np.float64(2.0) - np.int64(1))
    assert graph.evaluate({"a": 2.0, "b": 5.0}) == {"out": 15.0}


def test_several_outputs_and_constant_outputs():
    graph = trace(lambda a, xp: {"twice": 2 * a, "seven": 7}, ["a"])
    assert graph.evaluate({"a": 4.0}) == {"twice": 8.0, "seven": 7.0}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda xp, a, b: a if a > b else b, "xp.where"),
        (lambda xp, a, b: max(a, b), "xp.maximum"),
        (lambda xp, a, b: a and b, "branches"),
        (lambda xp, a, b: math.sqrt(a), "leaves its namespace"),
        (lambda xp, a, b: float(a), "leaves its namespace"),
        (lambda xp, a, b: int(a), "leaves its namespace"),
        (lambda xp, a, b: complex(a), "leaves its namespace"),
        (lambda xp, a, b: [1, 2][a], "leaves its namespace"),
        (lambda xp, a, b: np.sqrt(np.asarray(a)), "leaves its namespace"),
        (lambda xp, a, b: math.ceil(a), "xp.ceil"),
        (lambda xp, a, b: math.floor(a), "xp.floor"),
        (lambda xp, a, b: math.trunc(a), "xp.floor"),
        (lambda xp, a, b: round(a), "xp.floor"),
        (lambda xp, a, b: a // b, "xp.floor"),
        (lambda xp, a, b: 7 // a, "xp.floor"),
        (lambda xp, a, b: a % b, "xp.floor"),
        (lambda xp, a, b: {a: 1}, "key"),
        (lambda xp, a, b: sum(a), "iterated"),
        (lambda xp, a, b: a[0], "indexed"),
        (lambda xp, a, b: len(a), "length"),
        (lambda xp, a, b: (a > b) + 1, "xp.where"),
        (lambda xp, a, b: xp.where(a, 1, 2), "must be a comparison"),
        (lambda xp, a, b: xp.where(True, a, b), "bool is not a number"),
        (lambda xp, a, b: a > b, "an output is a comparison"),
        (lambda xp, a, b: a * math.inf, "must be finite"),
        (lambda xp, a, b: a * 10**400, "must be finite"),
        (lambda xp, a, b: a + "1", "str is not a number"),
        (lambda xp, a, b: np.arange(3.0) * a, "ndarray is not a number"),
        (lambda xp, a, b: xp.sqrt(a, b), "takes 1 operands, not 2"),
        (lambda xp, a, b: None, "NoneType is not a number"),
    ],
)
def test_explains_what_cannot_be_traced(body, words):
    with pytest.raises(TraceError, match=words):
        traced(body)


def test_explains_an_unlisted_function():
    with pytest.raises(UnlistedOperationError, match=r"xp\.sin .* minimum, .*sqrt"):
        traced(lambda xp, a, b: xp.sin(a))
    # code that asks first gets the answer that Python expects
    assert traced(lambda xp, a, b: a if hasattr(xp, "sin") else b).live("out") == (0,)


def test_an_output_needs_what_is_in_it_and_nothing_else():
    graph = trace(lambda a, b, c, xp: {"sum": c + a + a, "product": 2.0 * b}, ["a", "b", "c"])
    assert graph.needed("sum") == ("a", "c")
    assert graph.needed("product") == ("b",)


def test_explains_a_wrong_signature_and_a_wrong_result():
    with pytest.raises(TraceError, match="cannot be called with these inputs"):
        trace(lambda a, xp: {"out": a}, ["b"])
    with pytest.raises(TraceError, match="mapping from output name"):
        trace(lambda a, xp: a, ["a"])


def test_refuses_a_value_kept_from_another_trace():
    kept = []
    traced(lambda xp, a, b: kept.append(a) or a)
    with pytest.raises(TraceError, match="earlier trace"):
        traced(lambda xp, a, b: a + kept[0])


@pytest.mark.parametrize("name", ["", "1a", "a b", "a-b", "alert(1)", "α", "a\n", "x" * 65])
def test_refuses_names_that_are_not_identifiers(name):
    with pytest.raises(GraphFormatError):
        trace(lambda xp, **values: {"out": 1.0}, [name])
    with pytest.raises(GraphFormatError):
        trace(lambda a, xp: {name: a}, ["a"])


def test_stops_a_function_that_grows_without_end():
    def endless(xp, a, b):
        while True:
            a = a + b

    with pytest.raises(GraphLimitError) as caught:
        traced(endless)
    assert caught.value.limit in ("nodes", "expanded_size")


def test_bounds_nodes():
    def many(count):
        return lambda xp, a, b: [xp.exp(a + k) for k in range(count)][-1]

    with pytest.raises(GraphLimitError, match=f"nodes of {LIMITS.nodes}") as caught:
        traced(many(LIMITS.nodes))
    assert (caught.value.limit, caught.value.allowed) == ("nodes", LIMITS.nodes)
    traced(many(LIMITS.nodes // 3 - 2))


def test_bounds_what_sharing_hides():
    def doubled(times):
        def body(xp, a, b):
            for _ in range(times):
                a = a * a
            return a

        return body

    with pytest.raises(GraphLimitError) as caught:
        traced(doubled(40))  # 41 nodes, 2⁴¹ when written out
    assert caught.value.limit == "expanded_size"
    traced(doubled(12))


def test_bounds_inputs_and_outputs():
    names = [f"a{k}" for k in range(LIMITS.inputs + 1)]
    with pytest.raises(GraphLimitError, match="inputs"):
        trace(lambda xp, **values: {"out": 1.0}, names)
    trace(lambda xp, **values: {"out": 1.0}, names[1:])
    with pytest.raises(GraphLimitError, match="outputs"):
        trace(lambda a, xp: dict.fromkeys(names, a), ["a"])
