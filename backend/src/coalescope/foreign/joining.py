# SPDX-License-Identifier: Apache-2.0
"""Files of one run become one run: by time and machine, or by folder where there is no time. Pure.

What a machine said in samples belongs to a run if the samples lie within it. What has no time (a
setting, a pair of snapshots) belongs to the runs in its folder and below. Values of different
windows are never combined: a ratio is only made of counts of one window.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from coalescope.errors import Problem
from coalescope.foreign.combining import (
    ELAPSED,
    differences,
    means_of_samples,
    with_ratios_and_rates,
)
from coalescope.foreign.folders import Folders, folder_of, folders_above
from coalescope.foreign.given import STARTED_AT, UTC_OFFSET, Given, with_names
from coalescope.foreign.questions import Asked, question
from coalescope.foreign.records import Record, Unreadable, Window
from coalescope.foreign.registry import FORMATS, ReadFile
from coalescope.foreign.runs import JoinedRun, Part, parts_of
from coalescope.foreign.samples import Samples
from coalescope.foreign.settling import describe, set_factors, settle
from coalescope.untrusted.bounds import FOREIGN_RUNS, most

_LOOPBACK = "lo"


class _Beside:
    """All files that were read, as the runs are to find them."""

    def __init__(self, files: Sequence[ReadFile], parts: Sequence[Part]) -> None:
        self.folders = Folders(list(_without_time(files)), [part.files for part in parts])
        self.samples = [found for file in files if (found := Samples(file)).all]
        self.order = {file.name: FORMATS.index(file.format) for file in files}


def _without_time(files: Sequence[ReadFile]) -> Iterator[ReadFile]:
    """Those that hold something beside samples, and of them that: each run goes through it."""
    for file in files:
        kept = [record for record in file.reading.beside if record.kind != "sample"]
        if kept or file.reading.counters:
            yield replace(file, reading=replace(file.reading, beside=kept))


def join(files: Sequence[ReadFile], given: Given) -> tuple[list[JoinedRun], list[Problem]]:
    """The runs, in the order of time; or what keeps them from being made."""
    parts = parts_of(files)
    if len(parts) > most(FOREIGN_RUNS):
        return [], [too_many_runs()]
    beside = _Beside(files, parts)
    runs: list[JoinedRun] = []
    problems: list[Problem] = []
    for part in parts:
        try:
            runs.append(_joined(part, beside, with_names(given, part.files[0])))
        except Asked as asked:
            problems += asked.problems
        except Unreadable as fault:
            where: dict[str, Any] = {"file": ", ".join(part.files), **fault.where}
            problems.append(Problem("unreadable_file", fault.message, where, fault.advice))
    used = {name for run in runs for name in run.files}
    if not problems:
        problems += [_unused(file) for file in files if file.name not in used]
    runs.sort(key=lambda run: (run.window or Window(0.0, 0.0)).start_s)
    return runs, problems


def too_many_runs() -> Problem:
    """That files hold more runs than are read at once."""
    return Problem(
        "too_many_runs",
        f"The files hold more than {FOREIGN_RUNS:,} runs.",
        {"field": "files"},
        "Give fewer of them at once.",
    )


def _joined(part: Part, beside: _Beside, given: Given) -> JoinedRun:
    window = _window(part, given)
    run = JoinedRun(identity=part.identity, window=window, files=list(part.files))
    alone = not part.records
    sampled = [
        (samples.file, found)
        for samples in beside.samples
        if (found := _samples(samples, part, run, given, alone=alone))
    ]
    said = [record for _, found in sampled for record in found]
    within = beside.folders.around(part.files)
    whole = [r for f in within for r in f.reading.beside if r.kind == "whole"]
    pairs = differences(within, beside.folders)
    host = _host(part, said, given)
    facts = [r for f in within for r in f.reading.beside if r.kind == "fact"]
    facts += [r for f, _ in sampled for r in f.reading.beside if r.kind == "fact"]
    of_host = [r for r in said if r.host in (None, host)]
    interface = _interface([*of_host, *whole, *pairs, *facts], part, given)
    groups = [means_of_samples(of_host), whole, with_ratios_and_rates(pairs, interface)]
    kept = [[r for r in group if r.interface in (None, interface)] for group in groups]
    settle(run, [part.records, *kept], beside.order)
    if alone and run.window is None:
        windows = [r.window for r in of_host if r.window and not r.window.days]
        run.window = windows[0] if windows else None
    own = [r for r in part.records if r.kind == "fact"]
    own += [r for r in facts if r.interface in (None, interface)]
    describe(run, [r for r in own if r.host in (None, host)], host, interface)
    set_factors(run, [r for r in own if r.host in (None, host)], given, alone=alone)
    if not run.values:
        raise Unreadable(
            "Nothing in it is a measure that is known here.",
            "Look at the formats that are read (docs/imported-formats.md).",
        )
    return run


def _window(part: Part, given: Given) -> Window | None:
    """When the tool ran: as it says, or as people say where it does not."""
    if part.window is not None or given.started_at_s is None:
        return part.window
    elapsed = next((r.value for r in part.records if r.quantity == ELAPSED), None)
    start = given.started_at_s
    return None if elapsed is None else Window(start, start + elapsed)


def _samples(
    samples: Samples, part: Part, run: JoinedRun, given: Given, *, alone: bool
) -> list[Record]:
    """The file's samples that lie within the run; all of them where there is no run but them."""
    name = samples.file.name
    if alone:
        return samples.all if name in part.files else []
    if run.window is None:
        if folder_of(name) not in folders_above(part.files):
            return []
        raise Asked(
            question(
                f"{name} can only be joined by time, and {part.files[0]} does not say when it ran.",
                STARTED_AT,
                "2026-01-31T12:00:00Z",
                [part.files[0], name],
            )
        )
    if given.utc_offset_s is None and samples.may_be_within(run.window):
        raise Asked(
            question(
                f"{name} has local times, without their offset from UTC.",
                UTC_OFFSET,
                "+00:00",
                [name],
            )
        )
    found = samples.within(run.window, given.utc_offset_s)
    run.files += [name] if found and name not in run.files else []
    return found


