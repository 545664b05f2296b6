# SPDX-License-Identifier: Apache-2.0
"""What the workload itself reported: the JSON of iperf3, or of coalescope-traffic."""

import math
from collections.abc import Mapping

from coalescope_host.run_log import Result, RunLogError

from coalescope.runs.records import RunWarning

_LARGEST = 1e15
_OWN_TOOL = "coalescope-traffic"
# whose `bytes` are payload that arrived
_RECEIVING = ("sink", "client")
_LATENCIES = {"mean": "latency_us", "p50": "latency_p50_us", "p99": "latency_p99_us"}


def workload_measures(
    result: Result | None, dilation: float
) -> tuple[dict[str, float], list[RunWarning]]:
    """Goodput, and latency and request rate where requests were made, in the time stood for.

    Nothing where there is no result of a known form; a result that is damaged, or an error that
    the workload reports, becomes a warning.
    """
    if result is None or result.media_type.partition(";")[0].strip() != "application/json":
        return {}, []
    try:
        document = result.json()
    except RunLogError as error:
        return {}, [RunWarning(error.code, error.message, {"offset": error.offset})]
    if not isinstance(document, Mapping):
        return {}, []
    if document.get("error"):
        message = f"The workload reported an error: {str(document['error'])[:300]}"
        return {}, [RunWarning("workload_error", message, {"offset": result.offset})]
    if document.get("tool") == _OWN_TOOL:
        return _of_own_tool(document, dilation), _timeouts(document, result)
    end = document.get("end")
    goodput = _received_mbps(end) if isinstance(end, Mapping) else None
    return ({} if goodput is None else {"goodput_mbps": goodput * dilation}), []


def _of_own_tool(document: Mapping[str, object], dilation: float) -> dict[str, float]:
    found: dict[str, float] = {}
    seconds, octets = _number(document, "seconds"), _number(document, "bytes")
    if seconds and octets is not None and str(document.get("role")).endswith(_RECEIVING):
        found["goodput_mbps"] = 8e-6 * octets / seconds * dilation
    latencies = document.get("latency_us")
    if not isinstance(latencies, Mapping):
        return found
    for member, name in _LATENCIES.items():
        value = _number(latencies, member)
        if value is not None:
            found[name] = value / dilation
    operations = _number(document, "operations")
    if seconds and operations is not None:
        found["request_rate_hz"] = operations / seconds * dilation
    return found


def _timeouts(document: Mapping[str, object], result: Result) -> list[RunWarning]:
    lost = _number(document, "timeouts")
    if not lost:
        return []
    message = f"{lost:,.0f} requests of the workload were not answered in time."
    return [RunWarning("workload_timeouts", message, {"offset": result.offset})]


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
        return float(value) if 0 <= value <= _LARGEST else None
    return None
