# SPDX-License-Identifier: Apache-2.0
"""A finger on a phone: sideways it moves what is under it, up and down it scrolls the page."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from .conftest import (
    Console,
    Server,
    been_here,
    eventually,
    hold_python_back,
    somebody_else,
    stand_still,
)
from .test_explorer import open_explorer
from .test_hands_on import ON_THE_LINE, value

pytestmark = pytest.mark.browser


@pytest.fixture
def phone(chromium: Browser, server: Server, console: Console) -> Iterator[Page]:
    """The explorer on a screen that is touched, scrolled to its plots."""
    with somebody_else(
        chromium,
        base_url=server.url,
        storage_state=been_here(server.url),
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
    ) as context:
        page = context.new_page()
        console.listen(page)
        hold_python_back(page)
        open_explorer(page)
        bring_to_the_middle(page.locator("canvas.surface").first)
        yield page


def bring_to_the_middle(what: Locator) -> None:
    """What comes into sight is drawn then."""
    what.evaluate("it => it.scrollIntoView({ block: 'center' })")
    stand_still(what.page)


def swipe(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Put a finger down, move it in ten steps, take it away."""
    devtools = page.context.new_cdp_session(page)

    def touch(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    (x0, y0), (x1, y1) = start, end
    touch("touchStart", start)
    for step in range(1, 11):
        touch("touchMove", (x0 + (x1 - x0) * step / 10, y0 + (y1 - y0) * step / 10))
    touch("touchEnd")
    devtools.detach()


def place_on_surface(page: Page, across: float, down: float) -> tuple[float, float]:
    box = page.locator("canvas.surface").first.bounding_box()
    assert box
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def scrolled(page: Page) -> float:
    return float(page.evaluate("scrollY"))


@pytest.mark.fault("P10")
def test_a_finger_sideways_moves_the_crosshair_and_up_scrolls(phone: Page) -> None:
    crosshair = phone.get_by_role("slider", name="Crosshair")
    before, top = crosshair.get_attribute("aria-valuetext") or "", scrolled(phone)
    swipe(phone, place_on_surface(phone, 0.5, 0.5), place_on_surface(phone, 0.8, 0.52))
    expect(crosshair).not_to_have_attribute("aria-valuetext", before)
    stand_still(phone)
    assert scrolled(phone) == top

    swipe(phone, place_on_surface(phone, 0.5, 0.9), place_on_surface(phone, 0.5, 0.1))
    eventually(phone, lambda: scrolled(phone) > top + 40)


@pytest.mark.fault("P10")
def test_a_finger_on_a_line_pulls_it_and_the_page_stays(phone: Page) -> None:
    beta, top = value(phone, "β"), scrolled(phone)
    x, y = phone.evaluate(ON_THE_LINE, 40)
    swipe(phone, (x, y), (x, y - 30))
    expect(phone.get_by_text("Edited")).to_be_attached()
    eventually(phone, lambda: value(phone, "β") > beta)
    stand_still(phone)
    assert scrolled(phone) == top


def test_a_finger_moves_a_slider_and_keeps_the_page(phone: Page) -> None:
    slider = phone.get_by_role("slider", name=re.compile("^γ"))
    bring_to_the_middle(slider)
    gamma, top = value(phone, "γ"), scrolled(phone)
    box = slider.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    swipe(phone, (x, y), (x + 0.2 * box["width"], y))
    eventually(phone, lambda: value(phone, "γ") > gamma)
    stand_still(phone)
    assert scrolled(phone) == top


# where the open menu reaches beyond the screen: left, top, right, bottom
BEYOND_THE_SCREEN = """() => {
  const menu = document.querySelector(':popover-open');
  const { left, top, right, bottom } = menu.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  return [-left, -top, right - clientWidth, bottom - clientHeight];
}"""


@pytest.mark.parametrize("at", ["end", "start"])
@pytest.mark.parametrize("path", ["/explorer/geist-2005-nfs?view=difference", "/compare", "/open"])
def test_a_menu_opens_within_the_screen_wherever_its_button_is(
    phone: Page, path: str, at: str
) -> None:
    phone.set_viewport_size({"width": 390, "height": 500})
    phone.goto(path)
    stand_still(phone)
    buttons = phone.locator("[aria-haspopup=menu]:visible")
    assert buttons.count() >= 2
    for button in buttons.all():
        button.evaluate("(it, block) => it.scrollIntoView({ block })", at)
        name = button.get_attribute("aria-label")
        for opened_by in (button.tap, lambda it=button: it.press("Enter")):
            opened_by()
            menu = phone.locator(":popover-open")
            # where nothing can be chosen the menu itself has the focus, and says why
            if menu.locator(".made").count() == 0:
                expect(menu.locator("[role^=menuitem]").first).to_be_focused()
            assert max(phone.evaluate(BEYOND_THE_SCREEN)) <= 0, name
            phone.keyboard.press("Escape")
            expect(menu).to_have_count(0)


def test_a_menu_opens_within_the_screen_before_the_page_has_come_to_rest(phone: Page) -> None:
    for name in ("More ways to share", "Export"):
        phone.goto("/explorer/geist-2005-nfs", wait_until="commit")
        phone.get_by_role("button", name=name).press("Enter")
        expect(phone.locator(":popover-open [role^=menuitem]").first).to_be_focused()
        assert max(phone.evaluate(BEYOND_THE_SCREEN)) <= 0
        stand_still(phone)
        assert max(phone.evaluate(BEYOND_THE_SCREEN)) <= 0
