# SPDX-License-Identifier: Apache-2.0
"""Bytes of an Ethernet frame around the network layer."""

from __future__ import annotations

from collections.abc import Iterable

from .header import Field

#: header, check sequence, preamble and gap
PART_BYTES = {"link_header": 14, "fcs": 4, "preamble_and_gap": 20}
LINK_BYTES = PART_BYTES["link_header"] + PART_BYTES["fcs"]


def uncounted_bytes(counters: Iterable[Field]) -> int | None:
    """Bytes of each frame, up to its check sequence, that these counters of bytes leave out.

    Negative where they count preamble and gap. None if the log does not say, or if they differ.
    """
    included = {counter.bytes_include for counter in counters}
    parts = included.pop() if len(included) == 1 else None
    return None if parts is None else LINK_BYTES - sum(PART_BYTES[part] for part in parts)
