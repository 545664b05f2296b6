# SPDX-License-Identifier: Apache-2.0
"""Each rule about blocks, with a log that breaks only this one."""

import contextlib
import struct
import tracemalloc

import pytest
from coalescope_host.run_log import Limits, RunLogError, layout, read
from coalescope_host.run_log.layout import FOOTER, MARKS, RESULT_BLOCK, SAMPLES


def refused(log, code, **more):
    with pytest.raises(RunLogError) as caught:
        read(log, **more)
    assert caught.value.code == code, caught.value
    return caught.value


def record(moment):
    return struct.pack("<5Q", moment, 0, 0, 0, 0)


@pytest.fixture
def parts(tools):
    log = tools.log()
    head, blocks = tools.split(log)
    assert read(head + b"".join(blocks)).complete  # the good twin
    return log, head, blocks


def test_lost_block(parts):
    _, head, blocks = parts
    error = refused(head + blocks[0] + b"".join(blocks[2:]), "missing_block")
    assert error.problem.details == {"expected": 1, "found": 2}


def test_repeated_block(parts):
    _, head, blocks = parts
    refused(head + blocks[0] + blocks[0] + b"".join(blocks[1:]), "duplicate_block")


def test_blocks_in_wrong_order(parts):
    _, head, blocks = parts
    refused(head + blocks[0] + blocks[2] + blocks[1], "missing_block")


def test_block_of_another_log(parts, tools):
    _, head, blocks = parts
    other = tools.log(header=tools.header(experiment="another"))
    refused(head + blocks[0] + tools.split(other)[1][1], "foreign_block")


def test_bytes_after_the_footer(parts):
    log, _, _ = parts
    refused(log + bytes(8), "trailing_bytes")
    refused(log + log, "trailing_bytes")


@pytest.mark.parametrize("length", [0, 7, (1 << 24) + 8, 0xFFFFFFF8])
def test_impossible_length(parts, tools, length):
    log, head, _ = parts
    block = bytearray(tools.block(log, MARKS, 0, b"        "))
    struct.pack_into("<I", block, 12, length)
    refused(tools.repaired(head + bytes(block)), "block_length")


def test_sample_blocks_are_bounded_more_tightly(parts, tools):
    log, head, _ = parts
    payload = b"".join(record(k) for k in range(1, 26_216))
    refused(head + tools.block(log, SAMPLES, 0, payload, records=26_215), "block_length")
    fits = payload[: 26_214 * 40]
    assert read(head + tools.block(log, SAMPLES, 0, fits, records=26_214)).records == 26_214


def test_unknown_type_that_must_not_be_skipped(parts, tools):
    log, head, _ = parts
    refused(head + tools.block(log, 9, 0, bytes(8)), "block_type")


@pytest.mark.parametrize(("stream", "records"), [(1, 1), (65535, 1)])
def test_unknown_stream(parts, tools, stream, records):
    log, head, _ = parts
    block = tools.block(log, SAMPLES, 0, record(1), stream=stream, records=records)
    refused(head + block, "block_stream")


@pytest.mark.parametrize("records", [0, 2, 0xFFFFFFFF])
def test_wrong_number_of_records(parts, tools, records):
    log, head, _ = parts
    refused(head + tools.block(log, SAMPLES, 0, record(1), records=records), "block_records")


def test_records_claimed_where_there_are_none(parts, tools):
    log, head, _ = parts
    refused(head + tools.block(log, MARKS, 0, b"{}      ", records=1), "block_records")


def test_time_that_stands_still_or_goes_back(parts, tools):
    log, head, _ = parts
    for times in ((5, 5), (5, 4), (5, 6, 3)):
        payload = b"".join(map(record, times))
        error = refused(
            head + tools.block(log, SAMPLES, 0, payload, records=len(times)), "time_order"
        )
        assert error.offset == len(head) + 32 + 40 * (len(times) - 1)
    two = tools.block(log, SAMPLES, 0, record(5), records=1)
    refused(head + two + tools.block(log, SAMPLES, 1, record(5), records=1), "time_order")


