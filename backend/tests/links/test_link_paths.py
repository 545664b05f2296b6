# SPDX-License-Identifier: Apache-2.0
"""Which addresses a link may stand for, and that one view has one token."""

import re
from itertools import pairwise
from urllib.parse import urljoin, urlsplit

import pytest
from coalescope.errors import CoalescopeError
from coalescope.links.paths import MAX_BYTES, canonical_path, tokens
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("path", "canonical"),
    [
        ("/", "/"),
        ("/explorer/geist-2005-nfs?x=1&y=2", "/explorer/geist-2005-nfs?x=1&y=2"),
        ("/explorer/./a/../b", "/explorer/b"),
        ("/explorer/%2E%2e/b", "/b"),
        ("/../../b/", "/b/"),
        ("/a//b///c", "/a/b/c"),
        ("/a/..//evil.example", "/evil.example"),
        ("/a?", "/a"),
        ("/a#", "/a"),
        ("/a?q=%7e%2f%2F%c3%a4", "/a?q=~%2F%2F%C3%A4"),
        ("/a?q=ä b+c", "/a?q=%C3%A4%20b+c"),
        ("/a?q=100%", "/a?q=100%25"),
        ("/a?b=2&a=1&b=1", "/a?b=2&a=1&b=1"),
        ("/a?next=http://evil.example/", "/a?next=http://evil.example/"),
        ("/a#part?not-a-query", "/a#part?not-a-query"),
        ('/a?"<script>', "/a?%22%3Cscript%3E"),
        ("/apiary", "/apiary"),
        ("/links", "/links"),
    ],
)
def test_one_spelling(path: str, canonical: str) -> None:
    assert canonical_path(path) == canonical


@pytest.mark.parametrize(
    "path",
    [
        "",
        "explorer/geist-2005-nfs",
        "http://evil.example/",
        "javascript:alert(1)",
        "//evil.example/",
        "///evil.example/",
        "/\\evil.example/",
        "/\t/evil.example/",
        "/a\r\nSet-Cookie: a=b",
        "/a\0",
        "/api/experiments",
        "/x/../api",
        "/l/7kQpX2mZ9a",
        "/%6c/7kQpX2mZ9a",
        "/a?\ud800",
        "/" + "a" * MAX_BYTES,
        "/?" + "ä" * (MAX_BYTES // 6 + 1),
    ],
)
def test_what_cannot_be_linked_to(path: str) -> None:
    with pytest.raises(CoalescopeError) as caught:
        canonical_path(path)
    assert caught.value.code == "invalid_path"
    assert caught.value.status == 422
    assert caught.value.where == {"field": "path"}


def test_the_longest_path_still_goes() -> None:
    longest = "/" + "a" * (MAX_BYTES - 1)
    assert canonical_path(longest) == longest


@given(st.text(max_size=60).map(lambda rest: "/" + rest))
def test_canonical_paths_are_stable_and_stay_on_this_server(path: str) -> None:
    try:
        canonical = canonical_path(path)
    except CoalescopeError:
        return
    assert canonical_path(canonical) == canonical
    assert canonical.isascii()
    assert canonical.isprintable()
    assert " " not in canonical
    target = urlsplit(urljoin("http://here.example/l/token", canonical))
    assert (target.scheme, target.netloc) == ("http", "here.example")


@given(st.text(max_size=60), st.text(max_size=60))
def test_tokens_depend_on_the_path_alone(one: str, other: str) -> None:
    first, second = list(tokens(one)), list(tokens(other))
    assert first == list(tokens(one))
    assert (first == second) == (one == other)


def test_tokens_are_url_safe_and_grow() -> None:
    made = list(tokens("/explorer/geist-2005-nfs"))
    assert len(made[0]) >= 8
    assert all(re.fullmatch(r"[1-9A-HJ-NP-Za-km-z]+", token) for token in made)
    assert all(longer.startswith(shorter) for shorter, longer in pairwise(made))
