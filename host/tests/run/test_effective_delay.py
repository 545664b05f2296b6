# SPDX-License-Identifier: Apache-2.0
"""Effective delays from the counters of simulated devices, frame by frame."""

import math
import random
from dataclasses import dataclass

import pytest
from coalescope_host.run.effective_delay import (
    DelayEstimate,
    effective_delay_us,
    estimate,
    saturated,
)

SECONDS = 1.0
GAP_US = 12.304  # full frames at 1 Gb/s


def evenly(rng, gap_us):
    """One source that keeps its schedule."""
    at = rng.random() * gap_us
    while at < SECONDS * 1e6:
        yield at
        at += gap_us


def with_jitter(rng, gap_us):
    """The same, each gap up to a tenth longer or shorter."""
    at = rng.random() * gap_us
    while at < SECONDS * 1e6:
        yield at
        at += gap_us * (0.9 + 0.2 * rng.random())


def independently(rng, gap_us):
    """Many independent sources: a Poisson process."""
    at = rng.expovariate(1 / gap_us)
    while at < SECONDS * 1e6:
        yield at
        at += rng.expovariate(1 / gap_us)


@dataclass
class Device:
    """Raises interrupts for frames; the host handles them at once, a frame in service_us.

    An absolute timer starts with the first frame since it last ran out. A throttle lets an
    interrupt through delay_us after the one before.
    """

    delay_us: float
    throttle: bool
    service_us: float = 0.0

    def counters(self, arrivals):
        frames = interrupts = 0
        waiting = 0  # in the ring
        due = math.inf  # of the timer
        allowed = 0.0  # by the throttle
        busy_until = 0.0  # polling: interrupts masked, frames that come are taken at once
        for at in [*arrivals, math.inf]:
            while due <= at and due < math.inf:
                moment = max(due, busy_until)  # a masked interrupt is raised when polling ends
                if moment > at:
                    break
                due = math.inf
                if waiting:
                    interrupts += 1
                    busy_until = moment + waiting * self.service_us
                    waiting = 0
                    allowed = moment + self.delay_us
            if at == math.inf:
                break
            frames += 1
            if at < busy_until:
                busy_until += self.service_us
            else:
                waiting += 1
            if due == math.inf:
                due = max(at, allowed) if self.throttle else at + self.delay_us
        return {"elapsed_s": SECONDS, "rx_packets": frames, "rx_interrupts": interrupts}


STREAMS = [evenly, with_jitter, independently]


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("throttle", [False, True])
@pytest.mark.parametrize("delay_us", [30, 40, 80, 160, 320, 640, 1280])
def test_the_delay_lies_within_the_bounds(stream, throttle, delay_us):
    counters = Device(delay_us, throttle).counters(stream(random.Random(delay_us), GAP_US))
    found = estimate(counters, "udp-fan-in")
    # the count of interrupts is off by one at most, and that of a Poisson process is a sample
    uncertain = 2 * found.high_us**2 / 1e6 + (3 * GAP_US / math.sqrt(counters["rx_interrupts"]))
    assert found.low_us - uncertain <= delay_us <= found.high_us + uncertain
    assert found.high_us - found.low_us == pytest.approx(GAP_US, rel=0.02)
    assert abs(found.delay_us - delay_us) <= GAP_US / 2 + uncertain


@pytest.mark.parametrize("throttle", [False, True])
def test_it_holds_while_the_host_is_busy_but_keeps_up(throttle):
    for service_us in (0.5, 2.0, 6.0):
        device = Device(160, throttle, service_us)
        counters = device.counters(with_jitter(random.Random(1), GAP_US))
        assert effective_delay_us(counters, "pktgen") == pytest.approx(160, abs=GAP_US)


def test_a_host_that_does_not_keep_up_is_found_out():
    """Polling all the time, it takes few interrupts: the interval would pass for a long delay."""
    device = Device(40, throttle=False, service_us=11.0)
    counters = device.counters(independently(random.Random(2), GAP_US))
    assert estimate(counters, "pktgen").low_us > 60
    cycles = {"t_tsc": 1e9, "softirq_cycles": 0.93e9, "irq_cycles": 0.01e9}
    assert effective_delay_us(counters | cycles, "pktgen") is None
    assert effective_delay_us(counters | {"cpu_softirq_ns": 0.95e9}, "pktgen") is None


