# SPDX-License-Identifier: Apache-2.0
"""Help where it is needed: definitions, the glossary, a page about each model, a first visit."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .conftest import Console, Server, axe_complaints, drawn, eventually, somebody_else, stand_still

pytestmark = pytest.mark.browser

BEFORE_THE_TOUR_MS = 1500
NFS = "/explorer/geist-2005-nfs"


def card(page: Page) -> Locator:
    return page.get_by_role("dialog", name=re.compile("^Definition: "))


# Keys in the very moment in which a page is there: who hears one keeps it from the browser.
PRESS_AT_ONCE = """new MutationObserver((_, watch) => {
  const name = document.querySelector('button[data-quantity]');
  if (!name) return;
  watch.disconnect();
  globalThis.heard = ['z', '?'].filter((key) => !name.dispatchEvent(
    new KeyboardEvent('keydown', { key, ctrlKey: key === 'z', bubbles: true, cancelable: true })));
}).observe(document, { subtree: true, childList: true });"""


def test_keys_are_heard_as_soon_as_there_is_something_to_press_them_on(page: Page) -> None:
    page.add_init_script(PRESS_AT_ONCE)
    page.goto(NFS)
    eventually(page, lambda: page.evaluate("globalThis.heard") is not None)
    assert page.evaluate("globalThis.heard") == ["z", "?"]
    expect(card(page)).to_be_focused()


def test_names_open_their_definitions_and_lead_on(page: Page) -> None:
    page.goto(NFS)
    name = page.locator(".head").get_by_role("heading").get_by_role("button")
    # by keyboard, before the page has fetched its help: the focus goes in, and comes back
    name.press("Enter")
    expect(card(page)).to_be_focused()
    expect(card(page)).to_contain_text("Source")
    stand_still(page)
    assert axe_complaints(page) == []
    page.keyboard.press("Escape")
    expect(card(page)).to_have_count(0)
    expect(name).to_be_focused()
    # by resting the pointer: it looks on, and goes when the pointer does
    page.get_by_role("radiogroup", name="Measure", exact=True).get_by_text("Goodput").or_(
        page.locator(".opts [data-quantity]").nth(1)
    ).first.hover()
    expect(card(page)).to_be_visible()
    page.mouse.move(700, 450)
    expect(card(page)).to_have_count(0)
    # a parameter, and the title of an axis
    page.locator(".param").get_by_role("button", name="per 1000 packets").click()
    expect(card(page)).to_contain_text("beta")
    page.keyboard.press("Escape")
    page.locator('.plot text[data-quantity="delay_ticks"]').click()
    expect(card(page)).to_contain_text("1.024 µs")
    # what has a press of its own keeps it: the menu of an axis offers the definition
    page.get_by_role("button", name="Up: MTU").click()
    page.get_by_role("menuitem", name="What is MTU?").click()
    expect(card(page)).to_contain_text("Maximum transmission unit")
    card(page).get_by_role("link", name="In the glossary").click()
    page.wait_for_url("**/glossary#mtu_bytes")
    row = page.locator("#mtu_bytes")
    expect(row).to_be_in_viewport()
    expect(row).to_have_attribute("aria-current", "true")
    expect(card(page)).to_have_count(0)
    page.get_by_role("searchbox", name="Find a quantity").fill("interrupts per second")
    expect(row).to_have_count(0)
    expect(page.locator("#rx_interrupt_rate_hz")).to_be_visible()
    stand_still(page)
    assert axe_complaints(page) == []


def test_a_first_visit_is_guided_once(chromium: Browser, server: Server) -> None:
    with somebody_else(chromium, base_url=server.url, reduced_motion="reduce") as newcomer:
        be_guided(newcomer.new_page())


def test_on_a_phone_a_first_visit_leads_to_what_is_out_of_sight(
    chromium: Browser, server: Server
) -> None:
    phone = {"width": 390, "height": 844}
    with somebody_else(
        chromium, base_url=server.url, reduced_motion="reduce", viewport=phone
    ) as newcomer:
        page = newcomer.new_page()
        page.goto(NFS)
        tour = page.get_by_role("region", name="Guided tour")
        show = tour.get_by_role("button", name="Show it")
        # it does not scroll by itself: nobody asked for it
        expect(show).to_be_visible()
        assert page.evaluate("scrollY") == 0
        show.click()
        expect(show).to_have_count(0)
        eventually(page, lambda: page.evaluate(SHARE_IN_SIGHT) > 0.95)


def be_guided(page: Page) -> None:
    tour = page.get_by_role("region", name="Guided tour")
    page.clock.install()
    # somebody's view is not disturbed, and is no first visit
    page.goto(f"{NFS}?beta=0.4")
    expect(page.locator(".foot")).to_be_attached()
    page.clock.fast_forward(BEFORE_THE_TOUR_MS)
    drawn(page)
    expect(tour).to_have_count(0)
    page.goto(NFS)
    expect(tour).to_be_visible()
    # it took nothing: the page works under it
    crosshair = page.get_by_role("slider", name="Crosshair")
    expect(page.locator(".advice")).to_be_visible()
    stand_still(page)
    before = crosshair.get_attribute("aria-valuetext")
    page.locator(".plot .hit").click(position={"x": 60, "y": 60})
    expect(crosshair).not_to_have_attribute("aria-valuetext", before or "")
    stand_still(page)
    assert axe_complaints(page) == []
    for words in ("interval", "Pull", "What to set", "The address"):
        tour.get_by_role("button", name="Next").click()
        expect(tour).to_contain_text(re.compile(words))
    tour.get_by_role("button", name="Done").click()
    expect(tour).to_have_count(0)
    page.goto("/")
    page.goto(NFS)
    expect(page.locator(".foot")).to_be_attached()
    page.clock.fast_forward(BEFORE_THE_TOUR_MS)
    drawn(page)
    expect(tour).to_have_count(0)
    # again by hand, with the keyboard; Escape ends it
    page.get_by_role("button", name="Take the tour").locator("visible=true").press("Enter")
    expect(tour.get_by_role("button", name="Next")).to_be_focused()
    page.keyboard.press("Escape")
    expect(tour).to_have_count(0)


# Whether the part that a step marks is clear of the bar below and of the words; the picture and the
# advice are too large for that, and are seen at least.
CLEAR = """() => {
  const MARGIN = 4;  // of the mark, around the part
  const mark = document.querySelector('.tourmark').getBoundingClientRect();
  const words = document.querySelector('.tour').getBoundingClientRect();
  const bar = document.querySelector('.peek').getBoundingClientRect();
  if (mark.height > 120) return mark.top < bar.top && mark.bottom > 0;
  const covered = words.top < mark.bottom && mark.top < words.bottom;
  return mark.top >= -MARGIN && mark.bottom <= bar.top && !covered;
}"""


def test_on_a_phone_the_tour_shows_what_it_speaks_of(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(NFS)
    expect(page.locator(".advice")).to_be_visible()
    page.get_by_role("button", name="Take the tour").locator("visible=true").press("Enter")
    tour = page.get_by_role("region", name="Guided tour")
    for step in range(1, 6):
        expect(tour).to_contain_text(f"{step} of 5")
        eventually(page, lambda: page.evaluate(CLEAR))
        tour.get_by_role("button", name=re.compile("Next|Done")).click()


# What each step's words speak of, beside the part that it marks.
SPOKEN_OF = [
    [".plot .hit", ".duet", ".rail .opts", ".explorer .live"],
    [".explorer .params"],
    [".explorer .handle", ".duet", ".explorer .params"],
    [".explorer .advice"],
    [".bar .tools"],
]

# Parts that the words lie over, though by less than a pixel's rounding.
COVERED = """(parts) => {
  const words = document.querySelector('.tour').getBoundingClientRect();
  const over = (part) => part.width > 0
    && Math.min(part.right, words.right) - Math.max(part.left, words.left) > 1
    && Math.min(part.bottom, words.bottom) - Math.max(part.top, words.top) > 1;
  return parts.filter((part) =>
    [...document.querySelectorAll(part)].some((each) => over(each.getBoundingClientRect())));
}"""


# Of the part that a step marks, how much is in the window, above the bar at its foot.
SHARE_IN_SIGHT = """() => {
  const MARGIN = 4;  // of the mark, around the part
  const mark = document.querySelector('.tourmark').getBoundingClientRect();
  const foot = document.querySelector('.peek').getBoundingClientRect();
  const within = (from, to, end) =>
    Math.max(0, Math.min(to - MARGIN, end) - Math.max(from + MARGIN, 0)) / (to - from - 2 * MARGIN);
  return within(mark.left, mark.right, innerWidth)
    * within(mark.top, mark.bottom, foot.top || innerHeight);
}"""


# Columns that the tour has left elsewhere than at their tops.
SCROLLED = """() => [...document.querySelectorAll('.explorer > *')]
  .filter((column) => column.scrollTop > 0).map((column) => column.className)"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1366, 768), (390, 844)])
