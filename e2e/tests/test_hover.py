# SPDX-License-Identifier: Apache-2.0
"""What the pointer is told where it rests on a mark: value, interval, and how many runs."""

import re

import pytest
from playwright.sync_api import Page, expect

from .conftest import Console, eventually, stand_still

pytestmark = pytest.mark.browser

NUMBER = r"[\d\u2009.e−-]+"
INTERVAL = rf"95 % {NUMBER} to {NUMBER}"
MARKS = {
    "/figures/geist-2005-figure-10": rf"MTU \d+, published, at {NUMBER}: {NUMBER}",
    "/figures/geist-2005-figure-5": rf".*, emulated, at {NUMBER}: {NUMBER} ± {NUMBER}, n = \d+",
    "/compare?a=virtual-testbed&a.workload=udp&b=virtual-testbed&b.workload=tcp": (
        rf"{NUMBER}: {NUMBER}, {INTERVAL}, n = \d+"
    ),
    "/experiments/virtual-testbed/replicates?workload=udp": (
        rf"{NUMBER}; its cell {NUMBER}, {INTERVAL}, n = \d+"
    ),
}
# What the browser shows of the uppermost element at a place: the nearest title.
TOLD = """([x, y]) => {
  for (let on = document.elementFromPoint(x, y); on; on = on.parentElement) {
    const title = on.querySelector(':scope > title');
    if (title) return title.textContent;
  }
  return null;
}"""


@pytest.mark.parametrize("path", MARKS)
def test_a_mark_tells_its_value_where_the_pointer_rests(
    page: Page, console: Console, path: str
) -> None:
    console.expected.append("422")  # what its runs cannot tell is not compared
    page.goto(path)
    marks = page.locator("svg path:has(> title)")
    expect(marks.first).to_be_attached()
    stand_still(page)
    told = []
    for mark in marks.element_handles()[:12]:  # looked for once: some pages have thousands
        mark.scroll_into_view_if_needed()
        box = mark.bounding_box()
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        told.append(page.evaluate(TOLD, [x, y]))
    assert any(words and re.fullmatch(MARKS[path], words) for words in told), told
    assert None not in told


def test_a_cell_of_the_explorer_tells_its_own(page: Page, console: Console) -> None:
    """What takes the pointer there lies over all marks."""
    page.goto("/explorer/virtual-testbed?workload=tcp&measure=system_cpu_s_per_gb")
    plot = page.locator("svg.plot")
    expect(plot.get_by_text("160", exact=True)).to_be_visible()
    stand_still(page)
    across = plot.get_by_text("160", exact=True).bounding_box()
    # lines are called so, too; the axis stands at the left
    named = [label.bounding_box() for label in plot.get_by_text("3000", exact=True).all()]
    upward = min((box for box in named if box), key=lambda box: box["x"])
    assert across
    place = [across["x"] + across["width"] / 2, upward["y"] + upward["height"] / 2]
    page.mouse.move(place[0] - 1, place[1])
    eventually(page, lambda: page.evaluate(TOLD, place))
    page.mouse.move(*place)
    words = rf"MTU 3000, delay 160: {NUMBER} ± {NUMBER} s, n = 10"
    eventually(page, lambda: re.fullmatch(words, page.evaluate(TOLD, place)) is not None)
    page.mouse.move(place[0] + 25, place[1])
    eventually(page, lambda: page.evaluate(TOLD, [place[0] + 25, place[1]]) == "")


def test_a_cell_seen_from_aside_tells_its_own(page: Page) -> None:
    page.goto("/explorer/virtual-testbed?workload=tcp&measure=system_cpu_s_per_gb&view=3d")
    cells = page.locator("svg.plot [data-layer=cells] [stroke='var(--on-bright)']")
    expect(cells.first).to_be_attached()
    stand_still(page)
    box = cells.last.bounding_box()
    assert box
    place = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    page.mouse.move(place[0] - 1, place[1])
    words = rf"MTU \d+, delay \d+: {NUMBER} ± {NUMBER} s, n = 10"
    eventually(page, lambda: re.fullmatch(words, page.evaluate(TOLD, place)) is not None)


def test_a_stem_of_the_residuals_tells_its_cell_and_how_far_it_is(page: Page) -> None:
    page.goto("/explorer/geist-2005-nfs")
    strip = page.get_by_role("img", name=re.compile("^Cell minus model"))
    strip.scroll_into_view_if_needed()
    stand_still(page)
    strip.hover(position={"x": 40, "y": 30})
    words = rf"MTU 1500, delay \d+: {NUMBER} ± {NUMBER} \(pooled\) jiffies, n = \d+; cell − model "
    told = strip.locator("..")
    eventually(page, lambda: re.match(words, told.get_attribute("title") or "") is not None)
