# SPDX-License-Identifier: Apache-2.0
"""How far each counter of a log advanced between two of its records, wraps and resets included.

A counter that goes backwards has either wrapped at its declared width or was reset (interface or
driver started anew). It wrapped if the step, taken modulo 2^bits, is at most half of that range and
at most FASTEST_WRAP times the counter's fastest forward rate in the same log, and no other counter
of the same source was reset at that record. Anything else is a reset: what happened in between is
not known, so the counter has no advance in this window and every measure made of it is absent.
CPU times are an exception: the kernel sometimes takes back a little idle time, which is no reset.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from coalescope_host.run_log import Field, Stream
from numpy.typing import NDArray

FASTEST_WRAP = 4.0
TAKEN_BACK_NS = 1_000_000_000

_Records = NDArray[np.void]
_Step = tuple[int, int]  # record after the step, modular size


@dataclass(frozen=True)
class Reset:
    """A counter that started anew inside the window."""

    field: str
    record: int
    t_monotonic_ns: int


@dataclass(frozen=True)
class Window:
    """The records that a window spans: indices of first and last, and their times (ns)."""

    first: int
    last: int
    start_ns: int
    end_ns: int

    @property
    def elapsed_s(self) -> float:
        """Seconds between the two records."""
        return (self.end_ns - self.start_ns) / 1e9


@dataclass(frozen=True)
class Advances:
    """How far each counter advanced over a window; counters that were reset stand in `resets`."""

    by_field: Mapping[str, int]
    resets: Sequence[Reset]


def window_records(stream: Stream, start_ns: int | None, end_ns: int | None) -> Window | None:
    """The records at or after `start_ns` and at or before `end_ns`; None if there are not two."""
    first: tuple[int, int] | None = None
    last: tuple[int, int] | None = None
    for offset, block in _blocks(stream):
        times = block["t_monotonic_ns"]
        if first is None:
            index = 0 if start_ns is None else int(np.searchsorted(times, np.uint64(start_ns)))
            if index < len(times):
                first = offset + index, int(times[index])
        end = len(times)
        if end_ns is not None:
            end = int(np.searchsorted(times, np.uint64(end_ns), side="right"))
        if end > 0:
            last = offset + end - 1, int(times[end - 1])
        if end < len(times):
            break
    if first is None or last is None or last[0] <= first[0]:
        return None
    return Window(first[0], last[0], first[1], last[1])


def advances(stream: Stream, window: Window) -> Advances:
    """How far every counter of the stream advanced between the window's first and last record."""
    counters = [field for field in stream.fields if field.kind == "counter"]
    uniform = _is_uniform(stream)
    first: _Records | None = None
    backwards: dict[str, list[_Step]] = {}
    previous: _Records | None = None
    for offset, block in _blocks(stream):
        low, high = max(window.first - offset, 0), min(window.last - offset + 1, len(block))
        if high <= low:
            continue
        part = block[low:high]
        for field in _backward_fields(counters, part, previous, uniform=uniform):
            steps = _backward_steps(field, part, previous, offset + low)
            backwards.setdefault(field.name, []).extend(steps)
        first = part[:1] if first is None else first
        previous = part[-1:]
    if first is None or previous is None:
        return Advances({}, ())
    start, end = _values(first), _values(previous)
    resets = _resets(stream, counters, backwards) if any(backwards.values()) else {}
    by_field = {
        field.name: end[field.name]
        - start[field.name]
        + len(backwards.get(field.name, ())) * (1 << (field.wrap_bits or 64))
        for field in counters
        if field.name not in resets
    }
    return Advances(by_field, [_reset(stream, name, at) for name, at in resets.items()])


def _blocks(stream: Stream) -> Iterator[tuple[int, _Records]]:
    """Views of the blocks, each with the index of its first record."""
    dtype = np.dtype(stream.dtype)  # type: ignore[call-overload]
    offset = 0
    for payload in stream.blocks:
        block = np.frombuffer(payload, dtype)
        yield offset, block
        offset += len(block)


