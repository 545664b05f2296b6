# SPDX-License-Identifier: Apache-2.0
"""Which requests are for the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import BaseRoute, Match

from coalescope.web.security import is_api_path

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send


class PageRoute(BaseRoute):
    """Each address outside of /api, for what the router answers with by default.

    Without it the router would compare the address of each file of the page with all of the API's,
    and once more with a slash at its end: half of what sending a small file costs.
    """

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether it is an address outside of /api that is read; the page takes nothing else."""
        read = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        return (Match.FULL if read and not is_api_path(scope["path"]) else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer as the page does."""
        await scope["app"].router.default(scope, receive, send)
