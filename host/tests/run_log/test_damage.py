# SPDX-License-Identifier: Apache-2.0
"""Whatever is done to a log, the reader notices, and raises only its own error."""

import pickle
import random

import pytest
from coalescope_host.run_log import RunLogError, check, read, report_text, scan
from coalescope_host.run_log.blocks import Blocks
from coalescope_host.run_log.errors import Problem
from hypothesis import given, settings
from hypothesis import strategies as st


def unnoticed_flips(log, reading):
    """Offsets of the bytes of which some single bit can be turned without being noticed."""
    found = []
    for offset in range(len(log)):
        damaged = bytearray(log)
        damaged[offset] ^= 1 << offset % 8
        try:
            reading(bytes(damaged))
        except RunLogError:
            continue
        found.append(offset)
    return found


def test_a_flipped_bit_at_any_byte_is_refused(tools):
    assert unnoticed_flips(tools.log(), read) == []


@pytest.mark.parametrize("check_name", ["_payload_crc", "_sequence"])
def test_readers_that_check_less_do_not_pass(tools, monkeypatch, check_name):
    """The negative control: the same tests catch readers without CRC or without sequence check."""
    monkeypatch.setattr(Blocks, check_name, lambda *_: True)
    if check_name == "_payload_crc":
        assert len(unnoticed_flips(tools.log(), read)) > 100
    else:
        head, blocks = tools.split(tools.log())
        read(head + blocks[0] + b"".join(blocks[2:4]))  # block 1 lost, footer too


def test_every_bit_of_one_byte_counts(tools):
    log = tools.log()
    for bit in range(8):
        damaged = bytearray(log)
        damaged[700] ^= 1 << bit
        with pytest.raises(RunLogError):
            read(bytes(damaged))


def test_a_log_cut_off_at_any_byte_is_read_to_its_last_whole_block(tools):
    log = tools.log()
    head, blocks = tools.split(log)
    ends = [len(head)]
    for block in blocks:
        ends.append(ends[-1] + len(block))
    for length in range(len(log)):
        if length < len(head):
            with pytest.raises(RunLogError) as caught:
                read(log[:length])
            assert caught.value.code in ("cut_off_header", "not_a_run_log")
            continue
        found = read(log[:length])
        assert not found.complete
        assert found.read_bytes == max(end for end in ends if end <= length)
        assert [problem.code for problem in found.problems] == ["cut_off"]
    assert read(log).complete


def test_a_tail_of_zeros_counts_as_cut_off(tools):
    head, blocks = tools.split(tools.log())
    found = read(head + b"".join(blocks[:3]) + bytes(200_000))
    assert not found.complete
    assert found.records == 4
    with pytest.raises(RunLogError):
        read(head + b"".join(blocks[:3]) + bytes(199_999) + b"\1")


@given(st.binary(max_size=300))
def test_any_bytes_give_only_the_typed_error(data):
    with pytest.raises(RunLogError):
        read(data)
    report = check(data)
    assert not report.ok
    assert report_text(report)


@settings(max_examples=400)
@given(seed=st.integers(0, 2**32), repair=st.booleans())
def test_any_damage_gives_only_the_typed_error(tools, seed, repair):
    """Several random changes, with the checksums put right again, reach the checks behind them."""
    chance = random.Random(seed)
    data = bytearray(tools.log())
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(24 if repair else 0, len(data))
        change = chance.choice(["flip", "insert", "delete", "number", "swap"])
        if change == "flip":
            data[start] ^= 1 << chance.randrange(8)
        elif change == "insert":
            data[start:start] = chance.randbytes(8)
        elif change == "delete":
            del data[start : start + 8]
        elif change == "number":
            data[start : start + 4] = chance.choice([b"\xff" * 4, bytes(4), b"\0\0\0\x80"])
        else:
            other = chance.randrange(24, len(data))
            data[start], data[other % len(data)] = data[other % len(data)], data[start]
    log = tools.repaired(bytes(data)) if repair else bytes(data)
    try:
        read(log)
    except RunLogError as error:
        assert error.code
        assert error.message
    found, problems = scan(log)
    assert found is not None or problems
    assert report_text(check(log))


def test_scan_lists_all_problems_and_leaves_damaged_blocks_out(tools):
    log = bytearray(tools.log())
    head, blocks = tools.split(bytes(log))
    starts = [len(head) + sum(map(len, blocks[:number])) for number in range(len(blocks))]
    log[starts[0] + 40] ^= 1
    log[starts[2] + 8] ^= 1  # a block header: the next one is found again
    found, problems = scan(bytes(log))
    assert found is not None
    assert [problem.code for problem in problems] == ["block_crc", "block_header_crc"]
    assert [problem.offset for problem in problems] == [starts[0] + 32, starts[2]]
    assert found.records == 2
    assert not found.complete


def test_crc_problem_says_where_and_what(tools):
    log = bytearray(tools.log())
    log[-5] ^= 4
    with pytest.raises(RunLogError) as caught:
        read(bytes(log))
    error = caught.value
    assert (error.code, error.block) == ("block_crc", 6)
    assert error.problem.details["stored"] != error.problem.details["computed"]
    assert error.offset is not None
    assert error.advice
    assert str(error) == error.message


@pytest.mark.parametrize("rubbish", [8, (1 << 20) - 31, (1 << 20) - 4, 1 << 20, (2 << 20) + 8])
@pytest.mark.parametrize("filling", [b"X", b"CBLK", b"CBLKCBL"])
def test_the_next_sound_block_is_found_wherever_it_is(tools, rubbish, filling):
    """The search looks at a mebibyte at a time, and at marks that begin no block."""
    head, blocks = tools.split(tools.log())
    hole = (filling * (rubbish // len(filling) + 1))[:rubbish]
    log, problems = scan(head + blocks[0] + hole + b"".join(blocks[1:]))
    assert log is not None
    assert log.records == 6
    assert [problem.code for problem in problems] == ["block_header_crc"]


def test_an_error_is_sent_from_process_to_process_whole():
    """What reads large logs is a process of its own, which sends what it raises."""
    problem = Problem("too_large", "The log is too large.", offset=7, advice="Send less.")
    came = pickle.loads(pickle.dumps(RunLogError(problem)))
    assert (came.problem, str(came)) == (problem, "The log is too large.")
