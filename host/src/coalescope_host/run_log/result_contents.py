# SPDX-License-Identifier: Apache-2.0
"""What was said at the ends of a run: statistics of the interface, latencies, results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .errors import RunLogError
from .header import Json
from .layout import DEFAULT_LIMITS
from .log import Result

MOST_STATISTICS = 1000
MOST_BUCKETS = 2000

_START, _END = "ethtool_statistics_start", "ethtool_statistics_end"


# --- what was said at start and end


def statistics_of(results: Sequence[Result]) -> dict[str, object] | None:
    """`ethtool -S` and netdev's qstats at start and end: what changed, and how many did not."""
    start, end = (_numbers(_named(results, name)) for name in (_START, _END))
    if start is None and end is None:
        return None
    if start is None or end is None:
        return {
            "missing": _START if start is None else _END,
            "changed": [],
            "left_out": 0,
            "unchanged": 0,
        }
    names = [*start, *(name for name in end if name not in start)]
    changed = [name for name in names if start.get(name) != end.get(name)]
    return {
        "missing": None,
        "changed": [
            {
                "name": name[:200],
                "start": start.get(name),
                "end": end.get(name),
                "difference": end[name] - start[name] if name in start and name in end else None,
            }
            for name in changed[:MOST_STATISTICS]
        ],
        "left_out": max(0, len(changed) - MOST_STATISTICS),
        "unchanged": len(names) - len(changed),
    }


def _named(results: Sequence[Result], name: str) -> Result | None:
    return next((result for result in results if result.name == name), None)


def _numbers(result: Result | None) -> dict[str, int] | None:
    document = _document(result, DEFAULT_LIMITS.json_values)
    if document is None:
        return None
    return {n: v for n, v in document.items() if isinstance(v, int) and not isinstance(v, bool)}


def _document(result: Result | None, values: int = DEFAULT_LIMITS.result_values) -> Json | None:
    """The result's JSON object; None where there is none that can be read."""
    if result is None or result.media_type.partition(";")[0].strip() != "application/json":
        return None
    try:
        document = result.json(values)
    except RunLogError:
        return None
    return document if isinstance(document, dict) else None


def latency_of(result: Result | None, dilation: float) -> dict[str, object] | None:
    """The workload's own latencies and their histogram, in µs of the time stood for."""
    document = _document(result)
    latencies = document.get("latency_us") if document else None
    if document is None or not isinstance(latencies, dict):
        return None
    scale = 1e-3 / dilation
    return {
        "latency_us": {
            str(name): float(value) / dilation
            for name, value in latencies.items()
            if isinstance(value, (int, float))
        },
        "histogram": _histogram(document.get("histogram"), scale),
    }


def _histogram(found: object, scale: float) -> dict[str, object] | None:
    if not isinstance(found, dict):
        return None
    lower, upper = (_members(found.get(name), (int, float)) for name in ("lower_ns", "upper_ns"))
    counts = _members(found.get("counts"), int)
    if not counts or not len(lower) == len(upper) == len(counts):
        return None
    together = -(-len(counts) // MOST_BUCKETS)
    starts = range(0, len(counts), together)
    return {
        "lower_us": [scale * lower[k] for k in starts],
        "upper_us": [scale * upper[min(k + together, len(upper)) - 1] for k in starts],
        "counts": [sum(counts[k : k + together]) for k in starts],
    }


def _members(column: object, kind: type | tuple[type, ...]) -> list[Any]:
    """Those of a list that are numbers of that kind."""
    if not isinstance(column, list):
        return []
    return [each for each in column if isinstance(each, kind) and not isinstance(each, bool)]


def about(result: Result) -> dict[str, object]:
    """What is known of a result without its bytes."""
    status = result.metadata.get("exit_status")
    return {
        "name": result.name,
        "media_type": result.media_type,
        "bytes": len(result.body),
        "exit_status": status if isinstance(status, int) else None,
    }
