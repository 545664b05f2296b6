# SPDX-License-Identifier: Apache-2.0
"""What a copy works out from kept answers: word for word what the server would have said."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import coalescope
import coalescope_models
import numpy as np
import pytest
from coalescope.copies.answers import evaluate
from coalescope.copies.environments import EnvironmentTable


def table(version: str, seed: int) -> bytes:
    """Two MTUs × three delays × five replicates, and one replicate that does not belong."""
    rng = np.random.default_rng(seed)
    lines = ["mtu_bytes,delay_us,driver_version,replicate,throughput_mbps,drops"]
    for mtu in (1500, 9000):
        for delay in (0, 50, 100):
            for replicate in range(1, 6):
                value = (200 - delay / 2) * (1 + 0.005 * rng.standard_normal())
                value *= 3 if (mtu, delay, replicate) == (1500, 50, 4) else 1
                lines.append(f"{mtu},{delay},{version},{replicate},{value!r},{replicate}")
    return "\n".join(lines).encode()


@pytest.fixture
def store(client: Any) -> Any:
    """Two experiments that share their settings, a third of both drivers, and a retracted run."""
    old, new = table("1.0", 1), table("1.1", 2)
    for name, content in (("old", old), ("new", new)):
        assert client.upload(content, f"{name}.csv").status_code == 201
    assert client.upload(b"\n".join([old, *new.split(b"\n")[1:]]), "both.csv").status_code == 201
    run = client.get("/api/experiments/both/runs").json()["runs"][3]["id"]
    client.post(f"/api/runs/{run}/retraction", json={"reason": "the switch was restarted"})
    return client


def environments(client: Any, slug: str) -> Any:
    """What each run was recorded with, in a copy's one file."""
    table = EnvironmentTable()
    for run in client.get(f"/api/experiments/{slug}/runs?limit=1000").json()["runs"]:
        table.add(run["id"], client.get(f"/api/runs/{run['id']}/environment").json())
    return json.loads(json.dumps(table.as_json()))


def kept(client: Any, *slugs: str) -> dict[str, Any]:
    """What a published copy keeps of these, as JSON gives it back."""
    return {
        slug: {
            "experiment": client.get(f"/api/experiments/{slug}").json(),
            "cells": client.get(f"/api/experiments/{slug}/cells").json(),
            "runs": client.get(f"/api/experiments/{slug}/runs?limit=1000").json(),
            "environments": environments(client, slug),
        }
        for slug in slugs
    }


OF_BOTH = "experiments/both"
OF_DROPS = {"measure": "drops", "factors": "mtu_bytes,delay_us"}
QUESTIONS = [
    ("comparisons", {"a": "old", "b": "new", "measure": "throughput_mbps"}),
    ("comparisons", {"a": "old", "b": "new", "measure": "drops", "mtu_bytes": "1500"}),
    (
        "comparisons",
        {
            "a": "both",
            "b": "both",
            "measure": "throughput_mbps",
            "a.driver_version": "1.0",
            "b.driver_version": "1.1",
        },
    ),
    ("comparisons", {"a": "old", "b": "old", "measure": "throughput_mbps"}),
    ("comparisons", {"a": "old", "b": "new", "measure": "throughput_mbps", "a.mtu_bytes": "x"}),
    ("comparisons", {"a": "old", "b": "new", "measure": "rtt_us"}),
    (f"{OF_BOTH}/cells", {"mtu_bytes": "1500"}),
    (f"{OF_BOTH}/cells", {"mtu_bytes": "9000", "driver_version": "1.1", "without": "{run}"}),
    (f"{OF_BOTH}/cells", {"cable": "short"}),
    (f"{OF_BOTH}/replicates", {"measure": "throughput_mbps", "delay_us": "50"}),
    (f"{OF_BOTH}/replicates", {"measure": "throughput_mbps", "without": "{run}"}),
    (f"{OF_BOTH}/replication-plan", {"measure": "throughput_mbps", "width_percent": "1"}),
    (
        f"{OF_BOTH}/replication-plan",
        {
            "measure": "throughput_mbps",
            "width_percent": "0.2",
            "mtu_bytes": "1500",
            "without": "{run}",
        },
    ),
    (f"{OF_BOTH}/replication-plan", {"measure": "goodput_mbps", "width_percent": "5"}),
    (f"{OF_BOTH}/variance", OF_DROPS),
    (f"{OF_BOTH}/variance", {**OF_DROPS, "driver_version": "1.1"}),
    (
        f"{OF_BOTH}/variance",
        {
            "measure": "throughput_mbps",
            "factors": "mtu_bytes,driver_version",
            "delay_us": "50",
            "without": "{run}",
        },
    ),
    (f"{OF_BOTH}/variance", {**OF_DROPS, "mtu_bytes": "9000", "driver_version": "1.0"}),
    (f"{OF_BOTH}/variance", {"measure": "drops", "factors": "mtu_bytes"}),
    (f"{OF_BOTH}/variance", {"measure": "goodput_mbps", "factors": "mtu_bytes,delay_us"}),
    (f"{OF_BOTH}/environment", {"driver_version": "1.1"}),
    (f"{OF_BOTH}/environment", {"cable": "short"}),
]


