# SPDX-License-Identifier: Apache-2.0
"""Answers that need not be sent again: an entity tag from the experiment's data version."""

from importlib.metadata import version
from typing import Any, TypeVar

from fastapi import Request, Response

from coalescope.experiments.records import ExperimentRecord

NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "Unchanged (If-None-Match)"}}

# another version of the program may answer in another form
_PROGRAM = version("coalescope")

R = TypeVar("R", bound=Response)


def entity_tag(record: ExperimentRecord) -> str:
    """Weak tag: changes with the experiment's row or data, so with every answer made of them."""
    return f'W/"{_PROGRAM}-{record.id}-{record.data_version}-{record.updated_at}"'


def not_modified(request: Request, record: ExperimentRecord) -> bool:
    """Whether the client has the answer already."""
    held = request.headers.get("if-none-match", "")
    return entity_tag(record) in {part.strip() for part in held.split(",")}


def tag(response: R, record: ExperimentRecord) -> R:
    """Mark an answer so that the client can ask whether it changed."""
    response.headers["ETag"] = entity_tag(record)
    response.headers["Cache-Control"] = "no-cache"
    return response
