# SPDX-License-Identifier: Apache-2.0
"""Short links over HTTP."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from coalescope.links import service
from coalescope.links.schemas import LinkIn, LinkOut
from coalescope.web.connections import ReadConnection, WriteConnection
from coalescope.web.security import previews_are_open

router = APIRouter(prefix="/links", tags=["links"])
redirects = APIRouter(include_in_schema=False)


@router.post("", status_code=201, summary="Make a short link to a view")
def create_link(request: Request, connection: WriteConnection, link: LinkIn) -> LinkOut:
    """Make a short link to an address of the page; the same address gets the same link."""
    token, path = service.create(connection, link.path)
    return _link(request, token, path)


@router.get("/{token}", summary="Find the view that a short link stands for")
def get_link(request: Request, connection: ReadConnection, token: str) -> LinkOut:
    """Find the address that a token stands for."""
    return _link(request, token, service.get(connection, token))


@redirects.get("/l/{token}")
def follow_link(request: Request, connection: ReadConnection, token: str) -> Response:
    """Send the browser on to the view; the page itself says what is wrong with an unknown link.

    Where reading takes a token, which a browser does not send, the page asks for it and for the
    link: nothing here says whether there is one.
    """
    shown = previews_are_open(request.app.state.settings)
    path = service.find(connection, token) if shown else None
    if path is None:
        return _Page(request.app.router.default)
    return RedirectResponse(path, status_code=307)


class _Page(Response):
    """Whatever the page answers to this request."""

    def __init__(self, page: ASGIApp) -> None:
        super().__init__()
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._page(scope, receive, send)


def _link(request: Request, token: str, path: str) -> LinkOut:
    # a request may name any host: it is believed where the settings do not say better
    base = request.app.state.settings.public_url or str(request.base_url)
    return LinkOut(token=token, path=path, url=f"{base.rstrip('/')}/l/{token}")