@pytest.mark.parametrize(("path", "asked"), QUESTIONS)
def test_a_copy_says_what_the_server_says(store: Any, path: str, asked: dict[str, str]) -> None:
    answers = kept(store, "old", "new", "both")
    outlier = answers["both"]["runs"]["runs"][8]["id"]
    query = {name: value.replace("{run}", outlier) for name, value in asked.items()}

    told = store.get(f"/api/{path}", params=query)
    worked_out = json.loads(json.dumps(evaluate(path, [*query.items()], answers)))

    assert worked_out == told.json()
    assert ("error" in worked_out) == (told.status_code == 422)


def test_a_run_left_out_changes_the_answer(store: Any) -> None:
    answers = kept(store, "both")
    outlier = answers["both"]["runs"]["runs"][8]["id"]
    asked = [("measure", "throughput_mbps"), ("width_percent", "5"), ("driver_version", "1.0")]
    path = f"{OF_BOTH}/replication-plan"
    whole = evaluate(path, asked, answers)
    without = evaluate(path, [*asked, ("without", outlier)], answers)
    widest = [max(cell["width_percent"] for cell in plan["cells"]) for plan in (whole, without)]
    assert widest[0] > 10 * widest[1]


def test_environments_of_chosen_levels(client: Any, make_log: Callable[..., bytes]) -> None:
    """Kernels differ between cells, a ring within one; of a row of a table nothing is known."""
    rows = [("tcp", 1, "6.1", 256), ("tcp", 2, "6.1", 512), ("udp", 1, "6.12", 256)]
    for workload, replicate, kernel, ring in rows:
        environment = {"kernel": kernel, "ring": {"rx": ring}}
        if workload == "udp":
            environment["governor"] = "performance"
        factors = {"mtu_bytes": 1500, "workload": workload}
        log = make_log(factors=factors, replicate=replicate, environment=environment)
        assert client.upload(log).status_code == 201
    row = b"mtu_bytes,workload,replicate,throughput_mbps\n1500,tcp,3,900\n"
    assert client.upload(row, "row.csv", experiment="lab").status_code == 201
    answers = kept(client, "lab")
    for levels in ({"workload": "tcp"}, {"workload": "udp"}, {"mtu_bytes": "1500"}):
        told = client.get("/api/experiments/lab/environment", params=levels).json()
        assert told["recorded"] > 0
        assert evaluate("experiments/lab/environment", [*levels.items()], answers) == told


def test_only_the_standard_library_is_needed() -> None:
    """As in the browser, where nothing else is."""
    sources = {str(Path(m.__path__[0]).parent) for m in (coalescope, coalescope_models)}
    program = f"import sys; sys.path[:0] = {sorted(sources)!r}; import coalescope.copies.answers"
    subprocess.run([sys.executable, "-S", "-I", "-c", program], check=True)
