# SPDX-License-Identifier: Apache-2.0
"""Which of two logs of one run goes on where the other ends.

Logs are only ever appended to, so a copy that was cut off is, up to its last whole block, the start
of the whole log, byte for byte. Bytes are compared, and blocks of what both share are passed over
by their lengths: to read them again would cost as much as each log did.
"""

from __future__ import annotations

from typing import Literal

from . import layout
from .blocks import Blocks
from .findings import Findings
from .header import parse_header
from .mapped_pages import Passed
from .preamble import read_preamble
from .source import Source, bytes_of

Longer = Literal["longer", "no longer"]
_STEP_BYTES = 1 << 20


def continuation(
    stored: Source, sent: Source, limits: layout.Limits = layout.DEFAULT_LIMITS
) -> Longer | None:
    """Say whether the log `sent` goes on where `stored` ends, or ends where `stored` goes on.

    Args:
        stored: a log, perhaps damaged since it was read.
        sent: a log that was read, and so is sound.
        limits: as `read` takes them.

    Returns:
        None where neither is the start of the other: then they are not copies of one log.

    Raises:
        RunLogError: if they share no header, or the first block that they do not share is damaged
            in one of them.
    """
    here, there = bytes_of(stored, limits), bytes_of(sent, limits)
    shared = there[: _same_bytes(here, there)]
    end, count = _whole_blocks(shared, limits)
    stored_goes_on, sent_goes_on = (_goes_on(log, end, count, limits) for log in (here, there))
    if stored_goes_on and sent_goes_on:
        return None
    return "longer" if sent_goes_on else "no longer"


def _same_bytes(one: memoryview, other: memoryview) -> int:
    """How many bytes both begin with."""
    most = min(len(one), len(other))
    start, step = 0, _STEP_BYTES
    passed = Passed(one), Passed(other)
    while start < most and step:
        for each in passed:
            each.to(start)
        end = min(start + step, most)
        if one[start:end] == other[start:end]:
            start = end
        else:
            step //= 2  # it is in these: look at the first half of them
    return start


def _whole_blocks(log: memoryview, limits: layout.Limits) -> tuple[int, int]:
    """Where the last whole block of a sound log ends, and how many there are."""
    _, _, end = read_preamble(log, limits)
    head, count = layout.BLOCK.size, 0
    passed = Passed(log, end)
    while end + head <= len(log):
        passed.to(end)
        mark, _, _, _, length, *_ = layout.BLOCK.unpack_from(log, end)
        following = end + head + length
        if mark != layout.BLOCK_MARK or following > len(log):
            break
        end, count = following, count + 1
    return end, count


def _goes_on(log: memoryview, end: int, count: int, limits: layout.Limits) -> bool:
    """Whether another whole block follows."""
    _, log_id, body = read_preamble(log, limits)
    _, streams = parse_header(bytes(log[layout.PREAMBLE.size : body]), limits)
    record_bytes = [stream.record_bytes for stream in streams]
    blocks = Blocks(log, end, log_id, record_bytes, limits, Findings(collect=False), count)
    return next(iter(blocks), None) is not None
