# SPDX-License-Identifier: Apache-2.0
"""Does what was counted in two ways agree, and did anything happen that makes a run doubtful?"""

from collections.abc import Iterator, Mapping

from coalescope_host.run_log import Stream

from coalescope.measures.counters import Window, count_with_bit
from coalescope.runs.records import RunWarning

_NOT_ATOMIC_BIT = 0  # COALESCOPE_NOT_ATOMIC of the kernel module's snapshots
_FEW_FRAMES = 16


def cross_checks(
    stream: Stream, window: Window, counts: Mapping[str, int], values: Mapping[str, float]
) -> Iterator[RunWarning]:
    """What to look at before trusting the run."""
    torn = count_with_bit(stream, window, "flags", _NOT_ATOMIC_BIT)
    if torn:
        yield RunWarning(
            "snapshots_not_atomic",
            f"{torn:,} snapshots of the window could not be taken of one instant: their counters "
            "may be some frames apart.",
            {"field": "flags", "snapshots": torn},
        )
    yield from _frames_agree(counts, values)
    if values.get("drops", 0.0) > 0:
        yield RunWarning(
            "drops",
            f"{values['drops']:,.0f} received packets were lost at the interface in the window.",
            {"field": "drops"},
        )


def _frames_agree(counts: Mapping[str, int], values: Mapping[str, float]) -> Iterator[RunWarning]:
    """Compare the frames counted at delivery with what the driver and its polls say.

    A driver that counts at arrival is ahead by what waits for the next interrupt, at both ends of
    the window. Polls may say more than they found (drivers ask to be called again by returning
    whole budget), but not less; an interface without polls of its own, as veth, has nothing to say.
    """
    frames = counts.get("rx_packets")
    if frames is None:
        return
    slack = _FEW_FRAMES + 2.0 * values.get("packets_per_interrupt", 0.0)
    by_driver, by_polls = counts.get("driver_rx_packets"), counts.get("poll_work")
    if by_driver is not None and abs(by_driver - frames) > slack:
        yield _disagree("driver_rx_packets", "the driver counted", by_driver, frames)
    if by_polls is not None and counts.get("polls", 0) > 0 and by_polls < frames - slack:
        yield _disagree("poll_work", "its polls said", by_polls, frames)


def _disagree(field: str, who: str, other: int, frames: int) -> RunWarning:
    return RunWarning(
        "frames_disagree",
        f"{frames:,} received frames were counted, but {who} {other:,}.",
        {"field": field},
    )
