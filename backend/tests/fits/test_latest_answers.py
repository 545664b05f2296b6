# SPDX-License-Identifier: Apache-2.0
"""The cache of fits keeps the latest and no more."""

import pytest
from coalescope.fits.cache import LatestAnswers


def test_the_least_recently_asked_goes_first() -> None:
    asked: list[str] = []

    def compute(name: str) -> str:
        asked.append(name)
        return name.upper()

    kept = LatestAnswers[str](2)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(name, lambda name=name: compute(name)) == name.upper()
    assert asked == ["a", "b", "c", "b"]


def test_a_failure_is_not_kept() -> None:
    kept = LatestAnswers[int](2)

    def fail() -> int:
        raise ValueError("not this time")

    with pytest.raises(ValueError, match="not this time"):
        kept.get("a", fail)
    assert kept.get("a", lambda: 1) == 1
