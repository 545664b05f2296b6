# SPDX-License-Identifier: Apache-2.0
"""How far each counter of a log advanced between two of its records, wraps and resets included.

A counter that goes backwards has either wrapped at its declared width or was reset (interface or
driver started again). It wrapped if the step, modulo 2^bits, is at most half of that range and
at most FASTEST_WRAP times the counter's fastest forward rate in the same log, and no other counter
of the same source was reset at that record. Anything else is a reset: what happened in between is
not known, so no counter of that source has an advance in this window (one that stood at zero went
through the same reset unseen) and every measure made of them is absent.
Times and cycles of CPUs are an exception: kernels sometimes take back a little idle time, and a sum
over CPUs that is not of one instant may do the same, which is no reset. CPU times of the machine
(cpu_*) are judged one by one: the interface whose source they may share does not touch them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from coalescope_host.run_log import Field, Stream
from numpy.typing import NDArray

FASTEST_WRAP = 4.0
TAKEN_BACK = 1_000_000_000  # nanoseconds or cycles

_TIME = "t_monotonic_ns"
_JOINED_BYTES = 1 << 16
_JOINED_RECORDS = 64

_Records = NDArray[np.void]
_Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Reset:
    """A counter that started again inside the window."""

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
    """How far each counter advanced over a window.

    `resets` holds the counters that were seen to start again. They and the others of their source
    are not in `by_field`.
    """

    by_field: Mapping[str, int]
    resets: Sequence[Reset]


def window_records(stream: Stream, start_ns: int | None, end_ns: int | None) -> Window | None:
    """The records at or after `start_ns` and at or before `end_ns`; None if there are not two."""
    first: tuple[int, int] | None = None
    last: tuple[int, int] | None = None
    for offset, block in _blocks(stream):
        times = block[_TIME]
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
    previous: _Records | None = None
    falling: set[str] = set()
    for _, part in _parts(stream, window):
        falling.update(_falling(counters, part, previous, uniform=uniform))
        first = part[:1] if first is None else first
        previous = part[-1:]
    if first is None or previous is None:
        return Advances({}, ())
    fallen = [field for field in counters if field.name in falling]
    wraps, resets = _wraps_and_resets(stream, window, fallen)
    lost = {_reset_together(field) for field in fallen if field.name in resets}
    start, end = _values(first), _values(previous)
    by_field = {
        field.name: end[field.name]
        - start[field.name]
        + wraps.get(field.name, 0) * (1 << (field.wrap_bits or 64))
        for field in counters
        if _reset_together(field) not in lost
    }
    return Advances(by_field, sorted(resets.values(), key=lambda reset: reset.record))


def value_at(stream: Stream, name: str, record: int) -> int:
    """One value of a whole-numbered field, by the record's index from the start."""
    field = stream.field(name)
    assert field is not None
    for block in stream.blocks:
        count = len(block) // stream.record_bytes
        if record < count:
            start = record * stream.record_bytes + field.offset
            return int.from_bytes(block[start : start + field.size], "little")
        record -= count
    raise IndexError(record)


def whole_advance(stream: Stream, window: Window, name: str, in_window: int) -> int | None:
    """How far a counter advanced over all records, given its advance in the window.

    None where it may have wrapped, or started again, outside the window.
    """
    field = stream.field(name)
    if field is None or field.type != "u64" or (field.wrap_bits or 64) < 64:
        return None
    first, start, end, last = (
        value_at(stream, name, at) for at in (0, window.first, window.last, stream.records - 1)
    )
    if first > start or end > last:
        return None
    return (start - first) + in_window + (last - end)


def first_advance(stream: Stream, name: str, least: float) -> tuple[int, int] | None:
    """Times (ns) of the first two records, one after the other, between which a counter advanced
    by so much."""
    before: tuple[int, int] | None = None
    for _, block in _blocks(stream):
        for time, value in zip(block[_TIME].tolist(), block[name].tolist(), strict=True):
            if before is not None and value - before[1] >= least:
                return before[0], time
            before = time, value
    return None


def count_with_bit(stream: Stream, window: Window, name: str, bit: int) -> int:
    """In how many of the window's records this bit of the field is set; 0 without the field."""
    if stream.field(name) is None:
        return 0
    return sum(
        int(np.count_nonzero(part[name] & np.asarray(1 << bit, part[name].dtype)))
        for _, part in _parts(stream, window)
    )


def largest_step(stream: Stream, window: Window, clock: str) -> int:
    """By how many ns that clock, from one record to the next, went ahead of t_monotonic_ns.

    The largest step either way, negative where it fell back; 0 without the clock. Records in which
    it was not read are passed over.
    """
    field = stream.field(clock)
    if field is None or field.type != "u64":
        return 0
    largest = 0
    previous = np.empty(0, np.int64)  # how far the clock was ahead in the last record
    for _, part in _parts(stream, window):
        read = part[clock] != 0
        ahead = (part[clock] - part[_TIME])[read].view(np.int64)
        steps = np.diff(ahead, prepend=previous)
        if len(steps):
            low, high = int(steps.min()), int(steps.max())
            largest = max(largest, low, high, key=abs)
        previous = ahead[-1:] if len(ahead) else previous
    return largest


