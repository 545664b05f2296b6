# SPDX-License-Identifier: Apache-2.0
"""Compare the whole store with itself: rows with files, summaries with runs, runs with their files.

Nothing is changed. Beside a server that works on the store, an upload that is under way at both
looks of `_leftovers` may be named as left over.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isclose

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from coalescope.db.engine import Database
from coalescope.errors import CoalescopeError, Problem, Where
from coalescope.experiments.records import SummaryRecord
from coalescope.experiments.service import list_stored
from coalescope.runs import kept_summaries
from coalescope.runs import service as runs
from coalescope.runs.listing import page_of
from coalescope.runs.records import Listing, MeasuredValue, NewRun
from coalescope.storage.object_store import ObjectStore, same_bytes
from coalescope.uploads.reading import TOOK_TOO_LONG, TOOK_TOO_MUCH_MEMORY, Reading
from coalescope.uploads.stored_files import StoredFile, orphaned_objects, remeasured, stored_files
from coalescope.verification.contents import content_faults
from coalescope.verification.schema import schema_faults

# Summaries and measures come from the same arithmetic; libraries may differ in the last digits.
_RELATIVE = 1e-12
_SEND_AGAIN = "Send or import the same file again, or restore a backup."
_GIVE_MORE = "Raise COALESCOPE_READING_SECONDS or COALESCOPE_READING_MIB, and look again."
_RESTORE = "Restore a backup into a new folder; files below logs/ can be imported again."


@dataclass(frozen=True)
class Report:
    """What was looked at, what is wrong, and what was left behind, which harms nobody."""

    files: int
    bytes: int
    experiments: int
    runs: int
    faults: Sequence[Problem]
    leftovers: Sequence[Problem]

    @property
    def sound(self) -> bool:
        """Whether all that was acknowledged is there and right."""
        return not self.faults


Progress = Callable[[str, int, int], None]


def _tells_nobody(what: str, done: int, of: int) -> None:
    pass


def verify(
    database: Database,
    store: ObjectStore,
    deep: Reading | None = None,
    progress: Progress = _tells_nobody,
) -> Report:
    """Check everything; `deep` also reads every file again and compares with its runs.

    `progress` is told what is looked at, how many of them were, and of how many.
    """
    faults: list[Problem] = []
    files: list[StoredFile] = []
    experiments = run_count = 0
    try:
        with database.read() as connection:
            faults += _integrity(connection)
            faults += schema_faults(connection)
            unreadable = list(content_faults(connection))
            if unreadable:
                return Report(0, 0, 0, 0, [*faults, *unreadable], [])
            files = stored_files(connection)
            listings = [Listing(one.id) for one in list_stored(connection)]
            experiments = len(listings)
            run_count = sum(page_of(connection, each, limit=0)[0] for each in listings)
            faults += kept_summaries.too_large(connection)
            faults += _summaries(connection, progress)
        for done, file in enumerate(files):
            progress("files", done, len(files))
            faults += _file(database, store, file, deep)
        leftovers = _leftovers(database, store)
    except (sa.exc.DatabaseError, ValueError) as error:  # a page that cannot be read, or its text
        reason = error.orig if isinstance(error, sa.exc.DatabaseError) else error
        faults.append(Problem("damaged_database", f"Cannot be read: {reason}.", {}, _RESTORE))
        leftovers = []
    size = sum(file.bytes for file in files)
    return Report(len(files), size, experiments, run_count, faults, leftovers)


def _integrity(connection: Connection) -> Iterator[Problem]:
    if connection.dialect.name != "sqlite":
        return  # a database server looks after its own pages and references
    for (text,) in connection.exec_driver_sql("PRAGMA integrity_check"):
        if text != "ok":
            yield Problem("damaged_database", f"SQLite says: {text}.", {}, _RESTORE)
    for table, row, other, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
        yield Problem(
            "dangling_reference",
            f"A row of {table} points to a row of {other} that is not there.",
            {"table": table, "row": row},
            _RESTORE,
        )


def _summaries(connection: Connection, progress: Progress) -> Iterator[Problem]:
    experiments = list_stored(connection)
    for done, experiment in enumerate(experiments):
        progress("experiments", done, len(experiments))
        for cell in kept_summaries.recomputed_cells(connection, experiment, _same_summary):
            where: Where = {"experiment": experiment.slug, **cell.factors}
            if cell.kept_counts != cell.counts:
                yield Problem(
                    "wrong_count",
                    f"A cell says that {cell.kept_counts[0]} runs count; {cell.counts[0]} do.",
                    dict(where),
                    _RESTORE,
                )
            for measure in sorted(cell.kept.keys() | cell.recomputed.keys()):
                if not _same_summary(cell.kept.get(measure), cell.recomputed.get(measure)):
                    yield Problem(
                        "wrong_summary",
                        f"The summary of {measure} does not follow from the cell's runs.",
                        {**where, "measure": measure},
                        _RESTORE,
                    )


def _same_summary(one: SummaryRecord | None, other: SummaryRecord | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.n == other.n and all(map(_close, _numbers(one), _numbers(other)))


def _numbers(summary: SummaryRecord) -> tuple[float | None, ...]:
    return (summary.mean, summary.sd, *(summary.ci95 or (None, None)))


def _close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=_RELATIVE, abs_tol=0.0)


def _file(
    database: Database, store: ObjectStore, file: StoredFile, deep: Reading | None
) -> Iterator[Problem]:
    where: dict[str, str | int | float | None]
    where = {"file": file.filename, "experiment": file.experiment, "sha256": file.sha256}
    if file.missing_runs:
        message = f"{file.missing_runs} of its runs are not in the database."
        yield Problem("missing_runs", message, where, _RESTORE)
    path = store.path(file.sha256, file.suffix)
    if path is None:
        yield Problem("missing_file", "The file is not in the store.", where, _SEND_AGAIN)
        return
    size = path.stat().st_size
    if size != file.bytes:
        message = f"The file has {size:,} bytes; {file.bytes:,} were acknowledged."
        yield Problem("damaged_file", message, where, _SEND_AGAIN)
    elif not same_bytes(path, file.sha256):
        message = "The file's bytes are not those that were acknowledged."
        yield Problem("damaged_file", message, where, _SEND_AGAIN)
    elif deep and not file.superseded:
        try:
            anew = remeasured(file, path, deep)
        except CoalescopeError as error:
            yield _not_measured(error, where)
            return
        with database.read() as connection:
            yield from _measures(connection, anew, where)


def _not_measured(error: CoalescopeError, where: Where) -> Problem:
    if error.code in (TOOK_TOO_LONG, TOOK_TOO_MUCH_MEMORY):
        message = "Its measures were not compared: the file took more to read than it may."
        return Problem("not_compared", message, {**where, **error.where}, _GIVE_MORE)
    message = f"This program no longer accepts the file: {error.message}"
    return Problem("not_understood", message, dict(where), error.advice)


def _measures(connection: Connection, anew: Sequence[NewRun], where: Where) -> Iterator[Problem]:
    for new in anew:
        run = runs.find_run(connection, new.uid)
        kept = {} if run is None else runs.measures_of(connection, [run])[run.id]
        different = [
            name
            for name in sorted(kept.keys() | new.measures.keys())
            if not _same_value(kept.get(name), new.measures.get(name))
        ]
        if different:
            yield Problem(
                "measures_differ",
                f"The run's file now gives other values of {', '.join(different)}.",
                {**where, "run": new.uid},
                "Another version of the program may have measured it; else restore a backup.",
            )


def _same_value(one: MeasuredValue | None, other: MeasuredValue | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.n == other.n and _close(one.value, other.value) and _close(one.sd, other.sd)


def _leftovers(database: Database, store: ObjectStore) -> list[Problem]:
    """Files that nobody asked for. What was only under way at the first look is not named."""
    suspects = orphaned_objects(database, store)
    still = set(orphaned_objects(database, store)) if suspects else set()
    found = []
    for sha256, suffix in suspects:
        if (sha256, suffix) in still:
            found.append(
                Problem(
                    "file_without_rows",
                    "No upload names this file: it was not acknowledged, belonged to an older "
                    "version of a data set, or the database lost it.",
                    {"file": store.name(sha256, suffix)},
                    "If its run is missing, import the file.",
                )
            )
    others = store.contents().others
    still_there = set(store.contents().others) if others else set()
    for name in others:
        if name in still_there:
            message = "This is not a file of the store; one being received looks like this, too."
            found.append(Problem("other_file", message, {"file": name}, None))
    return found
