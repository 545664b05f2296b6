# SPDX-License-Identifier: Apache-2.0
"""perf stat -j: counts of events, also per CPU (-A) and per interval (-I), which are added.

Whether they are of the machine (-a) or of a command, the file does not say: but for the energy of
packages, which is always the machine's, they are measures of the experiment's own.
"""

import re
from collections.abc import Iterator, Mapping

from coalescope.foreign.json_text import documents, text_at, written
from coalescope.foreign.records import Format, Reading, Record, Unreadable, measure

_START = re.compile(r'(#[^\n]*\n|\s)*\{"(interval|cpu|core|socket|die|node|thread|counter-value)"')
_COMMENT = re.compile(rb"^#.*$", re.MULTILINE)
_ENERGY = re.compile(r"(power/)?energy-pkg/?$")


def _begins(start: str) -> bool:
    return _START.match(start) is not None and '"counter-value"' in start


def _read(content: bytes) -> Reading:
    totals: dict[str, tuple[float, str, int]] = {}
    unknown = []
    for line in documents(_COMMENT.sub(b"", content)):
        event = text_at(line, "event")
        if not isinstance(line, Mapping) or event is None:
            continue
        value = written(text_at(line, "counter-value") or "", 0.0)
        if value is None:
            unknown.append(event)
            continue
        before, unit, count = totals.get(event, (0.0, text_at(line, "unit") or "", 0))
        totals[event] = (before + value, unit, count + 1)
    records = [one for event in totals if event not in unknown for one in _event(event, totals)]
    if not records:
        raise Unreadable(
            "None of its events was counted.", "Leave the file out.", field="counter-value"
        )
    notes = [f"perf could not count {event}." for event in dict.fromkeys(unknown)]
    return Reading(beside=records, notes=notes)


def _event(event: str, totals: Mapping[str, tuple[float, str, int]]) -> Iterator[Record]:
    value, unit, count = totals[event]
    field = f"{event}: counter-value" + (f", sum of {count}" if count > 1 else "")
    if _ENERGY.search(event) and unit == "Joules":
        yield measure("package_energy_j", value, field)
        return
    name = re.sub(r"[^\w.-]+", "_", event).strip("_.-")[:90]
    if name:
        yield Record(f"measure.perf_{name.removesuffix('_sd')}", value, unit, field)


FORMAT = Format(
    "perf stat",
    "perf stat -j -a -e cycles,instructions -o FILE COMMAND",
    _begins,
    _read,
    (
        ("counter-value of power/energy-pkg/", "package_energy_j", "in Joules, of all packages"),
        (
            "counter-value of any other event",
            "measure.perf_…",
            "with perf's unit; of machine or command, as it was run",
        ),
    ),
)
