# SPDX-License-Identifier: Apache-2.0
"""Serving the built page from a folder, precompressed where the build left .br or .gz files."""

from __future__ import annotations

import hashlib
import json
import re
import stat
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

from coalescope.lru_cache import LruCache
from coalescope.web.security import EMBED_POLICY, SANDBOX_POLICY, is_api_path

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from starlette.types import Receive, Scope, Send

# Named here and not taken from the machine, whose mime.types may lack wasm or modules.
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".gif": "image/gif",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".memory": "application/octet-stream",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".ttf": "font/ttf",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".whl": "application/zip",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}

_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
_PACKED = frozenset(encoding for encoding, _ in _ENCODINGS)

# Read whole in one go; what is larger is sent piece by piece.
_READ_WHOLE_BYTES = 2**19

# What is kept of immutable files: a first view asks for some ten, of half a megabyte together.
_KEPT_BYTES = 2**23

# Folders whose file names change whenever their contents do.
_IMMUTABLE = ("assets/", "pyodide/")
_FOREVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"

_EMBED = {"Content-Security-Policy": EMBED_POLICY}
_SANDBOX = {"Content-Security-Policy": SANDBOX_POLICY, "X-Frame-Options": "SAMEORIGIN"}

_FETCHED_AT_ONCE = '    <link rel="modulepreload" crossorigin href="/{}">\n'

_NOT_BUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Coalescope: the page is not built</title>
<h1>The page is not built yet</h1>
<p>The server is running and its API answers under <code>/api</code>, but the files of the page
are missing. In the checkout, run</p>
<pre>make page</pre>
<p>and load this address again. <code>make serve</code> does both.</p>
</html>
"""


@dataclass(frozen=True)
class FoundFile:
    """One file to send: its path on disk, its name in the page, how it is encoded.

    `content` is all of it, None for a large one.
    """

    path: Path
    name: str
    status: os.stat_result
    encoding: str | None
    content: bytes | None

    @property
    def etag(self) -> str:
        """Another for each encoding and change."""
        return f'"{self.status.st_mtime_ns:x}-{self.status.st_size:x}-{self.encoding or "plain"}"'


@dataclass(frozen=True)
class _Routes:
    """The patterns of the page's router, such as /explorer/:slug; None: it does not list them.

    `embeds` are those of its views that may stand in the page of another site. `scripts` are those
    that an address needs besides the ones that the document names for all.
    """

    every: Iterable[str] | None
    embeds: Iterable[str]
    scripts: Mapping[str, Iterable[str]]


class PageFiles:
    """An ASGI application for every path that no endpoint answers.

    A path that names a file gets the file; one that looks like a file but is none is not found;
    any other is an address inside the page, and index.html knows what to show there: not found
    unless a route of the page fits and what the address names is there. `head` says what is to
    stand in the head of that document, for those who read it without running it.
    """

    def __init__(
        self,
        folder: Path | None,
        head: Callable[[Scope], str] | None = None,
        is_there: Callable[[str], bool] | None = None,
    ) -> None:
        self._folder = folder.resolve() if folder is not None else None
        self._head = head
        self._is_there = is_there or (lambda path: True)
        self._immutable: LruCache[FoundFile] = LruCache(_KEPT_BYTES, _length)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer GET and HEAD; everything under /api is left to the error handlers."""
        if scope["type"] != "http":
            return
        response = await self._response(scope)
        await response(scope, receive, send)

    async def _response(self, scope: Scope) -> Response:
        if is_api_path(scope["path"]):
            raise HTTPException(404)
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        headers = Headers(scope=scope)
        accepted = accepted_encodings(headers.get("accept-encoding", "")) & _PACKED
        name = scope["path"].lstrip("/") or "index.html"
        if kept := self._immutable.find((name, accepted)):
            return send_file(kept, {}, headers.get("if-none-match"))
        # files and the store are read in one go: each way to another thread costs as much as a read
        return await anyio.to_thread.run_sync(self._read, scope, name, accepted)

    def _read(self, scope: Scope, name: str, accepted: frozenset[str]) -> Response:
        found = self._find(name, accepted)
        if found is None:
            return _missing(name)
        if found.content is not None and name == found.name and _is_immutable(name):
            self._immutable.keep((name, accepted), found)
        routes = self._routes()
        policy = _policy(found, routes, scope)
        if not _is_file_name(name) and not self._leads_somewhere(routes, scope["path"]):
            return _send_unknown(found, policy)
        if_none_match = Headers(scope=scope).get("if-none-match")
        if found.name == "index.html" and self._head is not None:
            scripts = routes.scripts.get(scope["path"], ())
            told = self._told(self._head, scope, scripts)
            if told is not None:
                return _send_told(*told, policy, if_none_match)
        return send_file(found, policy, if_none_match)

    def _routes(self) -> _Routes:
        """What the page's build lists."""
        listed = _regular_file(self._folder, "routes.json") if self._folder else None
        told = {} if listed is None else json.loads(listed[0].read_bytes())
        return _Routes(told.get("routes"), told.get("embeds", ()), told.get("scripts", {}))

    def _leads_somewhere(self, routes: _Routes, path: str) -> bool:
        return _is_address(routes, path) and self._is_there(path)

    def _told(
        self, head: Callable[[Scope], str], scope: Scope, scripts: Iterable[str]
    ) -> tuple[str, str] | None:
        """The document with its head filled in, and its tag; None where nothing is to be told."""
        tags = "".join(map(_FETCHED_AT_ONCE.format, scripts)) + head(scope)
        plain = _regular_file(self._folder, "index.html") if tags and self._folder else None
        if plain is None:
            return None
        document = plain[0].read_text(encoding="utf-8").replace("</head>", tags + "  </head>", 1)
        return document, f'"{hashlib.sha256(document.encode()).hexdigest()[:32]}"'

    def _find(self, name: str, accepted: frozenset[str]) -> FoundFile | None:
        if self._folder is None:
            return None
        found = find_file(self._folder, name, accepted)
        if found is None and not _is_file_name(name):
            found = find_file(self._folder, "index.html", accepted)
        return found


