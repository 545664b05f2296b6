# SPDX-License-Identifier: Apache-2.0
"""Files of one run become one run: by time and machine, or by folder where there is no time. Pure.

What a machine said in samples belongs to a run if the samples lie within it. What has no time (a
setting, a pair of snapshots) belongs to the runs in its folder and below. Values of different
windows are never combined: a ratio is only made of counts of one window.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from coalescope_models.vocabulary.quantity import QUANTITIES

from coalescope.errors import Problem
from coalescope.experiments.records import FactorValue
from coalescope.foreign.folders import Folders, folder_of, folders_above
from coalescope.foreign.given import (
    DELAYS,
    MTU,
    STARTED_AT,
    UTC_OFFSET,
    WORKLOAD,
    Given,
    with_names,
)
from coalescope.foreign.link_level import link_records
from coalescope.foreign.records import ENVIRONMENT, Record, Unreadable, Window
from coalescope.foreign.registry import FORMATS, ReadFile
from coalescope.foreign.samples import Samples
from coalescope.foreign.totals import in_order
from coalescope.glossary.quantities import factor
from coalescope.measures.derived import RATIOS, derive
from coalescope.untrusted.bounds import FOREIGN_RUNS

_LOOPBACK = "lo"
_MOST_NOTES = 100
_DIFFER = 0.1  # of two files that say the same measure
_ELAPSED = "elapsed_s"
# counts that are of the interface's or machine's own window, and stand beside its length
_COUNTS = frozenset(name for above, below, _ in RATIOS.values() for name in (above, below))


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
class _Part:
    """What is known of a run before anything is joined to it."""

    identity: str
    records: list[Record] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    @property
    def window(self) -> Window | None:
        return next((record.window for record in self.records if record.window), None)


class _Beside:
    """All files that were read, as the runs are to find them."""

    def __init__(self, files: Sequence[ReadFile], parts: Sequence[_Part]) -> None:
        self.folders = Folders(list(_without_time(files)), [part.files for part in parts])
        self.samples = [found for file in files if (found := Samples(file)).all]
        self.order = {file.name: FORMATS.index(file.format) for file in files}


def _without_time(files: Sequence[ReadFile]) -> Iterator[ReadFile]:
    """Those that hold something beside samples, and of them that: each run goes through it."""
    for file in files:
        kept = [record for record in file.reading.beside if record.kind != "sample"]
        if kept or file.reading.counters:
            yield replace(file, reading=replace(file.reading, beside=kept))


class _Asked(Exception):  # noqa: N818  a question, not an error of the program
    """What cannot be known from the files, and how to say it."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__()
        self.problems = problems


def _question(message: str, name: str, value: str, files: Iterable[str]) -> Problem:
    where: dict[str, str | int | float | None] = {"file": ", ".join(files), "field": name}
    return Problem("setting_missing", message, where, f"Say it: --set {name}={value}")


def join(files: Sequence[ReadFile], given: Given) -> tuple[list[JoinedRun], list[Problem]]:
    """The runs, in the order of time; or what keeps them from being made."""
    parts = _parts(files)
    if len(parts) > FOREIGN_RUNS:
        return [], [too_many_runs()]
    beside = _Beside(files, parts)
    runs: list[JoinedRun] = []
    problems: list[Problem] = []
    for part in parts:
        try:
            runs.append(_joined(part, beside, with_names(given, part.files[0])))
        except _Asked as asked:
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


def _parts(files: Sequence[ReadFile]) -> list[_Part]:
    """The runs that tools made; where there are none, each folder with measures is a run."""
    found: dict[str, _Part] = {}
    for file in files:
        for number, run in enumerate(file.reading.runs):
            key = run.same_as or f"{file.name} {number}"
            part = found.setdefault(key, _Part(run.same_as or str(number)))
            known = {record.quantity for record in part.records}
            part.records += [record for record in run.records if record.quantity not in known]
            part.hosts += [host for host in run.hosts if host not in part.hosts]
            part.files.append(file.name)
    if not found:
        for file in files:
            if file.reading.counters or any(r.kind != "fact" for r in file.reading.beside):
                part = found.setdefault(folder_of(file.name), _Part("0"))
                part.files.append(file.name)
    return list(found.values())


