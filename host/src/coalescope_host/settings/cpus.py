# SPDX-License-Identifier: Apache-2.0
"""Sets of CPUs as the kernel writes them: a list such as 0-3,8, or a mask such as 10f."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ..plan.factor_rule import cpus_of

NONE = "none"
ONLINE = Path("/sys/devices/system/cpu/online")
MASK_BITS = 32


def parse_list(text: str) -> list[int]:
    """The CPUs of a list such as "0-3,8"; none of "none" or an empty text.

    Raises:
        ValueError: if it is no such list.
    """
    return [] if text in ("", NONE) else sorted(cpus_of(text))


def list_text(cpus: Iterable[int]) -> str:
    """The list that the kernel would write; "none" of none."""
    ranges: list[list[int]] = []
    for cpu in sorted(cpus):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    texts = [str(low) if low == high else f"{low}-{high}" for low, high in ranges]
    return ",".join(texts) or NONE


def parse_mask(text: str) -> list[int]:
    """The CPUs of a mask such as "00000001,0000000f"."""
    bits = int(text.replace(",", ""), 16)
    return [cpu for cpu in range(bits.bit_length()) if bits >> cpu & 1]


def mask_text(cpus: Sequence[int]) -> str:
    """The mask, in words of 32 bits as the kernel takes it."""
    bits = sum(1 << cpu for cpu in cpus)
    words: list[str] = []
    while bits or not words:
        words.append(f"{bits & (1 << MASK_BITS) - 1:08x}")
        bits >>= MASK_BITS
    return ",".join(reversed(words))


def offline(cpus: Iterable[int]) -> str | None:
    """What is wrong where some CPUs are not there."""
    try:
        online = parse_list(ONLINE.read_text(encoding="ascii").strip())
    except OSError:
        return None
    missing = sorted(set(cpus) - set(online))
    return f"CPU {list_text(missing)} is not online, {list_text(online)} are" if missing else None
