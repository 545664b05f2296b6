# SPDX-License-Identifier: Apache-2.0
"""The comparison with the paper, on cells whose numbers are known."""

import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from testbed.beside_the_paper import bound_mbps, compare, table, theory_packets_per_interrupt
from testbed.measured import Run, cells_of

DELAYS = (10, 20, 40, 80, 160, 320, 640, 960, 1280)
LONG = (1600, 2000, 3000, 5000)
MTUS = (1500, 3000, 4500, 6000)
ALPHA, BETA, GAMMA = 0.13, 0.37, 1.43
HANDLER_US = 11


def run(workload, mtu, delay, mbps, packets_per_interrupt, replicate):
    """One second at a throughput, with a CPU time that follows the paper's model exactly."""
    megabytes = mbps / 8
    packets = megabytes * 1e6 / (mtu + 18)
    interrupts = packets / packets_per_interrupt
    jiffies = ALPHA * megabytes + BETA * packets / 1e3 + GAMMA * interrupts / 1e3
    return Run(
        workload,
        mtu,
        delay,
        replicate,
        1.0,
        megabytes * 1e6,
        packets,
        interrupts,
        jiffies / 100,
        HANDLER_US * interrupts / 1e6,
        0.5,
    )


def tcp_mbps(mtu, delay):
    return bound_mbps(mtu) * min(1, 1800 / delay) * (0.9 if delay == 10 else 1)


def request_mbps(mtu, delay):
    return {10: 195, 20: 200, 40: 190}.get(delay, 9000 / delay + 70) * (1 - mtu / 1e5)


def request_packets(mtu, delay):
    return 1 + delay / (100 + mtu / 30)


def design():
    for replicate in (1, 2):
        for mtu in MTUS:
            for delay in DELAYS:
                theory = theory_packets_per_interrupt(mtu, delay, HANDLER_US)
                yield run("udp", mtu, delay, bound_mbps(mtu), theory, replicate)
                if mtu < 6000:
                    mbps, packets = request_mbps(mtu, delay), request_packets(mtu, delay)
                    yield run("request_response", mtu, delay, mbps, packets, replicate)
            for delay in DELAYS + LONG:
                packets = min(theory_packets_per_interrupt(mtu, delay), 270000 / mtu)
                yield run("tcp", mtu, delay, tcp_mbps(mtu, delay), packets, replicate)


REPOSITORY = Path(__file__).parents[3]


def test_registers_hold_what_the_plan_multiplies_and_the_page_says():
    """Ticks of 1.024 µs in the time stood for; the guest's register, and the guest's time."""
    plan = tomllib.loads((REPOSITORY / "driver/testbed/plan.toml").read_text())
    dilation = plan["logger"]["time_dilation"]
    assert plan["driver"]["parameters"]["delay_ticks"]["multiply"] == dilation == 12.5
    page = (REPOSITORY / "docs/virtual-testbed.md").read_text().replace(",", "")
    rows = re.findall(r"^\| (\d+) \| ([\d.]+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
    assert [int(ticks) for ticks, *_ in rows] == plan["factors"]["delay_ticks"]
    for ticks, stood_for_us, register, guest_us in rows:
        assert float(stood_for_us) == round(1.024 * int(ticks), 2)
        assert int(register) == dilation * int(ticks) <= 65_535
        assert int(guest_us) == 1.024 * int(register)
    # a frame from frame to frame on the slowed wire: 12.304 µs of the time stood for
    assert dilation * 8 * 1538 / 1000 == pytest.approx(154, abs=0.5)


@pytest.fixture(scope="module")
def lines():
    return {line.what: line for line in compare(cells_of(design()))}


def test_the_theory_is_that_of_a_timer_that_starts_with_the_first_frame():
    assert [theory_packets_per_interrupt(mtu, 960) for mtu in MTUS] == [80, 41, 28, 21]
    assert theory_packets_per_interrupt(6000, 10) == 1


def test_a_frame_that_is_due_while_the_handler_runs_waits_for_its_end():
    # A frame each 48.304 µs, 40.96 of delay. Handlers of 30: due at 48.3, so it starts at 70.96;
    # it expires at 111.92, none is due until 141.92, and that of 144.9, the third, starts it anew.
    # Of 11: starts at 51.96, 103.92, 155.88, and at 241.5 with the fifth frame.
    packets = [theory_packets_per_interrupt(6000, 40, handler) for handler in (0, 7, 11, 30)]
    assert packets == pytest.approx([1, 1, 5 / 4, 3 / 2], abs=1e-3)


def test_cells_that_follow_the_paper_are_within_every_bar(lines):
    assert [line.what for line in lines.values() if line.within is False] == []
    assert sum(line.within is True for line in lines.values()) >= 18


def test_the_fit_finds_the_coefficients_again(lines):
    fitted = [line.here for what, line in lines.items() if "α, β, γ" in what]
    assert len(fitted) == 3
    for text in fitted:
        values = [float(value) for value in re.findall(r"\d+\.\d{3}", text)]
        assert values == pytest.approx([ALPHA, BETA, GAMMA], abs=0.002)


def test_what_is_outside_a_bar_is_said():
    runs = [
        run("udp", 1500, 960, 900, 60, r.replicate)
        if (r.workload, r.mtu_bytes, r.delay_ticks) == ("udp", 1500, 960)
        else r
        for r in design()
    ]
    outside = [line.what for line in compare(cells_of(runs)) if line.within is False]
    assert outside == [
        "UDP packets per interrupt, MTU 1500, delay 960",
        "UDP packets per interrupt against the timer's theory",
        "UDP throughput at the link's bound, MTU 1500, Mb/s",
    ]


def test_the_data_set_is_within_every_bar_and_stands_so_in_the_document():
    shown = table()
    assert "**no**" not in shown
    assert shown in (Path(__file__).parents[3] / "docs/virtual-testbed.md").read_text()


def test_what_was_put_in_or_tuned_is_said(lines):
    assert lines["UDP throughput at the link's bound, MTU 1500, Mb/s"].rests_on.startswith("input")
    tuned = [what for what, line in lines.items() if line.rests_on.startswith("tuned")]
    assert "TCP throughput, MTU 1500, with the delay" in tuned
    assert "request/response maximum, MTU 4500" in tuned
    assert lines["UDP packets per interrupt, MTU 1500, delay 960"].rests_on == ""


def test_cells_that_a_fit_leaves_out_are_named():
    runs = [
        replace(r, idle_share=0.0)
        if (r.workload, r.mtu_bytes, r.delay_ticks) == ("tcp", 3000, 10)
        else r
        for r in design()
    ]
    fits = {line.what: line.here for line in compare(cells_of(runs)) if "α, β, γ" in line.what}
    told = "; without the cells whose CPU has nothing idle: MTU 3000 at 10"
    assert [what.split(":")[0] for what, here in fits.items() if here.endswith(told)] == ["tcp"]
