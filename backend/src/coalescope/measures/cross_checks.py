# SPDX-License-Identifier: Apache-2.0
"""Does what was counted in two ways agree, and did anything happen that makes a run doubtful?"""

from collections.abc import Iterator, Mapping

from coalescope_host.run_log import Stream, cycles_of_owners, received_elsewhere

from coalescope.measures.counters import Window, count_with_bit
from coalescope.runs.records import RunWarning

# flags of the kernel module's snapshots
_NOT_ATOMIC_BIT = 0  # COALESCOPE_NOT_ATOMIC
_UNSTABLE_CLOCK_BIT = 3  # COALESCOPE_UNSTABLE_CLOCK
_TOO_DEEP_BIT = 5  # COALESCOPE_TOO_DEEP
_FEW_FRAMES = 16
_UNKNOWN_SHARE = 0.01
_CYCLES_SHARE = 0.02


def cross_checks(
    stream: Stream,
    window: Window,
    counts: Mapping[str, int],
    values: Mapping[str, float],
    cpus: object = None,
) -> Iterator[RunWarning]:
    """What to look at before trusting the run; `cpus` is what its header says."""
    torn = count_with_bit(stream, window, "flags", _NOT_ATOMIC_BIT)
    if torn:
        yield RunWarning(
            "snapshots_not_atomic",
            f"{torn:,} snapshots of the window could not be taken of one instant: their counters "
            "may be some frames apart.",
            {"field": "flags", "snapshots": torn},
        )
    deep = count_with_bit(stream, window, "flags", _TOO_DEEP_BIT)
    if deep:
        yield RunWarning(
            "interrupts_too_deep",
            "Interrupts nested deeper than the kernel module follows: some CPU time has a wrong "
            "owner.",
            {"field": "flags", "snapshots": deep},
        )
    if received_elsewhere(counts):
        yield RunWarning(
            "received_in_backlog",
            "The interface has no poll of its own: the backlog of the CPU received for it and for "
            "other devices. Its CPU time is not known.",
            {"field": "interface_cpu_s"},
        )
    yield from _frames_agree(counts, values)
    if values.get("drops", 0.0) > 0:
        yield RunWarning(
            "drops",
            f"{values['drops']:,.0f} received packets were lost at the interface in the window.",
            {"field": "drops"},
        )
    yield from _missed(counts, window)
    yield from _time_of_owners(counts, cpus)


def unstable_clock(stream: Stream, window: Window) -> Iterator[RunWarning]:
    """Whether cycles of the window were counted by a clock that turned out not to be one."""
    unstable = count_with_bit(stream, window, "flags", _UNSTABLE_CLOCK_BIT)
    if unstable:
        yield RunWarning(
            "clock_not_stable",
            "The kernel found the time stamp counter not to be stable: what is made of cycles, as "
            "CPU times by owner, is left out.",
            {"field": "flags", "snapshots": unstable},
        )


def _missed(counts: Mapping[str, int], window: Window) -> Iterator[RunWarning]:
    """What eBPF says that it did not see."""
    missed = counts.get("missed_events", 0)
    if missed > 0:
        yield RunWarning(
            "events_missed",
            f"{missed:,} events were not seen by the eBPF programs: counts may lack as many.",
            {"field": "missed_events"},
        )
    unknown_s = 1e-9 * counts.get("unknown_ns", 0)
    if unknown_s > _UNKNOWN_SHARE * window.elapsed_s:
        yield RunWarning(
            "time_of_unknown_owner",
            f"{unknown_s:,.3g} s of CPU time have no known owner, as the kernel hid task switches: "
            "CPU times of workload and others may lack as much.",
            {"field": "unknown_ns"},
        )


def _time_of_owners(counts: Mapping[str, int], cpus: object) -> Iterator[RunWarning]:
    """Every cycle of every CPU has one owner: together they are the clock's, times the CPUs."""
    known = cycles_of_owners(counts)
    clock = counts.get("t_tsc", 0)
    if known is None or clock <= 0:
        return
    seen = known / clock
    is_said = isinstance(cpus, int) and not isinstance(cpus, bool) and cpus > 0
    expected = float(cpus) if is_said and isinstance(cpus, int) else max(round(seen), 1)
    if abs(seen - expected) > _CYCLES_SHARE * expected:
        yield RunWarning(
            "cycles_disagree",
            f"By owner, {known:,} cycles were counted, {seen:,.3g} times those of the time stamp "
            f"counter: {expected:,.0f} CPU{'s' * (expected != 1)} have {expected:,.0f} times as "
            "many. CPU times are wrong.",
            {"field": "t_tsc"},
        )


def _frames_agree(counts: Mapping[str, int], values: Mapping[str, float]) -> Iterator[RunWarning]:
    """Compare the frames counted at delivery with what the driver and its polls say.

    A driver that counts at arrival is ahead by what waits for the next interrupt, at both ends of
    the window. Polls may say more than they found (drivers ask to be called again by returning
    whole budget), but not less; an interface without polls of its own, as veth, has nothing to say.
    """
    slack = _FEW_FRAMES + 2.0 * values.get("packets_per_interrupt", 0.0)
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


def _disagree(field: str, who: str, other: int, frames: int) -> RunWarning:
    way = "sent" if field.startswith("driver_tx") else "received"
    return RunWarning(
        "frames_disagree",
        f"{frames:,} {way} frames were counted, but {who} {other:,}.",
        {"field": field},
    )
