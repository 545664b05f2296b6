# SPDX-License-Identifier: Apache-2.0
"""Writes docs/routes.md: what each address of the server takes, from its routes and its rules.

python docs/routes_table.py > docs/routes.md
"""

import re
import sys
from collections.abc import Iterator
from typing import Any

from coalescope.cli.openapi_document import document
from coalescope.web.security import counted
from coalescope.web.security.scopes import is_recorded, needed_scope

HEAD = """\
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Written by `python docs/routes_table.py`: change the routes, or coalescope/web/security/. -->

# Addresses and scopes

What each address takes on a server beyond loopback: the scope of the token, what it is counted
with ([operation.md](operation.md#limits)), and whether the record of changes takes it down. `HEAD`
takes what `GET` takes. With `COALESCOPE_PUBLIC_READ` what takes `read` takes no token, `/metrics`
aside. On loopback nothing takes one, unless `COALESCOPE_TOKEN` is set.

| address | | scope | counted | recorded |
|---|---|---|---|---|
"""
# they stand outside of the API's own description (a test compares)
OUTSIDE = (
    ("GET", "/l/{token}", "Follow a short link; without open reading, the page asks for a token"),
    ("GET", "/previews/{area}/{name}.png", "Picture of a view; of experiments as reading allows"),
    ("GET", "/metrics", "Metrics for Prometheus"),
    ("GET", "/api/openapi.json", "The description of the API"),
    ("GET", "/api/docs", "The description of the API, to be read"),
)
REST = """
Below `/docs/` are these documents, if `make docs` built them. Whatever else is asked for is a file
or an address of the page. Neither takes a token.
"""


def described() -> Iterator[tuple[str, str, str]]:
    """Method, address and summary of each operation."""
    paths: dict[str, dict[str, Any]] = document()["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            yield method.upper(), path, operation["summary"]


def row(method: str, path: str, summary: str) -> str:
    """The line of one operation."""
    at = re.sub(r"\{\w+\}", "name", path)
    scope, kind = needed_scope(method, at) or "none", counted(method, at) or ""
    recorded = "yes" if is_recorded(method, at) else ""
    return f"| `{method} {path}` | {summary} | {scope} | {kind} | {recorded} |\n"


def text() -> str:
    """The whole page."""
    rows = [row(*operation) for operation in (*described(), *OUTSIDE)]
    return "".join([HEAD, *dict.fromkeys(rows), REST])


if __name__ == "__main__":
    sys.stdout.write(text())