def mark_block(tools, log, sequence, *marks):
    from coalescope_host.run_log.bounded_json import dump

    listed = [{"name": name, "t_monotonic_ns": moment} for name, moment in marks]
    return tools.block(log, MARKS, sequence, tools.padded(dump({"marks": listed})))


@pytest.mark.parametrize(
    ("marks", "code"),
    [
        ([("window_start", 1020), ("window_start", 1030)], "mark_order"),
        ([("window_end", 1020)], "mark_order"),
        ([("a", 1030), ("b", 1020)], "mark_order"),
        ([("a", 999)], "mark_range"),
        ([("", 1020)], "block_content"),
        ([("a", -1)], "block_content"),
        ([("a", 1.5)], "block_content"),
        ([("a", True)], "block_content"),
        ([("a" * 65, 1020)], "block_content"),
        ([], "block_content"),
    ],
)
def test_marks_that_cannot_be(parts, tools, marks, code):
    log, head, _ = parts
    samples = tools.block(log, SAMPLES, 0, record(1000) + record(1050), records=2)
    refused(head + samples + mark_block(tools, log, 1, *marks), code)
    good = mark_block(tools, log, 1, ("window_start", 1000), ("window_end", 1050))
    assert read(head + samples + good).window == (1000, 1050)


def test_mark_after_the_last_record_of_a_whole_log(parts, tools):
    log, head, blocks = parts
    late = mark_block(tools, log, 4, ("window_end", 1051))
    refused(head + b"".join(blocks[:4]) + late + b"".join(blocks[5:]), "mark_range")
    assert read(head + b"".join(blocks[:4]) + late).window == (1000, 1051)  # cut off: may be


def test_too_many_marks(parts, tools):
    log, head, _ = parts
    samples = tools.block(log, SAMPLES, 0, record(1000), records=1)
    many = [("a", 1000)] * 4097
    refused(head + samples + mark_block(tools, log, 1, *many), "block_content")
    assert len(read(head + samples + mark_block(tools, log, 1, *many[:-1])).marks) == 4096


def test_too_many_results(parts, tools):
    log, head, _ = parts
    payload = struct.pack("<II", 31, 0) + b'{"name":"n","media_type":"m/m"}' + b"\0"
    blocks = [tools.block(log, RESULT_BLOCK, index, payload) for index in range(65)]
    assert len(read(head + b"".join(blocks[:-1])).results) == 64
    refused(head + b"".join(blocks), "block_content")


@pytest.mark.parametrize(
    "payload",
    [
        struct.pack("<II", 0, 0),
        struct.pack("<II", 0xFFFFFFFF, 0xFFFFFFFF),
        struct.pack("<II", 2, 8) + b"{}" + bytes(6),
        struct.pack("<II", 2, 0) + b"[]" + bytes(6),
        struct.pack("<II", 2, 0) + b"{}" + bytes(6),
        struct.pack("<II", 16, 0) + b'{"name":"name"} ',
        struct.pack("<II", 31, 0) + b'{"name":"n","media_type":"m/m"}' + b"\1",
    ],
)
def test_results_that_cannot_be(parts, tools, payload):
    log, head, _ = parts
    refused(head + tools.block(log, RESULT_BLOCK, 0, payload), "block_content")
    good = struct.pack("<II", 31, 0) + b'{"name":"n","media_type":"m/m"}' + b"\0"
    assert read(head + tools.block(log, RESULT_BLOCK, 0, good)).results[0].name == "n"


def test_result_said_to_be_json_but_is_not(tools):
    import io

    from coalescope_host.run_log import Writer

    file = io.BytesIO()
    with Writer(file, tools.header()) as log:
        log.result(b'{"a":1,"a":2}', name="twice")
        log.result(b"iperf3: error - unable to connect", name="workload")
        log.result(b"[" * 100_000, name="deep")
    found = read(file.getvalue())
    assert found.results[0].json() == {"a": 2}
    for result in found.results[1:]:
        with pytest.raises(RunLogError) as caught:
            result.json()
        assert caught.value.code == "result_json"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"blocks":6', b'"blocks":5'),
        (b'"marks":2', b'"marks":3'),
        (b'"results":1', b'"results":0'),
        (b'"records":6', b'"records":7'),
        (b'"t_first_ns":1000', b'"t_first_ns":1001'),
        (b'"t_last_ns":1050', b'"t_last_ns":null'),
    ],
)
def test_footer_that_does_not_agree(parts, tools, old, new):
    log, head, blocks = parts
    payload = blocks[-1][32:].replace(old, new).rstrip()
    assert payload != blocks[-1][32:].rstrip()
    footer = tools.block(log, FOOTER, 6, tools.padded(payload))
    refused(head + b"".join(blocks[:-1]) + footer, "footer_totals")


