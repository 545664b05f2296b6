# SPDX-License-Identifier: Apache-2.0
"""Answers that need not be sent again: an entity tag from the experiment's data version."""

from importlib.metadata import version
from typing import Any, TypeVar

from fastapi import Request, Response
from sqlalchemy.engine import Connection

from coalescope.db.engine import Database
from coalescope.experiments import repository
from coalescope.experiments.records import ExperimentRecord

NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "Unchanged (If-None-Match)"}}

# another version of the program may answer in another form
_PROGRAM = version("coalescope")

R = TypeVar("R", bound=Response)


def entity_tag(experiment_id: int, data_version: int, updated_at: str) -> str:
    """Weak tag: changes with the experiment's row or data, so with every answer made of them."""
    return f'W/"{_PROGRAM}-{experiment_id}-{data_version}-{updated_at}"'


def current_tag(connection: Connection, slug: str) -> str | None:
    """The tag of the experiment of that slug as it is now; None if there is none."""
    found = repository.version_of(connection, slug)
    return None if found is None else entity_tag(*found)


def tag_at_once(database: Database, slug: str) -> str | None:
    """The same on the event loop's thread; None also where the database would be waited for."""
    found = repository.version_at_once(database, slug)
    return None if found is None else entity_tag(*found)


def not_modified(request: Request, record: ExperimentRecord) -> bool:
    """Whether the client has the answer already."""
    return holds(request.headers.get("if-none-match", ""), tag_of(record))


def holds(if_none_match: str, entity_tag: str) -> bool:
    """Whether that header names the tag."""
    return entity_tag in {part.strip() for part in if_none_match.split(",")}


def tag(response: R, record: ExperimentRecord) -> R:
    """Mark an answer so that the client can ask whether it changed."""
    response.headers["ETag"] = tag_of(record)
    response.headers["Cache-Control"] = "no-cache"
    return response


def tag_of(record: ExperimentRecord) -> str:
    """The tag of the experiment as that record has it."""
    return entity_tag(record.id, record.data_version, record.updated_at)
