# SPDX-License-Identifier: Apache-2.0
"""What the workload itself reported: iperf3's JSON."""

import math
from collections.abc import Mapping

from coalescope_host.run_log import Result, RunLogError

from coalescope.runs.records import RunWarning

_MOST_BITS_PER_SECOND = 1e15


def goodput_mbps(result: Result | None) -> tuple[float | None, list[RunWarning]]:
    """The rate at which iperf3's receiver got its payload, in 10⁶ bits per second.

    None where there is no result of that form; a result that is damaged, or an error that iperf3
    reports, becomes a warning.
    """
    if result is None or result.media_type.partition(";")[0].strip() != "application/json":
        return None, []
    try:
        document = result.json()
    except RunLogError as error:
        return None, [RunWarning(error.code, error.message, {"offset": error.offset})]
    if not isinstance(document, Mapping):
        return None, []
    if document.get("error"):
        message = f"The workload reported an error: {str(document['error'])[:300]}"
        return None, [RunWarning("workload_error", message, {"offset": result.offset})]
    end = document.get("end")
    return (_received_mbps(end) if isinstance(end, Mapping) else None), []


def _received_mbps(end: Mapping[str, object]) -> float | None:
    received = end.get("sum_received")
    if isinstance(received, Mapping):
        rate = _number(received, "bits_per_second")
        if rate:
            return rate / 1e6
    # UDP of older versions: one sum, sent bytes with the share that was lost
    total = end.get("sum")
    if not isinstance(total, Mapping):
        return None
    rate, lost = _number(total, "bits_per_second"), _number(total, "lost_percent")
    return None if rate is None or lost is None else rate * (1.0 - lost / 100.0) / 1e6


def _number(members: Mapping[str, object], name: str) -> float | None:
    value = members.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value) if 0 <= value <= _MOST_BITS_PER_SECOND else None
    return None
