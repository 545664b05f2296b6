# SPDX-License-Identifier: Apache-2.0
"""Whether a run had the levels that its factors name, as its environment was recorded. Pure.

The logger says the same when recording starts (driver/logger/levels.c).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from .errors import Problem
from .recorded_settings import (
    RECORDED,
    USECS_MODES,
    Form,
    RecordedSetting,
    is_of_time,
    recorded_setting,
)

_USECS = frozenset({None, "rx-usecs"})  # controls that coalescing's rx_usecs tells of
_COALESCING = "coalescing"
_ON = frozenset({"on", "true", "enabled"})
_OFF = frozenset({"off", "false", "disabled"})
_STEP_US = 1.0
"""Devices take whole microseconds: what lies nearer is the same level; none at all is another."""
_MOST_CPUS = 1 << 13
_SHOWN = 4

Environment = Mapping[str, object]
Factors = Mapping[str, object]


def not_in_force(environment: Environment, factors: Factors, kind: str | None) -> Iterator[Problem]:
    """A doubt for each factor that names a setting which the host had otherwise.

    What the environment does not hold is not judged, nor are times of an emulated host, whose
    registers may hold times of its own.
    """
    for name, level in factors.items():
        row = recorded_setting(name)
        if row is None or level is None or not _is_comparable(name, factors, kind):
            continue
        values = _recorded(environment, row)
        if values and (override := _override(environment, factors, row, values)):
            yield _doubt(name, level, override)
        elif any(not _agrees(name, level, value, row.form) for value in values):
            yield _doubt(name, level, f"{row.paths[0]} {_shown(values)}")


def not_known_in_force(
    environment: Environment, factors: Factors, kind: str | None, name: str
) -> Iterator[Problem]:
    """A doubt about a level of coalescing that was asked for and that nothing read back, where the
    interface has no such setting, or the kernel takes no such number."""
    row, level = recorded_setting(name), factors.get(name)
    if row is None or level is None or not _is_comparable(name, factors, kind):
        return
    group, _, member = row.paths[0].partition("/")
    if group != _COALESCING or _truth(level) is False:
        return
    has = environment.get(group, {})
    if group in environment and (not isinstance(has, Mapping) or member not in has):
        reason = f"the interface has no such setting ({row.paths[0]})"
    elif isinstance(level, float) and not level.is_integer():
        reason = f"the kernel takes whole numbers ({row.paths[0]})"
    else:
        return
    yield Problem(
        "not_in_force",
        f"{name} {_text(level)} was requested, but {reason}: it is not known to be in force.",
        severity="warning",
        details={"field": name},
    )


def changed_meanwhile(environment: Environment, after: Environment) -> Iterator[Problem]:
    """A doubt for each setting that the host had otherwise when the log ended.

    What was not read again is not judged, nor is what adaptive moderation moves.
    """
    said = set()
    same = {group for group in after if environment.get(group) == after[group]}
    for name, row in RECORDED.items():
        if all(path.partition("/")[0] in same for path in row.paths):
            continue
        was, became = _recorded(environment, row), _recorded(after, row)
        if not was or not became or was == became or _moves(environment, row):
            continue
        if row.paths in said:  # ethtool's word for it has a row, too
            continue
        said.add(row.paths)
        yield Problem(
            "changed_meanwhile",
            f"The host had {row.paths[0]} {_shown(was)} when recording began and {_shown(became)} "
            "when it ended: the run is of both. Record it again.",
            severity="warning",
            details={"field": name},
        )


def _moves(environment: Environment, row: RecordedSetting) -> bool:
    """Whether a switch lets the driver change it by itself."""
    paths = () if row.overridden_by is None else RECORDED[row.overridden_by].paths
    return any(_truth(value) for path in paths for value in _at(environment, path))


def _is_comparable(name: str, factors: Factors, kind: str | None) -> bool:
    if name == "delay_us" and factors.get("delay_control") not in _USECS:
        return False
    return kind == "measured" or not is_of_time(name)


def _override(
    environment: Environment, factors: Factors, row: RecordedSetting, values: list[object]
) -> str | None:
    """What moves the level, where the run does not say so itself."""
    switch = row.overridden_by
    if switch is not None and switch not in factors and _moves(environment, row):
        return f"{RECORDED[switch].paths[0]} on, so that it varies"
    driver = environment.get("driver")
    modes = USECS_MODES.get(driver, ()) if isinstance(driver, str) else ()
    if row is RECORDED["delay_us"] and any(value in modes for value in values):
        return f"a driver, {driver}, for which that is a way to adapt it, so that it varies"
    return None


def _doubt(name: str, level: object, read: str) -> Problem:
    """A level that the interface or its host, as it was read, does not have."""
    return Problem(
        "not_in_force",
        f"The run is said to have {name} {_text(level)}; the host had {read}. Set it, or name what "
        "was in force.",
        severity="warning",
        details={"field": name},
    )


def _recorded(environment: Environment, row: RecordedSetting) -> list[object]:
    """What the environment holds of a setting: of several queues, of each."""
    for path in row.paths:
        if values := list(_at(environment, path)):
            return values
    return []


def _at(value: object, path: str) -> Iterator[object]:
    """The values at a path, without those that are null."""
    if not path:
        if value is not None:
            yield value
        return
    name, _, rest = path.partition("/")
    members = dict(enumerate(value)) if isinstance(value, list) else value
    if not isinstance(members, Mapping):
        return
    for member in members.values() if name == "*" else [members.get(name)]:
        yield from _at(member, rest)


def _agrees(name: str, level: object, value: object, form: Form) -> bool:
    """Whether they are the same; also where what was written cannot be understood."""
    try:
        return _FORMS[form](level, value) if form in _FORMS else _plain(name, level, value)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return True


def _plain(name: str, level: Any, value: Any) -> bool:
    one, other = _truth(level), _truth(value)
    if one is not None and other is not None:
        return one is other
    if _is_number(level) and _is_number(value):
        if not is_of_time(name) or not level or not value:
            return bool(level == value)
        return bool(abs(level - value) < _STEP_US)
    return bool(level == value)


def _truth(value: object) -> bool | None:
    """A switch's position, however it is written."""
    if isinstance(value, str):
        word = value.lower()
        return True if word in _ON else False if word in _OFF else None
    return bool(value) if value in (0, 1) else None


