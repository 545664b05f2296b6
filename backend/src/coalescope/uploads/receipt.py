# SPDX-License-Identifier: Apache-2.0
"""What became of a file that was sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from coalescope.experiments.records import Factors
from coalescope.uploads.repository import UploadRecord


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
