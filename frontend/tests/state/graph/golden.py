# SPDX-License-Identifier: Apache-2.0
"""What Python says of every operation and of equations, as JSON for the page's tests."""

import itertools
import json
import random
import sys

from coalescope_models.catalogue import MODELS
from coalescope_models.expr import Graph, Notation, formula
from coalescope_models.expr.operations import OPERATIONS
from coalescope_models.vocabulary.quantity import QUANTITIES

POINTS = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -3.0, 1e-12, 7.3, 1e300, 800.0, -800.0]
SYMBOLS = {
    q.name: rf"\class{{p-{q.name}}}{{{q.symbol}}}" if q.role == "parameter" else q.symbol
    for q in QUANTITIES.values()
}
INFINITE = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}


def told(value: float) -> float | str:
    """JSON has no infinities."""
    return next((k for k, v in INFINITE.items() if repr(v) == repr(value)), value)


def operation_graph(op: str) -> Graph:
    """One operation on inputs; a comparison is turned into a number, and makes a condition."""
    operation = OPERATIONS[op]
    reals = [kind for kind in operation.operands if kind == "real"]
    if op == "where":
        nodes = [["input", 0], ["input", 1], ["lt", 0, 1], [op, 2, 0, 1]]
        reals = reals[:2]
    else:
        nodes = [["input", k] for k in range(len(reals))]
        nodes.append([op, *range(len(reals))])
    if operation.result == "boolean":
        n = len(nodes)
        nodes += [["const", 1.0], ["const", 0.0], ["where", n - 1, n, n + 1]]
    inputs = ["a", "b", "c"][: len(reals)]
    return Graph.from_json(
        {"format": 1, "inputs": inputs, "nodes": nodes, "outputs": {"y": len(nodes) - 1}}
    )


def random_graph(source: random.Random) -> Graph:
    """A large graph of anything."""
    nodes: list[list[object]] = [["input", k] for k in range(4)] + [["const", 1.25]]
    sizes, kinds = [1] * 5, ["real"] * 5
    while len(nodes) < 60:
        op = source.choice(list(OPERATIONS))
        able = [
            [k for k in range(len(nodes)) if kinds[k] == kind and sizes[k] < 300]
            for kind in OPERATIONS[op].operands
        ]
        if all(able):
            args = [source.choice(each) for each in able]
            nodes.append([op, *args])
            sizes.append(1 + sum(sizes[a] for a in args))
            kinds.append(OPERATIONS[op].result)
    outputs = {f"y{k}": k for k in range(len(nodes)) if kinds[k] == "real"}
    return Graph.from_json(
        {"format": 1, "inputs": ["a", "b", "c", "d"], "nodes": nodes, "outputs": outputs}
    )


def golden() -> dict[str, object]:
    """Everything."""
    operations = []
    for op in OPERATIONS:
        graph = operation_graph(op)
        for point in itertools.product(POINTS, repeat=len(graph.inputs)):
            values = dict(zip(graph.inputs, point, strict=True))
            operations.append([op, [told(v) for v in point], told(graph.evaluate(values)["y"])])
    source = random.Random(7)
    graphs = []
    for _ in range(20):
        graph = random_graph(source)
        points = [[source.uniform(-3, 3) for _ in range(4)] for _ in range(5)]
        found = [graph.evaluate(dict(zip(graph.inputs, p, strict=True))) for p in points]
        outputs = [{k: told(v) for k, v in each.items()} for each in found]
        graphs.append({"graph": graph.to_json(), "points": points, "outputs": outputs})
    return {
        "graphs_of_operations": {op: operation_graph(op).to_json() for op in OPERATIONS},
        "operations": operations,
        "graphs": graphs,
        "latex": {
            model.id: {o: formula(model.graph, o, Notation(SYMBOLS)) for o in model.graph.outputs}
            for model in MODELS.values()
        },
        "latex_of_graphs": [
            {o: formula(Graph.from_json(g["graph"]), o) for o in g["graph"]["outputs"]}  # type: ignore[index]
            for g in graphs
        ],
        "constants": {
            repr(v): formula(
                Graph.from_json(
                    {"format": 1, "inputs": [], "nodes": [["const", v]], "outputs": {"y": 0}}
                ),
                "y",
            )
            for v in [
                0.0,
                1.0,
                -2.5,
                100000.0,
                1e6,
                3e6,
                1e16,
                1.5e-5,
                1e-5,
                0.0001,
                123456789.0,
                1e22,
                0.1,
            ]
        },
    }


if __name__ == "__main__":
    json.dump(golden(), sys.stdout, allow_nan=False)