def _backward_fields(
    counters: Sequence[Field], part: _Records, previous: _Records | None, *, uniform: bool
) -> list[Field]:
    """Counters that go backwards somewhere in these records.

    Where every column is a u64, one flat comparison settles the usual case: none does.
    """
    if uniform:
        table = part.view("<u8").reshape(len(part), -1)
        ahead = previous is None or not (table[0] < previous.view("<u8")).any()
        if ahead and not (table[1:] < table[:-1]).any():
            return []
    return [field for field in counters if _goes_back(field, part, previous)]


def _is_uniform(stream: Stream) -> bool:
    return stream.record_bytes == 8 * len(stream.fields) and all(
        field.type == "u64" for field in stream.fields
    )


def _values(record: _Records) -> dict[str, int]:
    names = record.dtype.names or ()
    return dict(zip(names, record[0].tolist(), strict=True))


def _goes_back(field: Field, part: _Records, previous: _Records | None) -> bool:
    values = part[field.name]
    before = previous is not None and bool(values[0] < previous[0][field.name])
    return before or bool((values[1:] < values[:-1]).any())


def _backward_steps(
    field: Field, part: _Records, previous: _Records | None, offset: int
) -> list[_Step]:
    values = part[field.name].astype(np.uint64)
    if previous is not None:
        values = np.concatenate([previous[field.name].astype(np.uint64), values])
        offset -= 1
    fallen = values[1:] < values[:-1]
    if field.unit == "ns":
        fallen &= values[:-1] - values[1:] > TAKEN_BACK_NS
    at = np.flatnonzero(fallen)
    span = 1 << (field.wrap_bits or 64)
    return [(offset + int(i) + 1, int(values[i + 1]) - int(values[i]) + span) for i in at]


def _resets(
    stream: Stream, counters: Sequence[Field], backwards: Mapping[str, Sequence[_Step]]
) -> dict[str, int]:
    """Counters whose backward steps are not all wraps, with the record of the first reset."""
    fields = {field.name: field for field in counters if field.name in backwards}
    fastest = _fastest_rates(stream, list(fields.values()))
    times = _times_at(stream, {record for steps in backwards.values() for record, _ in steps})
    reset_at = {
        (fields[name].source, record)
        for name, steps in backwards.items()
        for record, size in steps
        if not _is_wrap(fields[name], size, times[record], fastest[name])
    }
    found: dict[str, int] = {}
    for name, steps in backwards.items():
        at = [record for record, _ in steps if (fields[name].source, record) in reset_at]
        if at:
            found[name] = min(at)
    return found


def _is_wrap(field: Field, size: int, times: tuple[int, int], fastest: float) -> bool:
    half = 1 << ((field.wrap_bits or 64) - 1)
    return size <= half and size <= FASTEST_WRAP * fastest * (times[1] - times[0])


def _fastest_rates(stream: Stream, fields: Sequence[Field]) -> dict[str, float]:
    """Each counter's fastest forward rate in the whole log, per ns."""
    fastest = {field.name: 0.0 for field in fields}
    previous: _Records | None = None
    for _, block in _blocks(stream):
        joined = block if previous is None else np.concatenate([previous, block])
        elapsed = np.diff(joined["t_monotonic_ns"].astype(np.float64))
        for field in fields:
            values = joined[field.name].astype(np.float64)
            rates = np.diff(values) / elapsed
            fastest[field.name] = max(fastest[field.name], float(rates.max(initial=0.0)))
        previous = block[-1:]
    return fastest


def _times_at(stream: Stream, records: set[int]) -> dict[int, tuple[int, int]]:
    """Times of these records and of those before them."""
    found: dict[int, tuple[int, int]] = {}
    last = 0
    for offset, block in _blocks(stream):
        times = block["t_monotonic_ns"]
        for record in records:
            index = record - offset
            if 0 <= index < len(times):
                found[record] = int(times[index - 1]) if index else last, int(times[index])
        last = int(times[-1])
    return found


def _reset(stream: Stream, name: str, record: int) -> Reset:
    return Reset(name, record, _times_at(stream, {record})[record][1])
