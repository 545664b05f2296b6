# SPDX-License-Identifier: Apache-2.0
"""The list of runs: filtered, sorted, in the address; by keyboard, and on a phone."""

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .conftest import Server, eventually, somebody_else, stand_still

pytestmark = pytest.mark.browser

RUNS = "/experiments/geist-2005-nfs/runs"


def choice(page: Page, label: str) -> Locator:
    """The list to choose from; its name goes on with what can be chosen."""
    return page.get_by_role("combobox", name=re.compile(f"^{label}"))


def levels(page: Page, factor: str, *chosen: str) -> None:
    """Tick these levels of a factor."""
    page.get_by_role("button", name=re.compile(f"^{factor}: ")).click()
    for level in chosen:
        page.get_by_role("menuitemcheckbox", name=level).click()
    page.keyboard.press("Escape")


def rows(page: Page) -> Locator:
    return page.get_by_role("region", name="Runs").get_by_role("row")


def test_a_list_is_filtered_sorted_and_sent(page: Page, chromium: Browser, server: Server) -> None:
    page.goto(RUNS)
    expect(page.get_by_role("status").filter(has_text="27 runs")).to_be_visible()
    levels(page, "MTU", "3000")
    expect(page.get_by_role("status").filter(has_text="9 runs")).to_be_visible()
    # a column's head sorts, by keyboard too: rising, then falling
    by_delay = page.get_by_role("button", name="Sort by Interrupt delay register")
    by_delay.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("columnheader", name="Interrupt delay register")).to_have_attribute(
        "aria-sort", "ascending"
    )
    page.keyboard.press("Enter")
    expect(rows(page).nth(1)).to_contain_text("640")
    eventually(page, lambda: page.url.endswith("?mtu_bytes=3000&sort=-delay_ticks"))

    stand_still(page)
    with somebody_else(chromium) as fresh:
        other = fresh.new_page()
        other.goto(page.url)
        expect(rows(other)).to_have_count(10)
        stand_still(other)
        assert rows(other).all_inner_texts() == rows(page).all_inner_texts()

    choice(page, "State").select_option("retracted")
    expect(page.get_by_text("No matching runs")).to_be_visible()
    page.get_by_role("button", name="Show all").click()
    expect(rows(page)).to_have_count(28)
    eventually(page, lambda: page.url.endswith("?sort=-delay_ticks"))


def test_runs_of_several_levels_are_listed(page: Page, server: Server) -> None:
    page.goto(RUNS)
    expect(page.get_by_role("status").filter(has_text="27 runs")).to_be_visible()
    levels(page, "MTU", "3000", "4500")
    expect(page.get_by_role("status").filter(has_text="18 runs")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^MTU: 3000, 4500"))).to_be_visible()
    eventually(page, lambda: "mtu_bytes=3000%2C4500" in page.url)
    page.reload()
    expect(page.get_by_role("status").filter(has_text="18 runs")).to_be_visible()
    levels(page, "MTU", "all 3")
    expect(page.get_by_role("status").filter(has_text="27 runs")).to_be_visible()


# Numbers of the list that stand in more than one line.
BROKEN_NUMBERS = r"""() => {
  const broken = [];
  const texts = document.createTreeWalker(document.querySelector('.list'), NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/\d\S*/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(word);
    }
  return broken;
}"""


@pytest.mark.parametrize("width_px", [320, 390])
def test_no_number_breaks_over_lines(page: Page, width_px: int) -> None:
    page.set_viewport_size({"width": width_px, "height": 800})
    page.goto("/experiments/geist-2005-nfs/runs")
    expect(rows(page)).to_have_count(27)
    assert page.evaluate(BROKEN_NUMBERS) == []


def test_a_phone_sorts_and_a_bad_parameter_spoils_nothing(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{RUNS}?state=gone&mtu_bytes=1500")
    expect(page.get_by_text("state=gone is not a state of a run")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="9 runs")).to_be_visible()
    choice(page, "Sorted by").select_option(label="Interrupt delay register")
    page.get_by_role("button", name="Largest first").click()
    expect(page.locator(".list tbody tr").first).to_contain_text("640")
    eventually(page, lambda: page.url.endswith("?mtu_bytes=1500&sort=-delay_ticks"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
