# SPDX-License-Identifier: Apache-2.0
"""The header: what the records mean, which run this is, on what it ran."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from . import bounded_json, layout
from .errors import Problem, RunLogError

Json = Mapping[str, object]

FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}(\.[a-z0-9_-]{1,64}){0,4}")
FACTOR_NAME = re.compile(r"(factor\.)?[a-z][a-z0-9_]{0,63}")
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
BYTES_INCLUDE = frozenset({"link_header", "fcs", "preamble_and_gap"})
FACTOR_VALUES = ("requested", "read_back", "effective")
WHOLE_NUMBERS_OF_A_RUN = ("replicate", "order", "seed")
TEXTS_OF_A_RUN = ("experiment_title", "plan")
LONGEST_TEXT = 4096
LONGEST_SLUG = 80


@dataclass(frozen=True)
class Field:
    """One column of a stream's records.

    Attributes:
        name: as in the glossary, with `.instance` appended for one queue, CPU or line of several.
        type: u8 … u64, i8 … i64, f32, f64; little-endian.
        offset: bytes from the start of the record.
        size: bytes.
        unit: e.g. "ns", "bytes", "packets", "interrupts", "cycles".
        kind: "time", "counter" (only its differences mean anything) or "gauge".
        wrap_bits: a counter continues with 0 after 2**wrap_bits − 1; None for the other kinds.
        source: name of the source it was read from.
        atomic: whether that source gives all its fields for one instant.
        stream: index of the stream.
        attributes: the field's whole description in the header.
    """

    name: str
    type: str
    offset: int
    size: int
    unit: str
    kind: str
    wrap_bits: int | None
    source: str
    atomic: bool
    stream: int
    attributes: Json

    @property
    def format(self) -> str:
        """The type as numpy spells it, e.g. "<u8" for u64."""
        letter = {"u": "u", "i": "i", "f": "f"}[self.type[0]]
        return f"<{letter}{self.size}"

    @property
    def bytes_include(self) -> tuple[str, ...] | None:
        """What a counter of bytes holds beside the network layer, None where not said.

        Of: link_header (14 bytes a frame), fcs (4), preamble_and_gap (20).
        """
        listed = self.attributes.get("bytes_include")
        return tuple(str(part) for part in listed) if isinstance(listed, list) else None

    @property
    def read_every_ns(self) -> int:
        """It may stand still for so long between two records that it was read for; 0: never."""
        every = self.attributes.get("read_every_ns")
        return every if isinstance(every, int) and every > 0 else 0

    @property
    def read_with_frames(self) -> bool:
        """Of what is read seldom: it was read whenever the interface's counters moved, too."""
        return self.attributes.get("read_with_frames") is True


@dataclass(frozen=True)
class StreamLayout:
    """The records of one stream: its name, their size, their fields in order."""

    index: int
    name: str
    record_bytes: int
    fields: tuple[Field, ...]


def parse_header(raw: bytes, limits: layout.Limits) -> tuple[Json, tuple[StreamLayout, ...]]:
    """Parse and check a header.

    Raises:
        RunLogError: if any part that a reader relies on is missing or out of range.
    """
    try:
        document = bounded_json.parse(raw, depth=limits.json_depth, values=limits.json_values)
    except bounded_json.JsonRefusedError as error:
        _refuse("header_json", f"The header cannot be read: {error}.")
    if not isinstance(document, dict):
        _refuse("header_json", "The header is not a JSON object.")
    _check_run(_object(document, "run"))
    _check_factors(_object(document, "factors"))
    _object(document, "environment")
    interval = document.get("interval_ns")
    if interval is not None and not _whole(interval, 1, 1 << 62):
        _refuse(
            "header_value", "interval_ns must be a positive whole number of nanoseconds or null."
        )
    _check_time_dilation(document)
    atomic_by_source = _sources(document, limits)
    return document, _streams(document, atomic_by_source, limits)


def _refuse(code: str, message: str) -> NoReturn:
    raise RunLogError(
        Problem(
            code,
            message,
            offset=layout.PREAMBLE.size,
            advice="The program that wrote this log does not follow docs/run-log-format.md.",
        )
    )


def _whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _text(value: object, longest: int = LONGEST_TEXT) -> bool:
    return isinstance(value, str) and len(value) <= longest


