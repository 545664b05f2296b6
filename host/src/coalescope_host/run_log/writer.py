# SPDX-License-Identifier: Apache-2.0
"""Writes run logs, for tests, simulations and converters. The C logger writes the same bytes."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from struct import Struct
from types import TracebackType
from typing import BinaryIO

from coalescope_host.newer_python import zip_strict

from . import bounded_json, layout
from .header import StreamLayout, parse_header

PREFERRED_PAYLOAD = 1 << 16
"""Records are gathered to blocks of at most this many bytes."""
FLUSH_AFTER_NS = 1_000_000_000
"""… and of at most this much recorded time."""


class Writer:
    """Writes one log to a binary file: records as they come, marks, results, the footer at the end.

    >>> with Writer(file, header) as log:
    ...     log.sample(t_monotonic_ns, t_realtime_ns, rx_bytes, ...)
    ...     log.mark("window_start", t_monotonic_ns, t_realtime_ns)

    Leaving the block by an exception leaves a log that was cut off.
    """

    def __init__(
        self, file: BinaryIO, header: Mapping[str, object], version: tuple[int, int] = (1, 0)
    ) -> None:
        text = bounded_json.dump(header)
        text += b" " * (layout.padded(len(text)) - len(text))
        self._file = file
        self._log_id = zlib.crc32(text)
        _, self._streams = parse_header(text, layout.DEFAULT_LIMITS)
        start = layout.PREAMBLE.pack(layout.MAGIC, *version, len(text), self._log_id, 0)[:-4]
        file.write(start + zlib.crc32(start).to_bytes(4, "little") + text)
        self._structs = [record_struct(stream) for stream in self._streams]
        self._pending = [bytearray() for _ in self._streams]
        self._records = [0] * len(self._streams)
        self._first: list[int | None] = [None] * len(self._streams)
        self._last: list[int | None] = [None] * len(self._streams)
        self._flushed_at = [0] * len(self._streams)
        self._sequence = 0
        self._marks = 0
        self._results = 0

    def sample(self, *values: int | float, stream: int = 0) -> None:
        """Append one record; values in the order of the stream's fields."""
        pending = self._pending[stream]
        record = self._structs[stream].pack(*values)
        record += bytes(self._streams[stream].record_bytes - len(record))
        if len(pending) + len(record) > PREFERRED_PAYLOAD:
            self.flush()
        pending += record
        moment = int(values[0])
        if self._first[stream] is None:
            self._first[stream] = self._flushed_at[stream] = moment
        self._last[stream] = moment
        self._records[stream] += 1
        if moment - self._flushed_at[stream] >= FLUSH_AFTER_NS:
            self._flushed_at[stream] = moment
            self.flush()

    def flush(self) -> None:
        """Write the records gathered so far as blocks."""
        for index, pending in enumerate(self._pending):
            if pending:
                count = len(pending) // self._streams[index].record_bytes
                self._block(layout.SAMPLES, bytes(pending), index, count)
                pending.clear()

    def mark(
        self, name: str, t_monotonic_ns: int, t_realtime_ns: int | None = None, **more: object
    ) -> None:
        """Note a moment, after the records that precede it."""
        self.flush()
        entry = {
            "name": name,
            "t_monotonic_ns": t_monotonic_ns,
            "t_realtime_ns": t_realtime_ns,
            **more,
        }
        self._json(layout.MARKS, {"marks": [entry]})
        self._marks += 1

    def result(
        self,
        body: bytes,
        *,
        name: str = "workload",
        media_type: str = "application/json",
        **more: object,
    ) -> None:
        """Keep what a program said."""
        self.flush()
        metadata = bounded_json.dump({"name": name, "media_type": media_type, **more})
        payload = layout.RESULT.pack(len(metadata), len(body)) + metadata + body
        payload += bytes(layout.padded(len(payload)) - len(payload))
        self._block(layout.RESULT_BLOCK, payload)
        self._results += 1

    def finish(self, ended: str = "finished", **more: object) -> None:
        """Write what is pending and the footer."""
        self.flush()
        totals: dict[str, object] = {
            "ended": ended,
            "blocks": self._sequence,
            "marks": self._marks,
            "results": self._results,
            "streams": [
                {"records": count, "t_first_ns": first, "t_last_ns": last}
                for count, first, last in zip_strict(self._records, self._first, self._last)
            ],
        }
        self._json(layout.FOOTER, totals | more)

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.finish()

    def _json(self, kind: int, document: Mapping[str, object]) -> None:
        text = bounded_json.dump(document)
        self._block(kind, text + b" " * (layout.padded(len(text)) - len(text)))

    def _block(self, kind: int, payload: bytes, stream: int = 0, records: int = 0) -> None:
        self._file.write(
            block_bytes(self._log_id, kind, self._sequence, payload, stream=stream, records=records)
        )
        self._sequence += 1


