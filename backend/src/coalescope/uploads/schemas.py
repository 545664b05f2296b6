# SPDX-License-Identifier: Apache-2.0
"""What became of an uploaded file."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from coalescope.experiments.schemas import Level
from coalescope.runs.schemas import WarningOut
from coalescope.uploads.mapping.schemas import MappingOut


class UploadExperimentOut(BaseModel):
    """The experiment that the file's runs are in."""

    slug: str
    title: str


class UploadedRunOut(BaseModel):
    """A run that came with the file."""

    id: str
    factors: dict[str, Level]
    replicate: int | None
    partial: bool


class UploadedCellOut(BaseModel):
    """How many runs of a cell came with an upload."""

    factors: dict[str, Level]
    runs: int


class UploadReceipt(BaseModel):
    """Bytes and rows are on disk.

    `known`: these bytes were stored before, or are the start of a log that was; nothing changed.
    `id`: of a run log its SHA-256; one table may be several uploads.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                    "outcome": "stored",
                    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                    "bytes": 118432,
                    "filename": "udp-1500-1.runlog",
                    "content": "run_log",
                    "experiment": {"slug": "lab-veth", "title": "veth pair in the lab"},
                    "runs": [
                        {
                            "id": "3f0c2a52-6f0b-4a58-9a3e-0f6a8f7f0c11",
                            "factors": {"mtu_bytes": 1500, "workload": "udp"},
                            "replicate": 1,
                            "partial": False,
                        }
                    ],
                    "run_count": 1,
                    "warnings": [],
                    "mapping": None,
                    "created_at": "2026-01-31T12:00:00.000Z",
                }
            ]
        }
    )

    id: str
    outcome: Literal["stored", "known"]
    sha256: str
    bytes: int
    filename: str
    content: Literal["run_log", "csv", "foreign"]
    experiment: UploadExperimentOut
    runs: list[UploadedRunOut]
    run_count: int
    warnings: list[WarningOut]
    mapping: MappingOut | None
    created_at: str
