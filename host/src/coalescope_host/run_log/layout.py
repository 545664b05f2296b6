# SPDX-License-Identifier: Apache-2.0
"""The fixed bytes of format 1, section by section as in docs/run-log-format.md."""

import struct
from dataclasses import dataclass
from typing import Final

MAGIC: Final = b"\x89COAL\r\n\x1a"
MAJOR: Final = 1
MINOR: Final = 0

# magic, major, minor, header bytes, CRC of the header, CRC of the 20 bytes before
PREAMBLE: Final = struct.Struct("<8sHHIII")
# mark, type, stream, sequence, payload bytes, records, CRC of the payload, log id (the header's
# CRC), CRC of the 28 bytes before
BLOCK: Final = struct.Struct("<4sHHIIIIII")
BLOCK_MARK: Final = b"CBLK"
# bytes of metadata, bytes of body
RESULT: Final = struct.Struct("<II")

SAMPLES: Final = 1
MARKS: Final = 2
RESULT_BLOCK: Final = 3
FOOTER: Final = 4
OPTIONAL: Final = 0x8000
"""A block type with this bit may be skipped by a reader that does not know it."""

BLOCK_NAMES: Final = {SAMPLES: "samples", MARKS: "marks", RESULT_BLOCK: "result", FOOTER: "footer"}

ALIGNMENT: Final = 8

TYPES: Final = {
    "u8": ("B", 1),
    "u16": ("H", 2),
    "u32": ("I", 4),
    "u64": ("Q", 8),
    "i8": ("b", 1),
    "i16": ("h", 2),
    "i32": ("i", 4),
    "i64": ("q", 8),
    "f32": ("f", 4),
    "f64": ("d", 8),
}
"""Field type → struct letter and bytes."""

TIME_FIELD: Final = "t_monotonic_ns"
KINDS_OF_FIELD: Final = frozenset({"time", "counter", "gauge"})
KINDS_OF_DATA: Final = frozenset({"published", "measured", "emulated", "simulated"})
KINDS_THAT_STAND_FOR_ANOTHER: Final = frozenset({"emulated", "simulated"})
LARGEST_TIME_DILATION: Final = 1_000_000


@dataclass(frozen=True)
class Limits:
    """What a reader accepts before it allocates. The defaults are the format's own limits."""

    header_bytes: int = 1 << 20
    payload_bytes: int = 1 << 24
    sample_bytes: int = 1 << 20
    json_depth: int = 16
    json_values: int = 200_000
    result_values: int = 500_000
    streams: int = 16
    fields: int = 4096
    record_bytes: int = 1 << 15
    blocks: int = 1 << 20
    marks: int = 4096
    results: int = 64
    file_bytes: int = 1 << 32


DEFAULT_LIMITS: Final = Limits()


def padded(length: int) -> int:
    """Length rounded up to the format's alignment."""
    return -(-length // ALIGNMENT) * ALIGNMENT
