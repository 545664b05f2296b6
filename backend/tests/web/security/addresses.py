# SPDX-License-Identifier: Apache-2.0
"""All addresses that a server answers, from the code: its own routes, and the page's router."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coalescope.page.route import PageRoute
from fastapi import FastAPI

_ROOT = Path(__file__).parents[4]
_ROUTER = _ROOT / "frontend/src/app/routes.tsx"
_EMBEDS = _ROOT / "frontend/src/features/embed/EmbedPage.tsx"
_ROUTE = re.compile(r'<Route path="([^"]+)"')


def page_patterns() -> list[str]:
    """Of the page's router, such as /explorer/:slug."""
    return _ROUTE.findall(_ROUTER.read_text())


def embed_patterns() -> list[str]:
    """Of the views that an embed shows, such as /embed/explorer/:slug."""
    return _ROUTE.findall(_EMBEDS.read_text())


def server_routes(of: FastAPI | Any) -> Iterator[tuple[frozenset[str], str]]:
    """Methods and path of each route but the page's, such as /api/experiments/{slug}."""
    for route in of.routes:
        if hasattr(route, "path"):
            yield frozenset(route.methods or ("GET",)), route.path
        elif not isinstance(route, PageRoute):
            below = server_routes(route.original_router)
            yield from ((methods, route.include_context.prefix + path) for methods, path in below)


def filled(pattern: str, name: str, **given: str) -> str:
    """The pattern with every parameter filled in, `:slug` or `{slug}`."""
    return re.sub(
        r":(\w+)|\{(\w+)(?::\w+)?\}", lambda found: given.get(found[1] or found[2], name), pattern
    )
