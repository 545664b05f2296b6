# SPDX-License-Identifier: Apache-2.0
"""What calibration says of devices whose clamps are known: they are simulated, frame by frame."""

from collections.abc import Callable

import pytest
from coalescope_host.run.calibration import Point, calibration
from coalescope_host.run.effective_delay import estimate

GAP_US = 10.0
WINDOW_US = 1e6
ASKED = [0, 1, 2, 4, 8, 16, 32, 50, 64, 100, 128, 250, 500, 1000]


def interrupts_of(delay_us: float, frames: int | None) -> tuple[int, int]:
    """Frames and interrupts of an absolute timer that the first frame after an interrupt starts."""
    arrived = interrupts = waiting = 0
    due = None
    while (now := arrived * GAP_US) < WINDOW_US:
        if due is not None and now >= due:
            interrupts, waiting, due = interrupts + 1, 0, None
        arrived, waiting = arrived + 1, waiting + 1
        if due is None:
            due = now + delay_us
        if frames is not None and waiting >= frames:
            interrupts, waiting, due = interrupts + 1, 0, None
    return arrived, interrupts


def asked(device: Callable[[float], float], delay_us: float, frames: int | None = None) -> Point:
    arrived, interrupts = interrupts_of(device(delay_us), frames)
    counters = {"elapsed_s": WINDOW_US / 1e6, "rx_packets": arrived, "rx_interrupts": interrupts}
    found = estimate(counters, "udp-fan-in")
    return Point(delay_us, frames, delay_us, found, arrived / interrupts)


def said(device: Callable[[float], float]) -> str:
    return "\n".join(calibration([asked(device, delay) for delay in ASKED]))


def test_a_floor_and_a_ceiling_are_found() -> None:
    text = said(lambda delay: min(max(delay, 125), 250))
    assert "floor: asked for 0 to 128 us it does 125 us" in text
    assert "ceiling: asked for 250 to 1000 us it does 245 us" in text


def test_the_estimate_lies_within_the_bounds_that_are_shown() -> None:
    for delay in (50, 128, 1000):
        found = asked(lambda asked_us: asked_us, delay).effective
        assert found is not None
        assert found.low_us - GAP_US <= delay <= found.high_us + GAP_US


def test_a_device_that_does_each_delay_is_said_to() -> None:
    text = said(lambda delay: delay)
    assert "floor" not in text
    assert "ceiling" not in text
    assert "delays that this traffic can tell is another one" in text
    assert "not told by this traffic: 0, 1, 2, 4, 8 us" in text


def test_a_device_that_ignores_what_it_is_asked_for_has_no_effect() -> None:
    assert "no effect: asked for 0 to 1000 us it does" in said(lambda delay: 200)


def test_frames_that_end_the_wait_are_said_to_count() -> None:
    points = [asked(lambda d: d, delay, frames) for delay in (50, 500) for frames in (4, 1000)]
    text = "\n".join(calibration(points))
    assert "rx-frames counts at 500 us" in text
    assert "rx_frames" in text.splitlines()[0]


def test_what_is_refused_and_what_is_rounded_is_said() -> None:
    points = [
        Point(1, None, None, None, None, refused="invalid argument"),
        Point(64, None, 50, None, 1.0),
    ]
    text = "\n".join(calibration(points))
    assert "refused: 1 us (invalid argument)" in text
    assert "asked for 64 us it says it took 50 us" in text


@pytest.mark.parametrize("delay_us", ASKED)
def test_each_request_has_a_row(delay_us: int) -> None:
    rows = [line.split() for line in said(lambda delay: delay).splitlines()[1:15]]
    assert f"{delay_us}" in [row[0] for row in rows]
