# SPDX-License-Identifier: Apache-2.0
"""Whether the interrupts that brought frames were seen. Pure.

A kernel that hides interrupts from the probes, and polls that no interrupt scheduled, look alike in
the count of receive interrupts. The kernel's own count of the interface's lines tells them apart,
where it is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .errors import Problem
from .header import Field
from .plausibility import Environment, doubt

NOT_SEEN = "interrupts_not_seen"
"""Code of the finding that leaves `rx_interrupts` out."""
_LINES = ("rx_line_interrupts", "tx_line_interrupts")
_AT_ENDS = 2  # lines are read a moment after the interrupts that were seen
_SEEN_SHARE = 0.5  # of the lines': these count spurious ones, too, of which some cards have many


def unseen_interrupts(
    fields: Iterable[Field], counts: Mapping[str, float], environment: Environment
) -> Iterator[Problem]:
    """What the receive interrupts of a window lack; `counts`: how far its counters advanced."""
    packets, received = counts.get("rx_packets", 0), counts.get("rx_interrupts")
    of_lines = _of_lines(fields, counts)
    missing = _missing(counts, of_lines)
    if missing > 0:
        yield _not_seen(
            f"The kernel counted {of_lines:,.0f} interrupts of the interface's lines, and "
            f"{missing:,.0f} of them were not seen: how many brought frames is not known."
        )
    elif packets <= 0:
        return
    elif received == 0 and of_lines != 0:
        yield _not_seen(
            f"{packets:,.0f} packets came, and no interrupt that brought one was seen: they were "
            "polled without any, or the kernel hid them. Receive interrupts are not known."
        )
    elif received == 0 or (received is None and counts.get("rx_line_interrupts") == 0):
        yield doubt(
            "no_interrupts",
            f"{packets:,.0f} packets came, and the interface's lines had no interrupt: they were "
            "polled without any (busy polling, timers). What an interrupt costs does not follow.",
            "rx_interrupts",
        )
    elif received is None and "rx_line_interrupts" not in counts and environment.get("bus"):
        yield _not_seen(
            f"{packets:,.0f} packets came, and no interrupt line of the interface was found: its "
            "interrupts are not known."
        )


def _of_lines(fields: Iterable[Field], counts: Mapping[str, float]) -> float | None:
    """What the kernel counted of the interface's lines; None where other devices use them too."""
    lines = [field for field in fields if field.name.startswith("interrupts.")]
    known = [counts[name] for name in _LINES if name in counts]
    if not known or any(field.attributes.get("shared") is not False for field in lines):
        return None
    return sum(known)


def _missing(counts: Mapping[str, float], of_lines: float | None) -> float:
    """Interrupts of the lines that were not seen, where that is most of them; else 0."""
    expected = of_lines or 0.0
    missing = expected - counts.get("interrupts", expected)
    return missing if missing > _AT_ENDS + (1.0 - _SEEN_SHARE) * expected else 0.0


def _not_seen(message: str) -> Problem:
    return doubt(NOT_SEEN, message, "rx_interrupts")