@pytest.mark.parametrize("path", [NFS, "/explorer/virtual-testbed"])
def test_the_tour_covers_nothing_that_it_speaks_of(
    page: Page, console: Console, path: str, width: int, height: int
) -> None:
    console.expected.append("422")  # what its runs cannot tell is not recommended
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": height})
    page.goto(path)
    expect(page.locator(".advice .answer")).to_be_visible()
    stand_still(page)
    # at the end of the rail, which is scrolled to it
    page.get_by_role("button", name="Take the tour").locator("visible=true").click()
    tour = page.get_by_role("region", name="Guided tour")
    for step, spoken_of in enumerate(SPOKEN_OF, 1):
        # a phone shows the numbers in the readout at its foot, too
        # and nobody is to miss what the answer warns of
        parts = [*spoken_of, ".explorer .advice", *([".peek"] if width < 1000 else [])]
        expect(tour).to_contain_text(f"{step} of {len(SPOKEN_OF)}")
        # all of them are there to be covered
        assert [part for part in parts if page.locator(part).count() == 0] == []
        eventually(page, lambda parts=parts: page.evaluate(COVERED, parts) == [])  # type: ignore[misc]
        eventually(page, lambda: page.evaluate(SHARE_IN_SIGHT) > 0.95)
        if step == 1:
            # what it speaks of in rail and panel is in sight again
            eventually(page, lambda: page.evaluate(SCROLLED) == [])
        tour.get_by_role("button", name=re.compile("Next|Done")).click()
    expect(tour).to_have_count(0)
    assert page.evaluate(SCROLLED) == []


