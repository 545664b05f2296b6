# SPDX-License-Identifier: Apache-2.0
"""What became of a file that was sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.engine import Connection

from coalescope.experiments.records import Factors
from coalescope.runs import service as runs
from coalescope.uploads.repository import UploadRecord

RUNS_SHOWN = 100
SUPERSEDED = "superseded"
"""The warning of a copy of a log whose run has a longer log now."""


@dataclass(frozen=True)
class ReceivedRun:
    """A run that came with a file."""

    uid: str
    factors: Factors
    replicate: int | None
    partial: bool


@dataclass(frozen=True)
class Receipt:
    """What became of a file."""

    outcome: Literal["stored", "known"]
    upload: UploadRecord
    runs: Sequence[ReceivedRun]


def receipt_of(
    connection: Connection,
    outcome: Literal["stored", "known"],
    upload: UploadRecord,
    runs_shown: int | None = None,
) -> Receipt:
    """The receipt of an upload, with its first runs."""
    listed = runs.list_upload_runs(
        connection, upload.id, RUNS_SHOWN if runs_shown is None else runs_shown
    )
    gone = (w["where"]["run"] for w in upload.warnings if w["code"] == SUPERSEDED)
    # the run of a cut-off copy has another log by now, but it is still the run that came
    found = listed or [runs.get_run(connection, uid) for uid in gone]
    came = [ReceivedRun(run.uid, run.factors, run.replicate, run.partial) for run in found]
    return Receipt(outcome, upload, came)
