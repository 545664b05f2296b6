# SPDX-License-Identifier: Apache-2.0
"""The documents' site at /docs/, as `make docs` built it."""

from pathlib import Path

import anyio.to_thread
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from coalescope.page.files import accepted_encodings, find_file, send_file
from coalescope.web.security import DOCUMENTS_POLICY

_AT = "/docs"
_OWN_POLICY = {"Content-Security-Policy": DOCUMENTS_POLICY, "X-Frame-Options": "DENY"}
_SAYING = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Coalescope: {title}</title>
<h1>{title}</h1>
{words}
</html>
"""
_NOT_BUILT = _SAYING.format(
    title="The documents are not built yet",
    words="<p>They are Markdown, in <code>docs/</code> of the checkout. To read them here, with "
    "search, run there</p>\n<pre>make docs</pre>\n<p>and start the server again.</p>",
)
_MISSING = _SAYING.format(
    title="There is no such page of the documents",
    words=f'<p><a href="{_AT}/">All documents</a>, with search.</p>',
)


class Documents:
    """An ASGI application: the files of a folder under /docs/; all else is for the next one."""

    def __init__(self, folder: Path | None, other: ASGIApp) -> None:
        self._folder = folder.resolve() if folder is not None else None
        self._other = other

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer GET and HEAD."""
        path = scope.get("path", "")
        if scope["type"] != "http" or not (path == _AT or path.startswith(f"{_AT}/")):
            await self._other(scope, receive, send)
            return
        response = await self._response(scope)
        await response(scope, receive, send)

    async def _response(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        if scope["path"] == _AT:
            return RedirectResponse(f"{_AT}/")  # links of a page are relative to its folder
        if self._folder is None:
            return _page(_NOT_BUILT, 503)
        headers = Headers(scope=scope)
        name = scope["path"].removeprefix(f"{_AT}/")
        name += "index.html" if name.endswith("/") or not name else ""
        accepted = accepted_encodings(headers.get("accept-encoding", ""))
        found = await anyio.to_thread.run_sync(find_file, self._folder, name, accepted)
        if found is None:
            return _page(_MISSING, 404)
        return send_file(found, _OWN_POLICY, headers.get("if-none-match"))


def _page(text: str, status: int) -> Response:
    return HTMLResponse(text, status, {"Cache-Control": "no-store", **_OWN_POLICY})
