# SPDX-License-Identifier: Apache-2.0
"""What a device makes of the delays that it is asked for: floor, ceiling, steps, frames. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from coalescope_host.newer_python import zip_strict

from .effective_delay import DelayEstimate

_NEAR = 0.05
_LISTED = 5


@dataclass(frozen=True)
class Point:
    """One request, and what came of it.

    Attributes:
        asked_us: rx-usecs.
        frames: rx-frames; None where the driver has none, or it was left alone.
        took_us: what the device says it took; None where it cannot be read.
        effective: what its interrupts show; None where this traffic cannot tell.
        frames_per_interrupt: as counted; None where no interrupt came.
        refused: why the device did not take it; empty where it did.
        mode: what the number means to the driver where it is no delay; empty where it is one.
    """

    asked_us: float
    frames: int | None
    took_us: float | None
    effective: DelayEstimate | None
    frames_per_interrupt: float | None
    refused: str = ""
    mode: str = ""


def calibration(points: Sequence[Point]) -> Iterator[str]:
    """A table, and what it shows."""
    yield from _table(points)
    yield ""
    for frames, some in groupby(sorted(points, key=_order), key=lambda point: point.frames):
        of_frames = list(some)
        where = "" if frames is None else f"rx-frames {frames}: "
        yield from (f"{where}{line}" for line in _shape(of_frames))
    yield from _interaction(points)


def _order(point: Point) -> tuple[float, float]:
    return (-1 if point.frames is None else point.frames, point.asked_us)


def _table(points: Sequence[Point]) -> Iterator[str]:
    with_frames = any(point.frames is not None for point in points)
    rows = [["asked_us", "read_back_us", "effective_us", "packets_per_interrupt"]]
    rows += [
        [
            f"{point.asked_us:g}",
            "-" if point.took_us is None else f"{point.took_us:g}",
            _effective(point),
            "-" if point.frames_per_interrupt is None else f"{point.frames_per_interrupt:.1f}",
        ]
        for point in sorted(points, key=_order)
    ]
    if with_frames:
        listed = [
            f"{p.frames}" if p.frames is not None else "-" for p in sorted(points, key=_order)
        ]
        rows = [[name, *row] for name, row in zip_strict(["rx_frames", *listed], rows)]
    widths = [max(map(len, column)) for column in zip_strict(*rows)]
    for row in rows:
        yield "  ".join(text.rjust(width) for text, width in zip_strict(row, widths))


def _effective(point: Point) -> str:
    if point.refused:
        return "refused"
    found = point.effective
    if found is None:
        return "not told"
    low_us = "" if found.low_us == found.high_us else f"{max(found.low_us, 0):.1f} to "
    return f"{low_us}{found.high_us:.1f}"


def _shape(points: Sequence[Point]) -> Iterator[str]:
    """Floor, ceiling and steps: neighbouring requests of which the interrupts are the same."""
    refused = [point for point in points if point.refused]
    if refused:
        listed = ", ".join(f"{point.asked_us:g}" for point in refused)
        yield f"refused: {listed} us ({refused[0].refused})"
    for point in points:
        if point.took_us is not None and point.took_us != point.asked_us:
            yield f"asked for {point.asked_us:g} us it says it took {point.took_us:g} us"
    for point in points:
        if point.mode:
            yield f"{point.asked_us:g} us is no delay to its driver: {point.mode}"
    told = [point for point in points if point.effective is not None and not point.mode]
    groups = list(_alike(told))
    for place, group in enumerate(groups):
        if len(group) < 2:
            continue
        what = _name(place, len(groups))
        first, last = group[0].asked_us, group[-1].asked_us
        yield f"{what}: asked for {first:g} to {last:g} us it does {_middle(group):.0f} us"
    if told and all(len(group) == 1 for group in groups):
        yield f"each of the {len(told)} delays that this traffic can tell is another one"
    if told:
        gap_us = _gap_us(told)
        beside = f", or {gap_us:.0f} us" if gap_us else ""
        yield f"this traffic tells delays apart by {100 * _NEAR:g} %{beside}"
    untold = [point for point in points if point.effective is None and not point.refused]
    if untold:
        listed = ", ".join(f"{point.asked_us:g}" for point in untold)
        yield f"not told by this traffic: {listed} us (too few frames share an interrupt)"


def _gap_us(points: Sequence[Point]) -> float:
    """The wait between frames, where that is what an estimate leaves open."""
    return max(p.effective.high_us - p.effective.low_us for p in points if p.effective is not None)


def granularity(took_us: Mapping[int, float | None]) -> Iterator[str]:
    """What the device says it took of neighbouring requests, a line for each run of them.

    Args:
        took_us: rx-usecs asked for → read back; None where it was refused.
    """
    for _, group in groupby(enumerate(sorted(took_us)), key=lambda entry: entry[1] - entry[0]):
        asked = [request for _, request in group]
        where = f"asked for {asked[0]} to {asked[-1]} us"
        taken = [took for request in asked if (took := took_us[request]) is not None]
        if not taken:
            yield f"{where} it refuses all"
        elif len(taken) < len(asked):
            refused = ", ".join(str(request) for request in asked if took_us[request] is None)
            yield f"{where} it refuses {refused}"
        elif len(levels := sorted(set(taken))) == len(asked):
            yield f"{where} it says that each is another delay"
        else:
            listed = ", ".join(f"{level:g}" for level in levels[:_LISTED])
            yield f"{where} it says that it took {listed} us{' …' * (len(levels) > _LISTED)}"


def _name(place: int, groups: int) -> str:
    if groups == 1:
        return "no effect"
    if place == 0:
        return "floor"
    return "ceiling" if place == groups - 1 else "step"


def _alike(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Neighbours whose interrupts come at the same interval."""
    group: list[Point] = []
    for point in points:
        if group and not _same(group[0], point):
            yield group
            group = []
        group.append(point)
    if group:
        yield group


def _same(one: Point, other: Point) -> bool:
    assert one.effective is not None
    assert other.effective is not None
    first, second = one.effective.high_us, other.effective.high_us
    return abs(first - second) <= _NEAR * max(first, second)


def _middle(group: Sequence[Point]) -> float:
    told = [point.effective.delay_us for point in group if point.effective is not None]
    return sum(told) / len(told)


def _interaction(points: Sequence[Point]) -> Iterator[str]:
    """Where more frames allowed per interrupt change what one delay does."""
    by_delay: dict[float, list[Point]] = {}
    for point in points:
        if point.frames is not None and point.effective is not None and not point.mode:
            by_delay.setdefault(point.asked_us, []).append(point)
    for asked_us, some in sorted(by_delay.items()):
        ordered = sorted(some, key=_order)
        if len(ordered) > 1 and not _same(ordered[0], ordered[-1]):
            shown = ", ".join(
                f"{point.frames}: {point.effective.delay_us:.0f} us"
                for point in ordered
                if point.effective is not None
            )
            yield f"rx-frames counts at {asked_us:g} us ({shown})"
