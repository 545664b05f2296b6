# SPDX-License-Identifier: Apache-2.0
"""What became of a file that was sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from coalescope.runs.records import RunRecord
from coalescope.uploads.repository import UploadRecord


@dataclass(frozen=True)
class Receipt:
    """What became of a file."""

    outcome: Literal["stored", "known"]
    upload: UploadRecord
    runs: Sequence[RunRecord]
