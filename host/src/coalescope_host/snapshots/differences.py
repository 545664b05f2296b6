# SPDX-License-Identifier: Apache-2.0
"""What differs between the surroundings of two measurements. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

NOT_KNOWN = "not known"
_OF_THE_RECORDING = frozenset({"command", "probe_cost", "counter_sources_refused"})
"""What tells how it was recorded, not on what."""
_WIDEST = (100, 40)
"""Columns are as wide as their longest text, up to this: each row is filled up to it."""
_PATHS_CHARACTERS = 1 << 22
"""Of all facts' paths together. A name stands in the path of everything in it."""


@dataclass(frozen=True)
class Difference:
    """One fact that both tell differently; None where one does not tell it."""

    name: str
    before: object
    after: object


@dataclass(frozen=True)
class Comparison:
    """All differences, in the order of the first; how many facts are the same, or not told."""

    differences: Sequence[Difference]
    same: int
    unknown: int


def compare(before: Mapping[str, object], after: Mapping[str, object]) -> Comparison:
    """Facts by their path, `coalescing.rx_usecs`; members of lists by their name."""
    first, second = _known(before), _known(after)
    names = [*first, *(name for name in second if name not in first)]
    found = [
        Difference(name, first.get(name), second.get(name))
        for name in names
        if not _alike(first.get(name), second.get(name))
    ]
    told = dict(_facts(before)).keys() | dict(_facts(after)).keys()
    groups = {name.partition(".")[0] for name in names}  # what one of the two tells in parts
    unknown = {name for name in told.difference(names) if name not in groups}
    return Comparison(found, len(names) - len(found), len(unknown))


def can_be_compared(environment: Mapping[str, object]) -> bool:
    """Whether the facts' paths are as short as those of a machine; if not, they fill memory."""
    rest = _PATHS_CHARACTERS
    for path, _ in _facts(environment):
        rest -= len(path)
        if rest < 0:
            return False
    return True


def _known(environment: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in _facts(environment) if value is not None}


def _alike(first: object, second: object) -> bool:
    """Equal, and of one type: 1 is not "on"."""
    return json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)


def lines(comparison: Comparison, heads: tuple[str, str]) -> Iterator[str]:
    """A table for people."""
    rows = [
        (found.name, _text(found.before), _text(found.after)) for found in comparison.differences
    ]
    same = f"{comparison.same} facts are the same."
    if comparison.unknown:
        same += f" Not known of either: {comparison.unknown}."
    if not rows:
        yield f"Nothing differs: {same}"
        return
    table = [("", *heads), *rows]
    first, second = (
        min(max(len(row[place]) for row in table), most) for place, most in enumerate(_WIDEST)
    )
    for name, before, after in table:
        yield f"{name:<{first}}  {before:<{second}}  {after}".rstrip()
    yield f"{len(rows)} differ, {same}"


def _facts(environment: Mapping[str, object], path: str = "") -> Iterator[tuple[str, object]]:
    for name, value in environment.items():
        if not path and name in _OF_THE_RECORDING:
            continue
        where = f"{path}.{name}" if path else name
        named = _by_name(value)
        if named:
            yield from _facts(named, where)
        else:
            yield where, value


def _by_name(value: object) -> Mapping[str, object]:
    """Members of an object, or of a list whose objects have names that differ."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        return {}
    named = {
        str(one["name"]): {name: said for name, said in one.items() if name != "name"}
        for one in value
        if "name" in one
    }
    return named if len(named) == len(value) else {}


def _text(value: object) -> str:
    if value is None:
        return NOT_KNOWN
    if isinstance(value, bool):
        return "on" if value else "off"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