@pytest.mark.fault("P22")
def test_the_frame_of_the_tour_goes_under_the_readout_of_a_phone(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(NFS)
    stand_still(page)
    readout = page.locator(".peek")
    before = readout.screenshot()
    page.get_by_role("button", name="Take the tour").locator("visible=true").press("Enter")
    mark = page.locator(".tourmark")
    expect(mark).to_be_visible()
    # what is marked, half behind the readout
    page.locator(".explorer .plot .hit").evaluate(
        "(plot) => scrollBy(0, plot.getBoundingClientRect().top - innerHeight + 100)"
    )
    drawn(page)
    box, bar = mark.bounding_box(), readout.bounding_box()
    assert box
    assert bar
    assert box["y"] < bar["y"] < box["y"] + box["height"]
    assert readout.screenshot() == before


@pytest.mark.fault("P11")
@pytest.mark.parametrize("path", ["/", "/models"])
def test_the_tour_is_whole_wherever_it_begins(page: Page, path: str) -> None:
    page.goto(path)
    page.get_by_role("button", name="Take the tour").locator("visible=true").press("Enter")
    tour = page.get_by_role("region", name="Guided tour")
    expect(tour).to_contain_text("One crosshair through everything")
    expect(page).to_have_url(re.compile("/explorer/geist-2005-nfs"))
    expect(page.locator(".advice .answer")).to_be_visible()
    tour.get_by_role("button", name="Next").click()
    expect(tour).to_contain_text("2 of 5")


def test_a_model_has_a_page_about_it(page: Page) -> None:
    page.goto(NFS)
    panel = page.get_by_role("complementary", name="Model")
    panel.get_by_role("heading", level=2).first.get_by_role("link").click()
    page.wait_for_url("**/models/*/about")
    for title in ("When to use it", "Equations", "Where it comes from", "Python"):
        expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    page.goto("/models/link-bound/about")
    expect(page.locator(".foot")).to_be_attached()
    numbers = page.get_by_role("region", name="Published numbers")
    expect(numbers.get_by_role("row", name=re.compile("MTU 1500.*987.0 Mb"))).not_to_have_count(0)
    expect(page.get_by_role("region", name="Python of the model")).to_contain_text("def link_bound")
    expect(page.locator(".eq math").first).to_be_visible()
    page.get_by_role("button", name="Link rate", exact=True).click()
    expect(card(page)).to_contain_text("link_rate_mbps")
    page.keyboard.press("Escape")
    for scheme, width in (("light", 1440), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.set_viewport_size({"width": width, "height": 844})
        stand_still(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert axe_complaints(page) == []
