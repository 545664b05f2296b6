# SPDX-License-Identifier: Apache-2.0
"""What cannot be, or should not have been, in a run: more than the link or the CPUs can do, clocks
that jump, pause frames, a delay that is not the one that was asked for. Pure.

Each is a warning on the run: nothing is refused, and nothing is left out.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from coalescope_host.run_log import RunLog, RunLogError, Stream
from coalescope_models.vocabulary.following import TICK_US

from coalescope.measures.consistency import GAP_BYTES, NOMINAL_SPEED, SHARE
from coalescope.measures.counters import Window, largest_step
from coalescope.runs.records import RunWarning

_JUMP_NS = 50_000_000
_PAUSE = re.compile(r"flow_control_xo(n|ff)|pause")
_NO_COUNT_OF_PAUSES = re.compile(r"duration|storm|transition")
#: Of a statistic's name; characters. ethtool's have 31 at most, netdev's queues some more.
_LONGEST_NAME = 200
_STATISTICS = ("ethtool_statistics_start", "ethtool_statistics_end")
_DELAY_SHARE = 0.1
_FIRST_YEAR = 2000
_LATER = timedelta(days=1)


def audit_log(log: RunLog, window: Window, values: Mapping[str, float]) -> Iterator[RunWarning]:
    """What the log's environment, clocks and statistics say against its values."""
    environment = log.header["environment"]
    if isinstance(environment, Mapping):
        yield from _faster_than_link(environment, values, log.time_dilation)
    yield from _clock_jumps(log.streams[0], window)
    yield from _pause_frames(log)


def audit_delay(
    requested_us: float, effective_us: float, values: Mapping[str, float]
) -> Iterator[RunWarning]:
    """Whether the device delayed by what was set, as far as its interrupts can show it.

    The effective delay is known to half a gap between frames.
    """
    frames, elapsed_s = values.get("rx_packets", 0.0), values.get("elapsed_s", 0.0)
    half_gap_us = 0.5e6 * elapsed_s / frames if frames else 0.0
    allowed_us = _DELAY_SHARE * max(requested_us, effective_us) + half_gap_us + TICK_US
    if abs(effective_us - requested_us) > allowed_us:
        yield RunWarning(
            "delay_not_effective",
            f"A delay of {requested_us:g} µs was set, but the interrupts came as with "
            f"{effective_us:.3g} µs: the device pins or ignores it.",
            {"field": "delay_us", "set_us": requested_us, "effective_us": effective_us},
        )


def date_doubts(recorded_at: str | None, now: datetime | None = None) -> Iterator[RunWarning]:
    """Whether it was recorded before such logs were, or after today: a clock was wrong."""
    if recorded_at is None:
        return
    at = datetime.fromisoformat(recorded_at)
    if at.year < _FIRST_YEAR or at > (now or datetime.now(UTC)) + _LATER:
        yield RunWarning(
            "date_impossible",
            f"By its clock it was recorded on {at:%Y-%m-%d}: the clock was wrong. Measures do not "
            "use it; lists by time do.",
            {"field": "t_realtime_ns"},
        )


def _faster_than_link(
    environment: Mapping[str, object], values: Mapping[str, float], dilation: float
) -> Iterator[RunWarning]:
    speed = environment.get("speed_mbps")
    if not isinstance(speed, int | float) or isinstance(speed, bool) or speed <= 0:
        return
    if environment.get("driver") in NOMINAL_SPEED:
        return
    elapsed_s = values.get("elapsed_s", 0.0)
    if elapsed_s <= 0.0:
        return
    for direction, name in (("rx", "throughput_mbps"), ("tx", "tx_throughput_mbps")):
        packets = values.get(f"{direction}_packets", 0.0)
        gaps_mbps = 8e-6 * GAP_BYTES * packets / elapsed_s
        line_mbps = (values.get(name, 0.0) + gaps_mbps) / dilation
        if line_mbps > (1.0 + SHARE) * speed:
            yield RunWarning(
                "faster_than_link",
                f"{name} comes to {line_mbps:,.0f} Mb/s on the wire, on a link of {speed:,.0f}.",
                {"field": name, "speed_mbps": float(speed)},
            )


def _clock_jumps(stream: Stream, window: Window) -> Iterator[RunWarning]:
    step_ns = largest_step(stream, window, "t_realtime_ns")
    if abs(step_ns) > _JUMP_NS:
        yield RunWarning(
            "clock_jump",
            f"The wall clock was set {abs(step_ns) / 1e9:,.3f} s "
            f"{'forward' if step_ns > 0 else 'back'} in the window. Measures do not use it.",
            {"field": "t_realtime_ns", "step_s": step_ns / 1e9},
        )


def _pause_frames(log: RunLog) -> Iterator[RunWarning]:
    start, end = (_statistics(log, name) for name in _STATISTICS)
    grown = {
        name: end[name] - start[name]
        for name in end
        if _counts_pauses(name) and end[name] > start.get(name, end[name])
    }
    if grown:
        shown = ", ".join(f"{name} {count:,.0f}" for name, count in sorted(grown.items())[:4])
        yield RunWarning(
            "pause_frames",
            f"Hosts on the link paused each other in this run ({shown}): throughput and "
            "interrupts are those of a stopped sender, and drops were avoided that way.",
            {"field": ", ".join(sorted(grown)[:4])},
        )


def _counts_pauses(name: str) -> bool:
    """Whether a statistic counts frames of flow control; what it says behind them is of it, too."""
    found = _PAUSE.search(name)
    return found is not None and _NO_COUNT_OF_PAUSES.search(name, found.end()) is None


def _statistics(log: RunLog, name: str) -> dict[str, float]:
    result = next((result for result in log.results if result.name == name), None)
    if result is None:
        return {}
    try:
        document = result.json()
    except RunLogError:
        return {}
    if not isinstance(document, Mapping):
        return {}
    return {
        str(key): float(value)
        for key, value in document.items()
        if len(key) <= _LONGEST_NAME
        and isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) < 2**64
    }
