# SPDX-License-Identifier: Apache-2.0
"""The data set beside Geist et al. 2005, number by number: `python -m testbed.beside_the_paper`.

Each line says what the paper says, what came out here, and whether that is within the bar.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from coalescope_models.inference.fitting.linear import fit_linear
from guest.errors import GuestError

from testbed.dataset import ARCHIVE, DATASET
from testbed.measured import Cells, cells_of, runs_of

_MTUS = (1500, 3000, 4500, 6000)
_TICK_NS = 1024
_TIMERS = 2_000  # enough for the mean of a pattern that repeats
_SATURATED_IDLE_SHARE = 0.02
_PAPER_UDP_AT_960 = {1500: 80, 3000: 41, 4500: 27, 6000: 22}
_PAPER_TCP_STOPS = {1500: (960, 970.4), 3000: (800, 991.4), 4500: (480, 993.5), 6000: (480, 994.5)}
_PAPER_FITS = {
    "tcp": "0.13, 0.37, 1.43",
    "request_response": "0.81, 0.27, 1.11",
    "udp": "not given",
}
_WORKLOADS = ("udp", "tcp", "request_response")
_INPUT_RATE = "input: the far end sends at this rate, and nothing can be lost"
_TUNED_COST = "tuned: the declared cost of an interrupt"
_TUNED_WINDOW = "tuned: the window of 32 KB"
_TUNED_SERVICE = "tuned: the service time"


@dataclass(frozen=True)
class Line:
    """One number.

    Attributes:
        within: whether it is within the bar; None: there is no bar.
        rests_on: what was put in or tuned that decides it; "" where nothing was.
    """

    what: str
    paper: str
    here: str
    within: bool | None = None
    rests_on: str = ""


def table(dataset: Path = DATASET) -> str:
    """Return the comparison as a table in Markdown. Errors: GuestError without the archive."""
    lines = list(compare(cells_of(runs_of(dataset / ARCHIVE))))
    marks = {True: "yes", False: "**no**", None: ""}
    rows = [
        f"| {x.what} | {x.paper} | {x.here} | {marks[x.within]} | {x.rests_on} |" for x in lines
    ]
    head = ["| what | paper | here | within the bar | rests on |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows])


def compare(cells: Cells) -> Iterator[Line]:
    """Return all lines."""
    yield from udp_packets_per_interrupt(cells)
    yield from timer_theory(cells)
    yield from link_bound(cells)
    yield from udp_late_saving(cells)
    yield from tcp_growth(cells)
    yield from tcp_window(cells)
    yield from request_response(cells)
    yield from cpu_overhead(cells)


def bound_mbps(mtu_bytes: int) -> float:
    """Return the most that 1 Gb/s carries, as frames with FCS: 10⁹ (MTU + 18)/(MTU + 38)."""
    return 1000 * (mtu_bytes + 18) / (mtu_bytes + 38)


def theory_packets_per_interrupt(mtu_bytes: int, delay_ticks: int, handler_us: float = 0) -> float:
    """Return the packets per interrupt that the timer makes of frames back to back.

    The timer starts with a frame and expires `delay` later; the next frame after that starts it
    anew: 1 + ⌊delay/gap⌋. While the handler runs nothing reaches the card, for the far end is
    driven by the same CPU: a frame that is due then starts the timer when the handler is done.
    """
    gap_ns = (mtu_bytes + 38) * 8
    start_ns = 0
    for _ in range(_TIMERS):
        expired_ns = start_ns + round(delay_ticks * _TICK_NS)
        next_frame_ns = (expired_ns // gap_ns + 1) * gap_ns
        start_ns = max(expired_ns + round(handler_us * 1e3), next_frame_ns)
    return start_ns / gap_ns / _TIMERS


def udp_packets_per_interrupt(cells: Cells) -> Iterator[Line]:
    """UDP at delay 960, and at delay 10."""
    for mtu, paper in _PAPER_UDP_AT_960.items():
        here = cells["udp", mtu, 960].mean("packets_per_interrupt")
        what = f"UDP packets per interrupt, MTU {mtu}, delay 960"
        yield Line(what, str(paper), f"{here:.1f}", abs(here - paper) <= 1.5)
    here_at_10 = [cells["udp", mtu, 10].mean("packets_per_interrupt") for mtu in _MTUS]
    listed = " / ".join(f"{value:.2f}" for value in here_at_10)
    yield Line("UDP packets per interrupt, delay 10, each MTU", "2.000", listed)


def timer_theory(cells: Cells) -> Iterator[Line]:
    """UDP packets per interrupt against the timer's theory where the CPU is not saturated.

    The handler's time is what the snapshot module measured in the same runs.
    """
    whole, plain = {}, {}
    for (workload, mtu, delay), cell in cells.items():
        if workload == "udp" and cell.mean("idle_share") > _SATURATED_IDLE_SHARE:
            here = cell.mean("packets_per_interrupt")
            theory = theory_packets_per_interrupt(mtu, delay, cell.mean("handler_us"))
            whole[mtu, delay] = here / theory - 1
            plain[mtu, delay] = here / theory_packets_per_interrupt(mtu, delay) - 1
    text, within = _theory_line(whole)
    yield Line("UDP packets per interrupt against the timer's theory", "", text, within)
    text, _ = _theory_line(plain)
    yield Line("… as if handlers took no time, 1 + ⌊delay/gap⌋", "", text)


def _theory_line(off: dict[tuple[int, int], float]) -> tuple[str, bool]:
    inside = sum(abs(value) <= 0.05 for value in off.values())
    (mtu, delay), worst = max(off.items(), key=lambda item: abs(item[1]))
    text = f"{inside} of {len(off)} cells within 5 %"
    return f"{text}; worst {worst:+.1%} at MTU {mtu}, delay {delay}", inside == len(off)


def link_bound(cells: Cells) -> Iterator[Line]:
    """UDP throughput where it is at the bound of the link."""
    for mtu in _MTUS:
        values = [
            cell.mean("throughput_mbps") / bound_mbps(mtu) - 1
            for (workload, cell_mtu, _), cell in cells.items()
            if workload == "udp" and cell_mtu == mtu
        ]
        worst = max(values, key=abs)
        text = f"{bound_mbps(mtu) * (1 + worst):.1f} at worst ({worst:+.2%})"
        what = f"UDP throughput at the link's bound, MTU {mtu}, Mb/s"
        yield Line(what, f"{bound_mbps(mtu):.1f}", text, abs(worst) <= 0.005, _INPUT_RATE)


def udp_late_saving(cells: Cells) -> Iterator[Line]:
    """CPU time that longer delays still save: seconds of a run, as they are, and not per byte."""
    late, early = (cells["udp", 6000, delay].mean("traffic_cpu_s") for delay in (1280, 640))
    what = "UDP, MTU 6000, CPU seconds of a run (not per byte) from delay 640 to 1280"
    yield Line(what, "−15 %", f"{late / early - 1:+.1%}".replace("-", "−").replace("%", " %"))


def tcp_growth(cells: Cells) -> Iterator[Line]:
    """Where TCP throughput stops growing, and whether it grows at all."""
    for mtu, (paper_delay, paper_mbps) in _PAPER_TCP_STOPS.items():
        values = _by_delay(cells, "tcp", mtu, "throughput_mbps")
        most = max(values.values())
        reached = next(delay for delay, value in values.items() if value >= most * 0.995)
        yield Line(
            f"TCP throughput stops growing at, MTU {mtu}",
            f"{paper_mbps} at {paper_delay}",
            f"{values[reached]:.1f} at {reached} ({values[10]:.1f} at 10)",
        )
    values = _by_delay(cells, "tcp", 1500, "throughput_mbps")
    grows = values[10] < max(values.values()) * 0.995
    text = "grows" if grows else "is at the bound from the shortest delay on"
    rests_on = f"{_TUNED_COST}, raised from 10 to 11 µs so that it grows"
    yield Line("TCP throughput, MTU 1500, with the delay", "grows", text, grows, rests_on)


def tcp_window(cells: Cells) -> Iterator[Line]:
    """TCP once the window binds."""
    values = _by_delay(cells, "tcp", 6000, "throughput_mbps")
    listed = ", ".join(f"{values[d]:.1f} at {d}" for d in values if d >= 1280)
    if values[1280] > bound_mbps(6000):
        listed += f"; the bound is {bound_mbps(6000):.1f}, windows end with whole interrupts"
    falls = all(b <= a * 1.01 for a, b in pairwise(v for d, v in values.items() if d >= 2000))
    falls = falls and values[5000] < values[1280] * 0.9
    what = "TCP throughput, MTU 6000, Mb/s"
    yield Line(what, "falls from delay 2000", listed, falls, _TUNED_WINDOW)
    packets = _by_delay(cells, "tcp", 6000, "packets_per_interrupt")
    listed = ", ".join(f"{packets[delay]:.1f} at {delay}" for delay in (2000, 3000, 5000))
    level = abs(packets[5000] / packets[3000] - 1) < 0.1
    what = "TCP packets per interrupt, MTU 6000"
    yield Line(what, "level beyond delay 3000", listed, level, _TUNED_WINDOW)


def request_response(cells: Cells) -> Iterator[Line]:
    """Request/response, the paper's NFS."""
    for mtu, paper in ((1500, "40"), (3000, "10–20"), (4500, "10–20")):
        values = _by_delay(cells, "request_response", mtu, "throughput_mbps")
        best = max(values, key=lambda delay: values[delay])
        here = f"{values[best]:.0f} Mb/s at {best}"
        what = f"request/response maximum, MTU {mtu}"
        printed = f"about 200 Mb/s at {paper}"
        yield Line(what, printed, here, 10 <= best <= 40, _TUNED_SERVICE)
        share = values[640] / values[best]
        what = f"request/response at delay 640, MTU {mtu}"
        here = f"{100 * share:.0f} %"
        yield Line(what, "< 50 % of the maximum", here, share < 0.5, _TUNED_SERVICE)
    rates = _by_delay(cells, "request_response", 1500, "interrupt_rate_hz")
    here = f"{rates[640]:.0f}"
    yield Line("request/response interrupts per second, delay 640", "slightly more than 800", here)