def _joined(part: _Part, beside: _Beside, given: Given) -> JoinedRun:
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
    pairs = _pairs(within, beside.folders)
    host = _host(part, said, given)
    facts = [r for f in within for r in f.reading.beside if r.kind == "fact"]
    facts += [r for f, _ in sampled for r in f.reading.beside if r.kind == "fact"]
    of_host = [r for r in said if r.host in (None, host)]
    interface = _interface([*of_host, *whole, *pairs, *facts], part, given)
    groups = [_of_samples(of_host), whole, _of_pairs(pairs, interface)]
    kept = [[r for r in group if r.interface in (None, interface)] for group in groups]
    _settle(run, [part.records, *kept], beside.order)
    if alone and run.window is None:
        windows = [r.window for r in of_host if r.window and not r.window.days]
        run.window = windows[0] if windows else None
    own = [r for r in part.records if r.kind == "fact"]
    own += [r for r in facts if r.interface in (None, interface)]
    _describe(run, [r for r in own if r.host in (None, host)], host, interface)
    _set(run, [r for r in own if r.host in (None, host)], given, alone=alone)
    if not run.values:
        raise Unreadable(
            "Nothing in it is a measure that is known here.",
            "Look at the formats that are read (docs/imported-formats.md).",
        )
    return run


def _window(part: _Part, given: Given) -> Window | None:
    """When the tool ran: as it says, or as people say where it does not."""
    if part.window is not None or given.started_at_s is None:
        return part.window
    elapsed = next((r.value for r in part.records if r.quantity == _ELAPSED), None)
    start = given.started_at_s
    return None if elapsed is None else Window(start, start + elapsed)


def _samples(
    samples: Samples, part: _Part, run: JoinedRun, given: Given, *, alone: bool
) -> list[Record]:
    """The file's samples that lie within the run; all of them where there is no run but them."""
    name = samples.file.name
    if alone:
        return samples.all if name in part.files else []
    if run.window is None:
        if folder_of(name) not in folders_above(part.files):
            return []
        raise _Asked(
            _question(
                f"{name} can only be joined by time, and {part.files[0]} does not say when it ran.",
                STARTED_AT,
                "2026-01-31T12:00:00Z",
                [part.files[0], name],
            )
        )
    if given.utc_offset_s is None and samples.may_be_within(run.window):
        raise _Asked(
            _question(
                f"{name} has local times, without their offset from UTC.",
                UTC_OFFSET,
                "+00:00",
                [name],
            )
        )
    found = samples.within(run.window, given.utc_offset_s)
    run.files += [name] if found and name not in run.files else []
    return found


def _pairs(within: Sequence[ReadFile], folders: Folders) -> list[Record]:
    """What came between two files of running totals, format by format and folder by folder."""
    found: dict[tuple[str, str], list[ReadFile]] = {}
    for file in within:
        if file.reading.counters:
            found.setdefault((folder_of(file.name), file.format.name), []).append(file)
    records = []
    for pair in found.values():
        names = ", ".join(file.name for file in pair)
        beside = folders.runs_beside(pair[0].name)
        if beside > 1:
            raise Unreadable(
                f"{names} lie beside {beside} runs: which of them they were taken around is "
                "not known.",
                "Put the files of each run into a folder of its own.",
                file=names,
            )
        if len(pair) != 2:
            raise Unreadable(
                f"Running totals need two files, before and after; there are {len(pair)}: {names}.",
                "Give both, or leave them out.",
                file=names,
            )
        records += _difference(*pair)
    return records


