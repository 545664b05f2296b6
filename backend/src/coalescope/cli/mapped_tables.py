# SPDX-License-Identifier: Apache-2.0
"""Tables whose columns do not name themselves: what was typed of them, what there is to type."""

import hashlib
import shlex
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from coalescope.client.files.given import GivenFile
from coalescope.client.files.outcomes import FileOutcome
from coalescope.errors import CoalescopeError
from coalescope.storage.object_store import KeptObject
from coalescope.untrusted.bounds import TABLE_BYTES
from coalescope.uploads.file_kinds import begins_as_run_log, is_named_as_run_log
from coalescope.uploads.mapping.looking import Seen, SeenColumn
from coalescope.uploads.mapping.records import TableMapping, mapping_of

_SIGNS = {"comma": ",", "point": "."}
_CHOOSE = "QUANTITY"
_MOST_CHOICES = 6


def mapping_typed(arguments: Namespace) -> TableMapping | None:
    """What was typed of the columns; None where nothing was. Errors: 422 for what cannot be."""
    if not arguments.map:
        if arguments.decimal is not None:
            raise CoalescopeError(
                "no_mapping",
                "--decimal says how the columns of --map are read, and there is no --map.",
                advice="Say what each column is: --map COLUMN=QUANTITY[:UNIT].",
            )
        return None
    sign = _SIGNS.get(arguments.decimal)
    columns = [replace(column, decimal=sign) for column in arguments.map]
    return mapping_of(TableMapping(columns).as_json())


def with_what_was_seen(
    outcome: FileOutcome, file: GivenFile, arguments: Namespace, command: Sequence[str]
) -> FileOutcome:
    """The outcome; of a table that does not name its columns, with the command that does."""
    if outcome.outcome != "refused" or arguments.map or (seen := _seen(file)) is None or seen.tidy:
        return outcome
    rows = f"{seen.rows} row{'s' * (seen.rows != 1)}"
    lines = [
        f"Seen: {', '.join([rows, *_laid_out(seen)])}",
        *_columns(seen.columns),
        "Say what the columns are:",
        _typed(seen, file, command),
    ]
    return replace(outcome, lines=lines)


def _seen(file: GivenFile) -> Seen | None:
    """What the table is seen to be; None where it is none, or cannot be read."""
    # loads the store, which sending does without
    from coalescope.uploads.reading import Reading  # noqa: PLC0415

    try:
        regular = file.path.is_file() and file.path.stat().st_size <= TABLE_BYTES
        if is_named_as_run_log(file.name) or not regular:
            return None
        with file.path.open("rb") as content:
            if begins_as_run_log(content.read(8)):
                return None
            content.seek(0)
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        return Reading().look(KeptObject(file.path, digest), file.name, None)
    except (CoalescopeError, OSError):
        return None


def _laid_out(seen: Seen) -> Iterator[str]:
    if seen.layout.sheet:
        yield f"sheet {seen.layout.sheet!r}"
    if seen.separated_by:
        yield f"separated by {seen.separated_by}"
    if seen.decimal == ",":
        yield "decimal comma"
    if seen.layout.encoding != "utf-8":
        yield seen.layout.encoding
    if seen.comments:
        yield f"{seen.comments} remark{'s' * (seen.comments != 1)} passed over"


def _columns(columns: Sequence[SeenColumn]) -> Iterator[str]:
    width = max(len(column.column) for column in columns)
    for column in columns:
        samples = "; ".join(column.samples)[:30]  # a decimal may be written with a comma
        yield f"  {column.column:{width}}  {samples:30}  {_taken_for(column)}"


def _taken_for(column: SeenColumn) -> str:
    if column.role == "ignore":
        return f"left out: {column.why}"
    if not column.quantity:
        return f"{_CHOOSE}: {', '.join(column.candidates[:_MOST_CHOICES])} …"
    scaled = f" from {column.unit} (× {column.scale:.10g})" if column.scale != 1 else ""
    doubt = "" if column.certainty == "certain" else f" ? {column.why}"
    return f"{column.quantity}{scaled}{doubt}"


def _typed(seen: Seen, file: GivenFile, command: Sequence[str]) -> str:
    said = [
        f"{one.column}={one.quantity or _CHOOSE}{f':{one.unit}' if one.scale != 1 else ''}"
        for one in seen.columns
        if one.role != "ignore"
    ]
    options = [word for column in said for word in ("--map", column)]
    return f"  {shlex.join(['coalescope', command[0], _path(file), *command[1:], *options])}"


def _path(file: GivenFile) -> str:
    return file.shown if Path(file.shown).exists() else file.name
