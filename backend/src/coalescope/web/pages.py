# SPDX-License-Identifier: Apache-2.0
"""Lists that grow with what is stored are answered in pages; `Link` names the next one (RFC 8288).

A list is an array of JSON. Whoever wants all of it asks with `offset` until no next page is named.
"""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar
from urllib.parse import urlencode

from fastapi import Query, Request, Response

from coalescope.untrusted.bounds import LISTED

T = TypeVar("T")

Limit = Annotated[int, Query(ge=1, le=LISTED)]
Offset = Annotated[int, Query(ge=0, le=2**53)]

IN_PAGES: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {
            "Link": {
                "description": 'The address of the next page, with rel="next", if there is one',
                "schema": {"type": "string"},
            }
        }
    }
}


def page_of(
    request: Request, response: Response, found: Sequence[T], limit: int, offset: int
) -> Sequence[T]:
    """The first `limit` of what was found from `offset` on; where there is more, it is linked."""
    if len(found) > limit:
        asked = dict(request.query_params) | {"limit": limit, "offset": offset + limit}
        # of the address that was asked for, whatever the way there
        response.headers["Link"] = f'<?{urlencode(asked)}>; rel="next"'
    return found[:limit]
