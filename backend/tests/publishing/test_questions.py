# SPDX-License-Identifier: Apache-2.0
"""What a published site keeps is what the page asks: questions.json says it to both.

frontend/tests/api/questions.test.ts asks as the page does, of the same experiments. After a change:
.venv/bin/python -m backend.tests.publishing.test_questions
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from coalescope.experiments.description import describe_experiment
from coalescope.experiments.levels import canonical_factors
from coalescope.experiments.records import CellRecord, ExperimentRecord, SummaryRecord
from coalescope.publishing.questions import fit_requests, recommendation_requests

QUESTIONS = Path(__file__).with_name("questions.json")
COSTS = ("traffic_cpu_s_per_gb", "system_cpu_jiffies_per_gb")
COUNTED = ("packets_per_interrupt", "mean_packet_bytes")

#: Levels of each factor, the measures of all cells, and what the source says.
DESIGNS: Mapping[str, tuple[Mapping[str, Sequence[float | str]], Sequence[str], Any]] = {
    "every-goal": (
        {"mtu_bytes": [1500, 9000], "delay_us": [10, 40], "workload": ["tcp", "udp"]},
        ["throughput_mbps", *COSTS, *COUNTED, "latency_us", "latency_p99_us", "energy_j_per_gb"],
        {"default_view": {"measure": "latency_us"}},
    ),
    "given-on-an-axis": (
        {"packet_rate_hz": [1000, 4000, 8000], "delay_us": [10, 40, 100]},
        ["latency_p99_us", "system_cpu_percent", "energy_j_per_gb"],
        {"default_view": {"x": "packet_rate_hz", "y": "delay_us"}},
    ),
    "mtu-alone": ({"mtu_bytes": [1500, 9000], "host": ["a", "b"]}, ["system_cpu_percent"], {}),
}


def _described(slug: str) -> tuple[dict[str, Any], dict[str, Any]]:
    design, measures, source = DESIGNS[slug]
    summaries = {name: SummaryRecord(3, 10.0, 1.0, (9.0, 11.0)) for name in measures}
    cells = [
        CellRecord(n, canonical_factors(dict(zip(design, levels, strict=True))), 3, 0, summaries)
        for n, levels in enumerate(product(*design.values()))
    ]
    record = ExperimentRecord(1, slug, slug, "", "measured", source, 1, "", "")
    told = {"n": 3, "mean": 10.0, "sd": 1.0, "ci95": [9.0, 11.0]}
    measured = dict.fromkeys(measures, told)
    return describe_experiment(record, cells), {
        "cells": [
            {"id": c.id, "factors": c.factors, "runs": 3, "partial_runs": 0, "measures": measured}
            for c in cells
        ]
    }


def asked() -> Iterator[dict[str, Any]]:
    for slug in DESIGNS:
        experiment, cells = _described(slug)
        yield {
            "experiment": experiment,
            **cells,
            "fits": list(fit_requests(experiment, cells)),
            "recommendations": list(recommendation_requests(experiment, cells)),
        }


def test_the_questions_are_those_that_the_page_is_held_to() -> None:
    assert json.loads(QUESTIONS.read_text(encoding="utf-8")) == list(asked())


if __name__ == "__main__":
    QUESTIONS.write_text(json.dumps(list(asked()), indent=1, ensure_ascii=False) + "\n", "utf-8")
