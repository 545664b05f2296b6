# SPDX-License-Identifier: Apache-2.0
"""axe finds nothing on any page, light and dark, wide and on a phone; none scrolls sideways.

What axe does not look for: that the element with the focus is seen (WCAG 2.2, 2.4.11).
"""

import pytest
from playwright.sync_api import Page, expect

from .conftest import Console, axe_complaints, drawn, stand_still

pytestmark = pytest.mark.browser

PAGES = [
    "/",
    pytest.param("/explorer/geist-2005-nfs", marks=pytest.mark.python),
    "/explorer/geist-2005-nfs?view=3d",
    "/explorer/geist-2005-nfs?view=residuals",
    "/explorer/geist-2005-points",
    "/explorer/dillon-2004",
    "/models",
    "/models/tcp-coalescing-throughput",
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
]
# the tokens of a theme and the layout of a width each appear once
LOOKS = [("light", 1440), ("dark", 390)]


@pytest.fixture(autouse=True)
def refusals(console: Console) -> None:
    """What published means cannot answer is refused, and the browser says so of each refusal."""
    console.expected.append("422 (Unprocessable Entity)")


def settle(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator("h1").first).to_be_visible()
    if path.startswith("/workshop"):
        expect(page.get_by_role("slider").first).to_be_visible()
    stand_still(page)


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(page: Page, path: str, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    settle(page, path)
    assert axe_complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


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
