# SPDX-License-Identifier: Apache-2.0
"""What logs of every counter in docs/run-log-format.md measure, beside the number of definitions.

Where it differs from definitions.json, stored runs do not say what the same file says today: raise
DEFINITIONS, so that they are measured again, and write its number and the new values there.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from coalescope.measures import DEFINITIONS
from coalescope.measures.run_log_measures import measure_run
from coalescope_host import run_log

from ..conftest import MODULE_SECOND, build_log, module_fields

FORMAT = Path(__file__).parents[3] / "docs/run-log-format.md"
FROZEN = json.loads(Path(__file__).with_name("definitions.json").read_text(encoding="utf-8"))
SECOND = 1_000_000_000
NOTHING_MISSED = {"missed_events": 0, "missed_switches": 0}


def counters(header: str) -> list[str]:
    """Names in the first column of a table, of rows that are counters."""
    table = FORMAT.read_text(encoding="utf-8").partition(header)[2].partition("\n\n")[0]
    rows = [
        row.split("|")
        for row in table.splitlines()
        if re.match(r"\| `.*\| (\w+, )?counter \|", row)
    ]
    return [name for row in rows for name in re.findall(r"`([a-z_]+)`", row[1])]


USUAL, OF_THE_MODULE = counters("| usual field |"), counters("| field | unit, kind |")


def per_second(source: str) -> dict[str, int]:
    """A rate of each counter that a log of this source can have."""
    own = USUAL if source == "proc" else [*OF_THE_MODULE, *USUAL]
    rates = {name: 1000 + 10 * place for place, name in enumerate(dict.fromkeys(own))}
    if source == "proc":
        return rates
    rates |= {**MODULE_SECOND, **NOTHING_MISSED}
    if source == "module":
        return rates
    cycles = {name: rate for name, rate in rates.items() if name.endswith("_cycles")}
    kept = {name: rate for name, rate in rates.items() if name not in {"t_tsc", *cycles}}
    return kept | {name.replace("_cycles", "_ns"): rate for name, rate in cycles.items()}


def measured(source: str) -> Mapping[str, float]:
    """The measures of a log that counts at these rates for nine seconds."""
    rates = per_second(source)
    rows = [(k * SECOND, *(k * rate for rate in rates.values()), 0) for k in range(10)]
    content = build_log(
        fields=module_fields(rates),
        rows=rows,
        window=(0, 9),
        sources=({"name": "module", "atomic": True}, {"name": "module_driver", "atomic": False}),
        environment={"network_namespace": "other", "cpus": 4},
    )
    return measure_run(run_log.read(content)).values


def test_the_counters_of_the_format_are_found() -> None:
    assert {"rx_bytes", "backlog_drops", "cpu_steal_ns", "package_energy_uj"} <= set(USUAL)
    assert {"t_tsc", "rx_interrupts", "softirq_cycles", "rx_skbs"} <= set(OF_THE_MODULE)


@pytest.mark.parametrize("source", ["proc", "module", "ebpf"])
def test_what_is_measured_otherwise_has_another_number(source: str) -> None:
    assert measured(source) == pytest.approx(FROZEN["measures"][source], rel=1e-6)
    assert FROZEN["definitions"] == DEFINITIONS
