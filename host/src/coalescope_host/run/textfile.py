# SPDX-License-Identifier: Apache-2.0
"""What a device does of the delays that it is asked for, as a file that Prometheus collects.

The node exporter's textfile collector reads a folder: a file there must be whole whenever it is
read. Units are Prometheus' (seconds), labels ethtool's (`rx_usecs`, `rx_frames`).
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Optional

from coalescope_host.plain_files import replace_file
from coalescope_host.protocols import SweepError

from .calibration import Point

_PREFIX = "coalescope_"
_Value = Callable[[Point], Optional[float]]


def _effective(end: str) -> _Value:
    return lambda point: None if point.effective is None else getattr(point.effective, end)


_GAUGES: Sequence[tuple[str, str, _Value]] = (
    ("requested", "Receive interrupt delay (rx-usecs) asked for.", lambda point: point.asked_us),
    ("read_back", "Delay that the device says it took.", lambda point: point.took_us),
    ("effective", "Delay that the interrupts show.", _effective("delay_us")),
    ("effective_low", "The least delay that the interrupts allow.", _effective("low_us")),
    ("effective_high", "The most delay that the interrupts allow.", _effective("high_us")),
)


def textfile(interface: str, points: Sequence[Point], measured_s: float) -> str:
    """All of a calibration in the text format of Prometheus.

    A request that was refused, or that is no delay to the driver, is left out; what this traffic
    cannot tell has no effective delay.

    Args:
        interface: the network interface.
        points: what came of each request.
        measured_s: when, in seconds since 1970.
    """
    delays = [point for point in points if not point.refused and not point.mode]
    lines: list[str] = []
    for name, text, value in _GAUGES:
        lines += _gauge(f"{_PREFIX}{name}_delay_seconds", text, interface, delays, value)
    when = f"{_PREFIX}calibration_timestamp_seconds"
    lines += _head(when, "When the interface was calibrated, in seconds since 1970.")
    lines.append(f"{when}{_labels({'interface': interface})} {measured_s:.0f}")
    return "\n".join(lines) + "\n"


def _gauge(
    name: str, text: str, interface: str, points: Sequence[Point], value: _Value
) -> Iterator[str]:
    yield from _head(name, text)
    for point in points:
        found_us = value(point)
        if found_us is not None:
            frames = {} if point.frames is None else {"rx_frames": f"{point.frames}"}
            labels = {"interface": interface, "rx_usecs": f"{point.asked_us:g}", **frames}
            yield f"{name}{_labels(labels)} {max(found_us, 0.0) * 1e-6:.9g}"


def _head(name: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} gauge"


def _labels(labels: dict[str, str]) -> str:
    written = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{written}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def write_textfile(path: Path, content: str) -> None:
    """Put it where the collector, which is another user, reads it.

    Raises:
        SweepError: if it cannot be written.
    """
    try:
        replace_file(path, content, 0o644)
    except OSError as error:
        raise SweepError(f"{path}: cannot be written: {error.strerror}") from None
