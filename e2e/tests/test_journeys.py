# SPDX-License-Identifier: Apache-2.0
"""What people come for, from the home page on, by the words and names that they see.

No address is typed but that of a link that somebody sent. An own table: test_own_table.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .conftest import Console, Server, eventually, somebody_else, stand_still

pytestmark = pytest.mark.browser

STUDY, REPETITION = "Geist et al. 2005, NFS", "Virtual testbed"


@pytest.fixture
def home(page: Page, server: Server) -> Page:
    page.goto(server.url)
    return page


def link(page: Page | Locator, words: str) -> Locator:
    return page.get_by_role("link", name=re.compile(words))


def open_the_study(home: Page) -> Locator:
    """Its crosshair."""
    link(home, "^Look at a published study").click()
    crosshair = home.get_by_role("slider", name="Crosshair")
    expect(crosshair).to_be_visible()
    return crosshair


def place(crosshair: Locator) -> str:
    return crosshair.get_attribute("aria-valuetext") or ""


def test_somebody_understands_what_is_gained_and_opens_the_study(home: Page) -> None:
    expect(home.get_by_role("heading", level=1)).to_have_text(
        "Receive the same data with a quarter less CPU"
    )
    expect(home.get_by_text(re.compile("28\\s%\\s*less CPU"))).to_be_visible()
    expect(home.get_by_text(re.compile("Longer is not better"))).to_be_visible()
    # it can be dragged before anything is opened
    surface = home.get_by_role("slider", name="Crosshair")
    before = place(surface)
    surface.focus()
    home.keyboard.press("ArrowLeft")
    expect(surface).not_to_have_attribute("aria-valuetext", before)
    open_the_study(home)
    expect(home.get_by_role("heading", level=1)).to_have_text("Geist et al. 2005, NFS")
    expect(home.get_by_role("heading", name="System CPU time", exact=False)).to_be_visible()
    expect(home.get_by_role("main")).to_contain_text("The model’s surface under the 27 published")
    expect(home.get_by_role("heading", name="CPU overhead")).to_be_visible()
    expect(home.get_by_text(re.compile(r"fit 0\.813")).first).to_be_attached()


def ticked(home: Page) -> None:
    for title in (STUDY, REPETITION):
        home.get_by_role("checkbox", name=f"Compare {title}").check()
    link(home, "^Compare 2 experiments").click()
    expect(home.get_by_role("heading", name="Compare experiments")).to_be_visible()


def test_the_study_and_its_repetition_are_compared_for_packets_and_for_cpu(home: Page) -> None:
    ticked(home)
    # as they stand they have no setting in common: it opens at the workload that suits best
    expect(home.get_by_role("main")).to_contain_text("Show instead TCP or UDP")
    expect(home.get_by_role("alert")).to_have_count(0)
    home.get_by_label("Measure").select_option(label="Packets per interrupt, packets/interrupt")
    expect(
        home.get_by_text(re.compile("B against A, packets per interrupt, over 21 settings"))
    ).to_be_visible()
    rows = home.get_by_role("region", name="Settings of A and B").get_by_role("row")
    expect(rows).to_have_count(22)
    # one counted the CPU time of the system, the other that of the traffic: no ratio, one picture
    together = home.get_by_role("region", name="Drawn together in published figures")
    link(together, "CPU time of the whole transfer").click()
    expect(home.get_by_role("heading", level=1)).to_contain_text("NFS: CPU time")
    expect(home.get_by_text("Published − testbed, 21 points")).to_be_visible()


def test_without_a_choice_a_comparison_offers_what_can_be_compared(home: Page) -> None:
    ticked(home)
    home.goto("/compare")
    offers = home.get_by_role("region", name="What can be compared")
    link(offers, f"^{STUDY} beside {REPETITION}$").click()
    expect(home.get_by_role("group", name="B emulated")).to_be_visible()


@pytest.fixture
def phone(chromium: Browser, server: Server, console: Console) -> Iterator[Page]:
    """Of somebody else, who has never been here."""
    with somebody_else(
        chromium,
        base_url=server.url,
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
    ) as context:
        page = context.new_page()
        console.listen(page)
        yield page


def seen(page: Page) -> tuple[str, str, str]:
    """The view that is on the screen: what is drawn, where, and with which α."""
    crosshair = page.get_by_role("slider", name="Crosshair")
    expect(crosshair).to_be_visible()
    stand_still(page)
    alpha = page.get_by_role("slider", name=re.compile("^α"))
    return (
        page.locator(".head").get_by_role("heading").inner_text(),
        place(crosshair),
        alpha.get_attribute("aria-valuetext") or "",
    )


def move_something(home: Page) -> tuple[str, str, str]:
    crosshair = open_the_study(home)
    untouched = seen(home)
    crosshair.focus()
    home.keyboard.press("ArrowRight")
    home.get_by_role("slider", name=re.compile("^α")).focus()
    home.keyboard.press("ArrowRight")
    expect(home.get_by_text("Edited")).to_be_visible()
    eventually(
        home, lambda: all(a != b for a, b in zip(seen(home)[1:], untouched[1:], strict=True))
    )
    return seen(home)


def test_a_view_is_sent_to_a_phone(home: Page, phone: Page) -> None:
    view = move_something(home)
    home.get_by_role("button", name="Share: copy the link").click()
    expect(home.get_by_role("button", name="Share: copy the link")).to_contain_text(
        "Local link copied"
    )
    phone.goto(home.evaluate("navigator.clipboard.readText()"))
    assert seen(phone) == view
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.stores
def test_a_short_link_opens_the_same_view_on_a_phone(home: Page, phone: Page) -> None:
    view = move_something(home)
    home.get_by_role("button", name="More ways to share").click()
    home.get_by_role("menuitem", name=re.compile("^Short link")).click()
    sent = home.get_by_role("textbox", name="Short link").input_value()
    assert len(sent) < len(home.url)
    phone.goto(sent)
    assert seen(phone) == view


def test_somebody_finds_out_what_to_set(home: Page) -> None:
    open_the_study(home)
    answer = home.get_by_role("region", name="Recommendation")
    expect(answer).to_contain_text("What to set")
    expect(answer).to_contain_text("for the host of this publication, not for yours")
    expect(answer).to_contain_text("How long may a packet wait?")
    answer.get_by_role("button", name=re.compile(r"MTU 4500, delay\s80")).click()
    expect(answer).to_contain_text(re.compile(r"Set MTU 4500, delay\s80\sticks .*32\s% less than"))
    expect(answer).to_contain_text("To measure your own host, as root: coalescope-host tune")
    answer.get_by_role("button", name="Goal, limits, curve").click()
    answer.get_by_label("MTU at most").select_option(label="1500")
    expect(answer).to_contain_text(re.compile(r"Set MTU 1500, delay\s\d+\sticks"))


def test_somebody_with_a_machine_finds_the_commands(home: Page) -> None:
    link(home, "^Measure my machine").click()
    expect(home.get_by_role("heading", name="Where do I start?")).to_be_visible()
    expect(home.get_by_role("list").get_by_role("code").first).to_be_visible()
    home.get_by_role("button", name=re.compile("Copy")).first.click()
    copied = home.evaluate("navigator.clipboard.readText()")
    assert copied in home.get_by_role("main").inner_text()
    # each button says to those who hear it what it copies
    names = home.get_by_role("main").get_by_role("button").all_text_contents()
    assert len(names) == len(set(names)) > 1
