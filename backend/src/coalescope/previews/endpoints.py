# SPDX-License-Identifier: Apache-2.0
"""GET /previews/{area}/{name}.png: the picture of a view, for those who fetch it from a link.

It stands outside of /api, whose answers ask for a token where the server has one: whoever fetches
such a picture has none. There, pictures of experiments are given out only if the settings say so.
"""

import hashlib
from importlib.metadata import version

from fastapi import APIRouter, Request, Response

from coalescope.errors import not_found
from coalescope.previews.card import Card
from coalescope.previews.head import is_public
from coalescope.previews.service import card_for, png_for
from coalescope.web.connections import ReadConnection

KEPT_PICTURES = 32
_PROGRAM = version("coalescope")

router = APIRouter(prefix="/previews", include_in_schema=False)


@router.api_route("/{area}/{name}.png", methods=["GET", "HEAD"])
def get_picture(connection: ReadConnection, request: Request, area: str, name: str) -> Response:
    """The picture; parameters as in the view's own address."""
    path = f"/{area}/{name}"
    shown = is_public(path, request.app.state.settings)
    query = request.url.query
    card = card_for(connection, path, query) if shown else None
    if card is None:
        raise not_found("preview", f"{area}/{name}", "Pictures are of experiments and models.")
    tag = f'"{_digest(card)}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    key = (card.picture, card.version)
    png = request.app.state.pictures.get(key, lambda: png_for(connection, card, path, query))
    return Response(png, media_type="image/png", headers=headers)


def _digest(card: Card) -> str:
    said = "\n".join((_PROGRAM, card.picture, card.version))
    return hashlib.sha256(said.encode()).hexdigest()[:32]
