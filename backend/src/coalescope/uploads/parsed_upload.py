# SPDX-License-Identifier: Apache-2.0
"""A file that has been understood: which experiment it belongs to and which runs it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from coalescope.experiments.records import Kind
from coalescope.runs.records import NewRun, RunWarning
from coalescope.uploads.mapping.records import TableMapping


@dataclass(frozen=True)
class UploadRequest:
    """What was asked beside the bytes.

    Attributes:
        environment: facts of where run logs ran that they do not hold themselves; of a data set.
        choice: factors of a table that can be chosen; no_choice: that nobody chooses.
        override_source: kind and citation stand, whatever a table says of its own.
        mapping: what the columns of a table mean; None where they carry the glossary's names.
        given: of the runs in a file of another tool, what it does not say: NAME=VALUE.
    """

    filename: str
    experiment: str | None = None
    title: str | None = None
    kind: Kind | None = None
    citation: str | None = None
    environment: Mapping[str, Any] = field(default_factory=dict)
    override_source: bool = False
    choice: Sequence[str] = ()
    no_choice: Sequence[str] = ()
    mapping: TableMapping | None = None
    given: Sequence[str] = ()


@dataclass(frozen=True)
class ParsedUpload:
    """What a file holds, checked but not stored."""

    content: Literal["run_log", "csv", "foreign"]
    slug: str
    title: str | None
    kind: Kind | None
    runs: Sequence[NewRun]
    warnings: Sequence[RunWarning]
    # rows that are a cell's mean: their cell must be new
    per_cell: bool = False
    subtitle: str = ""
    # beyond title and subtitle, as a data set's source.toml has it
    about: Mapping[str, Any] = field(default_factory=dict)
    # what the experiment's notes have to say of this file
    notes: Sequence[str] = ()
    # of a table: what makes it one upload, and what its columns were said to mean
    identity: str | None = None
    mapping: TableMapping | None = None
