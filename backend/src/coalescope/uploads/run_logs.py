# SPDX-License-Identifier: Apache-2.0
"""A run log as an upload: its header says where it belongs, its records what was measured."""

import mmap
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from coalescope_host import run_log
from coalescope_host.run_log import Limits, Longer, RunLog, RunLogError
from coalescope_models.vocabulary.following import delay_us

from coalescope.db.timestamps import as_utc
from coalescope.errors import CoalescopeError
from coalescope.experiments.records import FactorValue, Kind
from coalescope.measures.audits import audit_delay, date_doubts
from coalescope.measures.consistency import contradictions
from coalescope.measures.counters import value_at
from coalescope.measures.plausibility import as_warnings, doubts
from coalescope.measures.run_log_measures import RunMeasures, measure_run
from coalescope.runs.factors import check_factors
from coalescope.runs.records import MeasuredValue, NewRun, RunWarning
from coalescope.untrusted.bounds import LOG_BLOCKS, most
from coalescope.untrusted.texts import CONTROL
from coalescope.uploads.parsed_upload import ParsedUpload, UploadRequest

_DELAY = "delay_us"
_LONGEST_DELAY_US = 1e9
_LONGEST_TITLE = 200
_LARGEST_REPLICATE = 10**9


def parse_run_log(log_or_path: Path | bytes, request: UploadRequest) -> ParsedUpload:
    """Read and measure a log: its bytes, or a file through a memory map.

    Errors: CoalescopeError (422) with offset and block where the log is damaged, or naming what
    its header lacks.
    """
    log = _read(_mapped(log_or_path) if isinstance(log_or_path, Path) else log_or_path)
    log = _with_environment(log, request.environment)
    run = cast(Mapping[str, Any], log.header["run"])
    kind = cast(Kind, run["kind"])
    if request.kind is not None and request.kind != kind:
        raise CoalescopeError(
            "kinds_never_mix",
            f"The log says its data is {kind}, the request says {request.kind}.",
            where={"field": "kind"},
            advice="Leave the kind out: a run log says its own.",
        )
    slug = request.experiment or run.get("experiment")
    if slug is None:
        raise CoalescopeError(
            "no_experiment",
            "The log names no experiment.",
            where={"field": "experiment"},
            advice="Name one with the upload (--experiment on the command line) or the recording.",
        )
    replicate = run.get("replicate")
    if replicate is not None and replicate > _LARGEST_REPLICATE:
        raise CoalescopeError(
            "bad_replicate",
            f"The log says that it is replicate {replicate}.",
            where={"field": "replicate"},
            advice=f"Number the runs of a cell from 1, at most {_LARGEST_REPLICATE:,}.",
        )
    measured = measure_run(log)
    new = _new_run(log, run, measured)
    title = request.title or _title_of(run)
    return ParsedUpload("run_log", slug, title, kind, [new], new.warnings)


def compare_logs(stored: Path, sent: Path) -> Longer | None:
    """Say whether the log `sent` goes on where `stored` ends, or ends where `stored` goes on.

    `sent` was read: it is sound. None where neither is the start of the other: then they are not
    copies of one log.
    """
    if not stored.stat().st_size:  # damaged: nothing of it is left, and nothing cannot be mapped
        return None
    with stored.open("rb") as one, sent.open("rb") as other:
        here = mmap.mmap(one.fileno(), 0, access=mmap.ACCESS_READ)
        there = mmap.mmap(other.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        return run_log.continuation(here, there)
    except RunLogError:
        return None


def _title_of(run: Mapping[str, Any]) -> str | None:
    """What the log calls its experiment; a log that is recorded is not refused for its title."""
    title = CONTROL.sub("", run.get("experiment_title") or "").strip()
    return title[:_LONGEST_TITLE].strip() or None


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _read(content: mmap.mmap | bytes) -> RunLog:
    allowed = Limits()
    try:
        return run_log.read(content, replace(allowed, blocks=min(allowed.blocks, most(LOG_BLOCKS))))
    except RunLogError as error:
        raise CoalescopeError(
            error.code,
            error.message,
            where={"offset": error.offset, "block": error.block, **error.problem.details},
            advice=error.advice or None,
        ) from None


def _with_environment(log: RunLog, facts: Mapping[str, Any]) -> RunLog:
    """The log, with facts of where it ran that it does not hold itself."""
    own = log.header["environment"]
    if not facts or not isinstance(own, Mapping):
        return log
    return replace(log, header={**log.header, "environment": {**facts, **own}})


def _new_run(log: RunLog, run: Mapping[str, Any], measured: RunMeasures) -> NewRun:
    given = cast(Mapping[str, Mapping[str, Any]], log.header["factors"])
    factors = cast(dict[str, FactorValue], run_log.levels_of(log))
    check_factors(factors)
    warnings = list(as_warnings(run_log.said_by(log)))
    values = dict(measured.values)
    effective = given.get(_DELAY, {}).get("effective")
    if isinstance(effective, int | float) and 0 <= effective <= _LONGEST_DELAY_US:
        values["effective_delay_us"] = float(effective)
        warnings += _delay_audit(factors, values)
    environment = cast(Mapping[str, Any], log.header["environment"])
    recorded_at = _recorded_at(log, measured)
    requested = {
        name: parts["requested"] for name, parts in given.items() if parts["requested"] is not None
    }
    return NewRun(
        uid=run["id"],
        factors=factors,
        replicate=run.get("replicate"),
        content="run_log",
        measures={name: MeasuredValue(value) for name, value in values.items()},
        partial=not log.complete,
        requested=requested,
        environment=environment,
        warnings=[
            *_problem_warnings(log),
            *warnings,
            *measured.warnings,
            *contradictions(values, environment, factors),
            *doubts(
                {**run_log.said_by_workload(log), **values},
                environment,
                factors,
                run["kind"],
                measured.others_at_least_percent,
            ),
            *date_doubts(recorded_at),
        ],
        recorded_at=recorded_at,
        order=run.get("order"),
    )


def _delay_audit(
    factors: Mapping[str, FactorValue], values: Mapping[str, float]
) -> list[RunWarning]:
    """Compare what the sweep inferred with what was set, in µs or in ticks."""
    set_us = delay_us(factors)
    if set_us is None:
        return []
    return list(audit_delay(set_us, values["effective_delay_us"], values))


def _problem_warnings(log: RunLog) -> list[RunWarning]:
    return [
        RunWarning(
            problem.code, problem.message, {"offset": problem.offset, "block": problem.block}
        )
        for problem in log.problems
    ]


def _recorded_at(log: RunLog, measured: RunMeasures) -> str | None:
    """Wall-clock time of the window's start, from the mark or the nearest record."""
    for mark in log.marks:
        if mark.name == "window_start" and mark.t_realtime_ns is not None:
            return _utc(mark.t_realtime_ns)
    stream = log.streams[0]
    if stream.field("t_realtime_ns") is None:
        return None
    return _utc(value_at(stream, "t_realtime_ns", measured.window.first))


def _utc(nanoseconds: int) -> str | None:
    try:
        return as_utc(datetime.fromtimestamp(nanoseconds / 1e9, UTC))
    except (OverflowError, ValueError, OSError):
        return None
