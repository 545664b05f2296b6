# SPDX-License-Identifier: Apache-2.0
"""Reads TOML tables key by key, and remembers every fault instead of stopping at the first."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from coalescope_host.spelling import suggestion

T = TypeVar("T")

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in a plan: at which key, with which value, and what to do.

    Without a key it is the file.
    """

    key: str
    value: object
    message: str

    def __str__(self) -> str:
        shown = "" if self.value is ABSENT else f" = {_shown(self.value)}"
        return f"{self.key}{shown}: {self.message}" if self.key else self.message


class _Absent:
    def __repr__(self) -> str:
        return "(absent)"


ABSENT: Final = _Absent()


class Table:
    """One table of a TOML file. What is wrong is appended to `faults`.

    Each reading method returns the default (or a harmless value) where the key is missing or wrong,
    so that reading goes on and all faults are found. `close()` complains of keys nobody asked for.
    """

    def __init__(self, path: str, values: Mapping[str, object], faults: list[Fault]) -> None:
        self.path = path
        self.faults = faults
        self._values = values
        self._known: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def names(self) -> list[str]:
        """All keys, in the order of the file."""
        return list(self._values)

    def key(self, name: str) -> str:
        """The path of a key, as an error names it."""
        bare = name not in self._values or all(c.isalnum() or c in "_-" for c in name)
        quoted = name if bare else f'"{name}"'
        return f"{self.path}.{quoted}" if self.path else quoted

    def fault(self, name: str, message: str, value: object = ABSENT) -> None:
        """Note that a key is wrong."""
        self.faults.append(Fault(self.key(name) if name else self.path, value, message))

    def raw(self, name: str) -> object:
        """The value as the file has it; ABSENT if it does not."""
        self._known.append(name)
        return self._values.get(name, ABSENT)

    def text(self, name: str, default: str | None = None, *, longest: int = 1000) -> str:
        """A text of one line, not empty."""
        value = self._get(name, default)
        if isinstance(value, str) and 0 < len(value) <= longest and value.isprintable():
            return value
        return self._wrong(
            name, value, f"must be a text of 1 to {longest} characters.", default, ""
        )

    def matching(self, name: str, pattern: re.Pattern[str], what: str) -> str:
        """A text of that form."""
        value = self.text(name, longest=80)
        if value and not pattern.fullmatch(value):
            self.fault(name, f"must be {what}.", value)
        return value

    def check_name(self, name: str, of_what: str) -> None:
        """Note that a key that people choose is no name."""
        if not _NAME.fullmatch(name):
            self.fault(name, f"{of_what}'s name is lower-case letters, digits and _.")

    def optional_text(self, name: str) -> str | None:
        """A text of one line, or None where there is none."""
        if name in self._values:
            return self.text(name)
        self._known.append(name)
        return None

    def whole(self, name: str, default: int | None = None, *, low: int = 0, high: int) -> int:
        """A whole number from low to high."""
        value = self._get(name, default)
        if type(value) is int and low <= value <= high:
            return value
        return self._wrong(
            name, value, f"must be a whole number from {low} to {high}.", default, low
        )

    def number(self, name: str, default: float | None = None, *, low: float, high: float) -> float:
        """A number from low to high."""
        value = self._get(name, default)
        if _is_number(value) and low <= float(value) <= high:  # type: ignore[arg-type]
            return float(value)  # type: ignore[arg-type]
        return self._wrong(
            name, value, f"must be a number from {low:g} to {high:g}.", default, max(low, 0.0)
        )

    def choice(self, name: str, choices: Iterable[str], default: str | None = None) -> str:
        """One of some words."""
        words = list(choices)
        value = self._get(name, default)
        if isinstance(value, str) and value in words:
            return value
        near = suggestion(str(value), words)
        return self._wrong(
            name, value, f"must be one of {', '.join(words)}.{near}", default, words[0]
        )

    def texts(self, name: str, default: Iterable[str] | None = None) -> tuple[str, ...]:
        """A list of texts."""
        value = self._get(name, None if default is None else list(default))
        if isinstance(value, list) and all(isinstance(word, str) and word for word in value):
            return tuple(value)
        return self._wrong(name, value, 'must be a list of texts, such as ["a", "b"].', (), ())

    def table(self, name: str) -> Table:
        """A table below this one; empty where there is none."""
        value = self.raw(name)
        if isinstance(value, dict):
            return Table(self.key(name), value, self.faults)
        if value is not ABSENT:
            self.fault(name, f"must be a table, [{self.key(name)}].", value)
        return Table(self.key(name), {}, self.faults)

    def tables(self, name: str) -> list[Table]:
        """A list of tables, [[name]]."""
        value = self.raw(name)
        if isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
            return [
                Table(f"{self.key(name)}[{index}]", entry, self.faults)
                for index, entry in enumerate(value, 1)
            ]
        if value is not ABSENT:
            self.fault(name, f"must be tables, each headed [[{self.key(name)}]].", value)
        return []

    def close(self, elsewhere: Callable[[str], str] = lambda name: "") -> None:
        """Complain of every key that was not asked for.

        `elsewhere` says where a key belongs that has no place here; nothing if that is not known.
        """
        for name in self._values:
            if name not in self._known:
                known = sorted(set(self._known))
                near = suggestion(name, known) or f" Known here: {', '.join(known)}."
                self.fault(name, elsewhere(name) or f"there is no such key.{near}")

    def _get(self, name: str, default: object) -> object:
        value = self.raw(name)
        return default if value is ABSENT and default is not None else value

    def _wrong(self, name: str, value: object, message: str, default: T | None, other: T) -> T:
        if value is ABSENT:
            self.fault(name, f"is missing; it {message}")
        else:
            self.fault(name, message, value)
        return other if default is None else default


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:77]}…"