def _object(document: Mapping[str, object], name: str) -> dict[str, object]:
    value = document.get(name)
    if not isinstance(value, dict):
        _refuse("header_value", f"The header has no object “{name}”.")
    return value


def _list(document: Mapping[str, object], name: str, longest: int) -> list[dict[str, object]]:
    value = document.get(name)
    if not isinstance(value, list) or not 1 <= len(value) <= longest:
        _refuse("header_value", f"The header's “{name}” must be a list of 1 to {longest} objects.")
    for entry in value:
        if not isinstance(entry, dict):
            _refuse("header_value", f"An entry of the header's “{name}” is not an object.")
    return value


def _check_run(run: Mapping[str, object]) -> None:
    identity = run.get("id")
    if not isinstance(identity, str) or not UUID.fullmatch(identity):
        _refuse("header_value", "run.id must be a UUID in lower case.")
    slug = run.get("experiment")
    if slug is not None and not (
        isinstance(slug, str) and len(slug) <= LONGEST_SLUG and SLUG.fullmatch(slug)
    ):
        _refuse(
            "header_value", "run.experiment must be lower-case words joined by hyphens, or null."
        )
    kind = run.get("kind")
    if not isinstance(kind, str) or kind not in layout.KINDS_OF_DATA:
        _refuse(
            "header_value", f"run.kind must be one of {', '.join(sorted(layout.KINDS_OF_DATA))}."
        )
    for name in WHOLE_NUMBERS_OF_A_RUN:
        value = run.get(name)
        if value is not None and not _whole(value, 0, (1 << 63) - 1):
            _refuse("header_value", f"run.{name} must be a whole number or null.")
    for name in TEXTS_OF_A_RUN:
        value = run.get(name)
        if value is not None and not _text(value):
            _refuse("header_value", f"run.{name} must be a text or null.")


def _check_time_dilation(document: Json) -> None:
    if "time_dilation" not in document:
        return
    dilation = document["time_dilation"]
    if (
        not isinstance(dilation, (int, float))
        or isinstance(dilation, bool)
        or not 1 <= dilation <= layout.LARGEST_TIME_DILATION
    ):
        _refuse(
            "header_value",
            "time_dilation must be a number from 1 to "
            f"{layout.LARGEST_TIME_DILATION:,}: how many times slower than in the system that the "
            "log stands for its times pass.",
        )
    kind = _object(document, "run")["kind"]
    if kind not in layout.KINDS_THAT_STAND_FOR_ANOTHER:
        _refuse(
            "header_value",
            f"time_dilation stands in a log of kind {kind}. Only an emulated or simulated system "
            "can have a time of its own.",
        )


def _check_factors(factors: Mapping[str, object]) -> None:
    for name, value in factors.items():
        if not FACTOR_NAME.fullmatch(name):
            _refuse("header_factor", f"“{name[:80]}” is not a factor's name.")
        if not isinstance(value, dict) or "requested" not in value:
            _refuse("header_factor", f"Factor {name} must be an object with “requested”.")
        for part in FACTOR_VALUES:
            level = value.get(part)
            number = isinstance(level, (int, float)) and not isinstance(level, bool)
            if level is not None and not number and not _text(level):
                _refuse(
                    "header_factor", f"Factor {name}: “{part}” must be a number, a text or null."
                )


def _sources(document: Json, limits: layout.Limits) -> dict[str, bool]:
    atomic_by_source: dict[str, bool] = {}
    for source in _list(document, "sources", limits.streams * 4):
        name, atomic = source.get("name"), source.get("atomic")
        if not isinstance(name, str) or not FIELD_NAME.fullmatch(name):
            _refuse("header_source", "A source has no proper name.")
        if name in atomic_by_source:
            _refuse("header_source", f"Source {name} is listed twice.")
        if not isinstance(atomic, bool):
            _refuse("header_source", f"Source {name} must say whether it is atomic.")
        atomic_by_source[name] = atomic
    return atomic_by_source


