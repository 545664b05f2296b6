# SPDX-License-Identifier: Apache-2.0
"""The cache keeps the latest and no more."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import sleep

import pytest
from coalescope.lru_cache import LruCache
from timeouts import TIMEOUT_S


def test_the_least_recently_asked_goes_first() -> None:
    asked: list[str] = []

    def compute(name: str) -> str:
        asked.append(name)
        return name.upper()

    kept = LruCache[str](2)
    for name in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(name, lambda name=name: compute(name)) == name.upper()
    assert asked == ["a", "b", "c", "b"]


def test_what_is_kept_weighs_no_more_than_the_limit_together() -> None:
    kept = LruCache[str](6, len)
    for answer in ("aa", "bb", "cc"):
        kept.keep(answer[0], answer)
    kept.keep("b", "bbbb")  # in place of what was there
    assert [kept.find(key) for key in "abc"] == [None, "bbbb", "cc"]
    kept.keep("d", 8 * "d")  # the last one is kept whatever it weighs
    assert [kept.find(key) for key in "bcd"] == [None, None, 8 * "d"]
    kept.keep("e", "e")
    assert [kept.find(key) for key in "de"] == [None, "e"]


class _Counted:
    """A key that knows how often it was looked up."""

    lookups = 0

    def __hash__(self) -> int:
        self.lookups += 1
        return 1

    def __eq__(self, other: object) -> bool:
        return self is other


@pytest.mark.parametrize("fails", [False, True])
def test_what_is_asked_while_it_is_computed_is_computed_once(fails: bool) -> None:
    kept, asked = LruCache[int](2), _Counted()
    begun, go_on = Event(), Event()
    computed = []

    def compute() -> int:
        computed.append(1)
        begun.set()
        assert go_on.wait(TIMEOUT_S)
        if fails:
            raise ValueError("not this time")
        return 7

    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(kept.get, asked, compute)
        assert begun.wait(TIMEOUT_S)
        others = [threads.submit(kept.get, asked, compute) for _ in range(3)]
        assert kept.get("b", lambda: 2) == 2  # another question does not wait
        while asked.lookups < 3 + 3 * 2:  # all three have found it under way
            sleep(0.001)
        go_on.set()
        for future in (first, *others):
            assert type(future.exception()) is (ValueError if fails else type(None))
    assert len(computed) == 1


def test_a_failure_is_not_kept() -> None:
    kept = LruCache[int](2)

    def fail() -> int:
        raise ValueError("not this time")

    with pytest.raises(ValueError, match="not this time"):
        kept.get("a", fail)
    assert kept.get("a", lambda: 1) == 1
