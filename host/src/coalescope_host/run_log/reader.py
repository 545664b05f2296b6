# SPDX-License-Identifier: Apache-2.0
"""Reads run logs: everything is checked, nothing is copied, every trouble is a Problem."""

import operator
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeGuard

from . import bounded_json, layout
from .errors import SEND_AGAIN, Problem, RunLogError, crc_problem
from .header import Json, parse_header
from .log import Mark, Payloads, Result, RunLog, Stream, column_of
from .preamble import read_preamble
from .source import Source, bytes_of


def read(source: Source, limits: layout.Limits = layout.DEFAULT_LIMITS) -> RunLog:
    """Read and check a run log.

    Args:
        source: a path, the bytes themselves (not copied), or a binary file (read from where it
            stands).
        limits: what to accept before allocating.

    Returns:
        The log. If it was cut off: all up to its last whole block, `complete` False and a problem
        that says so.

    Raises:
        RunLogError: if it is no run log, of a newer major version, too large, or damaged.
        OSError: if the file itself cannot be read.
    """
    return _Scan(bytes_of(source, limits), limits, collect=False).log()


def scan(
    source: Source, limits: layout.Limits = layout.DEFAULT_LIMITS
) -> tuple[RunLog | None, list[Problem]]:
    """Read as far as possible and return all problems instead of raising the first.

    Damaged blocks are left out. The log is None if its header could not be read.
    """
    problems: list[Problem] = []
    try:
        found = _Scan(bytes_of(source, limits), limits, collect=True)
        problems = found.problems
        return found.log(), problems
    except RunLogError as error:
        return None, [*problems, error.problem]


@dataclass(slots=True)
class _Block:
    offset: int
    kind: int
    stream: int
    sequence: int
    records: int
    start: int
    end: int
    crc: int

    def problem(self, code: str, message: str, advice: str = SEND_AGAIN) -> Problem:
        return Problem(code, message, self.offset, self.sequence, advice)


@dataclass(slots=True)
class _Collected:
    marks: list[Mark] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    footer: Json | None = None
    blocks: int = 0