def _reset_together(field: Field) -> tuple[str, str]:
    """Counters that start again together, at the same moment."""
    return field.source, field.name if field.name.startswith("cpu_") else ""


def _blocks(stream: Stream) -> Iterator[tuple[int, _Records]]:
    """The records, each time with the index of the first: views of blocks, or small blocks joined.

    Joined, because what is done with each costs as much for one record as for a hundred.
    """
    dtype = np.dtype(stream.dtype)  # type: ignore[call-overload]
    enough = max(_JOINED_BYTES, _JOINED_RECORDS * stream.record_bytes)
    offset, size, last = 0, 0, len(stream.blocks)
    waiting: list[memoryview] = []
    for index, payload in enumerate(stream.blocks, start=1):
        waiting.append(payload)
        size += len(payload)
        if size < enough and index < last:
            continue
        block = np.frombuffer(payload if len(waiting) == 1 else b"".join(waiting), dtype)
        yield offset, block
        offset += len(block)
        waiting, size = [], 0


def _parts(stream: Stream, window: Window) -> Iterator[tuple[int, _Records]]:
    """The records of the window, each time with the index of the first."""
    for offset, block in _blocks(stream):
        low, high = max(window.first - offset, 0), min(window.last - offset + 1, len(block))
        if high > low:
            yield offset + low, block[low:high]


def _falling(
    counters: Sequence[Field], part: _Records, previous: _Records | None, *, uniform: bool
) -> list[str]:
    """Names of counters that go backwards somewhere in these records.

    Where every column is a u64, one flat comparison settles the usual case: none does.
    """
    if uniform:
        table = part.view("<u8").reshape(len(part), -1)
        ahead = previous is None or not (table[0] < previous.view("<u8")).any()
        if ahead and not (table[1:] < table[:-1]).any():
            return []
    return [field.name for field in counters if _goes_back(field, part, previous)]


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


def _wraps_and_resets(
    stream: Stream, window: Window, falling: Sequence[Field]
) -> tuple[dict[str, int], dict[str, Reset]]:
    """How often each of these counters wrapped in the window, and the first reset of those reset.

    One pass more, block by block: a counter that goes back and forth in every record of a large
    log costs no more memory than one that does so once.
    """
    wraps = {field.name: 0 for field in falling}
    resets: dict[str, Reset] = {}
    if not falling:
        return wraps, resets
    fastest = _fastest_rates(stream, falling)
    previous: _Records | None = None
    for offset, part in _parts(stream, window):
        joined = part if previous is None else np.concatenate([previous, part])
        before = offset + len(part) - len(joined)
        times = joined[_TIME]
        falls = {field.name: _falls(field, joined, fastest[field.name]) for field in falling}
        lost: dict[tuple[str, str], _Indices] = {}
        for field in falling:
            at, is_wrap = falls[field.name]
            group = _reset_together(field)
            lost[group] = np.union1d(lost.get(group, at[:0]), at[~is_wrap])
        for field in falling:
            at, _ = falls[field.name]
            gone = at[np.isin(at, lost[_reset_together(field)])]
            wraps[field.name] += len(at) - len(gone)
            if len(gone) and field.name not in resets:
                after = int(gone[0]) + 1
                resets[field.name] = Reset(field.name, before + after, int(times[after]))
        previous = part[-1:]
    return wraps, resets


def _falls(field: Field, records: _Records, fastest: float) -> tuple[_Indices, NDArray[np.bool_]]:
    """After which records the counter falls, and whether each fall is a wrap by its size."""
    values = records[field.name].astype(np.uint64)
    at = np.flatnonzero(values[1:] < values[:-1])
    depth = values[at] - values[at + 1]
    if field.unit in {"ns", "cycles"}:
        is_fall = depth > TAKEN_BACK
        at, depth = at[is_fall], depth[is_fall]
    bits = field.wrap_bits or 64
    largest = np.uint64((1 << bits) - 1)
    step = largest - depth + np.uint64(1)
    elapsed = (records[_TIME][at + 1] - records[_TIME][at]).astype(np.float64)
    is_wrap = (depth <= largest) & (step <= np.uint64(1 << (bits - 1)))
    return at, is_wrap & (step <= FASTEST_WRAP * fastest * elapsed)


def _fastest_rates(stream: Stream, fields: Sequence[Field]) -> dict[str, float]:
    """Each counter's fastest forward rate in the whole log, per ns."""
    fastest = {field.name: 0.0 for field in fields}
    previous: _Records | None = None
    for _, block in _blocks(stream):
        joined = block if previous is None else np.concatenate([previous, block])
        elapsed = np.diff(joined[_TIME]).astype(np.float64)
        for field in fields:
            values = joined[field.name].astype(np.float64)
            rates = np.diff(values) / elapsed
            fastest[field.name] = max(fastest[field.name], float(rates.max(initial=0.0)))
        previous = block[-1:]
    return fastest