def test_footer_that_does_not_say_why(parts, tools):
    log, head, blocks = parts
    payload = blocks[-1][32:].replace(b'"finished"', b"null      ")
    footer = tools.block(log, FOOTER, 6, payload)
    refused(head + b"".join(blocks[:-1]) + footer, "block_content")


def test_not_a_log():
    for data in (b"", b"x", b"hello, this is text", b"\x89PNG\r\n\x1a\n" + bytes(100)):
        refused(data, "not_a_run_log")


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"mtu_bytes,drops\n", "6d 74 75 5f 62 79 74 65 (mtu_byte)."),
        (b"\x1f\x8b\x08\0packed", "1f 8b 08 00 70 61 63 6b."),
        (b"mtu\n1500", "6d 74 75 0a 31 35 30 30."),
        (b"x", "78 (x)."),
        (b"", "The file is empty."),
    ],
)
def test_what_is_no_log_is_told_with_what_was_found_at_its_start(data, found):
    error = refused(data, "not_a_run_log")
    assert error.message.endswith(found)
    assert "begin with the bytes 89 43 4f 41 4c" in error.advice


def test_newer_major_version_is_refused_with_a_message(tools):
    log = bytearray(tools.log())
    struct.pack_into("<H", log, 8, 2)
    error = refused(tools.repaired(bytes(log)), "version")
    assert "2.0" in error.message
    assert "Update" in error.advice


@pytest.mark.parametrize("length", [(1 << 20) + 8, 4, 0xFFFFFFF8])
def test_header_length_is_checked_before_it_is_used(tools, length):
    log = bytearray(tools.log())
    struct.pack_into("<I", log, 12, length)
    import zlib

    log[20:24] = zlib.crc32(log[:20]).to_bytes(4, "little")
    refused(bytes(log), "header_length")


def test_limits_can_be_tightened(tools, tmp_path):
    log = tools.log()
    refused(log, "too_large", limits=Limits(file_bytes=100))
    refused(log, "too_many_blocks", limits=Limits(blocks=2))
    path = tmp_path / "a.runlog"
    path.write_bytes(log)
    refused(path, "too_large", limits=Limits(file_bytes=len(log) - 1))
    assert read(path, limits=Limits(file_bytes=len(log))).complete


def test_claims_do_not_cost_memory(tools):
    """Lengths that claim much, and deeply nested JSON, are refused before allocation."""
    log = tools.log()
    head, _ = tools.split(log)
    block = bytearray(tools.block(log, RESULT_BLOCK, 0, bytes(8)))
    struct.pack_into("<I", block, 12, 1 << 24)
    claims = [
        tools.repaired(head + bytes(block)),
        head + tools.block(log, MARKS, 0, b"[" * (1 << 16)),
        head + tools.block(log, MARKS, 0, tools.padded(b'{"a":' * (1 << 15))),
    ]
    for claim in claims:
        tracemalloc.start()
        with contextlib.suppress(RunLogError):
            read(claim)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1 << 20


def test_many_small_blocks_cost_little_memory(tools):
    log = tools.log()
    head, _ = tools.split(log)
    data = head + b"".join(
        tools.block(log, SAMPLES, k, record(k + 1), records=1) for k in range(20_000)
    )
    tracemalloc.start()
    found = read(data)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.records == 20_000
    assert size < 1 << 19  # 16 bytes a block


def test_layout_sizes_are_those_of_the_document():
    assert (layout.PREAMBLE.size, layout.BLOCK.size, layout.RESULT.size) == (24, 32, 8)
