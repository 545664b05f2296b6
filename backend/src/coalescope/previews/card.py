# SPDX-License-Identifier: Apache-2.0
"""What a shared link says of itself, and the tags in which the page's document says it."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from coalescope.experiments.records import Kind
from coalescope.previews.plane import Plane

WIDTH_PX = 1200
HEIGHT_PX = 630


@dataclass(frozen=True)
class Card:
    """A title, a few words, and what the picture shows.

    Attributes:
        title: one line.
        about: what is drawn, or a summary; one line.
        source: where it comes from; one line, may be empty.
        kind: of the data; None where there is none.
        plane: the measured cells; None for a picture of words alone.
        path: the view's address on this server, with its query.
        picture: the picture's address on this server.
        version: changes whenever the picture may.

    """

    title: str
    about: str
    source: str
    kind: Kind | None
    plane: Plane | None
    path: str
    picture: str
    version: str

    @property
    def description(self) -> str:
        """Everything but the title, in a line."""
        kind = "" if self.kind is None else self.kind.capitalize()
        return " · ".join(part for part in (kind, self.about, self.source) if part)

    @property
    def alternative(self) -> str:
        """What the picture shows, in words."""
        if self.plane is None:
            return f"{self.title}. {self.about}"
        axes = [axis.label for axis in (self.plane.y, self.plane.x) if axis is not None]
        return f"{self.plane.measure.label} over {' and '.join(axes)}: {self.title}"


def head_tags(card: Card, base_url: str | None) -> str:
    """The card as tags for the head of a document, one a line.

    Addresses have to be absolute there: without `base_url` (scheme and host, no slash at the end)
    there are none, and no picture.
    """
    return "".join(
        f'    <meta {attribute}="{name}" content="{escape(content)}">\n'
        for attribute, name, content in _tags(card, base_url)
    )


def _tags(card: Card, base_url: str | None) -> Iterator[tuple[str, str, str]]:
    yield "property", "og:type", "website"
    yield "property", "og:site_name", "Coalescope"
    yield "property", "og:title", card.title
    yield "property", "og:description", card.description
    if base_url is None:
        yield "name", "twitter:card", "summary"
        return
    yield "property", "og:url", base_url + card.path
    yield "property", "og:image", base_url + card.picture
    yield "property", "og:image:type", "image/png"
    yield "property", "og:image:width", str(WIDTH_PX)
    yield "property", "og:image:height", str(HEIGHT_PX)
    yield "property", "og:image:alt", card.alternative
    yield "name", "twitter:card", "summary_large_image"
