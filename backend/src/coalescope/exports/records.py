# SPDX-License-Identifier: Apache-2.0
"""What an export is made of. Standard library only."""

from collections.abc import Mapping
from dataclasses import dataclass

from coalescope.experiments.records import Factors
from coalescope.runs.records import MeasuredValue


@dataclass(frozen=True)
class ExportedRun:
    """A current run with its measures."""

    uid: str
    cell_id: int
    factors: Factors
    replicate: int | None
    partial: bool
    content: str
    recorded_at: str | None
    order: int | None
    block: str | None
    measures: Mapping[str, MeasuredValue]