def find_file(folder: Path, name: str, accepted: frozenset[str]) -> FoundFile | None:
    """Find a file inside the folder, in the best encoding the client takes."""
    plain = _regular_file(folder, name)
    if plain is None or Path(name).suffix not in MEDIA_TYPES:
        return None
    # by its own name, however it was asked for: its policy depends on it
    name = plain[0].relative_to(folder).as_posix()
    for encoding, suffix in _ENCODINGS:
        if encoding in accepted:
            packed = _regular_file(folder, name + suffix)
            # A sibling older than its file is left over from an earlier build.
            if packed is not None and packed[1].st_mtime_ns >= plain[1].st_mtime_ns:
                return FoundFile(packed[0], name, packed[1], encoding, _content(*packed))
    return FoundFile(plain[0], name, plain[1], None, _content(*plain))


def _length(of: FoundFile) -> int:
    return of.status.st_size


def _content(path: Path, status: os.stat_result) -> bytes | None:
    return path.read_bytes() if status.st_size <= _READ_WHOLE_BYTES else None


def _regular_file(folder: Path, name: str) -> tuple[Path, os.stat_result] | None:
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder):
            return None
        status = path.stat()
    except (OSError, ValueError):  # no such file; a name too long, or with a NUL
        return None
    return (path, status) if stat.S_ISREG(status.st_mode) else None


def _policy(found: FoundFile, routes: _Routes, scope: Scope) -> Mapping[str, str]:
    """Headers that stand in the place of those that every answer has."""
    if found.name == "sandbox.html":
        return _SANDBOX
    return _EMBED if found.name == "index.html" and _is_embed(routes, scope) else {}


def _is_embed(routes: _Routes, scope: Scope) -> bool:
    """Whether the page shows an embed here: it looks at the address as it was sent, case and all.

    By another spelling of the same path (/EMBED/…, /%65mbed/…) the page is its whole self.
    """
    sent = (scope.get("raw_path") or b"").decode("latin-1")
    fitting = [_pattern(route, 0) for route in routes.embeds]
    return any(fits.fullmatch(sent) and fits.fullmatch(scope["path"]) for fits in fitting)


def send_file(found: FoundFile, policy: Mapping[str, str], if_none_match: str | None) -> Response:
    """The answer with a file, or that the asker has it already; `policy` are headers of its own."""
    headers = {
        "Cache-Control": _FOREVER if _is_immutable(found.name) else _ASK_AGAIN,
        "ETag": found.etag,
        "Vary": "Accept-Encoding",
        **policy,
    }
    if if_none_match is not None and found.etag in if_none_match:
        return Response(status_code=304, headers=headers)
    if found.encoding is not None:
        headers["Content-Encoding"] = found.encoding
    media_type = MEDIA_TYPES[Path(found.name).suffix]
    if found.content is not None:
        return Response(found.content, headers=headers, media_type=media_type)
    return FileResponse(
        found.path, headers=headers, media_type=media_type, stat_result=found.status
    )


def _send_told(
    document: str, etag: str, policy: Mapping[str, str], if_none_match: str | None
) -> Response:
    headers = {"Cache-Control": _ASK_AGAIN, "ETag": etag, "Vary": "Accept-Encoding", **policy}
    if if_none_match is not None and etag in if_none_match:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(document, headers=headers)


def _send_unknown(found: FoundFile, policy: Mapping[str, str]) -> Response:
    """The page, which says that there is nothing at this address."""
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Encoding", **policy}
    if found.encoding is not None:
        headers["Content-Encoding"] = found.encoding
    return Response(found.path.read_bytes(), 404, headers, MEDIA_TYPES[".html"])


def _is_address(routes: _Routes, path: str) -> bool:
    """Whether a route of the page fits; of a page that does not list them, anything may."""
    known = routes.every
    return known is None or any(_pattern(r, re.IGNORECASE).fullmatch(path) for r in known)


@lru_cache(maxsize=256)
def _pattern(route: str, flags: int) -> re.Pattern[str]:
    """/explorer/:slug as the page's router reads it."""
    parts = ("[^/]+" if part.startswith(":") else re.escape(part) for part in route.split("/"))
    return re.compile("/".join(parts).rstrip("/") + "/?", flags)


def _missing(name: str) -> Response:
    if _is_file_name(name) and name != "index.html":
        return PlainTextResponse("There is no such file.\n", 404, {"Cache-Control": _ASK_AGAIN})
    return HTMLResponse(_NOT_BUILT, 503, {"Cache-Control": "no-store"})


def _is_file_name(name: str) -> bool:
    return name.startswith("assets/") or Path(name).suffix in MEDIA_TYPES


def _is_immutable(name: str) -> bool:
    return name.startswith(_IMMUTABLE) or (name.startswith("models/") and name.endswith(".zip"))


def accepted_encodings(header: str) -> frozenset[str]:
    """The encodings a client takes: those it names without q=0."""
    accepted = set()
    for part in header.lower().split(","):
        name, _, weight = part.partition(";")
        if weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            accepted.add(name.strip())
    return frozenset(accepted)