class _Scan:
    """One pass over the bytes. With `collect`, problems are gathered, damaged blocks skipped."""

    def __init__(self, data: memoryview, limits: layout.Limits, *, collect: bool) -> None:
        self._data = data
        self._limits = limits
        self._collect = collect
        self.problems: list[Problem] = []
        self._version, self._log_id, self._body = read_preamble(data, limits)
        self._header, layouts = parse_header(bytes(data[layout.PREAMBLE.size : self._body]), limits)
        self._streams = tuple(Stream(stream, Payloads(data)) for stream in layouts)
        self._record_bytes = [stream.record_bytes for stream in layouts]
        self._last_time: list[int] = [-1] * len(layouts)
        self._first_time: list[int] = [-1] * len(layouts)
        self._records = [0] * len(layouts)
        self._found = _Collected()
        self._end = self._body
        self._damaged = False
        self._blocks()
        self._close()

    def log(self) -> RunLog:
        """What the pass found."""
        found = self._found
        return RunLog(
            self._header,
            self._version,
            self._streams,
            tuple(found.marks),
            tuple(found.results),
            found.footer,
            found.footer is not None and not self._damaged,
            tuple(self.problems),
            len(self._data),
            self._end,
        )

    # --- problems

    def _fail(self, problem: Problem) -> None:
        if not self._collect:
            raise RunLogError(problem)
        self._damaged = True
        self.problems.append(problem)

    def _remark(self, problem: Problem) -> None:
        self.problems.append(problem)

    def _cut_off(self, offset: int, message: str) -> None:
        sequence = self._found.blocks
        self._remark(
            Problem(
                "cut_off",
                message,
                offset,
                sequence,
                f"It was read up to its last whole block, which ends at byte {self._end:,}.",
                "warning",
            )
        )

    # --- blocks

    def _blocks(self) -> None:
        offset = self._body
        while offset < len(self._data):
            block = self._block_header(offset)
            if block is None:
                following = self._next_block(offset + 1) if self._damaged else None
                if following is None:
                    return
                offset = following
                continue
            if self._sequence(block) and self._payload_crc(block):
                self._content(block)
            offset = block.end
            self._end = offset
            if self._found.footer is not None:
                self._nothing_after(offset)
                return

    def _block_header(self, offset: int) -> _Block | None:
        data, size = self._data, layout.BLOCK.size
        if len(data) - offset < size:
            self._cut_off(offset, "The log was cut off inside a block's header.")
            return None
        mark, kind, stream, sequence, length, records, payload_crc, log_id, stored = (
            layout.BLOCK.unpack_from(data, offset)
        )
        computed = zlib.crc32(data[offset : offset + size - 4])
        if stored != computed or mark != layout.BLOCK_MARK:
            if _only_zeros(data[offset:]):
                self._cut_off(
                    offset, "The log ends in zeros: its last blocks never reached the disk."
                )
                return None
            self._fail(
                crc_problem(
                    "block_header_crc",
                    f"The header of block {self._found.blocks}",
                    offset,
                    self._found.blocks,
                    stored=stored,
                    computed=computed,
                )
            )
            return None
        start = offset + size
        block = _Block(offset, kind, stream, sequence, records, start, start + length, payload_crc)
        problem = self._foreign(block, log_id) or self._implausible(block)
        if problem is not None:
            self._fail(problem)
            return None
        if len(data) - start < length:
            self._cut_off(
                offset,
                f"The log was cut off inside block {sequence}: {length:,} bytes were announced, "
                f"{len(data) - start:,} are there.",
            )
            return None
        return block

    def _foreign(self, block: _Block, log_id: int) -> Problem | None:
        if log_id != self._log_id:
            return block.problem("foreign_block", f"Block {block.sequence} belongs to another log.")
        if self._found.blocks >= self._limits.blocks:
            return block.problem(
                "too_many_blocks", f"The log has more than {self._limits.blocks:,} blocks."
            )
        if block.kind not in layout.BLOCK_NAMES and not block.kind & layout.OPTIONAL:
            return block.problem(
                "block_type",
                f"Block {block.sequence} has the unknown type {block.kind}.",
                "Update Coalescope on this machine.",
            )
        return None

    def _implausible(self, block: _Block) -> Problem | None:
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

    def _sequence(self, block: _Block) -> bool:
        expected = self._found.blocks
        self._found.blocks = max(expected, block.sequence + 1)
        if block.sequence == expected:
            return True
        if block.sequence < expected:
            code, message = "duplicate_block", f"Block {block.sequence} comes a second time."
        else:
            lost = block.sequence - expected
            code = "missing_block"
            message = f"Blocks missing before block {block.sequence}: {lost}."
        if code == "missing_block" and self._damaged:
            return True  # the gap of a block that was already reported
        self._fail(
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

    def _payload_crc(self, block: _Block) -> bool:
        computed = zlib.crc32(self._data[block.start : block.end])
        if computed == block.crc:
            return True
        name = layout.BLOCK_NAMES.get(block.kind, "unknown")
        self._fail(
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

    def _next_block(self, offset: int) -> int | None:
        """Where the next block with a sound header begins, when problems are collected."""
        size = layout.BLOCK.size
        data = self._data
        window = 1 << 20
        for start in range(offset, len(data) - size + 1, window):
            chunk = bytes(data[start : start + window + size - 1])
            at = chunk.find(layout.BLOCK_MARK)
            while 0 <= at <= len(chunk) - size:
                header = chunk[at : at + size]
                if zlib.crc32(header[:-4]) == int.from_bytes(header[-4:], "little"):
                    return start + at
                at = chunk.find(layout.BLOCK_MARK, at + 1)
        return None

    # --- what blocks hold

    def _content(self, block: _Block) -> None:
        if block.kind == layout.SAMPLES:
            self._samples(block)
        elif block.kind == layout.RESULT_BLOCK:
            self._result(block)
        elif block.kind == layout.MARKS:
            self._marks(block)
        elif block.kind == layout.FOOTER:
            self._footer(block)

    def _samples(self, block: _Block) -> None:
        stream = self._streams[block.stream]
        payload = self._data[block.start : block.end]
        times = column_of(payload, stream.fields[0], stream.record_bytes)
        last = self._last_time[block.stream]
        if times[0] <= last or not all(map(operator.lt, times, times[1:])):
            previous = [last, *times]
            index = next(i for i in range(len(times)) if previous[i] >= times[i])
            self._fail(
                Problem(
                    "time_order",
                    f"In block {block.sequence} the monotonic clock goes from "
                    f"{previous[index]:,} to {times[index]:,} ns.",
                    block.start + index * stream.record_bytes,
                    block.sequence,
                    "The records are out of order; the run must be repeated.",
                )
            )
            return
        if self._first_time[block.stream] < 0:
            self._first_time[block.stream] = times[0]
        self._last_time[block.stream] = times[-1]
        self._records[block.stream] += len(times)
        stream.blocks.add(block.start, block.end)

    def _object(self, raw: memoryview, block: _Block) -> dict[str, object] | None:
        limits = self._limits
        try:
            document = bounded_json.parse(
                bytes(raw), depth=limits.json_depth, values=limits.json_values
            )
            if isinstance(document, dict):
                return document
            reason = "it is not an object"
        except bounded_json.JsonRefusedError as error:
            reason = str(error)
        name = layout.BLOCK_NAMES[block.kind]
        self._malformed(block, f"Block {block.sequence} ({name}) cannot be read: {reason}.")
        return None

    def _malformed(self, block: _Block, message: str) -> None:
        self._fail(
            Problem(
                "block_content",
                message,
                block.start,
                block.sequence,
                "The program that wrote this log does not follow docs/run-log-format.md.",
            )
        )

    def _marks(self, block: _Block) -> None:
        document = self._object(self._data[block.start : block.end], block)
        if document is None:
            return
        listed = document.get("marks")
        if not isinstance(listed, list) or not listed:
            self._malformed(block, f"Block {block.sequence} holds no marks.")
            return
        if len(self._found.marks) + len(listed) > self._limits.marks:
            self._malformed(block, f"The log has more than {self._limits.marks:,} marks.")
            return
        for entry in listed:
            self._mark(entry, block)

    def _mark(self, entry: object, block: _Block) -> None:
        members: Mapping[str, object] = entry if isinstance(entry, dict) else {}
        name, moment = members.get("name"), members.get("t_monotonic_ns")
        wall = members.get("t_realtime_ns")
        if (
            not isinstance(name, str)
            or not 1 <= len(name) <= 64
            or not _moment(moment)
            or not (wall is None or _moment(wall))
        ):
            self._malformed(block, f"Block {block.sequence} holds a mark without name or time.")
            return
        marks = self._found.marks
        if marks and moment < marks[-1].t_monotonic_ns:
            self._mark_refused(block, name, "comes before the mark that precedes it")
            return
        if name in ("window_start", "window_end"):
            names = {mark.name for mark in marks}
            if name in names:
                self._mark_refused(block, name, "comes a second time")
                return
            if name == "window_end" and "window_start" not in names:
                self._mark_refused(block, name, "has no window_start before it")
                return
        marks.append(Mark(name, moment, wall if isinstance(wall, int) else None, members))

    def _mark_refused(self, block: _Block, name: str, why: str) -> None:
        self._fail(
            Problem(
                "mark_order",
                f"Mark “{name}” {why}.",
                block.start,
                block.sequence,
                "The measurement window is not known; the run must be repeated.",
            )
        )

    def _result(self, block: _Block) -> None:
        length = block.end - block.start
        metadata_bytes, body_bytes = layout.RESULT.unpack_from(self._data, block.start)
        start = block.start + layout.RESULT.size
        end = start + metadata_bytes + body_bytes
        if layout.padded(layout.RESULT.size + metadata_bytes + body_bytes) != length or any(
            self._data[end : block.end]
        ):
            self._malformed(block, f"Block {block.sequence} (result): its lengths do not fit.")
            return
        if len(self._found.results) >= self._limits.results:
            self._malformed(block, f"The log has more than {self._limits.results} results.")
            return
        metadata = self._object(self._data[start : start + metadata_bytes], block)
        if metadata is None:
            return
        name, media_type = metadata.get("name"), metadata.get("media_type")
        if not isinstance(name, str) or not 1 <= len(name) <= 64 or not isinstance(media_type, str):
            self._malformed(block, f"Block {block.sequence} (result) has no name or media type.")
            return
        body = self._data[start + metadata_bytes : end]
        self._found.results.append(
            Result(name, media_type, metadata, body, start + metadata_bytes, block.sequence)
        )

    def _footer(self, block: _Block) -> None:
        document = self._object(self._data[block.start : block.end], block)
        if document is None:
            return
        expected: dict[str, object] = {
            "blocks": block.sequence,
            "marks": len(self._found.marks),
            "results": len(self._found.results),
            "streams": [
                {"records": count, "t_first_ns": first, "t_last_ns": last}
                if count
                else {"records": 0, "t_first_ns": None, "t_last_ns": None}
                for count, first, last in zip(
                    self._records, self._first_time, self._last_time, strict=True
                )
            ],
        }
        self._found.footer = document
        for name, value in expected.items():
            if document.get(name) != value and not self._damaged:
                self._fail(
                    Problem(
                        "footer_totals",
                        f"The footer's {name} ({document.get(name)!r:.200}) differ from what the "
                        f"log holds ({value!r:.200}).",
                        block.start,
                        block.sequence,
                        SEND_AGAIN,
                    )
                )
        ended = document.get("ended")
        if not isinstance(ended, str) or len(ended) > 64:
            self._malformed(block, "The footer does not say why the log ended.")

    def _nothing_after(self, offset: int) -> None:
        if offset < len(self._data):
            self._fail(
                Problem(
                    "trailing_bytes",
                    f"{len(self._data) - offset:,} bytes follow the footer.",
                    offset,
                    advice="A log ends with its footer; two logs must not be joined.",
                )
            )

    def _close(self) -> None:
        if self._found.footer is None and not self.problems:
            self._cut_off(self._end, "The log has no footer: it was cut off between two blocks.")
        if self._damaged:
            return
        first, last = self._first_time[0], self._last_time[0]
        for mark in self._found.marks:
            late = self._found.footer is not None and mark.t_monotonic_ns > last
            if (first >= 0 and mark.t_monotonic_ns < first) or late:
                self._fail(
                    Problem(
                        "mark_range",
                        f"Mark “{mark.name}” at {mark.t_monotonic_ns:,} ns lies outside the "
                        f"records ({first:,} to {last:,} ns).",
                        advice="The measurement window is not covered; the run must be repeated.",
                    )
                )


def _only_zeros(data: memoryview) -> bool:
    step = 1 << 16
    return all(
        not bytes(data[start : start + step]).strip(b"\0") for start in range(0, len(data), step)
    )


def _moment(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < 1 << 64