def _split(level: Any, value: Any) -> bool:
    return bool(("auto", "off", "on").index(level) == value)


def _cpus(level: object, value: object, *, base: int) -> bool:
    return _bits(str(level)) == (int(_digits(value), 16) if base else _bits(str(value)))


def _digits(mask: object) -> str:
    return str(mask).replace(",", "")


def _bits(cpus: str) -> int:
    """The CPUs of a list such as 0-3,8 as bits; none of "none" or an empty text."""
    bits = 0
    for part in filter(None, cpus.replace("none", "").split(",")):
        first, dash, last = part.partition("-")
        low, high = int(first), int(last if dash else first)
        if not 0 <= low <= high < _MOST_CPUS:
            raise ValueError(cpus)
        bits |= (1 << high + 1) - (1 << low)
    return bits


def _profile(level: object, value: object) -> bool:
    parts = ("usecs", "packets", "completions")
    lines = (
        ",".join(str(_members(line).get(part, "n")) for part in parts) for line in _list(value)
    )
    return "_".join(lines) == level


def _spread(level: object, value: object) -> bool:
    """Evenly, from the first queue on."""
    entries = {int(queue): count for queue, count in _members(value).items()}
    even = max(entries.values()) - min(entries.values()) <= 1
    return even and sorted(entries) == list(range(len(entries))) and len(entries) == level


def _counted(level: object, value: object) -> bool:
    return list(_members(value)) == [level]


def _idle_states(level: Any, value: object) -> bool:
    return all(
        _members(state).get("disabled") in (None, number > level)
        for number, state in enumerate(_list(value))
    )


_FORMS: Mapping[Form, Callable[[object, object], bool]] = {
    Form.SPLIT: _split,
    Form.CPU_LIST: partial(_cpus, base=0),
    Form.CPU_MASK: partial(_cpus, base=16),
    Form.PROFILE: _profile,
    Form.SPREAD: _spread,
    Form.COUNTED: _counted,
    Form.IDLE_STATES: _idle_states,
}


def _members(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(value)
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _shown(values: list[object]) -> str:
    texts = list(dict.fromkeys(map(_text, values)))
    return ", ".join(texts[:_SHOWN]) + ("…" if len(texts) > _SHOWN else "")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return " ".join(f"{name}: {_text(part)}" for name, part in value.items())[:80]
    if isinstance(value, list):
        return " ".join(map(_text, value))[:200]
    return f"{value:g}" if isinstance(value, float) else str(value)[:80]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
