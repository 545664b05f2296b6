# SPDX-License-Identifier: Apache-2.0
"""The first bytes of a run log: what it is, its version, and that its header is whole."""

import zlib

from . import layout
from .errors import SEND_AGAIN, Problem, RunLogError, crc_problem


def read_preamble(data: memoryview, limits: layout.Limits) -> tuple[tuple[int, int], int, int]:
    """Its version, the checksum of its header, which its blocks bear, and where the header ends.

    Errors: RunLogError for what is no run log, of another version, cut off or damaged.
    """
    size = layout.PREAMBLE.size
    _check_magic(data)
    if len(data) < size:
        raise _too_short(data, size)
    _, major, minor, length, header_crc, stored = layout.PREAMBLE.unpack(data[:size])
    _check_crc("preamble_crc", "The preamble", data, 0, size - 4, stored)
    _check_version(major, minor)
    if length > limits.header_bytes or length % layout.ALIGNMENT:
        raise RunLogError(
            Problem(
                "header_length",
                f"The header claims {length:,} bytes; allowed are multiples of "
                f"{layout.ALIGNMENT} up to {limits.header_bytes:,}.",
                12,
                advice=SEND_AGAIN,
            )
        )
    if len(data) < size + length:
        raise _too_short(data, size + length)
    _check_crc("header_crc", "The header", data, size, size + length, header_crc)
    return (major, minor), header_crc, size + length


def _check_magic(data: memoryview) -> None:
    if bytes(data[:8]) == layout.MAGIC[: len(data)] and len(data) != 0:
        return
    raise RunLogError(
        Problem(
            "not_a_run_log",
            f"The file is not a run log: {_beginning(data)}."
            if len(data)
            else "The file is empty.",
            0,
            advice="Run logs are written by coalescope-logger and begin with the bytes "
            f"{layout.MAGIC[:5].hex(' ')}. Give one as it was written, not packed.",
        )
    )


def _beginning(data: memoryview) -> str:
    """What was found in the place of the magic: bytes, and the text that they are, if they are."""
    start = bytes(data[: len(layout.MAGIC)])
    text = f" ({start.decode()})" if start.isascii() and start.decode().isprintable() else ""
    return f"it begins with {start.hex(' ')}{text}"


def _check_crc(code: str, what: str, data: memoryview, start: int, end: int, stored: int) -> None:
    computed = zlib.crc32(data[start:end])
    if stored != computed:
        raise RunLogError(crc_problem(code, what, start, None, stored=stored, computed=computed))


def _check_version(major: int, minor: int) -> None:
    if major == layout.MAJOR:
        return
    raise RunLogError(
        Problem(
            "version",
            f"The log has format version {major}.{minor}; this program reads version "
            f"{layout.MAJOR}.",
            8,
            advice="Update Coalescope on this machine.",
            details={"major": major, "minor": minor},
        )
    )


def _too_short(data: memoryview, needed: int) -> RunLogError:
    return RunLogError(
        Problem(
            "cut_off_header",
            f"The file ends after {len(data):,} bytes, inside its header, which needs {needed:,}.",
            len(data),
            advice="Nothing of the run was recorded in it. " + SEND_AGAIN,
        )
    )
