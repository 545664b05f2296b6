# SPDX-License-Identifier: Apache-2.0
"""What people say of the runs in other tools' files, as NAME=VALUE. Pure.

It holds for all of them; what a folder's or file's own name says, such as `mtu_bytes=9000/`, for
those in it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from coalescope_models.vocabulary.quantity import ACROSS

from coalescope.errors import CoalescopeError
from coalescope.experiments.records import FactorValue
from coalescope.glossary.quantities import factor
from coalescope.runs.factors import check_factors

#: What is no factor, and decides how files are joined.
INTERFACE, UTC_OFFSET, STARTED_AT = "interface", "utc_offset", "started_at"
JOINING = {
    INTERFACE: "eth0",
    UTC_OFFSET: "+01:00",
    STARTED_AT: "2026-01-31T12:00:00Z",
}
DELAYS = (*ACROSS, "delay_control")
MTU = "mtu_bytes"
WORKLOAD = "workload"
_PAIR = re.compile(r"([a-z][\w.-]{0,99})=([^=/]{0,200})")
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)")


@dataclass(frozen=True)
class Given:
    """Factors and their levels, None where it was said that nobody knows; and how to join."""

    factors: Mapping[str, FactorValue | None] = field(default_factory=dict)
    joining: Mapping[str, str] = field(default_factory=dict)

    @property
    def interface(self) -> str | None:
        """The interface that the runs are of."""
        return self.joining.get(INTERFACE)

    @property
    def host(self) -> str | None:
        """The machine under test."""
        name = self.factors.get("host")
        return None if name is None else str(name)

    @cached_property
    def utc_offset_s(self) -> float | None:
        """Seconds that local time is ahead of UTC."""
        found = _OFFSET.fullmatch(self.joining.get(UTC_OFFSET, ""))
        if found is None:
            return None
        sign = 1.0 if found[1] == "+" else -1.0
        return sign * (3600.0 * int(found[2]) + 60.0 * int(found[3]))

    @property
    def started_at_s(self) -> float | None:
        """When the runs began, in seconds since 1970."""
        text = self.joining.get(STARTED_AT)
        return None if text is None else datetime.fromisoformat(text).timestamp()


def read_given(pairs: Iterable[str]) -> Given:
    """What `NAME=VALUE` says, each once. Errors: 422 for no factor, or no level of it."""
    said: dict[str, str] = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator or not name.strip():
            raise _bad(pair, "It is not of the form NAME=VALUE.", "Write mtu_bytes=9000.")
        if name.strip() in said:
            raise _bad(pair, f"{name.strip()} is given twice.", "Give it once.")
        said[name.strip()] = value.strip()
    return _checked(said)


def in_name(path: str) -> dict[str, str]:
    """What the parts of a path say: `mtu_bytes=9000/delay_us=50/iperf3.json`."""
    found = {}
    for part in path.split("/"):
        whole = _PAIR.fullmatch(part.partition(".json")[0])
        if whole is not None and (factor(whole[1]) is not None or whole[1].startswith("factor.")):
            found[whole[1]] = whole[2]
    return found


def with_names(given: Given, path: str) -> Given:
    """The same, and what the file's path says. Errors: 422 as of read_given."""
    named = _checked(in_name(path)).factors
    return Given({**named, **given.factors}, given.joining)


def _checked(said: Mapping[str, str]) -> Given:
    factors: dict[str, FactorValue | None] = {}
    joining = {name: value for name, value in said.items() if name in JOINING}
    for name, value in said.items():
        if name not in JOINING:
            factors[name] = None if value in ("", "unknown") else _level(name, value)
    check_factors({name: level for name, level in factors.items() if level is not None})
    check_factors({name: _stand_in(name) for name, level in factors.items() if level is None})
    if joining.get(UTC_OFFSET) is not None and _OFFSET.fullmatch(joining[UTC_OFFSET]) is None:
        raise _bad(joining[UTC_OFFSET], "It is no offset from UTC.", "Write utc_offset=+01:00.")
    if STARTED_AT in joining:
        _check_moment(joining[STARTED_AT])
    return Given(factors, joining)


def _check_moment(text: str) -> None:
    try:
        zone = datetime.fromisoformat(text).tzinfo
    except ValueError:
        zone = None
    if zone is None:
        raise _bad(text, "It is no point in time.", "Write started_at=2026-01-31T12:00:00Z.")


def _level(name: str, value: str) -> FactorValue:
    quantity = factor(name)
    if quantity is not None and quantity.text:
        return value
    try:
        return float(value)
    except ValueError:
        return value  # of a factor of one's own; of any other, check_factors says what is wrong


def _stand_in(name: str) -> FactorValue:
    """A level that is possible, where only the name is to be checked."""
    quantity = factor(name)
    if quantity is None or quantity.text:
        return "unknown"
    return quantity.domain[0] or 0.0


def _bad(value: str, message: str, advice: str) -> CoalescopeError:
    return CoalescopeError(
        "bad_setting", message, where={"field": "set", "value": value[:200]}, advice=advice
    )
