# SPDX-License-Identifier: Apache-2.0
"""Lists of an experiment's runs: which, and in which order."""

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy.engine import Connection

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.experiments.levels import factor_levels, level_order, matches, parse_where
from coalescope.experiments.records import ExperimentRecord, FactorValue
from coalescope.glossary.quantities import measure as known_measure
from coalescope.runs import listing_repository, repository
from coalescope.runs.records import Listing, RunRecord, State

#: Orders that every experiment has; the others are its factors and its measures.
ORDERS = ("stored", "recorded", "replicate")


def page_of(
    connection: Connection, listing: Listing, limit: int = 100, offset: int = 0
) -> tuple[int, list[RunRecord]]:
    """How many runs a list has, and one page of it."""
    if listing.places == {}:
        return 0, []
    ids = listing_repository.page(connection, listing, limit, offset)
    found = repository.by_row_id(connection, ids)
    return listing_repository.count(connection, listing), [found[run_id] for run_id in ids]


def listing_of(
    connection: Connection,
    experiment: ExperimentRecord,
    where: Iterable[tuple[str, str]] = (),
    sort: str = "stored",
    *,
    cell_id: int | None = None,
    state: State | None = None,
    warned: bool | None = None,
) -> Listing:
    """Those of an experiment's runs, in the order of `sort`; with a hyphen before it, falling.

    `where` holds FACTOR, VALUE pairs as text. Errors: 422 for an unknown factor or order.
    """
    name, falling = sort.removeprefix("-"), sort.startswith("-")
    settings = repository.factors_of_cells(connection, experiment.id)
    levels = factor_levels(settings.values())
    where_levels = parse_where(where, levels)
    among = [
        cell
        for cell, own in settings.items()
        if cell_id in (None, cell) and matches(own, where_levels)
    ]
    plain = name == "stored" and state is None and warned is None and len(among) == len(settings)
    places = None if plain else dict.fromkeys(among, 0)
    listing = Listing(experiment.id, state, warned, places, by=name, falling=falling)
    if name in ORDERS or (name not in levels and known_measure(name) is not None):
        return listing
    if name in levels:
        in_order = sorted(levels[name], key=level_order, reverse=falling)
        rank: dict[FactorValue | None, int] = {level: k for k, level in enumerate(in_order)}
        ranks = {cell: rank.get(settings[cell].get(name), len(rank)) for cell in among}
        return replace(listing, by="place", places=ranks)
    raise CoalescopeError(
        "unknown_order",
        f"Runs cannot be sorted by {name[:80]!r}.",
        where={"field": "sort"},
        advice=f"{did_you_mean(name, [*ORDERS, *levels])}Name one of {', '.join(ORDERS)}, a "
        "factor of the experiment, or a measure; with a hyphen before it, the largest come first.",
    )