def _streams(
    document: Json, atomic_by_source: Mapping[str, bool], limits: layout.Limits
) -> tuple[StreamLayout, ...]:
    declared = _list(document, "streams", limits.streams)
    described = _list(document, "fields", limits.fields)
    columns: list[list[Field]] = [[] for _ in declared]
    ends = [0] * len(declared)
    seen: set[tuple[int, str]] = set()
    for description in described:
        index = description.get("stream", 0)
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(declared):
            _refuse("header_field", "A field belongs to no stream.")
        column = _field(description, index, ends[index], atomic_by_source)
        if (index, column.name) in seen:
            _refuse("header_field", f"Field {column.name} is listed twice.")
        seen.add((index, column.name))
        columns[index].append(column)
        ends[index] += column.size
    return tuple(
        _stream(index, description, tuple(columns[index]), ends[index], limits)
        for index, description in enumerate(declared)
    )


def _stream(
    index: int,
    description: Mapping[str, object],
    columns: tuple[Field, ...],
    end: int,
    limits: layout.Limits,
) -> StreamLayout:
    name = description.get("name")
    if not isinstance(name, str) or not FIELD_NAME.fullmatch(name):
        _refuse("header_stream", f"Stream {index} has no proper name.")
    record_bytes = description.get("record_bytes")
    if (
        not isinstance(record_bytes, int)
        or isinstance(record_bytes, bool)
        or not layout.ALIGNMENT <= record_bytes <= limits.record_bytes
        or record_bytes % layout.ALIGNMENT
    ):
        _refuse(
            "header_stream",
            f"Stream {name}: record_bytes must be a multiple of {layout.ALIGNMENT} "
            f"of at most {limits.record_bytes}.",
        )
    if layout.padded(end) != record_bytes:
        _refuse(
            "header_stream",
            f"Stream {name}: its fields take {end} bytes but record_bytes is {record_bytes}.",
        )
    time = columns[0]
    if (time.name, time.type, time.kind, time.unit) != (layout.TIME_FIELD, "u64", "time", "ns"):
        _refuse(
            "header_stream", f"Stream {name}: its first field must be {layout.TIME_FIELD}, u64, ns."
        )
    return StreamLayout(index, name, record_bytes, columns)


def _field(
    description: Mapping[str, object],
    stream: int,
    offset: int,
    atomic_by_source: Mapping[str, bool],
) -> Field:
    name = description.get("name")
    if not isinstance(name, str) or not FIELD_NAME.fullmatch(name):
        _refuse("header_field", "A field has no proper name.")
    code = description.get("type")
    if not isinstance(code, str) or code not in layout.TYPES:
        _refuse("header_field", f"Field {name}: its type must be one of {', '.join(layout.TYPES)}.")
    size = layout.TYPES[code][1]
    if offset % size:
        _refuse("header_field", f"Field {name} is not aligned to its {size} bytes.")
    kind = description.get("kind")
    if not isinstance(kind, str) or kind not in layout.KINDS_OF_FIELD:
        _refuse("header_field", f"Field {name}: its kind must be time, counter or gauge.")
    unit = description.get("unit")
    if not isinstance(unit, str) or len(unit) > 32:
        _refuse("header_field", f"Field {name} has no proper unit.")
    source = description.get("source")
    if not isinstance(source, str) or source not in atomic_by_source:
        _refuse("header_field", f"Field {name}: its source is not listed.")
    wrap_bits = description.get("wrap_bits")
    if kind == "counter":
        if not isinstance(wrap_bits, int) or isinstance(wrap_bits, bool):
            _refuse("header_field", f"Counter {name} does not say at how many bits it wraps.")
        if code[0] != "u" or not 1 <= wrap_bits <= size * 8:
            _refuse(
                "header_field", f"Counter {name}: wrap_bits must be 1 to {size * 8}, type unsigned."
            )
    elif wrap_bits is not None:
        _refuse("header_field", f"Field {name} is no counter but has wrap_bits.")
    _check_bytes_include(name, description.get("bytes_include"))
    return Field(
        name,
        code,
        offset,
        size,
        unit,
        kind,
        wrap_bits if isinstance(wrap_bits, int) else None,
        source,
        atomic_by_source[source],
        stream,
        description,
    )


def _check_bytes_include(name: str, listed: object) -> None:
    if listed is None:
        return
    if not isinstance(listed, list) or not all(
        isinstance(part, str) and part in BYTES_INCLUDE for part in listed
    ):
        _refuse(
            "header_field",
            f"Field {name}: bytes_include lists only {', '.join(sorted(BYTES_INCLUDE))}.",
        )
