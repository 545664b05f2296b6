# SPDX-License-Identifier: Apache-2.0
"""A run log is parsed, verified and measured at half the rate of its SHA-256 or better."""

from __future__ import annotations

import hashlib
import io
import random
import statistics
import time
from collections.abc import Callable

from coalescope.measures.run_log_measures import measure_run
from coalescope_host import run_log
from rows import Row

ROUNDS = 21
# name → samples, and the interval between them; a block ends after a second or 64 kB
LOGS = {"2 minutes at 100 ms": (1200, 100_000_000), "100 s at 1 ms": (100_000, 1_000_000)}


def recording(samples: int, interval_ns: int) -> bytes:
    """A log as the logger writes it: 21 fields, a window, counters that advance unevenly."""
    dice = random.Random(1)
    fields = [run_log.standard_field(name) for name in run_log.STANDARD_FIELDS]
    header = run_log.make_header(
        run_id="00000000-0000-4000-8000-000000000001",
        experiment="benchmark",
        factors={"mtu_bytes": {"requested": 1500, "read_back": 1500}},
        fields=fields,
        sources=[{"name": "sysfs", "atomic": False}],
    )
    file = io.BytesIO()
    values = [0] * len(fields)
    with run_log.Writer(file, header) as log:
        log.mark("window_start", 0, 0)
        for sample in range(samples):
            values[:2] = [sample * interval_ns] * 2
            values[2:] = [value + dice.randrange(10_000) for value in values[2:]]
            log.sample(*values)
        log.mark("window_end", values[0], values[0])
    return file.getvalue()


def seconds(work: Callable[[], object]) -> float:
    """Of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(name: str, data: bytes) -> Row:
    """The two in turn; the median of the ratios."""

    def parse_verify_measure() -> None:
        measure_run(run_log.read(data))

    def digest() -> None:
        hashlib.sha256(data).digest()

    parse_verify_measure()
    pairs = [(seconds(digest), seconds(parse_verify_measure)) for _ in range(ROUNDS)]
    ratio = statistics.median(hashing / parsing for hashing, parsing in pairs)
    parsing_s = statistics.median(parsing for _, parsing in pairs)
    return Row(
        f"log parse + verify + measures / SHA-256 rate, {name}",
        f"{ratio:.2f} × ({len(data) / 1e6:.1f} MB in {1000 * parsing_s:.1f} ms)",
        "≥ 0.5 ×",
        ratio >= 0.5,
    )


def measure() -> list[Row]:
    """Rows for the report."""
    return [compare(name, recording(*layout)) for name, layout in LOGS.items()]
