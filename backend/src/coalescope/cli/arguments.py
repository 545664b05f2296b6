# SPDX-License-Identifier: Apache-2.0
"""What an argument may be: from its text to a value, or the reason why not."""

import argparse
import math
import re
from collections.abc import Callable
from typing import NamedTuple

from coalescope_models.vocabulary.quantity import QUANTITIES

from coalescope.errors import CoalescopeError
from coalescope.uploads.mapping.records import MappedColumn, checked

_WITH_UNIT = re.compile(r"\s*[-+]?\d+(\.\d*)?\s*[^\W\d_][^\W\d]*\s*")


class Range(NamedTuple):
    """NAME=LO:HI:N, as `--over` takes it."""

    name: str
    lo: float
    hi: float
    n: int


class PhaseTyped(NamedTuple):
    """RATE:BYTES:MS, as `--phase` takes it."""

    rate_hz: float
    size_bytes: int
    milliseconds: float


def assignment(text: str) -> tuple[str, str]:
    """NAME=VALUE, both as text."""
    name, separator, value = text.partition("=")
    if not separator or not name.strip() or not value.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    return name.strip(), value.strip()


def mapped_column(text: str) -> MappedColumn:
    """COLUMN=QUANTITY[:UNIT], as `--map` takes it; the column may have = in its name."""
    column, separator, meant = text.rpartition("=")
    quantity, _, unit = meant.partition(":")
    if not separator or not column.strip() or not quantity.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form COLUMN=QUANTITY[:UNIT]")
    try:
        return checked(MappedColumn(column.strip(), quantity.strip(), unit.strip()))
    except CoalescopeError as error:
        raise argparse.ArgumentTypeError(f"{error.message} {error.advice}") from None


def number(text: str) -> tuple[str, float]:
    """NAME=VALUE with a finite number; of a code, such as a kind of moderation, or its word."""
    name, value = assignment(text)
    quantity = QUANTITIES.get(name)
    code = None if quantity is None else quantity.code(value)
    return name, _finite(value) if code is None else float(code)


def percent_of(text: str) -> tuple[str, float]:
    """NAME=PERCENT; the sign after the number may be left out."""
    name, value = assignment(text)
    return name, _finite(_without_sign(value))


def percent(text: str) -> float:
    """A percentage, 0 or more; the sign may be left out."""
    return not_negative(_without_sign(text))


def positive_percent(text: str) -> float:
    """A percentage above 0, of 100 at most; the sign may be left out."""
    value = positive(_without_sign(text))
    if value > 100:
        raise argparse.ArgumentTypeError(f"{text!r} is more than 100 %")
    return value


def _without_sign(text: str) -> str:
    return text.strip().removesuffix("%").strip()


def phase(text: str) -> PhaseTyped:
    """RATE:BYTES:MS, all positive."""
    parts = text.split(":")
    if len(parts) != 3:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form RATE:BYTES:MS")
    return PhaseTyped(positive(parts[0]), one_to(65_536)(parts[1]), positive(parts[2]))


def allowance(text: str) -> tuple[str | None, float]:
    """[MEASURE=]PERCENT, as `--allow` takes it; the sign after the number may be left out."""
    name, _, percent = text.rpartition("=")
    if "=" in text and not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form MEASURE=PERCENT")
    return name.strip() or None, zero_to(1000)(_without_sign(percent))


def names(text: str) -> tuple[str, ...]:
    """NAME,NAME,… without empty ones."""
    found = tuple(name.strip() for name in text.split(","))
    if not all(found):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME,NAME")
    return found


def two_names(text: str) -> tuple[str, ...]:
    """NAME,NAME."""
    found = names(text)
    if len(found) != 2:
        raise argparse.ArgumentTypeError(f"{text!r} does not name two")
    return found


def two_levels(text: str) -> str:
    """FACTOR=LEVEL:LEVEL, as it was typed."""
    name, _, typed = text.partition("=")
    parts = typed.split(":")
    if not name or len(parts) != 2 or not all(parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form FACTOR=LEVEL:LEVEL")
    return text


def levels(text: str) -> tuple[str, tuple[float, ...]]:
    """NAME=V,V,… with finite numbers."""
    name, values = assignment(text)
    return name, tuple(_finite(value) for value in values.split(","))


def number_range(text: str) -> Range:
    """NAME=LO:HI:N with finite bounds and a whole N."""
    name, value = assignment(text)
    parts = value.split(":")
    if len(parts) != 3:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=LO:HI:N")
    return Range(name, _finite(parts[0]), _finite(parts[1]), count(parts[2]))


def _finite(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        alone = ": give the number alone, without a unit" if _WITH_UNIT.fullmatch(text) else ""
        raise argparse.ArgumentTypeError(f"{text!r} is not a number{alone}") from None
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    return value


def not_negative(text: str) -> float:
    """A finite number, 0 or more."""
    value = _finite(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is negative")
    return value


def zero_to(most: float) -> Callable[[str], float]:
    """As far as the server goes, so that whatever follows from it is a finite number."""

    def bounded(text: str) -> float:
        value = not_negative(text)
        if value > most:
            raise argparse.ArgumentTypeError(f"{text!r} is more than {most:.0f}")
        return value

    return bounded


def positive(text: str) -> float:
    """A finite number above 0."""
    value = _finite(text)
    if value <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not positive")
    return value


def at_least_one(text: str) -> float:
    """A finite number, 1 or more."""
    value = _finite(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is less than 1")
    return value


def intervals(text: str) -> tuple[float, ...]:
    """V,V,…: at most 50 intervals from 0 to 10⁶."""
    found = tuple(zero_to(1e6)(value) for value in text.split(","))
    if len(found) > 50:
        raise argparse.ArgumentTypeError(f"{len(found)} intervals; 50 are the most")
    return found


def one_to(most: int) -> Callable[[str], int]:
    """A whole number from 1 to the most."""

    def whole(text: str) -> int:
        value = count(text)
        if not 1 <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not between 1 and {most}")
        return value

    return whole


def count(text: str) -> int:
    """A whole number, 0 or more."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is negative")
    return value


def port(text: str) -> int:
    """A port, or 0 for one that is free."""
    value = count(text)
    if value > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port (0 to 65535)")
    return value


def server(text: str) -> str:
    """Address of a server, without a slash at its end."""
    return _address(text, "http://host:8000").rstrip("/")


def site(text: str) -> str:
    """Address of a published site."""
    return _address(text, "https://example.org/coalescope/")


def _address(text: str, example: str) -> str:
    from coalescope.untrusted.web_addresses import is_server_address  # noqa: PLC0415

    if not is_server_address(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not an address such as {example}")
    return text


def reason(text: str) -> str:
    """Why something is changed: 1 to 2000 characters of plain text."""
    from coalescope.untrusted.texts import lines  # noqa: PLC0415

    said = text.strip()
    if not 1 <= len(said) <= 2000:
        raise argparse.ArgumentTypeError("it takes 1 to 2000 characters")
    try:
        return lines(said)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"it {error}") from None


def lifetime(text: str) -> float:
    """Days, more than none and at most a hundred years."""
    days = positive(text)
    if days > 36_500:
        raise argparse.ArgumentTypeError(f"{text!r} is longer than a hundred years")
    return days
