# SPDX-License-Identifier: Apache-2.0
"""The list of experiments, with which the page begins."""

import re

import pytest
from playwright.sync_api import Page, expect

from .conftest import Console, stand_still

pytestmark = pytest.mark.browser

COVERED = """tiles => tiles.filter((tile) => {
  tile.scrollIntoView({ block: 'center' });
  const { x, y, width, height } = tile.getBoundingClientRect();
  const place = tile.closest('figure').getBoundingClientRect();
  const top = document.elementFromPoint(x + 4, y + height / 2);
  return !tile.contains(top) || x < place.x || y < place.y || x + width > place.right + 1;
}).length"""


def test_each_is_seen_at_a_glance(page: Page, console: Console) -> None:
    page.goto("/")
    tiles = page.locator("table .tiles svg")
    expect(tiles.nth(5)).to_be_visible()
    stand_still(page)
    assert tiles.evaluate_all(COVERED) == 0


WIDTHS_PX = (320, 390, 820, 1280, 2560)


@pytest.mark.fault("P20")
def test_home_is_no_wider_than_any_screen(page: Page, console: Console) -> None:
    page.goto("/")
    expect(page.locator("table .row-link").first).to_be_visible()
    for width in WIDTHS_PX:
        page.set_viewport_size({"width": width, "height": 900})
        stand_still(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.fault("P20")
def test_a_long_name_of_ones_own_does_not_widen_it(page: Page, console: Console) -> None:
    listed = page.request.get("/api/experiments").json()
    name = "a_very_long_own_factor_name_indeed"
    for factor in listed[0]["factors"]:
        factor.update(name=f"factor.{name}", label=name, level_count=12)
    listed[0]["title"] = "experiment_whose_name_has_no_space_at_all"
    page.route("**/api/experiments", lambda route: route.fulfill(json=listed))
    page.goto("/models")
    page.get_by_role("link", name="Experiments", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text(name)
    for width in WIDTHS_PX:
        page.set_viewport_size({"width": width, "height": 900})
        stand_still(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_press_beside_the_name_opens_the_row(page: Page, console: Console) -> None:
    page.goto("/")
    row = page.get_by_role("row").filter(has_text="Geist et al. 2005, NFS").first
    expect(row).to_be_visible()
    stand_still(page)
    row.locator(".src").click(force=True)  # the name's link is on all of the row
    expect(page).to_have_url(re.compile("/explorer/geist-2005-nfs"))


def test_something_stands_before_the_scripts_do(page: Page, console: Console) -> None:
    console.expected.append("net::ERR")
    page.route("**/assets/page-*.js", lambda route: route.abort())
    page.goto("/", wait_until="commit")
    expect(page.get_by_text("The page is loading.")).to_be_visible()


def test_that_the_page_is_loading_is_not_said_at_once(page: Page, console: Console) -> None:
    console.expected.append("net::ERR")
    page.route("**/assets/page-*.js", lambda route: route.abort())
    clock = page.context.new_cdp_session(page)
    clock.send("Animation.enable")
    clock.send("Animation.setPlaybackRate", {"playbackRate": 0})
    page.goto("/", wait_until="commit")
    words = page.get_by_text("The page is loading.")
    expect(words).to_be_attached()
    page.wait_for_timeout(300)
    expect(words).to_be_hidden()
    clock.send("Animation.setPlaybackRate", {"playbackRate": 1})
    expect(words).to_be_visible()


def test_kinds_are_left_out_and_the_address_says_which(page: Page, console: Console) -> None:
    page.goto("/?without=published")
    kinds = page.get_by_role("group", name="Kinds")
    study = page.get_by_role("link", name="Geist et al. 2005, NFS", exact=True)
    testbed = page.get_by_role("link", name="Virtual testbed", exact=True)
    expect(testbed).to_be_visible()
    expect(study).to_have_count(0)
    expect(kinds.get_by_role("button", name=re.compile("published"))).to_have_attribute(
        "aria-pressed", "false"
    )
    kinds.get_by_role("button", name=re.compile("emulated")).click()
    expect(testbed).to_have_count(0)
    expect(page).to_have_url(re.compile("without=published(,|%2C)emulated$"))
    kinds.get_by_role("button", name=re.compile("published")).click()
    expect(study).to_be_visible()
    expect(page).to_have_url(re.compile("without=emulated$"))
    kinds.get_by_role("button", name=re.compile("emulated")).click()
    expect(testbed).to_be_visible()
    expect(page).not_to_have_url(re.compile("without"))


def test_names_of_ones_own_are_read_as_words(page: Page, console: Console) -> None:
    page.goto("/")
    table = page.get_by_role("table", name="Experiments")
    expect(table).to_contain_text("c states 3")
    assert re.search(r"[a-z]_[a-z]", table.inner_text().split("Your host")[0]) is None


# What the page has at points of the bar where something of the table lies too.
OVER_THE_TABLE = """bar => {
  const { left, top, width } = bar.getBoundingClientRect();
  const points = Array.from({ length: 40 }, (_, k) => [left + (k + 0.5) * width / 40, top + 24]);
  const ofTable = element => element.matches('.tiles a, .tick');
  return points
    .filter(point => document.elementsFromPoint(...point).some(ofTable))
    .map(point => bar.contains(document.elementFromPoint(...point)));
}"""
# Pixels from the end of the bar's link to the full stop.
GAP = """bar => {
  const range = document.createRange();
  range.selectNode(bar.lastChild);
  const link = bar.querySelector('a');
  return range.getBoundingClientRect().left - link.getBoundingClientRect().right;
}"""


def test_nothing_of_the_table_shows_through_the_bar_below_it(page: Page, console: Console) -> None:
    page.goto("/")
    page.get_by_role("checkbox", name="Compare Geist et al. 2005, NFS").check()
    bar = page.locator(".compare-bar")
    expect(bar).to_have_text("One experiment is ticked. Tick another, or compare levels within it.")
    assert bar.evaluate(GAP) < 2
    # a row with tiles lies behind the bar
    tiles = page.locator(".tiles").nth(5)
    tiles.evaluate("e => scrollBy(0, e.getBoundingClientRect().top + 40 - innerHeight)")
    over = bar.evaluate(OVER_THE_TABLE)
    assert over and all(over)
