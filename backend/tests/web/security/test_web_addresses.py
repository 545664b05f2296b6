# SPDX-License-Identifier: Apache-2.0
"""What is taken as an address, and that all who take one take the same."""

import argparse
from collections.abc import Callable
from typing import Any

import pytest
from coalescope.cli.arguments import server, site
from coalescope.settings import Settings
from coalescope.untrusted.web_addresses import is_server_address, is_web_address
from coalescope_host.plan.server_url import is_server
from pydantic import ValidationError

SERVERS = (
    *("http://127.0.0.1:8000", "https://lab.example", "http://[::1]:8000/", "http://localhost"),
    *("https://lab.example/coalescope/", "http://host_name:80", "http://[fe80::1]:1"),
)
PAGES = (
    *("https://lab.example/a?b=c&d=%20e#f", "https://doi.org/10.1109/(x);y", "https://a.b./"),
    *("https://de.wikipedia.org/wiki/Äther", "https://bücher.example/"),
)
NONE = (
    *("", "lab.example", "ftp://lab.example", "javascript:alert(1)", "//lab.example", "http://"),
    *(
        "https:///path",
        "https://x\njavascript:alert(1)",
        "https://x\ty",
        "https://x y",
        "https://x\r",
    ),
    *("\nhttps://x", "https://x\n", "https://u:p@x", "https://u@x", "https://@x", "https://x\\@y"),
    *("https://x:0", "https://x:99999", "https://x:abc", "https://[::1", "https://[nine]/"),
    *(
        'https://x/"onclick=',
        "https://x/<b>",
        "https://x/\u202egnp",
        "https://x/\0",
        "https://x\u2028",
    ),
    *("https://a..b", "https://-%41", "https://x/\x7f", "https://x/\x9b", "https://\ud800"),
)


def taken_by_settings(text: str) -> bool:
    try:
        Settings(public_url=text, trace_endpoint=text)
    except (ValidationError, UnicodeEncodeError):
        return False
    return True


def taken(of: Callable[[str], Any], text: str) -> bool:
    try:
        return of(text) is not False
    except argparse.ArgumentTypeError:
        return False


@pytest.mark.parametrize("text", [*SERVERS, *PAGES])
def test_addresses_are_taken(text: str) -> None:
    assert is_web_address(text)


@pytest.mark.parametrize("text", NONE, ids=ascii)
def test_what_is_none_is_taken_by_nobody(text: str) -> None:
    assert not is_web_address(text)
    for of in (is_server_address, is_server, server, site):
        assert not taken(of, text), of
    assert not taken_by_settings(text)


@pytest.mark.parametrize("text", [*SERVERS, "https://x/?y", "https://x/#y"])
def test_host_tools_and_server_take_the_same(text: str) -> None:
    assert is_server(text) == is_server_address(text) == ("y" not in text)
    for of in (server, site):
        assert taken(of, text) == ("y" not in text)


@pytest.mark.parametrize(
    "text", ["https://x\njavascript:alert(1)", "https://u:p@x", "x", "https://x\\y"]
)
def test_a_source_has_no_other(make_client: Callable[..., Any], text: str) -> None:
    client = make_client()
    for slug, url, status in (("bad", text, 422), ("good", "https://lab.example/", 201)):
        body = {"slug": slug, "title": "t", "kind": "measured", "source": {"url": url}}
        assert client.post("/api/experiments", json=body).status_code == status
