# SPDX-License-Identifier: Apache-2.0
"""Latencies that the workload reports, of the measurement window. Pure.

coalescope-traffic says them of its whole time, and of each slice of it (docs/run-log-format.md).
Percentiles of the whole are those of the window only as far as what lies outside cannot move them:
the slowest requests may all be there.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from coalescope_host.newer_python import zip_strict

if TYPE_CHECKING:
    from typing import TypeGuard

NEARLY_WHOLE = 0.9
"""Share of the workload's time that the window holds, if its mean and median are of the window.

The logger leaves out the samples in which traffic begins and ends, and up to a twentieth before its
end.
"""
_MOVED = (1 - NEARLY_WHOLE) / 0.5
"""A quantile of the whole is one of the window while no more requests are left out than this share
of those that are slower: for the median a tenth of all, for p99 2 of 1000, for the maximum none."""
_QUANTILE = re.compile(r"p(\d)(\d+)")
_LARGEST = 1e15
_LATEST_NS = 2**64


@dataclass(frozen=True)
class _Slice:
    """Requests that were answered in a part of the time: how many in which bucket."""

    counts: Mapping[int, int]
    sum_ns: float
    max_ns: float


@dataclass(frozen=True)
class Latencies:
    """What one workload says of them, in µs.

    Attributes:
        of_all: by name (`mean`, `p50`, …, `p999`, `max`), of all its requests.
        span_ns: from when to when these were, by the log's clock.
        start_ns, interval_ns: when the slices begin, and how long each is.
        slices: one after the other.
        middles_ns: of the buckets, in order.
    """

    of_all: Mapping[str, float]
    span_ns: tuple[int, int] | None = None
    start_ns: int = 0
    interval_ns: int = 1
    slices: tuple[_Slice, ...] = ()
    middles_ns: tuple[float, ...] = field(default=(), repr=False)

    def held(self, start_ns: int, end_ns: int) -> float | None:
        """Which share of its time lies between two times; None where that is not known."""
        if self.span_ns is None:
            return None
        begin, end = self.span_ns
        return max(min(end, end_ns) - max(begin, start_ns), 0) / (end - begin)

    def between(self, start_ns: int, end_ns: int, held: float | None = None) -> dict[str, float]:
        """Those of the requests that were answered between two times, as far as they are known.

        Args:
            start_ns, end_ns: the times, by the log's clock.
            held: which share of the workload lies between, where its own clock does not say.
        """
        own = self.held(start_ns, end_ns)
        held = held if own is None else own
        if held is None:
            return {}
        left_out = 1.0 - held
        if left_out > 0 and (found := self._of_slices(start_ns, end_ns)):
            return {name: found[name] for name in self.of_all if name in found}
        return {n: v for n, v in self.of_all.items() if left_out <= _may_be_left_out(n) + 1e-12}

    def _of_slices(self, start_ns: int, end_ns: int) -> dict[str, float]:
        """Of the slices that lie wholly between; nothing where these are not nearly all of it."""
        if self.span_ns is None:
            return {}
        first = max(-((self.start_ns - start_ns) // self.interval_ns), 0)
        last = max((end_ns - self.start_ns) // self.interval_ns, 0)
        if end_ns >= self.span_ns[1]:  # within the last slice
            last = len(self.slices)
        inside = self.slices[first:last]
        shared_ns = min(end_ns, self.span_ns[1]) - max(start_ns, self.span_ns[0])
        if len(inside) * self.interval_ns < NEARLY_WHOLE * shared_ns:
            return {}
        counts: Counter[int] = Counter()
        for each in inside:
            counts.update(each.counts)
        return self._statistics(inside, counts)

    def _statistics(self, inside: tuple[_Slice, ...], counts: Counter[int]) -> dict[str, float]:
        total = sum(counts.values())
        if not total:
            return {}
        most_ns = max(each.max_ns for each in inside)
        found = {"mean": sum(each.sum_ns for each in inside) / total / 1e3, "max": most_ns / 1e3}
        for name in self.of_all:
            if (share := _share(name)) is not None:
                bucket = _of_rank(counts, max(1, math.ceil(share * total)))
                found[name] = min(self.middles_ns[bucket], most_ns) / 1e3
        return found


def _of_rank(counts: Mapping[int, int], rank: int) -> int:
    seen = 0
    for bucket in sorted(counts):
        seen += counts[bucket]
        if seen >= rank:
            return bucket
    raise AssertionError("no rank is above the number of all")


def _share(name: str) -> float | None:
    """The share of requests that are no slower: of p50 0.5, of p999 0.999."""
    found = _QUANTILE.fullmatch(name)
    return float(f"0.{found[1]}{found[2]}") if found else None


def _may_be_left_out(name: str) -> float:
    """Which share of the requests may lie outside, if what is said of all is to hold for the rest.

    A mean is taken for as robust as a median, which it is not where a few are very slow.
    """
    share = 0.5 if name == "mean" else _share(name)
    return 0.0 if share is None else _MOVED * (1.0 - share)


def latencies_of(document: Mapping[str, object]) -> Latencies | None:
    """What a workload's JSON says of them; None where it says nothing."""
    said = document.get("latency_us")
    if not isinstance(said, Mapping):
        return None
    of_all = {str(name): float(v) for name, v in said.items() if _is_number(v)}
    start, end = (document.get(f"t_{which}_monotonic_ns") for which in ("start", "end"))
    span = (start, end) if _is_time(start) and _is_time(end) and start < end else None
    return Latencies(of_all, span, **_sliced(document))


def _sliced(document: Mapping[str, object]) -> dict[str, Any]:
    """The slices and their buckets; nothing where they are not as the tool writes them."""
    given, histogram = document.get("latency_slices"), document.get("histogram")
    if not isinstance(given, Mapping) or not isinstance(histogram, Mapping):
        return {}
    lower, upper = (_numbers(histogram.get(name)) for name in ("lower_ns", "upper_ns"))
    sums, longest = (_numbers(given.get(name)) for name in ("sum_ns", "max_ns"))
    buckets, counts = (_lists(given.get(name)) for name in ("buckets", "counts"))
    start, interval = given.get("t_start_monotonic_ns"), given.get("interval_ns")
    if not _is_time(start) or not _is_time(interval) or not interval or len(lower) != len(upper):
        return {}
    if not len(sums) == len(longest) == len(buckets) == len(counts):
        return {}
    slices = []
    for each, (places, many) in enumerate(zip_strict(buckets, counts)):
        if len(places) != len(many) or any(place >= len(lower) for place in places):
            return {}
        by_bucket = dict(zip_strict(places, many))
        slices.append(_Slice(by_bucket, sums[each], longest[each]))
    middles = tuple((low + high) / 2 for low, high in zip_strict(lower, upper))
    return {
        "start_ns": start,
        "interval_ns": interval,
        "slices": tuple(slices),
        "middles_ns": middles,
    }


def _is_number(value: object) -> TypeGuard[float]:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return 0 <= value <= _LARGEST


def _is_time(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LATEST_NS


def _numbers(given: object) -> list[float]:
    """A list of numbers; an empty one where it is none."""
    if not isinstance(given, list) or not all(map(_is_number, given)):
        return []
    return given


def _lists(given: object) -> list[list[int]]:
    """Lists of whole numbers; none where one of them is none."""
    if not isinstance(given, list):
        return []
    whole = all(isinstance(each, list) and all(map(_is_time, each)) for each in given)
    return given if whole else []
