# SPDX-License-Identifier: Apache-2.0
"""The summaries of awadyn/nic-tuning-experiments: text, a run a line, columns apart by a space."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping

from coalescope.datasets.converters.converted import Converted
from coalescope.errors import CoalescopeError

_ADAPTIVE = "delay set by the driver itself, which is no number"
_BROKEN_OFF = "broken off: no load was reached"
#: Columns of the table that are columns of the file, number for number.
_SAME = {
    "elapsed_s": "time",
    "rx_bytes": "rx_bytes",
    "rx_packets": "rx_desc",  # frames of some 200 bytes fill no descriptor of 2 KB
    "tx_bytes": "tx_bytes",
    "rx_line_interrupts": "num_interrupts",
    "request_rate_hz": "measure_QPS",
    "latency_p50_us": "read_50th",
    "latency_p90_us": "read_90th",
    "latency_p95_us": "read_95th",
    "latency_p99_us": "read_99th",
    "package_energy_j": "joules",
}
_FACTORS = (
    "workload",
    "factor.system",
    "delay_us",
    "factor.cpu_mhz",
    "factor.power_limit_w",
    "factor.offered_requests_hz",
)
_NEEDED = frozenset({"sys", "itr", "dvfs", "rapl", "target_QPS", *_SAME.values()})


def convert_memcached(content: bytes) -> Converted:
    """Make a table of the runs of memcached (mcd_combined.csv).

    `dvfs` is what was written to IA32_PERF_CTL: bits 8 to 15 are the frequency in 100 MHz. Runs of
    one setting are numbered in the order of the file.

    Errors: CoalescopeError where it is no such file.
    """
    passed_over: Counter[str] = Counter()
    runs: Counter[tuple[str, ...]] = Counter()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*_FACTORS, "replicate", *_SAME))
    for number, row in _rows(content):
        if row["sys"].endswith("_default"):
            passed_over[_ADAPTIVE] += 1
        elif _number(row, "target_QPS", number) == 0:
            passed_over[_BROKEN_OFF] += 1
        else:
            setting = _setting(row, number)
            runs[setting] += 1
            writer.writerow((*setting, runs[setting], *_measures(row, number)))
    return Converted(out.getvalue().encode(), sum(runs.values()), dict(passed_over))


def _rows(content: bytes) -> Iterator[tuple[int, Mapping[str, str]]]:
    """The lines of the file with their numbers; the header is line 1."""
    try:
        lines = csv.reader(io.StringIO(content.decode("ascii")), delimiter=" ")
        header = next(lines, [])
    except UnicodeDecodeError:
        raise _foreign("It is not plain text.") from None
    if missing := sorted(_NEEDED - set(header)):
        raise _foreign(f"It has no column {', '.join(missing)}.")
    for number, fields in enumerate(lines, start=2):
        if len(fields) != len(header):
            raise _foreign(
                f"Line {number} has {len(fields)} fields, and the header {len(header)}.", number
            )
        yield number, dict(zip(header, fields, strict=True))


def _setting(row: Mapping[str, str], number: int) -> tuple[str, ...]:
    """The levels of the factors."""
    try:
        ratio = int(row["dvfs"], 16) >> 8
    except ValueError:
        raise _foreign(f"Line {number}: dvfs {row['dvfs']!r} is no number.", number) from None
    numbers = [_number(row, name, number) for name in ("itr", "rapl", "target_QPS")]
    delay_us, power_w, offered_hz = (f"{value:.12g}" for value in numbers)
    return ("memcached", row["sys"], delay_us, str(100 * ratio), power_w, offered_hz)


def _measures(row: Mapping[str, str], number: int) -> Iterator[str]:
    return (f"{_number(row, name, number):.12g}" for name in _SAME.values())


def _number(row: Mapping[str, str], name: str, number: int) -> float:
    try:
        return float(row[name])
    except ValueError:
        raise _foreign(f"Line {number}: {name} {row[name]!r} is no number.", number) from None


def _foreign(message: str, number: int | None = None) -> CoalescopeError:
    return CoalescopeError(
        "cannot_convert",
        f"The file is no summary of nic-tuning-experiments. {message}",
        where={} if number is None else {"row": number},
        advice="Fetch it by the recipe, or give the file that its address names.",
    )
