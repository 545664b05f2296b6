# SPDX-License-Identifier: Apache-2.0
"""GET /api/changes."""

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from coalescope.tokens.service import newest_changes
from coalescope.untrusted.bounds import LISTED
from coalescope.web.connections import ReadConnection
from coalescope.web.pages import IN_PAGES, Limit, Offset, page_of

router = APIRouter(prefix="/changes", tags=["changes"])


class StoreChangeOut(BaseModel):
    """One change of the store: when, by whose token or which user, and what happened to what."""

    at: str
    who: str
    what: str


@router.get("", responses=IN_PAGES)
def list_changes(
    connection: ReadConnection,
    request: Request,
    response: Response,
    limit: Limit = LISTED,
    offset: Offset = 0,
) -> list[StoreChangeOut]:
    """Who changed the store, when and how, the newest change first."""
    found = newest_changes(connection, limit + 1, offset)
    return [
        StoreChangeOut(at=change.at, who=change.who, what=change.what)
        for change in page_of(request, response, found, limit, offset)
    ]
