# SPDX-License-Identifier: Apache-2.0
"""The blocks of a run log: where each begins, and whether it is what was written."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import layout
from .errors import SEND_AGAIN, Problem, crc_problem
from .findings import Findings
from .mapped_pages import Passed


@dataclass
class Block:
    """A block with a sound header: where its bytes are, and what it says of them."""

    offset: int
    kind: int
    stream: int
    sequence: int
    records: int
    start: int
    end: int
    crc: int

    def problem(self, code: str, message: str, advice: str = SEND_AGAIN) -> Problem:
        """A problem of this block."""
        return Problem(code, message, self.offset, self.sequence, advice)


class Blocks:
    """The blocks of a log, each checked before anything in it is believed.

    `count` is how many there were, those before and lost ones too; `end` where the last whole one
    ends.
    """

    def __init__(
        self,
        data: memoryview,
        body: int,
        log_id: int,
        record_bytes: Sequence[int],
        limits: layout.Limits,
        findings: Findings,
        count: int = 0,
    ) -> None:
        self._data = data
        self._log_id = log_id
        self._record_bytes = record_bytes
        self._limits = limits
        self._findings = findings
        self.count = count
        self.end = body

    def __iter__(self) -> Iterator[Block]:
        """Each block that is whole, in order; damaged ones are left out."""
        offset = self.end
        passed = Passed(self._data, offset)
        while offset < len(self._data):
            passed.to(offset)
            block = self._header(offset)
            if block is None:
                following = self._next(offset + 1) if self._findings.damaged else None
                if following is None:
                    return
                offset = following
                continue
            offset = self.end = block.end
            if self._sequence(block) and self._payload_crc(block):
                yield block

    def cut_off(self, offset: int, message: str) -> None:
        """Remark that the log ends there without its footer."""
        self._findings.remark(
            Problem(
                "cut_off",
                message,
                offset,
                self.count,
                f"It was read up to its last whole block, which ends at byte {self.end:,}.",
                "warning",
            )
        )

    def end_here(self) -> None:
        """Say so if anything follows the last block."""
        offset = self.end
        if offset < len(self._data):
            self._findings.fail(
                Problem(
                    "trailing_bytes",
                    f"{len(self._data) - offset:,} bytes follow the footer.",
                    offset,
                    advice="A log ends with its footer; two logs must not be joined.",
                )
            )

    def _header(self, offset: int) -> Block | None:
        data, size = self._data, layout.BLOCK.size
        if len(data) - offset < size:
            self.cut_off(offset, "The log was cut off inside a block's header.")
            return None
        mark, kind, stream, sequence, length, records, payload_crc, log_id, stored = (
            layout.BLOCK.unpack_from(data, offset)
        )
        computed = zlib.crc32(data[offset : offset + size - 4])
        if stored != computed or mark != layout.BLOCK_MARK:
            if _only_zeros(data, offset):
                self.cut_off(
                    offset, "The log ends in zeros: its last blocks never reached the disk."
                )
                return None
            self._findings.fail(
                crc_problem(
                    "block_header_crc",
                    f"The header of block {self.count}",
                    offset,
                    self.count,
                    stored=stored,
                    computed=computed,
                )
            )
            return None
        start = offset + size
        block = Block(offset, kind, stream, sequence, records, start, start + length, payload_crc)
        problem = self._foreign(block, log_id) or self._implausible(block)
        if problem is not None:
            self._findings.fail(problem)
            return None
        if len(data) - start < length:
            self.cut_off(
                offset,
                f"The log was cut off inside block {sequence}: {length:,} bytes were announced, "
                f"{len(data) - start:,} are there.",
            )
            return None
        return block

    def _foreign(self, block: Block, log_id: int) -> Problem | None:
        if log_id != self._log_id:
            return block.problem("foreign_block", f"Block {block.sequence} belongs to another log.")
        if self.count >= self._limits.blocks:
            return block.problem(
                "too_many_blocks",
                f"The log has more than {self._limits.blocks:,} blocks.",
                "Record what takes days in several logs.",
            )
        if block.kind not in layout.BLOCK_NAMES and not block.kind & layout.OPTIONAL:
            return block.problem(
                "block_type",
                f"Block {block.sequence} has the unknown type {block.kind}.",
                "Update Coalescope on this machine.",
            )
        return None

    def _implausible(self, block: Block) -> Problem | None:
        length = block.end - block.start
        limits = self._limits
        longest = limits.sample_bytes if block.kind == layout.SAMPLES else limits.payload_bytes
        if length > longest or length % layout.ALIGNMENT or not length:
            return block.problem(
                "block_length",
                f"Block {block.sequence} claims {length:,} bytes; allowed are multiples of "
                f"{layout.ALIGNMENT} up to {longest:,}.",
            )
        if block.kind != layout.SAMPLES:
            if not block.stream and not block.records:
                return None
            return block.problem(
                "block_records", f"Block {block.sequence} holds no records but claims some."
            )
        if block.stream >= len(self._record_bytes):
            return block.problem(
                "block_stream", f"Block {block.sequence} has records of no known stream."
            )
        if block.records * self._record_bytes[block.stream] == length:
            return None
        return block.problem(
            "block_records",
            f"Block {block.sequence} claims {block.records:,} records of "
            f"{self._record_bytes[block.stream]} bytes in {length:,} bytes.",
        )

    def _sequence(self, block: Block) -> bool:
        expected = self.count
        if block.sequence == expected:
            self.count = expected + 1
            return True
        self.count = max(expected, block.sequence + 1)
        if block.sequence < expected:
            code, message = "duplicate_block", f"Block {block.sequence} comes a second time."
        else:
            lost = block.sequence - expected
            code = "missing_block"
            message = f"Blocks missing before block {block.sequence}: {lost}."
        if code == "missing_block" and self._findings.damaged:
            return True  # the gap of a block that was already reported
        self._findings.fail(
            Problem(
                code,
                message,
                block.offset,
                block.sequence,
                SEND_AGAIN,
                details={"expected": expected, "found": block.sequence},
            )
        )
        return code == "missing_block"

    def _payload_crc(self, block: Block) -> bool:
        computed = zlib.crc32(self._data[block.start : block.end])
        if computed == block.crc:
            return True
        name = layout.BLOCK_NAMES.get(block.kind, "unknown")
        self._findings.fail(
            crc_problem(
                "block_crc",
                f"Block {block.sequence} ({name})",
                block.start,
                block.sequence,
                stored=block.crc,
                computed=computed,
            )
        )
        return False

    def _next(self, offset: int) -> int | None:
        """Where the next block with a sound header begins, when problems are collected."""
        size = layout.BLOCK.size
        data = self._data
        window = 1 << 20
        passed = Passed(data, offset)
        for start in range(offset, len(data) - size + 1, window):
            passed.to(start)
            chunk = bytes(data[start : start + window + size - 1])
            at = chunk.find(layout.BLOCK_MARK)
            while 0 <= at <= len(chunk) - size:
                header = chunk[at : at + size]
                if zlib.crc32(header[:-4]) == int.from_bytes(header[-4:], "little"):
                    return start + at
                at = chunk.find(layout.BLOCK_MARK, at + 1)
        return None


def _only_zeros(data: memoryview, offset: int) -> bool:
    step = 1 << 16
    passed = Passed(data, offset)
    for start in range(offset, len(data), step):
        passed.to(start)
        if bytes(data[start : start + step]).strip(b"\0"):
            return False
    return True
