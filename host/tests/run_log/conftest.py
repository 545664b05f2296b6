# SPDX-License-Identifier: Apache-2.0
"""A small log to damage, and the means to do so."""

import io
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from coalescope_host.run_log import Writer, layout, make_header, standard_field
from coalescope_host.run_log.writer import block_bytes

NAMES = ("t_monotonic_ns", "t_realtime_ns", "rx_bytes", "rx_packets", "cpu_system_ns")
Header = dict[str, Any]


def a_header(**more: Any) -> Header:
    members: dict[str, Any] = {
        "run_id": "00000000-0000-4000-8000-000000000001",
        "experiment": "an-experiment",
        "factors": {"mtu_bytes": {"requested": 1500, "read_back": 1500}},
        "environment": {"kernel_version": "6.1"},
        "fields": [standard_field(name) for name in NAMES],
        "sources": [{"name": "sysfs", "atomic": False}],
    }
    return make_header(**(members | more))


def a_log(records: int = 6, header: Header | None = None) -> bytes:
    file = io.BytesIO()
    with Writer(file, header or a_header()) as log:
        for k in range(records):
            log.sample(1000 + 10 * k, 2000 + 10 * k, 1500 * k, k, k)
            if k == 0:
                log.mark("window_start", 1000, 2000)
            if k == records // 2:
                log.flush()
        log.mark("window_end", 1000 + 10 * (records - 1), None)
        log.result(b'{"fine": true}', exit_status=0)
    return file.getvalue()


def split(log: bytes) -> tuple[bytes, list[bytes]]:
    """Preamble with header, and the blocks."""
    start = layout.PREAMBLE.size + int.from_bytes(log[12:16], "little")
    head, blocks = log[:start], []
    while start < len(log):
        end = start + layout.BLOCK.size + int.from_bytes(log[start + 12 : start + 16], "little")
        blocks.append(log[start:end])
        start = end
    return head, blocks


def block(log: bytes, kind: int, sequence: int, payload: bytes, **more: int) -> bytes:
    """One more block for a log."""
    return block_bytes(int.from_bytes(log[16:20], "little"), kind, sequence, payload, **more)


def repaired(log: bytes) -> bytes:
    """The log with every checksum set right as far as its lengths can be followed."""
    data = bytearray(log)
    if len(data) < layout.PREAMBLE.size:
        return bytes(data)
    start = layout.PREAMBLE.size + int.from_bytes(data[12:16], "little")
    log_id = zlib.crc32(data[layout.PREAMBLE.size : start]).to_bytes(4, "little")
    data[16:20] = log_id
    data[20:24] = zlib.crc32(data[:20]).to_bytes(4, "little")
    while start + layout.BLOCK.size <= len(data):
        end = start + layout.BLOCK.size + int.from_bytes(data[start + 12 : start + 16], "little")
        data[start + 20 : start + 24] = zlib.crc32(data[start + 32 : end]).to_bytes(4, "little")
        data[start + 24 : start + 28] = log_id
        data[start + 28 : start + 32] = zlib.crc32(data[start : start + 28]).to_bytes(4, "little")
        start = end
    return bytes(data)


def padded(text: bytes) -> bytes:
    return text + b" " * (-len(text) % 8)


class Tools:
    """What the tests here share, as one fixture."""

    header = staticmethod(a_header)
    log = staticmethod(a_log)
    split = staticmethod(split)
    block = staticmethod(block)
    repaired = staticmethod(repaired)
    padded = staticmethod(padded)

    @staticmethod
    def with_header(change: Callable[[Header], object]) -> bytes:
        """A log whose header text was changed without the writer's own checks."""
        from coalescope_host.run_log.bounded_json import dump

        header = a_header()
        change(header)
        return Tools.with_header_text(dump(header))

    @staticmethod
    def with_header_text(text: bytes) -> bytes:
        _, blocks = split(a_log())
        raw = padded(text)
        start = layout.PREAMBLE.pack(layout.MAGIC, 1, 0, len(raw), 0, 0)
        return repaired(start + raw + b"".join(blocks))


@pytest.fixture(scope="session")
def tools() -> type[Tools]:
    return Tools


@pytest.fixture
def header() -> Mapping[str, Any]:
    return a_header()
