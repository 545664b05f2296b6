# SPDX-License-Identifier: Apache-2.0
"""The little linear algebra that a few dozen settings need, on lists of floats."""

import math
from collections.abc import Sequence
from operator import mul

from coalescope_host.newer_python import zip_strict

Vector = list[float]
Matrix = list[list[float]]


class NotPositiveError(ArithmeticError):
    """A matrix that should be positive definite is not."""


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    """Sum of products, as far as the shorter one goes."""
    return float(sum(map(mul, a, b)))


def root_of(matrix: Sequence[Sequence[float]]) -> Matrix:
    """Return the Cholesky factor of a symmetric matrix: row k has k + 1 elements.

    Raises:
        NotPositiveError: if it is not positive definite.
    """
    root: Matrix = []
    for k, row in enumerate(matrix):
        new: Vector = []
        for j, above in enumerate(root):
            new.append((row[j] - dot(new, above)) / above[j])
        left = row[k] - dot(new, new)
        if not left > 0.0:
            raise NotPositiveError
        new.append(math.sqrt(left))
        root.append(new)
    return root


def solved(root: Matrix, right: Sequence[float]) -> Vector:
    """Return x of root · x = right."""
    found: Vector = []
    for row, value in zip_strict(root, right):
        found.append((value - dot(row, found)) / row[len(found)])
    return found
