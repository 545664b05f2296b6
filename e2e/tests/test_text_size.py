# SPDX-License-Identifier: Apache-2.0
"""Every page from 320 to 2560 px, at the browser's own text size and at one and a half of it.

None scrolls sideways, no text is below 12 px, and all of it grows with the reader's text size.
"""

import json

import pytest
from page_idle import TWO_FRAMES
from playwright.sync_api import Page, expect

from .conftest import ROOT, Console, stand_still

pytestmark = pytest.mark.browser

ROUTES = json.loads((ROOT / "frontend/dist/routes.json").read_text())["routes"]
# What stands in the place of a route's parameter.
EXAMPLES = {
    "/explorer/:slug": "/explorer/geist-2005-nfs?advice=open",
    "/experiments/:slug/runs": "/experiments/geist-2005-nfs/runs",
    "/experiments/:slug/replicates": "/experiments/virtual-testbed/replicates",
    "/compare": "/compare?a=geist-2005-nfs&b=geist-2005-points",
    "/models/:id": "/models/tcp-coalescing-throughput",
    "/models/:id/about": "/models/cpu-overhead/about",
    "/figures/:id": "/figures/geist-2005-figure-14",
    "/how-it-works": "/how-it-works?at_us=240",
    "/embed/explorer/:slug": "/embed/explorer/geist-2005-nfs?sliders=on",
    "/embed/models/:id": "/embed/models/tcp-coalescing-throughput",
    "/embed/figures/:id": "/embed/figures/geist-2005-table-2",
}
# A run has a number that only the server knows; an unknown link leads to a page as well.
OTHERS = {"/runs/:id", "/l/:token"}

# Text has other sizes in one column and beside others; the rest of the widths is about room.
LEGIBLE_AT_PX = {390, 1440, 2560}
WIDTHS_PX = (320, 390, 1366, 1440, 2560)
ROOT_PX, LARGE_PX = 16, 24
LEAST_PX = 12

# The smallest text that is seen, in CSS pixels on the screen, and its words. What is for screen
# readers alone is clipped; a drawing may be scaled by its zoom and by its viewBox.
SMALLEST = """() => {
  const scaleOf = (element) => {
    let svg = element.closest('svg');
    while (svg?.parentElement?.closest('svg')) svg = svg.parentElement.closest('svg');
    const units = svg?.viewBox.baseVal?.width;
    if (units) return svg.getBoundingClientRect().width / units;
    return element.currentCSSZoom ?? 1;
  };
  const sizeOf = (element, part) =>
    Number.parseFloat(getComputedStyle(element, part).fontSize) * scaleOf(element);
  const seen = (element) =>
    !element.closest('.sr') && element.checkVisibility({ visibilityProperty: true });
  const found = [];
  const add = (element, words, part) => {
    const size_px = sizeOf(element, part);
    if (size_px > 0 && words.trim() && seen(element)) found.push([size_px, words.trim()]);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const parent = texts.currentNode.parentElement;
    if (range.getBoundingClientRect().width > 0) add(parent, texts.currentNode.data);
  }
  for (const each of document.body.querySelectorAll('*'))
    for (const part of ['::before', '::after']) {
      const { content } = getComputedStyle(each, part);
      if (/[^\\s"]/.test(content.replace(/^(none|normal)$/, ''))) add(each, content, part);
    }
  for (const each of document.querySelectorAll('input, select, textarea'))
    if (!['range', 'checkbox', 'radio', 'file'].includes(each.type)) add(each, each.value || '–');
  return found.sort(([a], [b]) => a - b)[0];
}"""
# What follows the width is drawn again a few frames after it has changed, on a busy machine more.
SIDEWAYS_PX = f"""async (patience_ms) => {{
  const sideways = () =>
    document.scrollingElement.scrollWidth - document.documentElement.clientWidth;
  const end = performance.now() + patience_ms;
  do await ({TWO_FRAMES})();
  while (sideways() > 0 && performance.now() < end);
  return sideways();
}}"""
REDRAWN_MS = 10_000


@pytest.fixture(autouse=True)
def refusals(console: Console) -> None:
    """An unknown link is answered 404, what published means cannot tell 422."""
    console.expected += ["404 (Not Found)", "422 (Unprocessable Entity)"]


def address(page: Page, pattern: str) -> str:
    if pattern == "/runs/:id":
        listed = page.request.get("/api/experiments/virtual-testbed/runs?limit=1").json()
        return f"/runs/{listed['runs'][0]['id']}"
    return EXAMPLES.get(pattern, pattern.replace(":token", "unknown"))


def least_px(root_px: int, width_px: int) -> float:
    """Text grows with the reader's; what is drawn, only while the window has 320 px of it.

    Widths are whole pixels, so that a drawing may be scaled by one in some hundreds.
    """
    return LEAST_PX * min(root_px / ROOT_PX, max(1, width_px / 320)) * 0.995


def test_every_route_with_a_parameter_has_an_example() -> None:
    assert {route for route in ROUTES if ":" in route} == {p for p in EXAMPLES if ":" in p} | OTHERS


@pytest.mark.parametrize("pattern", [*ROUTES, "/nowhere"])
def test_text_fits_is_legible_and_grows(page: Page, pattern: str) -> None:
    page.goto(address(page, pattern))
    expect(page.locator("h1").first).to_be_visible()
    stand_still(page)
    browser = page.context.new_cdp_session(page)
    faults = []
    for root_px in (ROOT_PX, LARGE_PX):
        sizes = {"standard": root_px, "fixed": root_px}
        browser.send("Page.setFontSizes", {"fontSizes": sizes})
        for width in WIDTHS_PX:
            page.set_viewport_size({"width": width, "height": 900})
            where = f"{root_px} px of text, {width} wide"
            if (sideways := page.evaluate(SIDEWAYS_PX, REDRAWN_MS)) > 0:
                faults.append(f"{where}: {sideways} px sideways")
            if width in LEGIBLE_AT_PX:
                stand_still(page)
                smallest_px, words = page.evaluate(SMALLEST)
                if smallest_px < least_px(root_px, width):
                    faults.append(f"{where}: {words!r} has {smallest_px:.1f} px")
    assert faults == []
