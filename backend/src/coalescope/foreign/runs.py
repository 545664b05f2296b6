# SPDX-License-Identifier: Apache-2.0
"""A run in files of other tools: as its own tool left it, and with all that was joined to it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from coalescope.experiments.records import FactorValue
from coalescope.foreign.folders import folder_of
from coalescope.foreign.records import Record, Window
from coalescope.foreign.registry import ReadFile


@dataclass
class JoinedRun:
    """One run.

    Attributes:
        values: measures, each with where it is from.
        factors: levels; `origins`: where those are from that no one gave.
        facts: what else is known, by names with points.
        identity: what tells the run from others of its files, whatever else is given with them.
        files: of which it is made, those of its own tool first.

    """

    factors: dict[str, FactorValue] = field(default_factory=dict)
    values: dict[str, Record] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, Record] = field(default_factory=dict)
    identity: str = ""
    window: Window | None = None
    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class Part:
    """What is known of a run before anything is joined to it."""

    identity: str
    records: list[Record] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    @property
    def window(self) -> Window | None:
        """When its tool ran, where that says it."""
        return next((record.window for record in self.records if record.window), None)


def parts_of(files: Sequence[ReadFile]) -> list[Part]:
    """The runs that tools made; where there are none, each folder with measures is a run."""
    found: dict[str, Part] = {}
    for file in files:
        for number, run in enumerate(file.reading.runs):
            key = run.same_as or f"{file.name} {number}"
            part = found.setdefault(key, Part(run.same_as or str(number)))
            known = {record.quantity for record in part.records}
            part.records += [record for record in run.records if record.quantity not in known]
            part.hosts += [host for host in run.hosts if host not in part.hosts]
            part.files.append(file.name)
    if not found:
        for file in files:
            if file.reading.counters or any(r.kind != "fact" for r in file.reading.beside):
                part = found.setdefault(folder_of(file.name), Part("0"))
                part.files.append(file.name)
    return list(found.values())
