# SPDX-License-Identifier: Apache-2.0
"""What makes a run doubtful though its file is whole: as far as the log itself tells.

The store's audits see more, of the measures of the window; this is for the spot.
"""

from collections.abc import Iterator, Mapping

from .errors import Problem, RunLogError
from .log import RunLog

_LOST_SHARE = 1e-5  # of the received packets
_LARGEST = 2**64
_LOST_PERCENT = 0.1  # of the workload's datagrams
_PLACES = (
    ("rx_missed_errors", "packets found no buffer of the card"),
    ("rx_dropped", "packets were dropped at the interface"),
    ("backlog_drops", "packets found the backlog of a CPU full"),
    ("udp_rcvbuf_errors", "datagrams found the buffer of their socket full"),
    ("tcp_rcv_queue_drops", "segments found no room in the queue of their socket"),
)


def doubts(log: RunLog, advanced: Mapping[str, int]) -> Iterator[Problem]:
    """Findings about the run; `advanced`: by how much each counter changed over the log."""
    environment = _members(log.header.get("environment"))
    yield from _traffic(advanced)
    yield from _sources(environment)
    yield from _losses(advanced)
    yield from _workload(log)
    if _members(log.header.get("run")).get("kind") == "measured":
        yield from _emulation(environment)


def _traffic(advanced: Mapping[str, int]) -> Iterator[Problem]:
    if advanced.get("rx_packets") == 0 and not advanced.get("tx_packets"):
        yield _doubt(
            "no_packets",
            "No packet came through the interface.",
            "Look at the interface's name, and whether the traffic ran.",
        )
    missed = advanced.get("missed_events", 0)
    if missed > 0:
        yield _doubt(
            "events_missed",
            f"The eBPF programs did not see {missed:,} events.",
            "Compare with the driver's own counters, driver_rx_packets and driver_tx_packets.",
        )


def _sources(environment: Mapping[str, object]) -> Iterator[Problem]:
    refused = _members(environment.get("counter_sources_refused"))
    if environment.get("counter_source") == "proc" and refused:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in refused.items())
        yield _doubt(
            "coarse_source",
            f"Neither kernel module nor eBPF counted ({reasons}).",
            "CPU time of interface and workload, and receive interrupts, are not known without.",
        )


def _losses(advanced: Mapping[str, int]) -> Iterator[Problem]:
    came = advanced.get("rx_packets", 0)
    for name, what in _PLACES:
        lost = advanced.get(name, 0)
        if lost > _LOST_SHARE * came:
            yield _doubt(
                name, f"{lost:,} {what}, beside {came:,} that came through.", "Rates hold losses."
            )


def _workload(log: RunLog) -> Iterator[Problem]:
    result = log.result
    if result is None:
        return
    status = result.metadata.get("exit_status")
    if result.metadata.get("timed_out") or result.metadata.get("signal") is not None:
        yield _doubt("workload_ended", "The workload was ended before it was done.", "")
    elif isinstance(status, int) and status != 0:
        yield _doubt("workload_failed", f"The workload ended with status {status}.", "")
    percent = _loss_percent(log)
    if percent is not None and percent > _LOST_PERCENT:
        yield _doubt("datagrams_lost", f"The workload lost {percent:.3g} % of its datagrams.", "")


def _loss_percent(log: RunLog) -> float | None:
    """As iperf3 or coalescope-traffic say it."""
    result = log.result
    if result is None or result.media_type != "application/json":
        return None
    try:
        document = _members(result.json())
    except RunLogError:
        return None
    end = _members(document.get("end"))
    for part in (_members(end.get("sum")), _members(end.get("sum_received"))):
        percent = _count(part.get("lost_percent"))
        if percent is not None:
            return percent
    lost, came = _count(document.get("lost")), _count(document.get("operations"))
    return 100.0 * lost / (lost + came) if lost is not None and came and lost + came > 0 else None


def _emulation(environment: Mapping[str, object]) -> Iterator[Problem]:
    if _members(environment.get("virtual_machine")).get("hypervisor") == "qemu-tcg":
        yield _doubt(
            "measured_under_emulation",
            "The log calls itself measured, but QEMU emulated the processor.",
            "Record such runs as emulated.",
        )


def _count(value: object) -> float | None:
    """A number that somebody may have counted."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LARGEST:
        return float(value)
    return None


def _doubt(code: str, message: str, advice: str) -> Problem:
    return Problem(code, message, advice=advice, severity="warning")


def _members(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
