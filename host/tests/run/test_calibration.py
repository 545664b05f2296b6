# SPDX-License-Identifier: Apache-2.0
"""What calibration says of devices whose clamps are known: they are simulated, frame by frame."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from coalescope_host.commands.calibrate import frames_factor
from coalescope_host.protocols import SweepError
from coalescope_host.run.calibration import Point, calibration, granularity
from coalescope_host.run.effective_delay import DelayEstimate, estimate

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


def test_neighbouring_requests_show_the_steps_that_a_device_says() -> None:
    fine = {asked: float(asked) for asked in range(100, 109)}
    coarse = {asked: float(asked // 4 * 4) for asked in range(1000, 1009)}
    assert list(granularity({**fine, **coarse})) == [
        "asked for 100 to 108 us it says that each is another delay",
        "asked for 1000 to 1008 us it says that it took 1000, 1004, 1008 us",
    ]


def test_what_neighbouring_requests_are_refused_is_listed() -> None:
    some = {asked: None if asked % 2 else float(asked) for asked in range(10, 14)}
    assert list(granularity(some)) == ["asked for 10 to 13 us it refuses 11, 13"]
    assert list(granularity({5: None, 6: None})) == ["asked for 5 to 6 us it refuses all"]


def test_a_request_that_means_a_mode_is_no_delay() -> None:
    points = [asked(lambda _: 200, delay) for delay in (0, 1, 4, 16)]
    points[2] = replace(asked(lambda _: 400, 4), mode="simplified balancing")
    text = "\n".join(calibration(points))
    assert "4 us is no delay to its driver: simplified balancing" in text
    assert "no effect: asked for 0 to 16 us it does" in text


def test_an_interval_is_shown_as_it_is() -> None:
    points = [Point(delay, None, delay, DelayEstimate(128.0, 128.0), 2.6) for delay in (0, 50)]
    text = "\n".join(calibration(points))
    assert " 128.0 " in text
    assert "no effect: asked for 0 to 50 us it does 128 us" in text
    assert text.endswith("this traffic tells delays apart by 5 %")


def test_how_near_delays_can_be_is_said() -> None:
    assert "this traffic tells delays apart by 5 %, or 10 us" in said(lambda delay: delay)


def test_frames_are_those_that_were_typed_and_only_where_the_driver_has_them() -> None:
    both = {"delay_us": 3, "rx_frames": 0}
    assert frames_factor("eth1", [1, 8, 255], both) == {"rx_frames": [1, 8, 255]}
    assert frames_factor("eth1", None, both) == {"rx_frames": [4, 64]}
    assert frames_factor("eth1", None, {"delay_us": 3}) == {}
    with pytest.raises(SweepError, match="eth1: its driver has no rx-frames"):
        frames_factor("eth1", [1], {"delay_us": 3})