def block_bytes(
    log_id: int, kind: int, sequence: int, payload: bytes, *, stream: int = 0, records: int = 0
) -> bytes:
    """One whole block, header and payload."""
    start = layout.BLOCK.pack(
        layout.BLOCK_MARK,
        kind,
        stream,
        sequence,
        len(payload),
        records,
        zlib.crc32(payload),
        log_id,
        0,
    )[:-4]
    return start + zlib.crc32(start).to_bytes(4, "little") + payload


def record_struct(stream: StreamLayout) -> Struct:
    """The stream's record as a struct, without its final padding."""
    return Struct("<" + "".join(layout.TYPES[column.type][0] for column in stream.fields))


def standard_field(name: str, *, source: str = "sysfs", **more: object) -> dict[str, object]:
    """The header's description of a usual field.

    Raises:
        KeyError: if the name is not one of the usual ones.
    """
    unit, kind = STANDARD_FIELDS[name]
    described: dict[str, object] = {"name": name, "type": "u64", "unit": unit, "kind": kind}
    if kind == "counter":
        described["wrap_bits"] = 64
    described["source"] = source
    if unit == "bytes":
        described["bytes_include"] = ["link_header"]
    return described | more


STANDARD_FIELDS: dict[str, tuple[str, str]] = {
    "t_monotonic_ns": ("ns", "time"),
    "t_realtime_ns": ("ns", "time"),
    "rx_bytes": ("bytes", "counter"),
    "rx_packets": ("packets", "counter"),
    "tx_bytes": ("bytes", "counter"),
    "tx_packets": ("packets", "counter"),
    "rx_dropped": ("packets", "counter"),
    "tx_dropped": ("packets", "counter"),
    "rx_errors": ("packets", "counter"),
    "rx_missed_errors": ("packets", "counter"),
    "rx_fifo_errors": ("packets", "counter"),
    "rx_interrupts": ("interrupts", "counter"),
    "rx_line_interrupts": ("interrupts", "counter"),
    "tx_line_interrupts": ("interrupts", "counter"),
    "cpu_user_ns": ("ns", "counter"),
    "cpu_nice_ns": ("ns", "counter"),
    "cpu_system_ns": ("ns", "counter"),
    "cpu_idle_ns": ("ns", "counter"),
    "cpu_iowait_ns": ("ns", "counter"),
    "cpu_irq_ns": ("ns", "counter"),
    "cpu_softirq_ns": ("ns", "counter"),
    "cpu_steal_ns": ("ns", "counter"),
}
"""The usual fields of a log: name → unit and kind."""


def make_header(
    *,
    run_id: str,
    experiment: str | None,
    factors: Mapping[str, Mapping[str, object]],
    fields: Sequence[Mapping[str, object]],
    sources: Sequence[Mapping[str, object]],
    environment: Mapping[str, object] | None = None,
    kind: str = "measured",
    replicate: int | None = 1,
    interval_ns: int = 100_000_000,
    time_dilation: float | None = None,
    **run: object,
) -> dict[str, object]:
    """A header for one stream, with the usual members in their usual order."""
    record_bytes = sum(layout.TYPES[str(column["type"])][1] for column in fields)
    return {
        "created_by": {"program": "coalescope-host", "version": "0.1.0"},
        "run": {
            "id": run_id,
            "experiment": experiment,
            "experiment_title": run.get("experiment_title"),
            "kind": kind,
            "replicate": replicate,
            "order": run.get("order"),
            "seed": run.get("seed"),
            "plan": run.get("plan"),
        },
        "factors": {name: dict(value) for name, value in factors.items()},
        "environment": dict(environment or {}),
        "interval_ns": interval_ns,
        **({} if time_dilation is None else {"time_dilation": time_dilation}),
        "sources": [dict(source) for source in sources],
        "streams": [{"name": "samples", "record_bytes": layout.padded(record_bytes)}],
        "fields": [dict(column) for column in fields],
    }