def _host(part: Part, samples: Sequence[Record], given: Given) -> str | None:
    """The machine under test: the one that is said, or the only one that files are of."""
    if given.host is not None:
        return given.host
    names = list(dict.fromkeys(record.host for record in samples if record.host is not None))
    sampled = list(dict.fromkeys(record.file for record in samples))
    if len(names) > 1:
        raise Asked(
            question(
                f"Files of {' and '.join(names)} are of the same time: which is the machine under "
                "test?",
                "host",
                names[0],
                sampled,
            )
        )
    if names and part.hosts and names[0] not in part.hosts:
        raise Asked(
            question(
                f"{', '.join(sampled)} is of {names[0]}, and {part.files[0]} of "
                f"{' and '.join(part.hosts)}. If {names[0]} is the machine under test, it has to "
                "be said.",
                "host",
                names[0],
                [*part.files, *sampled],
            )
        )
    return names[0] if names else next(iter(part.hosts), None)


def _interface(records: Sequence[Record], part: Part, given: Given) -> str | None:
    if given.interface is not None:
        return given.interface
    names = dict.fromkeys(r.interface for r in records if r.interface and not _is_line(r))
    several = [name for name in names if name != _LOOPBACK]
    if len(several) > 1:
        raise Asked(
            question(
                f"The files tell of {', '.join(several)}: which interface are the runs of?",
                "interface",
                several[0],
                part.files,
            )
        )
    return next(iter(several or names), None)


def _is_line(record: Record) -> bool:
    """The name of an interrupt's line only may be that of an interface."""
    return record.quantity == "rx_line_interrupts"


def _unused(file: ReadFile) -> Problem:
    return Problem(
        "file_not_joined",
        f"{file.name} ({file.format.name}) belongs to none of the runs: none is of its time and "
        "machine, or lies in its folder.",
        {"file": file.name},
        "Leave it out, or give it with the files of its run.",
    )
