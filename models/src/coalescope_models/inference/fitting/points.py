# SPDX-License-Identifier: Apache-2.0
"""From a table to the points that a fit sees, for the data as they are and for resamples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import FitInputError

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]

#: The common response of the normalised points. Any will do; this is the paper's.
K = 10_000.0


@dataclass(frozen=True)
class Groups:
    """Rows sorted into groups.

    Attributes:
        order: row indices, group by group, [n].
        starts: where each group starts in `order`, [groups].
        sizes: rows in each group, [groups].
    """

    order: Integers
    starts: Integers
    sizes: Integers

    @classmethod
    def by_label(cls, labels: NDArray[np.generic]) -> Groups:
        """Group rows by equal labels, in the order in which the labels first appear."""
        _, first, code = np.unique(labels, return_index=True, return_inverse=True)
        rank = np.argsort(np.argsort(first))[code]
        order = np.argsort(rank, kind="stable")
        sizes = np.bincount(rank)
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp)
        return cls(order.astype(np.intp), starts, sizes.astype(np.intp))

    @property
    def count(self) -> int:
        """Number of groups."""
        return len(self.sizes)

    @property
    def first_rows(self) -> Integers:
        """The first row of each group, in the table."""
        return self.order[self.starts]

    def means(self, rows: Floats) -> Floats:
        """Return the mean of each group, [groups, columns]."""
        sums = np.add.reduceat(rows[self.order], self.starts, axis=0)
        means: Floats = sums / self.sizes[:, None]
        return means


def matrix(table: Mapping[str, ArrayLike], names: Sequence[str]) -> Floats:
    """Return the named columns of a table side by side, [n, names].

    Raises:
        FitInputError: a column is missing, or not as long as the others.
    """
    columns: list[Floats] = []
    for name in names:
        if name not in table:
            raise FitInputError(name, f"the table has no column {name}")
        column = np.asarray(table[name], dtype=np.float64)
        if column.ndim != 1 or (columns and len(column) != len(columns[0])):
            raise FitInputError(name, f"the column {name} is not as long as the others")
        columns.append(column)
    return np.column_stack(columns)


def normalised(rows: Floats) -> Floats:
    """Scale each row so that its response, the last column, becomes K; drop that column.

    Geist et al. 2005, section 4: each equation is multiplied by K/T_m.

    Args:
        rows: [..., columns + 1].
    """
    scaled: Floats = rows[..., :-1] * (K / rows[..., -1:])
    return scaled


def pooled_noise(rows: Floats, groups: Groups) -> tuple[Floats, int]:
    """Return the covariance within groups of rows scaled to a common response, and its freedom.

    Each row is scaled by K over the mean response of its group, so that the groups compare and the
    response keeps its own noise.

    Args:
        rows: counts and response, [n, p + 1].
        groups: groups of replicates.

    Returns:
        Covariance of a row, [p + 1, p + 1], and degrees of freedom, n less the number of groups.
    """
    ordered = rows[groups.order]
    means = np.repeat(groups.means(rows), groups.sizes, axis=0)
    deviations = (ordered - means) * (K / means[:, -1:])
    freedom = int(len(rows) - groups.count)
    covariance: Floats = deviations.T @ deviations / max(freedom, 1)
    return covariance, freedom
