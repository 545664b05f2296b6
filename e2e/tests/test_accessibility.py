# SPDX-License-Identifier: Apache-2.0
"""axe finds nothing on any page, light and dark, wide and on a phone; none scrolls sideways.

What axe does not look for: that the element with the focus is seen (WCAG 2.2, 2.4.11).
"""

from typing import Literal

import httpx
import pytest
from playwright.sync_api import Page, expect

from .conftest import Console, Server, axe_complaints, drawn, stand_still

pytestmark = pytest.mark.browser

ONE_RUN = "/runs/"
PAGES = [
    "/",
    pytest.param("/explorer/geist-2005-nfs", marks=pytest.mark.python),
    "/explorer/geist-2005-nfs?view=3d",
    "/explorer/geist-2005-nfs?view=residuals",
    "/explorer/geist-2005-points",
    "/explorer/dillon-2004",
    "/models",
    "/models/tcp-coalescing-throughput",
    "/models/tcp-coalescing-throughput/about",
    "/glossary",
    "/start",
    "/nowhere",
    "/figures",
    "/figures/geist-2005-table-2",
    "/figures/geist-2005-figure-14",
    "/how-it-works?at_us=240",
    "/how-it-works?model=suspended-interrupts&at_us=240",
    "/workshop",
    "/compare?a=geist-2005-nfs&b=geist-2005-points",
    "/open",
    "/experiments/geist-2005-nfs/replicates",
    "/upload",
    "/experiments/geist-2005-nfs/runs",
    ONE_RUN,
]
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LOOKS = [(scheme, width) for width in (1440, 390) for scheme in SCHEMES]


@pytest.fixture(autouse=True)
def refusals(console: Console) -> None:
    """Of what published means cannot answer, and of a page that is not, the browser says so."""
    console.expected += ["422 (Unprocessable Entity)", "404 (Not Found)"]


def settle(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator("h1").first).to_be_visible()
    if path.startswith("/workshop"):
        expect(page.get_by_role("slider").first).to_be_visible()
    stand_still(page)


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_in_any_look(page: Page, server: Server, path: str) -> None:
    if path == ONE_RUN:
        path += httpx.get(f"{server.url}/api/experiments/geist-2005-nfs/runs").json()["runs"][0][
            "id"
        ]
    settle(page, path)
    complaints = {}
    for scheme, width in LOOKS:
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        stand_still(page)
        beyond = max(0, page.evaluate("document.documentElement.scrollWidth") - width)
        complaints[scheme, width] = (axe_complaints(page), beyond)
    assert complaints == dict.fromkeys(LOOKS, ([], 0))


def test_a_page_takes_the_focus_also_after_steps_within_another(page: Page) -> None:
    page.goto("/glossary")
    row = page.locator("#mtu_bytes")
    row.get_by_role("link").first.click()
    expect(row).to_have_attribute("aria-current", "true")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Figures").click()
    expect(page.get_by_role("main")).to_be_focused()
    assert page.evaluate("scrollY") == 0


# The element with the focus, where something else lies over its middle or it is out of the window.
UNSEEN = """() => {
  const element = document.activeElement;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  const seen = over !== null && (element.contains(over) || over.contains(element));
  return seen ? null : element.outerHTML.slice(0, 120);
}"""


@pytest.mark.parametrize("path", ["/explorer/geist-2005-nfs", "/"])
def test_what_has_the_focus_is_seen_beside_the_bar_below(page: Page, path: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page, path)
    if path == "/":
        for box in page.get_by_role("checkbox").all()[:2]:
            box.check()
        expect(page.locator(".compare-bar")).to_be_visible()
    page.locator("body").press("Tab")
    unseen, stops = [], 0
    while page.evaluate("document.activeElement !== document.body"):
        drawn(page)
        unseen.append(page.evaluate(UNSEEN))
        stops += 1
        page.keyboard.press("Tab")
    assert stops > 30
    assert [each for each in unseen if each] == []
