# SPDX-License-Identifier: Apache-2.0
"""The JSON form: round trips, and strictness against everything else."""

import contextlib
import copy
import json
import pickle

import pytest
from coalescope_models.catalogue import MODELS
from coalescope_models.expr import (
    LIMITS,
    Graph,
    GraphError,
    GraphFormatError,
    GraphLimitError,
    formula,
    kernel,
)
from hypothesis import given
from hypothesis import strategies as st

GOOD = {
    "format": 1,
    "inputs": ["a", "b"],
    "nodes": [
        ["input", 0],
        ["input", 1],
        ["const", 2.5],
        ["lt", 0, 1],
        ["where", 3, 0, 2],
    ],
    "outputs": {"out": 4},
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_round_trip_of_every_model(model):
    text = json.dumps(model.graph.to_json(), allow_nan=False)
    again = Graph.from_json(json.loads(text))
    assert again == model.graph
    assert hash(again) == hash(model.graph)
    assert pickle.loads(pickle.dumps(again)) == again


def test_the_good_graph_is_good():
    assert Graph.from_json(GOOD).evaluate({"a": 1.0, "b": 2.0}) == {"out": 1.0}
    assert Graph.from_json(GOOD).to_json() == GOOD


def test_whole_numbers_are_constants_too():
    data = copy.deepcopy(GOOD)
    data["nodes"][2] = ["const", 2]
    assert Graph.from_json(data).evaluate({"a": 3.0, "b": 2.0}) == {"out": 2.0}


def _node(index, node):
    return lambda data: data["nodes"].__setitem__(index, node)


@pytest.mark.parametrize(
    ("where", "damage"),
    [
        ("graph", lambda data: data.update(extra=1)),
        ("graph", lambda data: data.pop("outputs")),
        ("format", lambda data: data.update(format=2)),
        ("format", lambda data: data.update(format=True)),
        ("format", lambda data: data.update(format=1.0)),
        ("inputs", lambda data: data.update(inputs="ab")),
        ("inputs", lambda data: data.update(inputs=["a", "a"])),
        (r"inputs\[1\]", lambda data: data.update(inputs=["a", "b c"])),
        (r"inputs\[0\]", lambda data: data.update(inputs=[3, "b"])),
        ("nodes", lambda data: data.update(nodes={})),
        ("outputs", lambda data: data.update(outputs=[4])),
        ("outputs", lambda data: data.update(outputs={})),
        (r"outputs\[0\]", lambda data: data.update(outputs={"a;b": 4})),
        ("outputs", lambda data: data.update(outputs={"out": 5})),
        ("outputs", lambda data: data.update(outputs={"out": -1})),
        ("outputs", lambda data: data.update(outputs={"out": 4.0})),
        ("outputs", lambda data: data.update(outputs={"out": True})),
        ("comparison", lambda data: data.update(outputs={"out": 3})),
        (r"nodes\[0\]", _node(0, [])),
        (r"nodes\[0\]", _node(0, "input")),
        (r"nodes\[0\]", _node(0, [["input"], 0])),
        (r"nodes\[0\]", _node(0, ["input", 2])),
        (r"nodes\[0\]", _node(0, ["input", -1])),
        (r"nodes\[0\]", _node(0, ["input", True])),
        (r"nodes\[0\]", _node(0, ["input", 0, 0])),
        (r"nodes\[2\]", _node(2, ["const", float("nan")])),
        (r"nodes\[2\]", _node(2, ["const", float("inf")])),
        (r"nodes\[2\]", _node(2, ["const", 10**400])),
        (r"nodes\[2\]", _node(2, ["const", "2.5"])),
        (r"nodes\[2\]", _node(2, ["const", True])),
        (r"nodes\[2\]", _node(2, ["const", None])),
        (r"nodes\[2\]", _node(2, ["const"])),
        (r"nodes\[2\]", _node(2, ["const", 1.0, 2.0])),
        (r"nodes\[3\].*listed", _node(3, ["eval", 0, 1])),
        (r"nodes\[3\].*listed", _node(3, ["__class__", 0])),
        (r"nodes\[3\].*operands", _node(3, ["lt", 0])),
        (r"nodes\[3\].*operands", _node(3, ["lt", 0, 1, 2])),
        (r"nodes\[3\].*earlier", _node(3, ["lt", 0, 3])),
        (r"nodes\[3\].*earlier", _node(3, ["lt", 0, 4])),
        (r"nodes\[3\].*earlier", _node(3, ["lt", 0, -1])),
        (r"nodes\[3\].*earlier", _node(3, ["lt", 0, 1.0])),
        (r"nodes\[3\].*earlier", _node(3, ["lt", False, 1])),
        (r"nodes\[4\].*boolean", _node(4, ["where", 0, 0, 2])),
        (r"nodes\[4\].*real", _node(4, ["add", 3, 0])),
    ],
)
def test_refuses_damage_and_says_where(where, damage):
    data = copy.deepcopy(GOOD)
    damage(data)
    with pytest.raises(GraphFormatError, match=where):
        Graph.from_json(data)


@pytest.mark.parametrize("data", [None, [], "graph", 1, {}])
def test_refuses_what_is_no_graph(data):
    with pytest.raises(GraphFormatError):
        Graph.from_json(data)


def test_bounds_what_it_reads():
    nodes = [["input", 0]] + [["neg", k] for k in range(LIMITS.nodes)]
    data = {"format": 1, "inputs": ["a"], "nodes": nodes, "outputs": {"out": 0}}
    with pytest.raises(GraphLimitError, match="nodes"):
        Graph.from_json(data)
    data["nodes"] = nodes[:-1]
    Graph.from_json(data)
    data["nodes"] = [["input", 0]] + [["mul", k, k] for k in range(60)]
    with pytest.raises(GraphLimitError, match="expanded_size"):
        Graph.from_json(data)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
_PARTS = st.sampled_from(["format", "inputs", "nodes", "outputs"])


@given(part=_PARTS, value=_JSON)
def test_fuzzed_parts_raise_only_the_typed_error(part, value):
    with contextlib.suppress(GraphError):
        Graph.from_json({**GOOD, part: value})


@given(
    nodes=st.lists(
        st.tuples(
            st.sampled_from(["input", "const", "add", "where", "lt", "sqrt", "pow"]),
            st.integers(-1, 6),
            st.integers(-1, 6),
            st.integers(-1, 6),
        ),
        max_size=8,
    ),
    lengths=st.lists(st.integers(1, 4), min_size=8, max_size=8),
)
def test_what_is_read_can_be_evaluated_and_printed(nodes, lengths):
    data = {**GOOD, "nodes": [list(n[:k]) for n, k in zip(nodes, lengths, strict=False)]}
    data["outputs"] = {"out": len(data["nodes"]) - 1}
    try:
        graph = Graph.from_json(data)
    except GraphError:
        return
    graph.evaluate({"a": 1.0, "b": -0.5})
    assert "export default function kernel" in kernel(graph, "out")
    assert formula(graph, "out")
    assert Graph.from_json(graph.to_json()) == graph