def cpu_overhead(cells: Cells) -> Iterator[Line]:
    """T = α N_MB + β N_KP + γ N_KI for each workload, where the CPU is not saturated."""
    for workload in _WORKLOADS:
        own = {key[1:]: cell for key, cell in cells.items() if key[0] == workload}
        left_out = [
            at for at, cell in own.items() if cell.mean("idle_share") <= _SATURATED_IDLE_SHARE
        ]
        chosen = [cell for at, cell in own.items() if at not in left_out]
        columns = {
            "rx_megabytes": np.array([cell.mean("rx_bytes") / 1e6 for cell in chosen]),
            "rx_kilopackets": np.array([cell.mean("rx_packets") / 1e3 for cell in chosen]),
            "rx_kilointerrupts": np.array([cell.mean("rx_interrupts") / 1e3 for cell in chosen]),
            "traffic_cpu_jiffies": np.array([cell.mean("traffic_cpu_jiffies") for cell in chosen]),
        }
        yield _fit_line(workload, columns, left_out)


def _fit_line(
    workload: str, columns: dict[str, np.ndarray], left_out: list[tuple[int, int]]
) -> Line:
    fit = fit_linear(
        "cpu-overhead",
        columns,
        "paper-tls",
        response="traffic_cpu_jiffies",
        response_unit="jiffies",
        resamples=0,
    )
    what = f"{workload}: α, β, γ in jiffies, paper's total least squares"
    values = [estimate.value for estimate in fit.estimates.values()]
    if not fit.identifiable or any(value is None for value in values):
        return Line(what, _PAPER_FITS[workload], f"not identifiable: {fit.message}", within=False)
    trust = fit.diagnostics
    text = ", ".join(f"{value:.3f}" for value in values)
    text += f" ({len(columns['rx_megabytes'])} cells, condition {trust.condition_number:.1f}, "
    text += f"largest deviation {trust.max_abs_deviation_percent:.1f} %)"
    if left_out:
        named = ", ".join(f"MTU {mtu} at {delay}" for mtu, delay in sorted(left_out))
        text += f"; without the cells whose CPU has nothing idle: {named}"
    return Line(what, _PAPER_FITS[workload], text, rests_on=f"γ: {_TUNED_COST}")


def _by_delay(cells: Cells, workload: str, mtu: int, measure: str) -> dict[int, float]:
    return {key[2]: cell.mean(measure) for key, cell in cells.items() if key[:2] == (workload, mtu)}


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{table()}\n")
    except GuestError as error:
        sys.exit(f"testbed: {error}")
