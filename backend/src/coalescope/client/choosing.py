# SPDX-License-Identifier: Apache-2.0
"""Rows of a document that have the levels which were chosen."""

from collections.abc import Sequence

from coalescope.client.source import Document
from coalescope.experiments.levels import factor_levels, matches, no_such_cells, parse_where
from coalescope.experiments.records import Choice
from coalescope.runs.selection import where_pairs


def rows_with(rows: Sequence[Document], choice: Choice) -> list[Document]:
    """Those with one of the levels of each factor. Errors: 422 for an unknown factor, or no row."""
    levels = factor_levels(row["factors"] for row in rows)
    chosen = parse_where(where_pairs(choice), levels)
    found = [row for row in rows if matches(row["factors"], chosen)]
    if choice and not found:
        raise no_such_cells(chosen, levels)
    return found
