# SPDX-License-Identifier: Apache-2.0
"""What a table says of its own kind and source, row by row. Standard library only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from coalescope.experiments.records import KINDS, Kind
from coalescope.exports.source_columns import KIND, PREFIX, read_field
from coalescope.untrusted.bounds import LARGEST_NUMBER
from coalescope.untrusted.texts import CONTROL_IN_LINES, fault_in
from coalescope.untrusted.web_addresses import is_web_address
from coalescope.uploads.columns import Column
from coalescope.uploads.csv_faults import Faults

_LONGEST_TEXT = 10_000
_MOST_ENTRIES = 100
_DEEPEST = 2


@dataclass(frozen=True)
class TableSource:
    """What a table says of its data; nothing of what it does not say.

    Attributes:
        about: the rest of the source, under the names of a data set's source.toml.
    """

    kind: Kind | None = None
    title: str | None = None
    subtitle: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)


SAYS_NOTHING = TableSource()


class SourceReader:
    """Collects what the rows say; all rows must say the same, and an empty field says nothing."""

    def __init__(self, columns: Sequence[Column], faults: Faults) -> None:
        self._columns = [
            (place, column.name)
            for place, column in enumerate(columns)
            if column.role in ("kind", "source")
        ]
        self._faults = faults
        self._said: dict[str, tuple[str, int]] = {}

    def read(self, row: int, fields: Sequence[str]) -> None:
        """Note what a row says. What contradicts an earlier row is a fault."""
        for place, name in self._columns:
            text = fields[place].strip() if place < len(fields) else ""
            if not text:
                continue
            before, where = self._said.setdefault(name, (text, row))
            if text != before:
                self._faults.add(
                    "sources_differ",
                    f"Row {row} says {text[:40]!r} in {name}, row {where} says {before[:40]!r}.",
                    "Rows of different kinds or sources are tables, and experiments, of their own.",
                    row,
                    name,
                    text,
                )

    def source(self) -> TableSource:
        """What all rows say together. What is not of its form is a fault."""
        about = {
            name.removeprefix(PREFIX): self._value(name, text, row)
            for name, (text, row) in self._said.items()
            if name != KIND
        }
        kind, row = self._said.get(KIND, (None, 0))
        if kind is not None and kind not in KINDS:
            advice = f"Kinds are {', '.join(KINDS)}."
            self._faults.add("bad_kind", f"{kind[:40]!r} is no kind of data.", advice, row, KIND)
        title, subtitle = about.pop("title", None), about.pop("subtitle", "")
        return TableSource(cast(Kind | None, kind), title, subtitle, about)

    def _value(self, name: str, text: str, row: int) -> Any:
        value = read_field(text)
        is_right, form = _FORMS.get(name.removeprefix(PREFIX), _OTHERS)
        if not is_right(value):
            unseen = fault_in(text, CONTROL_IN_LINES)
            self._faults.add(
                "bad_source",
                f"{name} {unseen or f'is not {form}'}.",
                "Leave the column as it was exported, or remove it.",
                row,
                name,
                text,
            )
        return value


def _is_text(value: object, longest: int = 2000) -> bool:
    return _is_writable(value, longest) and value != "" and fault_in(str(value)) is None


def _is_writable(value: object, longest: int = _LONGEST_TEXT) -> bool:
    """A text that every store and format can hold and show, in one line or several."""
    if not isinstance(value, str) or len(value) > longest:
        return False
    return fault_in(value, CONTROL_IN_LINES) is None


def _is_plain(value: object, deep: int = _DEEPEST) -> bool:
    """What nobody here looks into: a text, or facts by name, which may stand in groups."""
    if isinstance(value, str):
        return _is_writable(value)
    return (
        isinstance(value, bool)
        or _is_level(value)
        or (deep > 0 and _is_mapping(value, lambda part: _is_plain(part, deep - 1)))
    )


def _is_title(value: object) -> bool:
    return _is_text(value, 200)


def _is_subtitle(value: object) -> bool:
    return _is_text(value, 300)


def _is_address(value: object) -> bool:
    return isinstance(value, str) and _is_text(value) and is_web_address(value)


def _is_notes(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MOST_ENTRIES and all(map(_is_writable, value))


def _is_level(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _is_text(value)
    return abs(value) <= LARGEST_NUMBER  # so not NaN either


def _is_mapping(value: object, of: Callable[[object], bool]) -> bool:
    return (
        isinstance(value, dict)
        and len(value) <= _MOST_ENTRIES
        and all(_is_text(name) and of(part) for name, part in value.items())
    )


def _is_fixed(value: object) -> bool:
    return _is_mapping(value, _is_level)


def _is_view(value: object) -> bool:
    """A view or a fit: names, and levels to choose by."""
    return _is_mapping(value, lambda part: _is_text(part) or _is_mapping(part, _is_level))


def _is_fit(value: object) -> bool:
    return (
        isinstance(value, dict)
        and _is_view(value)
        and all(isinstance(value.get(name), str) for name in ("model", "method"))
    )


def _is_of_factors(value: object) -> bool:
    return _is_mapping(
        value, lambda part: _is_mapping(part, lambda choice: choice in (True, False))
    )


def _is_of_measures(value: object) -> bool:
    return _is_mapping(
        value,
        lambda said: (
            _is_mapping(said, lambda part: _is_writable(part, 40))
            and isinstance(said, dict)
            and said.get("better", "more") in ("more", "less")
        ),
    )


def _is_facts(value: object) -> bool:
    return isinstance(value, dict) and _is_plain(value)


_FORMS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "title": (_is_title, "a text of at most 200 characters"),
    "subtitle": (_is_subtitle, "a text of at most 300 characters"),
    "citation": (_is_text, "a text of at most 2,000 characters"),
    "url": (_is_address, "an address that begins with http:// or https://"),
    "notes": (_is_notes, "a JSON list of texts"),
    "cautions": (_is_notes, "a JSON list of texts"),
    "licence": (_is_text, "a text of at most 2,000 characters"),
    "how_made": (_is_text, "a text of at most 2,000 characters"),
    "source_note": (_is_text, "a text of at most 2,000 characters"),
    "environment": (_is_facts, "a JSON object of facts"),
    "fixed": (_is_fixed, "a JSON object of names and values"),
    "default_view": (_is_view, "a JSON object of measure, x, y and where"),
    "default_setting": (_is_fixed, "a JSON object of factors and levels"),
    "default_fit": (_is_fit, "a JSON object of model, method and where"),
    "measures": (_is_of_measures, "a JSON object of what is said of each measure"),
    "factors": (_is_of_factors, "a JSON object of what is said of each factor"),
}
_OTHERS = (_is_plain, "a text, or a JSON object of facts")
