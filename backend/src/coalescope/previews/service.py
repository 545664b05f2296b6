# SPDX-License-Identifier: Apache-2.0
"""Which card an address of the page has. Needs a store, but no request."""

import re
from dataclasses import replace
from urllib.parse import parse_qsl, unquote, urlencode

from coalescope_models.catalogue import MODELS
from sqlalchemy.engine import Connection

from coalescope.experiments.records import ExperimentRecord
from coalescope.experiments.service import SLUG, get_experiment, list_cells
from coalescope.previews.card import Card
from coalescope.previews.picture import png_of
from coalescope.previews.plane import Axis, Plane, plane_of
from coalescope.previews.words import brief, one_line
from coalescope.runs.service import cells_in_sequence

MOST_TITLE = 120
MOST_WORDS = 240
MOST_QUERY = 8192

_ADDRESS = re.compile(r"(?:/embed)?/(explorer|models|figures|experiments)/([^/]+)(/[a-z]+)?/?")
_OF_EXPERIMENTS = ("explorer", "experiments")
_PAGES = {"/runs": "Runs of ", "/replicates": "Replicates of "}
_FIGURE = re.compile(r"([a-z]{2,20})-(\d{4})-(figure|table)-([0-9]{1,2}[a-z]?)")


def card_for(connection: Connection, path: str, query: str = "") -> Card | None:
    """The card of an address of the page, None where it has none. `query` is without its "?".

    Errors: CoalescopeError 404, where the address names an experiment that is not there.
    """
    found = _ADDRESS.fullmatch(path)
    if found is None:
        return None
    area, name, page = found[1], unquote(found[2]), found[3]
    if area == "experiments" and page in _PAGES and SLUG.fullmatch(name):
        card = _of_experiment(connection, name, "")
        return replace(card, title=_PAGES[page] + card.title, path=f"/experiments/{name}{page}")
    if page is not None:
        return None
    if area == "explorer" and SLUG.fullmatch(name):
        return _of_experiment(connection, name, query[:MOST_QUERY])
    if area == "models":
        return _of_model(name)
    return _of_figure(name) if area == "figures" else None


def is_of_experiment(path: str) -> bool:
    """Whether a card of this address would show an experiment of the store."""
    found = _ADDRESS.fullmatch(path)
    return found is not None and found[1] in _OF_EXPERIMENTS


def version_for(connection: Connection, path: str) -> str:
    """What changes whenever the card of an address may; quick, for it reads no cells.

    Errors: as those of card_for.
    """
    found = _ADDRESS.fullmatch(path)
    if found is None or found[1] not in _OF_EXPERIMENTS:
        return ""
    return _version(get_experiment(connection, unquote(found[2])))


def png_for(connection: Connection, card: Card, path: str, query: str = "") -> bytes:
    """The picture of an address's card as a PNG file."""
    return png_of(_with_intervals(connection, path, query, card))


def _with_intervals(connection: Connection, path: str, query: str, card: Card) -> Card:
    """The card with cells whose intervals are those that their runs carry; words need none."""
    found = _ADDRESS.fullmatch(path)
    if card.plane is None or found is None or found[1] == "models":
        return card
    record = get_experiment(connection, unquote(found[2]))
    judged = cells_in_sequence(connection, record, measure=card.plane.measure.name)
    asked = query[:MOST_QUERY] if found[1] == "explorer" else ""
    plane = plane_of(record, judged.cells, dict(parse_qsl(asked)))
    return replace(card, plane=plane)


def _of_experiment(connection: Connection, slug: str, query: str) -> Card:
    record = get_experiment(connection, slug)
    asked = dict(parse_qsl(query))
    plane = plane_of(record, list_cells(connection, record), asked)
    address = {"data": str(record.data_version)}
    if plane is not None:
        address |= _parameters(plane)
    return Card(
        title=one_line(record.title, MOST_TITLE) or slug,
        about="No cell has data yet." if plane is None else one_line(_drawn(plane), MOST_WORDS),
        source=one_line(str(record.source.get("citation") or ""), MOST_WORDS),
        kind=record.kind,
        plane=plane,
        path=f"/explorer/{slug}" + (f"?{query}" if query else ""),
        picture=f"/previews/explorer/{slug}.png?{urlencode(address)}",
        version=_version(record),
    )


def _version(record: ExperimentRecord) -> str:
    return f"{record.id}-{record.data_version}-{record.updated_at}"


def _parameters(plane: Plane) -> dict[str, str]:
    """What says this plane, in an address: the same for all views that show it."""
    said = {"measure": plane.measure.name, "x": plane.x.name}
    if plane.y is not None:
        said["y"] = plane.y.name
    return said | {name: str(level) for name, level in plane.where.items()}


def _drawn(plane: Plane) -> str:
    unit = f", {plane.measure.unit}" if plane.measure.unit not in ("", "1") else ""
    axes = " and ".join(_range(axis) for axis in (plane.y, plane.x) if axis is not None)
    levels = [level if isinstance(level, str) else brief(level) for level in plane.where.values()]
    return " · ".join([f"{plane.measure.label}{unit} over {axes}", *levels])


def _range(axis: Axis) -> str:
    low, high = axis.levels[0], axis.levels[-1]
    if isinstance(low, str) or isinstance(high, str):
        return axis.label
    unit = f" {axis.unit}" if axis.unit not in ("", "1") else ""
    if low == high:
        return f"{axis.label} {brief(low)}{unit}"
    return f"{axis.label} {brief(low)} to {brief(high)}{unit}"


def _of_model(model_id: str) -> Card | None:
    model = MODELS.get(model_id)
    if model is None:
        return None
    return Card(
        title=one_line(model.title, MOST_TITLE),
        about=one_line(model.summary, MOST_WORDS),
        source=one_line(model.citation, MOST_WORDS),
        kind=None,
        plane=None,
        path=f"/models/{model_id}",
        picture=f"/previews/models/{model_id}.png",
        version=f"{model.title}{model.summary}{model.citation}",
    )


def _of_figure(figure_id: str) -> Card | None:
    """A figure's definition is in the page; its name says whose it is, and which."""
    found = _FIGURE.fullmatch(figure_id)
    if found is None:
        return None
    author, year, what, number = found.groups()
    return Card(
        title=f"{author.capitalize()} {year}, {what} {number}",
        about="Drawn anew from printed numbers, emulated cells and models, each labelled as such.",
        source="",
        kind=None,
        plane=None,
        path=f"/figures/{figure_id}",
        picture=f"/previews/figures/{figure_id}.png",
        version=figure_id,
    )
