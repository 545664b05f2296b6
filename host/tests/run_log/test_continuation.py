# SPDX-License-Identifier: Apache-2.0
"""Of two logs of one run it is known which goes on, without their blocks being read again."""

import pytest
from coalescope_host.run_log import RunLogError, continuation, layout, read
from coalescope_host.run_log.block_contents import BlockContents


def by_reading(stored, sent):
    """The same, by reading both whole."""
    ends = [read(log).read_bytes for log in (stored, sent)]
    if stored[: min(ends)] != sent[: min(ends)]:
        return None
    return "longer" if ends[1] > ends[0] else "no longer"


def cuts(tools):
    """A log cut off at the ends of its blocks and beside them."""
    log = tools.log()
    head, blocks = tools.split(log)
    ends = [len(head)]
    for block in blocks:
        ends.append(ends[-1] + len(block))
    beside = {end + by for end in ends for by in (-1, 0, 1, layout.BLOCK.size, 40)}
    return [log[:cut] for cut in sorted(beside) if len(head) <= cut <= len(log)]


def test_it_is_what_reading_both_says(tools):
    found = set()
    for stored in cuts(tools):
        for sent in cuts(tools):
            expected = by_reading(stored, sent)
            assert continuation(stored, sent) == expected, (len(stored), len(sent))
            found.add(expected)
    assert found == {"longer", "no longer"}


def test_logs_that_part_are_no_copies(tools):
    stored = tools.log()
    head, _ = tools.split(stored)
    changed = bytearray(stored)
    changed[len(head) + layout.BLOCK.size + 8] ^= 1  # of the first record, behind its time
    sent = tools.repaired(bytes(changed))
    assert by_reading(stored, sent) is None
    assert continuation(stored, sent) is None


def test_the_start_of_a_log_that_ends_in_zeros(tools):
    head, blocks = tools.split(tools.log())
    cut = head + b"".join(blocks[:3]) + bytes(100_000)
    assert continuation(cut, tools.log()) == "longer"
    assert continuation(tools.log(), cut) == "no longer"


@pytest.mark.parametrize("at", [5, layout.BLOCK.size + 3])
def test_a_stored_log_that_was_damaged_is_no_start(tools, at):
    head, blocks = tools.split(tools.log())
    damaged = bytearray(blocks[2])
    damaged[at] ^= 1
    stored = head + b"".join(blocks[:2]) + bytes(damaged)
    with pytest.raises(RunLogError):
        continuation(stored, tools.log())


def test_another_header_is_another_log(tools):
    other = bytearray(tools.log())
    other[layout.PREAMBLE.size + 2] ^= 1
    with pytest.raises(RunLogError):
        continuation(bytes(other), tools.log())


def test_no_block_of_what_both_share_is_read_again(tools, monkeypatch):
    log = tools.log()
    _, blocks = tools.split(log)
    monkeypatch.setattr(BlockContents, "add", None)
    monkeypatch.setattr("coalescope_host.run_log.blocks.Blocks._payload_crc", lambda *_: True)
    assert continuation(log[: -len(blocks[-1])], log) == "longer"
