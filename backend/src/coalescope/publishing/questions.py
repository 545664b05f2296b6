# SPDX-License-Identifier: Apache-2.0
"""What the page asks by POST in an experiment's own view. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from coalescope_models.inference.methods import METHODS
from coalescope_models.vocabulary.quantity import AIMS, QUANTITIES

Json = Mapping[str, Any]

_MODEL = "cpu-overhead"
# What each goal of a recommendation can mean, the best first (features/recommend/question.ts).
_MEANS = {
    aim: [quantity.name for quantity in QUANTITIES.values() if quantity.aim == aim] for aim in AIMS
}
# What a trade does not weigh unless it is asked to (state/advice.ts).
_UNWEIGHED = ("energy",)
# The measures that the page explains by that model, and what is fitted then (state/models.ts).
COSTS = {
    f"{side}_cpu_{unit}_per_gb": f"{side}_cpu_{unit}"
    for side in ("traffic", "system")
    for unit in ("jiffies", "s")
}


def fit_requests(experiment: Json, cells: Json) -> Iterator[Json]:
    """The fits of an experiment's own view: every cost, every method, every choice of levels."""
    costs = [COSTS[m["name"]] for m in experiment["measures"] if m["name"] in COSTS]
    for where, _ in _choices(experiment, cells):
        for response in costs:
            for method in METHODS:
                yield {"model": _MODEL, "method": method, "response": response, "where": where}


def recommendation_requests(experiment: Json, cells: Json) -> Iterator[Json]:
    """What the page asks in an experiment's own view: every goal, every choice of levels.

    A goal is about the measure on the screen where it means one of several.
    """
    rest = {"constraints": [], "interface": "eth0"}
    given = [factor["name"] for factor in experiment["factors"] if not factor["choice"]]
    for where, own in _choices(experiment, cells, given):
        measured = {name for cell in own for name in cell["measures"]}
        known: dict[str, str] = {}
        for role, means in _MEANS.items():
            meant = [name for name in means if name in measured]
            for name in meant:
                yield {**rest, "aims": _aims(name), "where": where}
            shown = experiment["default_view"]["measure"]
            if meant:
                known[role] = shown if shown in meant else meant[0]
        weighed = [name for role, name in known.items() if role not in _UNWEIGHED]
        if len(weighed) > 1:
            yield {**rest, "aims": _aims(*weighed), "where": where}
        gained = known.get("throughput", known.get("latency"))
        if gained and "cpu" in known:
            aims = _aims(gained, known["cpu"])
            yield {**rest, "aims": aims, "goal": "balance", "where": where}


def with_limits(asked: Json, ask: Sequence[Json]) -> Iterator[Json]:
    """The same question with each limit on the delay that its answer asks for."""
    for each in ask:
        limit = {"measure": each["factor"], "limit": "at most", "value": each["at_most"]}
        yield {**asked, "constraints": [*asked["constraints"], limit]}


def _aims(*measures: str) -> list[Json]:
    return [{"measure": name, "weight": 1} for name in measures]


def _choices(
    experiment: Json, cells: Json, also: Sequence[str] = ()
) -> Iterator[tuple[Json, list[Json]]]:
    """Levels of the factors that span no axis of the experiment's own view, and their cells.

    Factors in `also` are chosen even where they span an axis.
    """
    view = experiment["default_view"]
    if view is None:
        return
    axes = {view["x"], view["y"]} - set(also)
    varied = [f["name"] for f in experiment["factors"] if len(f["levels"]) > 1]
    chosen = [name for name in varied if name not in axes]
    found: dict[bytes, tuple[Json, list[Json]]] = {}
    for cell in cells["cells"]:
        where = {name: cell["factors"].get(name) for name in chosen}
        found.setdefault(encoded(where), (where, []))[1].append(cell)
    yield from found.values()


def encoded(value: Json | Sequence[Json]) -> bytes:
    """The same bytes for the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
