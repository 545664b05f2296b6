# SPDX-License-Identifier: Apache-2.0
"""What a run log holds once it was read: records in streams, marks, results."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, cast, overload

from coalescope_host.newer_python import zip_strict

from . import bounded_json, layout
from .errors import Problem, RunLogError
from .header import Field, Json, StreamLayout
from .mapped_pages import Passed


class Payloads(Sequence[memoryview]):
    """The records of a stream: one memoryview per block, made when asked for."""

    __slots__ = ("_data", "_ends", "_starts")

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._starts = array("Q")
        self._ends = array("Q")

    def add(self, start: int, end: int) -> None:
        """Note that the file's bytes start to end are records."""
        self._starts.append(start)
        self._ends.append(end)

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> memoryview: ...
    @overload
    def __getitem__(self, index: slice) -> list[memoryview]: ...
    def __getitem__(self, index: int | slice) -> memoryview | list[memoryview]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._data[self._starts[index] : self._ends[index]]

    def __iter__(self) -> Iterator[memoryview]:
        data = self._data
        passed = Passed(data)
        for start, end in zip_strict(self._starts, self._ends):
            passed.to(start)
            yield data[start:end]


@dataclass(frozen=True)
class Stream:
    """One stream of a log: its layout and its records.

    `blocks` are the records as they stand in the file;
    `numpy.frombuffer(block, numpy.dtype(stream.dtype))` views one without copying.
    """

    layout: StreamLayout
    blocks: Payloads

    @property
    def name(self) -> str:
        """The stream's name in the header."""
        return self.layout.name

    @property
    def record_bytes(self) -> int:
        """Bytes of one record."""
        return self.layout.record_bytes

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns in the order of the record."""
        return self.layout.fields

    @property
    def records(self) -> int:
        """How many records were read."""
        return sum(len(block) for block in self.blocks) // self.record_bytes

    @property
    def dtype(self) -> dict[str, object]:
        """What `numpy.dtype` takes to view one block."""
        return {
            "names": [column.name for column in self.fields],
            "formats": [column.format for column in self.fields],
            "offsets": [column.offset for column in self.fields],
            "itemsize": self.record_bytes,
        }

    def field(self, name: str) -> Field | None:
        """The column of that name, or None: an absent counter is not listed."""
        return next((column for column in self.fields if column.name == name), None)

    def column(self, name: str) -> list[int] | list[float]:
        """All values of one column, in plain Python.

        Raises:
            KeyError: if the stream has no such column.
        """
        found = self.field(name)
        if found is None:
            raise KeyError(name)
        values: list[int] = []
        column = Column(found, self.record_bytes)
        for block in self.blocks:
            values.extend(column.of(block))
        return values

    def last(self, name: str, count: int) -> list[int]:
        """The last values of one column, so many where there are as many.

        Raises:
            KeyError: if the stream has no such column.
        """
        found = self.field(name)
        if found is None:
            raise KeyError(name)
        column = Column(found, self.record_bytes)
        values: list[int] = []
        for block in reversed(self.blocks):
            values[:0] = column.of(block)
            if len(values) >= count:
                break
        return values[-count:]


@dataclass(frozen=True)
class Mark:
    """A moment that the logger noted, e.g. the start of the measurement window."""

    name: str
    t_monotonic_ns: int
    t_realtime_ns: int | None
    attributes: Json


@dataclass(frozen=True)
class Result:
    """Something the workload or another program said: its bytes and what is known about them."""

    name: str
    media_type: str
    metadata: Json
    body: memoryview
    offset: int
    block: int

    def json(self, values: int = layout.DEFAULT_LIMITS.result_values) -> object:
        """The body as JSON, of at most so many values.

        Raises:
            RunLogError: if it is not JSON (`result_json`).
        """
        limits = layout.DEFAULT_LIMITS
        raw = bytes(self.body)
        Passed(self.body, self.offset).to(self.offset + len(raw))
        try:
            return bounded_json.parse(
                raw,
                depth=limits.json_depth * 2,
                values=values,
                unique_names=False,  # iperf3 3.12 itself writes names twice
            )
        except bounded_json.JsonRefusedError as error:
            raise RunLogError(
                Problem(
                    "result_json",
                    f"The result “{self.name}” is said to be JSON but cannot be read: {error}.",
                    self.offset,
                    self.block,
                    "Look at the workload's own output.",
                )
            ) from None


@dataclass(frozen=True)
class RunLog:
    """A log that was read.

    Attributes:
        header: the whole header.
        version: (major, minor) of the format.
        streams: the records, stream 0 being the main one.
        marks: in order of time.
        results: in order of appearance.
        footer: None if the log was cut off.
        complete: whether the footer was there.
        problems: what is to be said about a log that was nevertheless read.
        size: bytes of the file.
        read_bytes: bytes up to the end of the last whole block.
    """

    header: Json
    version: tuple[int, int]
    streams: tuple[Stream, ...]
    marks: tuple[Mark, ...]
    results: tuple[Result, ...]
    footer: Json | None
    complete: bool
    problems: tuple[Problem, ...]
    size: int
    read_bytes: int

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns of the main stream."""
        return self.streams[0].fields

    @property
    def blocks(self) -> Payloads:
        """The records of the main stream."""
        return self.streams[0].blocks

    @property
    def records(self) -> int:
        """How many records the main stream has."""
        return self.streams[0].records

    def field(self, name: str) -> Field | None:
        """A column of the main stream, or None."""
        return self.streams[0].field(name)

    @property
    def time_dilation(self) -> float:
        """How many times slower than in the system that the log stands for its times pass."""
        return float(cast("float", self.header.get("time_dilation", 1.0)))

    @property
    def result(self) -> Result | None:
        """The workload's own result, or None."""
        return next((result for result in self.results if result.name == "workload"), None)

    @property
    def window(self) -> tuple[int | None, int | None]:
        """Start and end of the measurement window, monotonic, in ns; None where not marked."""
        moments = {mark.name: mark.t_monotonic_ns for mark in self.marks}
        return moments.get("window_start"), moments.get("window_end")

    @property
    def behind(self) -> frozenset[str]:
        """Counters whose value at the window's end may be an earlier one.

        What is read seldom is read for the first record, for those of the window's marks and for
        the last; not for the one after which a log was cut off, or its interface went away. What
        is read with frames was read for that one, too, if frames came with it.
        """
        ended = self.footer is not None and self.footer.get("ended") != "source lost"
        if ended or self.window[1] is not None:
            return frozenset()
        frames = self._frames_came_last()
        return frozenset(
            field.name
            for field in self.streams[0].fields
            if field.read_every_ns and not (frames and field.read_with_frames)
        )

    def _frames_came_last(self) -> bool:
        """Whether frames were counted between the last two records."""
        counted = (self.field(name) for name in ("rx_packets", "tx_packets"))
        columns = [self.streams[0].last(field.name, 2) for field in counted if field]
        return any(len(column) > 1 and column[0] != column[1] for column in columns)


class Column:
    """Where the values of one column are in a block."""

    __slots__ = ("_letter", "_offset", "_record", "_size")

    def __init__(self, field: Field, record_bytes: int) -> None:
        letter, self._size = layout.TYPES[field.type]
        self._letter = cast('Literal["Q"]', letter)
        self._offset, self._record = field.offset // self._size, record_bytes // self._size

    def of(self, block: memoryview, first: int = 0, every: int = 1) -> list[int]:
        """Its values in plain Python: of all records, or every so many-th from the `first` on."""
        values = slice(self._offset + first * self._record, None, every * self._record)
        if sys.byteorder == "big":  # pragma: no cover
            swapped = array(self._letter, block.tobytes())
            swapped.byteswap()
            return list(swapped[values])
        return block.cast(self._letter)[values].tolist()
