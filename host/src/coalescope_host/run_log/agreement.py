# SPDX-License-Identifier: Apache-2.0
"""Does what was counted in two ways agree, and did anything happen that makes a run doubtful? Pure.

`counts`: how far counters advanced in the window, those of single queues summed by plain name.
"""

from collections.abc import Iterator, Mapping

from .cpu_time import cycles_of_owners, received_elsewhere
from .errors import Problem
from .loss_places import losses
from .plausibility import doubt

_FEW_FRAMES = 16
_UNKNOWN_SHARE = 0.01
_CYCLES_SHARE = 0.02


def cross_checks(
    counts: Mapping[str, float], elapsed_s: float, cpus: object = None
) -> Iterator[Problem]:
    """What to look at before trusting the run; `cpus` is what its header says."""
    if received_elsewhere(counts):
        yield doubt(
            "received_in_backlog",
            "The interface has no poll of its own: the backlog of the CPU received for it and for "
            "other devices. Its CPU time is not known.",
            "interface_cpu_s",
        )
    yield from _frames_agree(counts)
    drops = losses(counts).get("drops", 0.0)
    if drops > 0:
        yield doubt(
            "drops",
            f"{drops:,.0f} received packets were lost at the interface in the window.",
            "drops",
        )
    yield from _missed(counts, elapsed_s)
    yield from _time_of_owners(counts, cpus)


def _missed(counts: Mapping[str, float], elapsed_s: float) -> Iterator[Problem]:
    """What eBPF says that it did not see.

    Switches of tasks that the kernel hides are judged by the time that has no owner for them.
    """
    missed = counts.get("missed_events", 0) - counts.get("missed_switches", 0)
    if missed > 0:
        yield doubt(
            "events_missed",
            f"Events that the eBPF programs did not see: {missed:,.0f}; counts may lack as many.",
            "missed_events",
        )
    unknown_s = 1e-9 * counts.get("unknown_ns", 0)
    if unknown_s > _UNKNOWN_SHARE * elapsed_s:
        yield doubt(
            "time_of_unknown_owner",
            f"{unknown_s:,.3g} s of CPU time have no known owner, as the kernel hid task switches: "
            "CPU times of workload and others may lack as much.",
            "unknown_ns",
        )


def _time_of_owners(counts: Mapping[str, float], cpus: object) -> Iterator[Problem]:
    """Every cycle of every CPU has one owner: together they are the clock's, times the CPUs."""
    known = cycles_of_owners(counts)
    clock = counts.get("t_tsc", 0)
    if known is None or clock <= 0:
        return
    seen = known / clock
    is_said = isinstance(cpus, int) and not isinstance(cpus, bool) and cpus > 0
    expected = float(cpus) if is_said and isinstance(cpus, int) else max(round(seen), 1)
    if abs(seen - expected) > _CYCLES_SHARE * expected:
        yield doubt(
            "cycles_disagree",
            f"By owner, {known:,.0f} cycles were counted, {seen:,.3g} times those of the time "
            f"stamp counter: {expected:,.0f} CPU{'s' * (expected != 1)} have {expected:,.0f} times "
            "as many. CPU times are wrong.",
            "t_tsc",
        )


def _frames_agree(counts: Mapping[str, float]) -> Iterator[Problem]:
    """Compare the frames counted at delivery with what the driver and its polls say.

    A driver that counts at arrival is ahead by what waits for the next interrupt, at both ends of
    the window. Polls may say more than they found (drivers ask to be called again by returning
    whole budget), but not less; an interface without polls of its own, as veth, has nothing to say.
    """
    interrupts = counts.get("rx_interrupts", 0)
    slack = float(_FEW_FRAMES)
    if interrupts > 0:
        slack += 2.0 * counts.get("rx_packets", 0) / interrupts
    slack += counts.get("missed_events", 0)  # each may have been an skb; told on its own
    for direction in ("rx", "tx"):
        seen = [
            counts[name] for name in (f"{direction}_packets", f"{direction}_skbs") if name in counts
        ]
        by_driver = counts.get(f"driver_{direction}_packets")
        # a virtual interface counts segmented packets as one
        if seen and by_driver is not None and all(abs(by_driver - n) > slack for n in seen):
            nearest = min(seen, key=lambda n: abs(by_driver - n))
            yield _disagree(f"driver_{direction}_packets", "the driver counted", by_driver, nearest)
    frames, by_polls = counts.get("rx_packets"), counts.get("poll_work")
    if (
        frames is not None
        and by_polls is not None
        and counts.get("polls", 0) > 0
        and by_polls < frames - slack
    ):
        yield _disagree("poll_work", "its polls said", by_polls, frames)


def _disagree(field: str, who: str, other: float, frames: float) -> Problem:
    way = "sent" if field.startswith("driver_tx") else "received"
    return doubt(
        "frames_disagree",
        f"{frames:,.0f} {way} frames were counted, but {who} {other:,.0f}.",
        field,
    )
