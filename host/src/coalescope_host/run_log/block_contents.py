# SPDX-License-Identifier: Apache-2.0
"""What the blocks of a run log hold: records, marks, results and the footer."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

from coalescope_host.newer_python import zip_strict

from . import bounded_json, layout
from .blocks import Block
from .bounded_json import members
from .errors import SEND_AGAIN, Problem
from .findings import Findings
from .header import Json
from .log import Column, Mark, Result, Stream

if TYPE_CHECKING:
    from typing import TypeGuard


class BlockContents:
    """What the blocks of a log hold, as they are added: records, marks, results, the footer."""

    def __init__(
        self,
        data: memoryview,
        streams: Sequence[Stream],
        limits: layout.Limits,
        findings: Findings,
    ) -> None:
        self._data = data
        self._streams = streams
        self._limits = limits
        self._findings = findings
        self._times = [Column(stream.fields[0], stream.record_bytes) for stream in streams]
        self._last_time = [-1] * len(streams)
        self._first_time = [-1] * len(streams)
        self._records = [0] * len(streams)
        self._json_values = 0
        self.marks: list[Mark] = []
        self.results: list[Result] = []
        self.footer: Json | None = None

    def add(self, block: Block) -> None:
        """Read what a whole block holds."""
        if block.kind == layout.SAMPLES:
            self._samples(block)
        elif block.kind == layout.RESULT_BLOCK:
            self._result(block)
        elif block.kind == layout.MARKS:
            self._marks(block)
        elif block.kind == layout.FOOTER:
            self._footer(block)

    def check_marks(self) -> None:
        """Say of each mark that lies outside the records."""
        first, last = self._first_time[0], self._last_time[0]
        for mark in self.marks:
            late = self.footer is not None and mark.t_monotonic_ns > last
            if (first >= 0 and mark.t_monotonic_ns < first) or late:
                self._findings.fail(
                    Problem(
                        "mark_range",
                        f"Mark “{mark.name}” at {mark.t_monotonic_ns:,} ns lies outside the "
                        f"records ({first:,} to {last:,} ns).",
                        advice="The measurement window is not covered; the run must be repeated.",
                    )
                )

    def _samples(self, block: Block) -> None:
        number = block.stream
        times = self._times[number].of(self._data[block.start : block.end])
        last = self._last_time[number]
        if times[0] <= last or not all(map(operator.lt, times, times[1:])):
            previous = [last, *times]
            index = next(i for i in range(len(times)) if previous[i] >= times[i])
            self._findings.fail(
                Problem(
                    "time_order",
                    f"In block {block.sequence} the monotonic clock goes from "
                    f"{previous[index]:,} to {times[index]:,} ns.",
                    block.start + index * self._streams[number].record_bytes,
                    block.sequence,
                    "The records are out of order; the run must be repeated.",
                )
            )
            return
        if last < 0:
            self._first_time[number] = times[0]
        self._last_time[number] = times[-1]
        self._records[number] += block.records
        self._streams[number].blocks.add(block.start, block.end)

    def _object(self, raw: memoryview, block: Block) -> dict[str, object] | None:
        limits = self._limits
        try:
            text = self._within_values(bytes(raw))
            document = bounded_json.parse(text, depth=limits.json_depth, values=limits.json_values)
            if isinstance(document, dict):
                return document
            reason = "it is not an object"
        except bounded_json.JsonRefusedError as error:
            reason = str(error)
        name = layout.BLOCK_NAMES[block.kind]
        self._malformed(block, f"Block {block.sequence} ({name}) cannot be read: {reason}.")
        return None

    def _within_values(self, text: bytes) -> bytes:
        """The text, where what the blocks hold has no more values with it than it may."""
        most = self._limits.json_values
        self._json_values += bounded_json.values_in(text, most)
        if self._json_values > most:
            raise bounded_json.JsonRefusedError(f"more than {most} values, with those before it")
        return text

    def _malformed(self, block: Block, message: str) -> None:
        self._findings.fail(
            Problem(
                "block_content",
                message,
                block.start,
                block.sequence,
                "The program that wrote this log does not follow docs/run-log-format.md.",
            )
        )

    def _marks(self, block: Block) -> None:
        document = self._object(self._data[block.start : block.end], block)
        if document is None:
            return
        listed = document.get("marks")
        if not isinstance(listed, list) or not listed:
            self._malformed(block, f"Block {block.sequence} holds no marks.")
            return
        if len(self.marks) + len(listed) > self._limits.marks:
            self._malformed(block, f"The log has more than {self._limits.marks:,} marks.")
            return
        for entry in listed:
            self._mark(entry, block)

    def _mark(self, entry: object, block: Block) -> None:
        said = members(entry)
        name, moment = said.get("name"), said.get("t_monotonic_ns")
        wall = said.get("t_realtime_ns")
        if (
            not isinstance(name, str)
            or not 1 <= len(name) <= 64
            or not _moment(moment)
            or not (wall is None or _moment(wall))
        ):
            self._malformed(block, f"Block {block.sequence} holds a mark without name or time.")
            return
        marks = self.marks
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
        marks.append(Mark(name, moment, wall if isinstance(wall, int) else None, said))

    def _mark_refused(self, block: Block, name: str, why: str) -> None:
        self._findings.fail(
            Problem(
                "mark_order",
                f"Mark “{name}” {why}.",
                block.start,
                block.sequence,
                "The measurement window is not known; the run must be repeated.",
            )
        )

    def _result(self, block: Block) -> None:
        length = block.end - block.start
        metadata_bytes, body_bytes = layout.RESULT.unpack_from(self._data, block.start)
        start = block.start + layout.RESULT.size
        end = start + metadata_bytes + body_bytes
        if layout.padded(layout.RESULT.size + metadata_bytes + body_bytes) != length or any(
            self._data[end : block.end]
        ):
            self._malformed(block, f"Block {block.sequence} (result): its lengths do not fit.")
            return
        if len(self.results) >= self._limits.results:
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
        self.results.append(
            Result(name, media_type, metadata, body, start + metadata_bytes, block.sequence)
        )

    def _footer(self, block: Block) -> None:
        document = self._object(self._data[block.start : block.end], block)
        if document is None:
            return
        expected: dict[str, object] = {
            "blocks": block.sequence,
            "marks": len(self.marks),
            "results": len(self.results),
            "streams": [
                {"records": count, "t_first_ns": first, "t_last_ns": last}
                if count
                else {"records": 0, "t_first_ns": None, "t_last_ns": None}
                for count, first, last in zip_strict(
                    self._records, self._first_time, self._last_time
                )
            ],
        }
        self.footer = document
        for name, value in expected.items():
            if document.get(name) != value and not self._findings.damaged:
                self._findings.fail(
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


def _moment(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < 1 << 64