def _difference(one: ReadFile, other: ReadFile) -> list[Record]:
    ordered = in_order(one.reading.counters, other.reading.counters)
    if ordered is None or one.format.difference is None:
        raise Unreadable(
            f"Of {one.name} and {other.name} neither is the later one: some of their totals rose, "
            "others fell.",
            "Take both snapshots again.",
            file=f"{one.name}, {other.name}",
        )
    before, after = ordered
    names = f"{one.name}, {other.name}"
    return [replace(record, file=names) for record in one.format.difference(before, after)]


def _host(part: _Part, samples: Sequence[Record], given: Given) -> str | None:
    """The machine under test: the one that is said, or the only one that files are of."""
    if given.host is not None:
        return given.host
    names = list(dict.fromkeys(record.host for record in samples if record.host is not None))
    sampled = list(dict.fromkeys(record.file for record in samples))
    if len(names) > 1:
        raise _Asked(
            _question(
                f"Files of {' and '.join(names)} are of the same time: which is the machine under "
                "test?",
                "host",
                names[0],
                sampled,
            )
        )
    if names and part.hosts and names[0] not in part.hosts:
        raise _Asked(
            _question(
                f"{', '.join(sampled)} is of {names[0]}, and {part.files[0]} of "
                f"{' and '.join(part.hosts)}. If {names[0]} is the machine under test, it has to "
                "be said.",
                "host",
                names[0],
                [*part.files, *sampled],
            )
        )
    return names[0] if names else next(iter(part.hosts), None)


