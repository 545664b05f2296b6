# SPDX-License-Identifier: Apache-2.0
"""What the tools use of a Python newer than 3.9, under the names that it has there.

A host under test brings its own Python: 3.9 on Debian 11 and RHEL 9, 3.10 on Ubuntu 22.04.
"""

import sys
from collections.abc import Iterable, Iterator
from itertools import tee, zip_longest
from typing import Any, TypeVar, overload

if sys.version_info >= (3, 10):
    from itertools import pairwise
else:

    def pairwise(values: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        """Each value with the one after it."""
        first, second = tee(values)
        next(second, None)
        return zip(first, second)


__all__ = ["pairwise", "zip_strict"]

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_ENDED = object()


@overload
def zip_strict(a: Iterable[_A], b: Iterable[_B], /) -> Iterable[tuple[_A, _B]]: ...
@overload
def zip_strict(
    a: Iterable[_A], b: Iterable[_B], c: Iterable[_C], /
) -> Iterable[tuple[_A, _B, _C]]: ...
@overload
def zip_strict(*columns: Iterable[_A]) -> Iterable[tuple[_A, ...]]: ...
def zip_strict(*columns: Iterable[Any]) -> Iterable[tuple[Any, ...]]:
    """`zip(…, strict=True)`: raises ValueError where one column is longer than another."""
    if sys.version_info >= (3, 10):
        return zip(*columns, strict=True)
    return _zip_equal(columns)


def _zip_equal(columns: Iterable[Iterable[Any]]) -> Iterator[tuple[Any, ...]]:
    for row in zip_longest(*columns, fillvalue=_ENDED):
        if any(value is _ENDED for value in row):
            raise ValueError("one of the columns is longer than another")
        yield row
