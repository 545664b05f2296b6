# SPDX-License-Identifier: Apache-2.0
"""Graphs that come with a request: evaluated as data, or refused before any work is done."""

import copy
from typing import Any

import pytest

DOCUMENT: dict[str, Any] = {
    "format": 1,
    "title": "Latency grows with the delay",
    "inputs": [{"name": "delay_us"}],
    "parameters": [{"name": "base_us", "default": 50, "lo": 0, "hi": 500}],
    "graph": {
        "format": 1,
        "inputs": ["delay_us", "base_us"],
        "nodes": [["input", 0], ["input", 1], ["add", 0, 1]],
        "outputs": {"latency_us": 2},
    },
}


def predict(client: Any, document: dict[str, Any], **more: Any) -> Any:
    return client.post("/api/predictions", json={"model": document, **more})


def graph(nodes: list[Any], **more: Any) -> dict[str, Any]:
    document = copy.deepcopy(DOCUMENT)
    document["graph"] |= {"nodes": nodes, "outputs": {"latency_us": len(nodes) - 1}} | more
    return document


def test_a_users_model_is_evaluated(client: Any) -> None:
    over = {"delay_us": {"lo": 0, "hi": 100, "n": 3}}
    found = predict(client, DOCUMENT, over=over).json()
    assert found["outputs"] == {"latency_us": [50, 100, 150]}
    assert found["units"] == {"delay_us": "µs", "latency_us": "µs"}
    found = predict(client, DOCUMENT, values={"delay_us": 1, "base_us": 2}).json()
    assert found["outputs"] == {"latency_us": [3]}


def test_it_is_held_to_the_domains_of_the_glossary(client: Any) -> None:
    answer = predict(client, DOCUMENT, values={"delay_us": -1})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "out_of_domain")


def long_chain() -> dict[str, Any]:
    """As many nodes as there may be."""
    ups = [["add", k + 1, 0] for k in range(1, 1999)]
    return graph([["input", 0], ["input", 1], ["neg", 1], *ups[:1997]])


def test_a_large_graph_over_a_large_grid_is_refused_before_it_is_computed(client: Any) -> None:
    over = {"delay_us": {"lo": 0, "hi": 1, "n": 65_536}}
    error = predict(client, long_chain(), over=over).json()["error"]
    assert (error["code"], "4000 are the most" in error["message"]) == ("wrong_range", True)
    over["delay_us"]["n"] = 4000
    assert predict(client, long_chain(), over=over).status_code == 200


def exploding() -> list[Any]:
    """Each node adds the one before to itself: 2^40 terms when written out, 42 nodes."""
    return [["input", 0], ["input", 1], *(["add", k, k] for k in range(1, 41))]


@pytest.mark.parametrize(
    ("document", "code", "words"),
    [
        (
            graph([["input", 0], ["input", 1], ["system", 0, 1]]),
            "graph_refused",
            "listed operation",
        ),
        (graph([["input", 0], ["__import__", 0]]), "graph_refused", "listed operation"),
        (graph([["input", 0], ["add", 0, 1]]), "graph_refused", "earlier node"),
        (graph([["input", 7]]), "graph_refused", "no input 7"),
        (graph([["input", 0], ["const", 1e400]]), "graph_refused", "finite constant"),
        (graph([["const", 1.0]] * 2001), "graph_too_large", "2000"),
        (graph(exploding()), "graph_too_large", "expanded_size"),
        (graph([["input", 0]], code="print(1)"), "graph_refused", "other keys"),
        (DOCUMENT | {"inputs": []}, "user_model_refused", "say of delay_us"),
        (DOCUMENT | {"code": "print(1)"}, "invalid_request", ""),
        (DOCUMENT | {"format": 2}, "invalid_request", ""),
        (DOCUMENT | {"inputs": [{"name": "delay us"}]}, "invalid_request", ""),
    ],
)
def test_what_is_refused(client: Any, document: dict[str, Any], code: str, words: str) -> None:
    import json

    content = json.dumps({"model": document, "values": {"delay_us": 1}})
    answer = client.post(
        "/api/predictions", content=content, headers={"content-type": "application/json"}
    )
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (422, code)
    assert words.lower() in error["message"].lower() + str(error["where"])
