# SPDX-License-Identifier: Apache-2.0
"""The documents' site: links, origins, search, and what axe finds."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from .conftest import ROOT, Console, Server, axe_complaints, somebody_else

SITE = ROOT / "build/site"
PHONE = {"width": 390, "height": 844}
# what a reader may follow: nothing of these is loaded
LOADING = {"script", "link", "img", "iframe", "source", "object", "form"}


class Names(HTMLParser):
    """Of one page: what it leads to, what it loads, its anchors, and what a policy forbids."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.leads: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = {""}
        self.forbidden: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, given: list[tuple[str, str | None]]) -> None:
        has = dict(given)
        self.anchors |= {has[name] or "" for name in ("id", "name") if name in has}
        targets = [has[name] or "" for name in ("href", "src", "action") if name in has]
        (self.loads if tag in LOADING else self.leads).extend(targets)
        inline = tag == "style" or (tag == "script" and "src" not in has)
        if inline or "style" in has or any(name.startswith("on") for name in has):
            self.forbidden.append(self.get_starttag_text() or tag)


@pytest.fixture(scope="module")
def pages() -> dict[Path, Names]:
    assert (SITE / "index.html").is_file(), "the site is not built: make docs"
    return {path: Names(path) for path in sorted(SITE.rglob("*.html"))}


def test_each_link_leads_to_a_page_and_a_place_that_are_there(pages: dict[Path, Names]) -> None:
    broken = []
    for page, names in pages.items():
        for target in (*names.leads, *names.loads):
            parts = urlsplit(target)
            if parts.scheme in ("https", "mailto"):
                continue
            to = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            there = to.is_file() and to.is_relative_to(SITE) and not parts.scheme
            # the search page draws itself
            if not there or (to in pages and unquote(parts.fragment) not in pages[to].anchors):
                broken.append((str(page.relative_to(SITE)), target))
    assert broken == []
    assert sum(len(names.leads) for names in pages.values()) > 1000


def test_no_page_loads_anything_from_another_origin(pages: dict[Path, Names]) -> None:
    foreign = re.compile(r"^(?:[a-z]+:)?//")
    assert {
        load for names in pages.values() for load in names.loads if foreign.match(load)
    } == set()
    sheets = [path.read_text(encoding="utf-8") for path in SITE.rglob("*.css")]
    loaded = {url for text in sheets for url in re.findall(r"url\(([^)]+)\)|@import ([^;]+)", text)}
    assert [each for pair in loaded for each in pair if foreign.match(each.strip("\"'"))] == []


def test_no_page_has_what_the_servers_policy_forbids(pages: dict[Path, Names]) -> None:
    assert {str(page): names.forbidden for page, names in pages.items() if names.forbidden} == {}


@pytest.mark.browser
def test_a_word_is_found_and_led_to(page: Page, console: Console) -> None:
    page.goto("/docs/sweep.html")
    page.get_by_placeholder("Search").fill("livelock")
    page.keyboard.press("Enter")
    found = page.locator("#search-results li a").first
    expect(found).to_be_visible()
    found.click()
    expect(page.get_by_role("main")).to_contain_text(re.compile("livelock", re.IGNORECASE))
    assert "/docs/" in page.url


@pytest.mark.browser
def test_a_word_is_found_in_a_copy_without_a_server(chromium: Browser) -> None:
    asked: list[str] = []
    with somebody_else(chromium) as context:
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((SITE / "index.html").as_uri())
        page.get_by_placeholder("Search").fill("livelock")
        page.keyboard.press("Enter")
        expect(page.locator("#search-results li a").first).to_be_visible()
    assert {urlsplit(url).scheme for url in asked} == {"file"}


@pytest.fixture(scope="module")
def looks(chromium: Browser, server: Server) -> Iterator[list[BrowserContext]]:
    """Light and wide, dark and on a phone."""
    with (
        somebody_else(chromium, base_url=server.url, color_scheme="light") as wide,
        somebody_else(chromium, base_url=server.url, color_scheme="dark", viewport=PHONE) as narrow,
    ):
        yield [wide, narrow]


# of each kind one: prose, tables, code, pictures, lists of pages, equations, what was searched
SHOWN = (
    *("index.html", "operation.html", "glossary.html", "pages.html", "decisions/index.html"),
    *(
        "notebooks/published-study.html",
        "models/suspended-interrupts.html",
        "api/fits.html",
        "commands/coalescope-compare.html",
        "search.html?q=interrupt",
    ),
)


@pytest.mark.browser
@pytest.mark.parametrize("name", SHOWN)
def test_axe_finds_nothing(looks: list[BrowserContext], console: Console, name: str) -> None:
    for context in looks:
        page = context.new_page()
        console.listen(page)
        page.goto(f"/docs/{name}")
        if name.startswith("search"):
            expect(page.locator("#search-results li a").first).to_be_visible()
        assert axe_complaints(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.close()
