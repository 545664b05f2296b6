# SPDX-License-Identifier: Apache-2.0
"""Servers that answer what they like: as the API does, but for one answer that is chosen."""

import http.server
import itertools
import json
import re
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, NamedTuple

Handler = http.server.BaseHTTPRequestHandler
Answer = Callable[[Handler], None]
MIB = 2**20


class Said(NamedTuple):
    """What a server of ours answers."""

    status: int
    content: bytes
    link: str | None = None


class Stranger(http.server.ThreadingHTTPServer):
    """Answers as ours does to each route, but `instead` to the question of that number.

    Attributes:
        asked: the routes that were, in turn.
    """

    daemon_threads = True

    def __init__(self, ours: Mapping[tuple[str, str], Said]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ours = ours
        self.asked: list[tuple[str, str]] = []
        self.instead: Answer | None = None
        self.at = -1
        self.goes_on = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, at: int = -1, instead: Answer | None = None, *, goes_on: bool = False) -> None:
        """From now on, counted anew; `goes_on`: so to all that is asked from then on."""
        self.asked, self.at, self.instead, self.goes_on = [], at, instead, goes_on

    def route_of(self, method: str, path: str) -> tuple[str, str]:
        """The route that was asked."""
        return next(
            (of, template)
            for of, template in sorted(self.ours, key=lambda each: "{" in each[1])
            if of == method and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path)
        )


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Stranger

    def _do(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        route = self.server.route_of(self.command, self.path.partition("?")[0])
        number = len(self.server.asked)
        self.server.asked.append(route)
        is_it = number == self.server.at or (self.server.goes_on and number > self.server.at)
        self.close_connection = True
        with suppress(OSError):
            if is_it and self.server.instead is not None:
                self.server.instead(self)
            else:
                said = self.server.ours[route]
                plain(said.content, said.status)(self)

    def do_GET(self) -> None:
        self._do()

    def do_POST(self) -> None:
        self._do()

    def do_PATCH(self) -> None:
        self._do()

    def do_DELETE(self) -> None:
        self._do()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def stranger(ours: Mapping[tuple[str, str], Said]) -> Iterator[Stranger]:
    """One that is there meanwhile."""
    with Stranger(ours) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def plain(content: bytes, status: int = 200, **headers: str) -> Answer:
    """That content, whole."""

    def answer(handler: Handler) -> None:
        handler.send_response(status)
        for name, text in headers.items():
            handler.send_header(name.replace("_", "-"), text)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def endless(pieces: Callable[[], Iterator[bytes]], **headers: str) -> Answer:
    """Pieces, until whoever asked has left."""

    def answer(handler: Handler) -> None:
        handler.send_response(200)
        for name, text in headers.items():
            handler.send_header(name.replace("_", "-"), text)
        handler.end_headers()
        for piece in pieces():
            handler.wfile.write(piece)
            handler.wfile.flush()

    return answer


def _endless_head(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in itertools.count():
        handler.wfile.write(b"X-%d: 1\r\n" % number)


def _slow_head(handler: Handler) -> None:
    for byte in itertools.chain(b"HTTP/1.1 200 OK\r\nX: ", itertools.repeat(0x61)):
        handler.wfile.write(bytes([byte]))
        time.sleep(0.05)


def _slowly(content: bytes) -> Callable[[], Iterator[bytes]]:
    def pieces() -> Iterator[bytes]:
        for byte in itertools.cycle(content):
            yield bytes([byte])
            time.sleep(0.05)

    return pieces


@cache
def _packed(mib: int) -> bytes:
    packing = zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return b"".join(packing.compress(b" " * MIB) for _ in range(mib)) + packing.flush()


@cache
def _packed_twice() -> bytes:
    return zlib.compress(zlib.compress(bytes(2**30), 1), 9)


def _large(content: Callable[[], bytes], **headers: str) -> Answer:
    """Content that is made where it is asked for."""

    def answer(handler: Handler) -> None:
        plain(content(), **headers)(handler)

    return answer


#: What takes memory or time without end, where nothing bounds it.
BOMBS: Mapping[str, Answer] = {
    "a body without end": endless(lambda: itertools.repeat(b" " * MIB)),
    "a list without end": endless(lambda: itertools.chain([b"[0"], itertools.repeat(b",[]" * MIB))),
    "brackets without end": endless(lambda: itertools.repeat(b"[" * MIB)),
    "a slow body": endless(_slowly(b" ")),
    "a slow body of a known length": endless(_slowly(b" "), Content_Length="1000000000"),
    "a slow packed body": endless(_slowly(_packed(1)), Content_Encoding="gzip"),
    "an endless head": _endless_head,
    "a slow head": _slow_head,
    "a packed body": _large(lambda: _packed(1024), Content_Encoding="gzip"),
    "a body packed twice": _large(_packed_twice, Content_Encoding="deflate, deflate"),
    "many values": _large(lambda: b"[" + b"{}," * (30 * MIB) + b"{}]"),
    "always later": plain(b"{}", 429, Retry_After="1"),
    "a refusal without end": endless(lambda: itertools.repeat(b'{"error": {'), Location="http://["),
}

#: What is no answer of the API.
WRONG: Mapping[str, Answer] = {
    **{
        repr(content[:20]): plain(content)
        for content in (
            *(b"", b"null", b"{}", b"[]", b"[null]", b"[[]]", b"[{}]", b'"x"', b"1", b"true"),
            *(
                b"<p>hello",
                b"\xff\xfe\x00",
                b"[" * 100_000,
                b'{"a":' * 100_000,
                b"NaN",
                b'["\\ud800"]',
            ),
            *(
                b"[" * 60 + b"1" + b"]" * 60,
                b"1" * 5000,
                b'{"slug": NaN}',
                b'{"outcome": "stored"}',
            ),
        )
    },
    "nothing": plain(b"", 204),
    "a list packed wrong": plain(b"[]", Content_Encoding="gzip"),
    "another encoding": plain(b"[]", Content_Encoding="br"),
    "cut off": plain(_packed(1)[:-9], Content_Encoding="gzip"),
    **{
        f"{status} {content[:40]!r}": plain(content, status)
        for status in (400, 401, 404, 409, 422, 500)
        for content in (
            *(b"", b"null", b"[]", b'{"error": null}', b'{"error": {}}', b'{"error": {"code": 1}}'),
            b'{"error": {"code": "\\u001b[2J", "message": "\\u001b]0;owned\\u0007\\n\\n"}}',
            b'{"error": {"code": "a", "message": "b", "where": {"file": [1]}, "problems": [1]}}',
            b'{"error": {"code": "a", "message": "b", "where": {"row": 1e999}, "advice": "`x"}}',
            b'{"error": {"code": "a", "message": "{0} %s", "where": {"row": -1, "field": ""}}}',
        )
    },
    **{
        f"sent on to {place[:20]!r}": plain(b"", 302, Location=place)
        for place in (
            "http://[",
            "//",
            "http://\x7f",
            "x:",
            "",
            "http://a b/",
            "http://0x7f.1:99999/",
        )
    },
}


def changed(document: Any) -> Iterator[tuple[str, bytes]]:
    """The document with one place of it changed: what is there is of another kind, or not there."""
    for place in list(_places(document)):
        parent = document
        for step in place[:-1]:
            parent = parent[step]
        last = place[-1]
        before = parent.copy()
        for other in (None, [], {}, "\x1b[2J", -1, 2**63, 1e300, True, [[1]], ...):
            if other is ...:
                del parent[last]
            else:
                parent[last] = other
            yield f"{'.'.join(map(str, place))}: {other}", json.dumps(document).encode()
        parent.clear()
        parent.update(before) if isinstance(parent, dict) else parent.extend(before)


def _places(document: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Each place; of a list only its first and its last, which may be one."""
    if above:
        yield above
    parts: dict[Any, Any] = {}
    if isinstance(document, dict):
        parts = document
    elif isinstance(document, list):
        parts = dict([*enumerate(document)][:: max(len(document) - 1, 1)])
    for name, part in parts.items():
        yield from _places(part, (*above, name))