def test_one_frame_an_interrupt_tells_nothing():
    for delay_us in (0, 5, 10):
        counters = Device(delay_us, throttle=False).counters(evenly(random.Random(3), GAP_US))
        assert counters["rx_packets"] == counters["rx_interrupts"] > 80_000
        assert effective_delay_us(counters, "udp-fan-in") is None


@pytest.mark.parametrize("kind", ["tcp-fan-in", "request-response", "nfs", "command"])
def test_traffic_that_waits_for_the_host_tells_nothing(kind):
    counters = Device(160, throttle=False).counters(evenly(random.Random(4), GAP_US))
    assert effective_delay_us(counters, "udp-fan-in") is not None
    assert effective_delay_us(counters, kind) is None


@pytest.mark.parametrize(
    "counters",
    [
        {},
        {"elapsed_s": 0.0, "rx_packets": 100, "rx_interrupts": 30},
        {"elapsed_s": 1.0, "rx_packets": 100},
        {"elapsed_s": 1.0, "rx_packets": 100, "rx_interrupts": 0},
        {"elapsed_s": 1.0, "rx_packets": 100, "rx_interrupts": 19},
        {"elapsed_s": 1.0, "rx_packets": 100, "rx_interrupts": 99},
    ],
)
def test_too_little_tells_nothing(counters):
    assert effective_delay_us(counters, "udp-fan-in") is None


def of_queues(delay_us, gaps_us):
    """The counters of a device with a queue, and so a timer, for each stream of frames."""
    counters = {"elapsed_s": SECONDS, "rx_packets": 0, "rx_interrupts": 0}
    for number, gap_us in enumerate(gaps_us):
        device = Device(delay_us, throttle=False)
        queue = device.counters(with_jitter(random.Random(number), gap_us))
        counters[f"interrupts.{40 + number}"] = queue["rx_interrupts"]
        for name in ("rx_packets", "rx_interrupts"):
            counters[name] += queue[name]
            counters[f"{name}.q{number}"] = queue[name]
    return counters


@pytest.mark.parametrize("gaps_us", [(GAP_US, GAP_US), (10, 20, 30, 40), (GAP_US, 5000)])
def test_each_queue_has_a_timer_of_its_own(gaps_us):
    found = estimate(of_queues(160, gaps_us), "udp-fan-in")
    assert found.low_us - 1 <= 160 <= found.high_us + 1
    assert found.delay_us == pytest.approx(160, abs=max(g for g in gaps_us if g < 160) / 2 + 1)


def test_several_lines_at_work_without_counters_by_queue_tell_nothing():
    counters = {n: v for n, v in of_queues(160, (20, 20)).items() if ".q" not in n}
    assert effective_delay_us(counters, "udp-fan-in") is None
    other_work = of_queues(160, (20,)) | {"interrupts.50": 3}  # e.g. of the link
    counters = {n: v for n, v in other_work.items() if ".q" not in n}
    assert effective_delay_us(counters, "udp-fan-in") == pytest.approx(160, abs=11)


def test_queues_that_came_after_the_start_have_no_counters_and_tell_nothing():
    counters = of_queues(160, (20, 20))
    del counters["rx_packets.q1"], counters["rx_interrupts.q1"]
    assert effective_delay_us(counters, "udp-fan-in") is None


def test_the_middle_of_the_bounds():
    counters = {"elapsed_s": 2.0, "rx_packets": 20_000, "rx_interrupts": 2000}
    assert estimate(counters, "pktgen") == DelayEstimate(900.0, 1000.0)
    assert effective_delay_us(counters, "pktgen") == 950.0


def test_saturation_shows_in_whatever_times_there_are():
    owners = ["task", "other_task", "irq", "softirq", "other_irq"]
    cycles = {f"{name}_cycles": 1e8 for name in owners}
    assert saturated(cycles | {"idle_cycles": 1e6})
    assert not saturated(cycles | {"idle_cycles": 1e8})
    times = {"elapsed_s": 1.0, "cpu_user_ns": 1.9e9, "cpu_idle_ns": 0.01e9}
    assert saturated(times)
    assert not saturated(times | {"cpu_iowait_ns": 0.2e9})
    assert not saturated({"elapsed_s": 1.0})
