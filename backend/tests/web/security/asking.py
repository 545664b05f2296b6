# SPDX-License-Identifier: Apache-2.0
"""Every operation that the API's own description names, and requests as bytes would make them.

Nothing is normalised on the way, as an HTTP client would do; a new operation is asked without
anybody adding it here.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from fastapi import FastAPI


@dataclass(frozen=True)
class Operation:
    """One method of one address."""

    method: str
    path: str  # as the description has it, with {names}
    queries: Sequence[str]
    example: Any  # of its body, None if it takes no JSON

    @property
    def names(self) -> list[str]:
        """Of the parameters in its path."""
        return re.findall(r"\{(\w+)\}", self.path)

    def at(self, value: str = "none", **given: str) -> str:
        """Its address with every parameter filled in."""
        return re.sub(r"\{(\w+)\}", lambda found: given.get(found[1], value), self.path)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def operations(app: FastAPI) -> list[Operation]:
    """All that the description of the API names."""
    document = app.openapi()
    schemas = document["components"]["schemas"]
    found = []
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            queries = [p["name"] for p in described.get("parameters", ()) if p["in"] == "query"]
            found.append(Operation(method.upper(), path, queries, _example(described, schemas)))
    return found


def _example(described: Mapping[str, Any], schemas: Mapping[str, Any]) -> Any:
    content = described.get("requestBody", {}).get("content", {})
    if "application/json" not in content:
        return None
    schema = schemas[content["application/json"]["schema"]["$ref"].rpartition("/")[2]]
    return schema["example"] if "example" in schema else schema["examples"][0]


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def code(self) -> str:
        """Of the error that it is."""
        return str(json.loads(self.body)["error"]["code"])


async def ask(
    app: FastAPI,
    method: str,
    target: str,
    body: Any = None,
    address: str = "10.0.0.1",
    host: str = "127.0.0.1:8000",
    **headers: str,
) -> Answer:
    """Send a request whose address and headers are used as they stand. JSON unless bytes."""
    path, _, query = target.partition("?")
    content = (
        body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    )
    named = {"host": host, "content-type": "application/json", **headers}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path, errors="replace"),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in named.items()],
        "client": (address, 4000),
        "server": ("127.0.0.1", 8000),
    }
    coming: Iterator[dict[str, Any]] = iter([{"type": "http.request", "body": content}])
    sent: list[Any] = []

    async def receive() -> Any:
        return next(coming, {"type": "http.disconnect"})

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    head = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
    return Answer(sent[0]["status"], head, b"".join(m.get("body", b"") for m in sent[1:]))
