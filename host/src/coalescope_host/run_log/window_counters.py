# SPDX-License-Identifier: Apache-2.0
"""How far the counters of a run log advanced in its window: enough to judge a run on the spot.

The store computes measures with resets and wraps within a window in mind; this looks at its ends
only.
"""

from collections.abc import Mapping

from .log import RunLog


def window_counters(log: RunLog) -> Mapping[str, float]:
    """Each counter's advance from the first to the last record of the window, and `elapsed_s`.

    One that ended below its beginning, and does not wrap, was reset: it is absent, as is one that
    was not read for the last record. Empty if the window has fewer than two records.
    """
    stream = log.streams[0]
    times = [int(moment) for moment in stream.column("t_monotonic_ns")]
    start, end = log.window
    inside = [
        index
        for index, moment in enumerate(times)
        if (start is None or moment >= start) and (end is None or moment <= end)
    ]
    if len(inside) < 2:
        return {}
    first, last = inside[0], inside[-1]
    advanced: dict[str, float] = {"elapsed_s": (times[last] - times[first]) / 1e9}
    behind = log.behind
    for field in stream.fields:
        if field.kind != "counter" or field.name in behind:
            continue
        column = stream.column(field.name)
        difference = column[last] - column[first]
        if difference >= 0:
            advanced[field.name] = difference
        elif field.wrap_bits and (around := difference % (1 << field.wrap_bits)) < (
            1 << (field.wrap_bits - 1)
        ):
            advanced[field.name] = around
    return advanced