def _interface(records: Sequence[Record], part: _Part, given: Given) -> str | None:
    if given.interface is not None:
        return given.interface
    names = dict.fromkeys(r.interface for r in records if r.interface and not _is_line(r))
    several = [name for name in names if name != _LOOPBACK]
    if len(several) > 1:
        raise _Asked(
            _question(
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


def _of_samples(samples: Sequence[Record]) -> list[Record]:
    """The mean of each measure over the samples of a file, each as long as it was."""
    found: dict[tuple[str, str, str | None], list[Record]] = {}
    for record in samples:
        found.setdefault((record.file, record.quantity, record.interface), []).append(record)
    return [_mean(each) for each in found.values()]


def _mean(samples: Sequence[Record]) -> Record:
    weights = [1.0 if r.window is None else r.window.length_s for r in samples]
    total = sum(w * r.value for w, r in zip(weights, samples, strict=True))
    counted = f"{len(samples)} sample{'s' * (len(samples) != 1)}"
    where = f"{samples[0].field}, mean of {counted}"
    return replace(samples[0], value=total / sum(weights), field=where, kind="whole")


def _of_pairs(records: Sequence[Record], interface: str | None) -> list[Record]:
    """With the ratios and rates that follow from counts of one window."""
    own = {r.quantity: r for r in records if r.interface in (None, interface)}
    counts = {name: float(r.value) for name, r in own.items() if name in QUANTITIES}
    follows = {name: v for name, v in derive(counts).items() if name not in own}
    found = [_follows(name, value, own) for name, value in follows.items()]
    elapsed = own.get(_ELAPSED)
    for way, name in (("rx", "throughput_mbps"), ("tx", "tx_throughput_mbps")):
        octets, packets = own.get(f"{way}_bytes"), own.get(f"{way}_packets")
        if (
            elapsed is None
            or not elapsed.value
            or octets is None
            or packets is None
            or not interface
        ):
            continue
        rates = (octets.value / elapsed.value, packets.value / elapsed.value)
        where = f"{octets.field}, {packets.field}, by {elapsed.field}"
        made = link_records(name, *rates, where, None, octets.host, interface, "whole")
        found += [replace(one, file=octets.file) for one in made if one.quantity == name]
    return [*records, *found]


def _follows(name: str, value: float, own: Mapping[str, Record]) -> Record:
    above, below, _ = RATIOS[name]
    files = ", ".join(dict.fromkeys((own[above].file, own[below].file)))
    where = f"{own[above].field} by {own[below].field}"
    return replace(
        own[above], quantity=name, value=value, unit=QUANTITIES[name].unit, field=where, file=files
    )


def _settle(run: JoinedRun, groups: Sequence[Sequence[Record]], order: Mapping[str, int]) -> None:
    """One value for each measure: the first that says it. Counts bring their own elapsed time."""
    counted = {r.quantity for r in groups[-1] if r.quantity in _COUNTS}
    found = dict.fromkeys(run.files)
    for place, group in enumerate(groups):
        for record in sorted(group, key=lambda r: order.get(r.file.split(", ")[0], 0)):
            name = record.quantity
            if record.kind == "fact" or (name == _ELAPSED and counted and place < len(groups) - 1):
                continue
            before = run.values.setdefault(name, record)
            differs = before is not record and _disagree(before, record)
            if differs and len(run.notes) < _MOST_NOTES:
                run.notes.append(
                    f"{name} is {before.value:.5g} by {before.file} and {record.value:.5g} by "
                    f"{record.file}: the first counts."
                )
            found.update(dict.fromkeys(filter(None, record.file.split(", "))))
    run.files = list(found)


def _disagree(one: Record, other: Record) -> bool:
    largest = max(abs(one.value), abs(other.value))
    return bool(abs(one.value - other.value) > _DIFFER * largest)


def _describe(
    run: JoinedRun, facts: Sequence[Record], host: str | None, interface: str | None
) -> None:
    for record in facts:
        if record.quantity.startswith(ENVIRONMENT):
            run.facts.setdefault(record.quantity.removeprefix(ENVIRONMENT), record.value)
    run.files = list(dict.fromkeys([*run.files, *(record.file for record in facts)]))
    if host is not None:
        run.facts["host"] = host
    if interface is not None:
        run.facts["interface"] = interface


def _set(run: JoinedRun, facts: Sequence[Record], given: Given, *, alone: bool) -> None:
    """The factors: as people say, else as the files do. Errors: _Asked for what neither says."""
    said = {r.quantity: r for r in reversed(facts) if factor(r.quantity) is not None}
    if "delay_control" in said:
        said.pop("delay_us", None)  # adaptive: it varies
    run.origins = {name: record for name, record in said.items() if name not in given.factors}
    run.factors = {name: record.value for name, record in run.origins.items()}
    run.factors |= {name: level for name, level in given.factors.items() if level is not None}
    for name, record in said.items():
        level = given.factors.get(name)
        if level is not None and level != record.value:
            run.notes.append(
                f"{name} is {record.value} by {record.file}; {level} was given and counts."
            )
    asked = list(_missing({*run.factors, *given.factors}, run.files[:1], alone=alone))
    if asked:
        raise _Asked(*asked)


def _missing(known: set[str], files: Sequence[str], *, alone: bool) -> Iterator[Problem]:
    """What makes a cell; `alone`: no tool made the run, so of its traffic nothing is known."""
    if not alone and WORKLOAD not in known:
        message = f"{files[0]} does not say what made its traffic (if nobody knows: =unknown)."
        yield _question(message, WORKLOAD, "tcp", files)
    if MTU not in known:
        yield _question(
            f"No file says the MTU that {files[0]} was measured with (if nobody knows it: "
            f"{MTU}=unknown).",
            MTU,
            "1500",
            files,
        )
    if known.isdisjoint(DELAYS):
        yield _question(
            f"No file says the interrupt delay that {files[0]} was measured with (if nobody knows "
            "it: delay_us=unknown; if it was adaptive: delay_control=adaptive).",
            "delay_us",
            "0",
            files,
        )


def _unused(file: ReadFile) -> Problem:
    return Problem(
        "file_not_joined",
        f"{file.name} ({file.format.name}) belongs to none of the runs: none is of its time and "
        "machine, or lies in its folder.",
        {"file": file.name},
        "Leave it out, or give it with the files of its run.",
    )
