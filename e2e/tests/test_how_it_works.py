# SPDX-License-Identifier: Apache-2.0
"""How it works: it plays, stands, steps and is scrubbed; counts come true; links show the same."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import Server, eventually, somebody_else, stand_still

pytestmark = pytest.mark.browser


def now_us(page: Page) -> float:
    """What the crosshair says, redrawn in each frame."""
    said = page.locator(".lanes text").filter(has_text=re.compile(r"^[\d\u2009.]+ µs$"))
    return float(said.text_content().replace("\u2009", "").removesuffix(" µs"))  # type: ignore[union-attr]


def counted(page: Page, row: str) -> list[str]:
    cells = page.locator(".tally tbody tr").filter(has_text=row).locator("td")
    return cells.all_inner_texts()


def test_a_lesson(page: Page) -> None:
    """From the menu to a still picture that a colleague opens."""
    page.goto("/models")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="How it works").click()
    expect(page.get_by_role("heading", name="How it works")).to_be_visible()

    # it plays, in the slow motion that it says, and stands when told
    expect(page.get_by_text("1 s here is 20 µs there")).to_be_visible()
    began = now_us(page)
    page.wait_for_function(
        "from => parseFloat([...document.querySelectorAll('.lanes text')]"
        ".map(t => t.textContent).find(t => /^[0-9.]+ µs$/.test(t))) > from + 5",
        arg=began,
    )
    page.get_by_role("button", name="Pause").click()
    stand_still(page)
    stood = now_us(page)
    page.wait_for_timeout(200)
    assert now_us(page) == stood

    # event by event: frames, the timer, the interrupt that brings five
    timeline = page.get_by_role("slider", name="Time.")
    timeline.press("Home")
    for _ in range(12):
        page.get_by_role("button", name="Next event").click()
        stand_still(page)
        if page.get_by_role("cell", name="Interrupt 1, for 5 packets", exact=True).count():
            break
    expect(page.get_by_role("cell", name="Interrupt 1, for 5 packets", exact=True)).to_be_visible()
    expect(timeline).to_have_attribute("aria-valuetext", "61.5 µs")

    # the formula comes true
    timeline.press("End")
    whole = ["5.00", "5.00", "equal"]
    eventually(page, lambda: counted(page, "Packets per interrupt") == whole)

    # pulled into the past
    stand_still(page)
    box = timeline.bounding_box()
    assert box
    before = now_us(page)
    page.mouse.move(box["x"] + 300, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 500, box["y"] + 100, steps=4)
    page.mouse.up()
    eventually(page, lambda: 20 < before - now_us(page) < 60)

    # livelock: interrupts take all the time, on the host as in the model
    page.get_by_role("button", name="Livelock").click()
    expect(page.get_by_text("its overflow is thrown away")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    timeline.press("End")
    stand_still(page)
    dropped = counted(page, "Packets dropped")
    assert float(dropped[0]) > 85
    assert dropped[1] == "100.0"

    # a slider: another model speaks
    page.get_by_role("slider", name="NAPI weight").fill("64")
    expect(page.get_by_role("link", name="Polling with a weight")).to_be_visible()
    expect(page).to_have_url(re.compile(r"moderation_kind=0&napi_weight=64&at_us="))


def still_picture(page: Page) -> str:
    page.goto("/how-it-works?delay_us=125&moderation_kind=4&spacing=random&seed=7&at_us=700")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator(".lanes text").filter(has_text="700.0 µs")).to_be_visible()
    stand_still(page)
    picture = page.locator(".lanes g").first.inner_html()
    page.goto("/how-it-works")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("button", name="Next event").click()
    expect(page.locator(".stage ~ .beside [aria-live]")).to_contain_text("µs: ")
    return picture


def test_a_link_is_the_picture_and_stands_still(chromium: Browser, server: Server) -> None:
    """Reduced motion: a still picture with events to step through."""
    pictures = []
    for _ in range(2):
        with somebody_else(
            chromium,
            base_url=server.url,
            viewport={"width": 1120, "height": 900},
            reduced_motion="reduce",
        ) as colleague:
            pictures.append(still_picture(colleague.new_page()))
    assert pictures[0] == pictures[1]


def test_the_rule_of_a_model_beside_its_formulas(page: Page) -> None:
    """Chosen, played to its end, moved by a slider, and found again by its link."""
    page.goto("/how-it-works")
    page.get_by_label("Played").select_option(label="A throttle, packets at random")
    expect(page.get_by_role("link", name="What the model takes for granted")).to_have_attribute(
        "href", "/models/throttle-poisson/about"
    )
    timeline = page.get_by_role("slider", name="Time.")
    timeline.press("End")
    eventually(page, lambda: "%" in counted(page, "Packets per interrupt")[2])
    words = counted(page, "99th percentile")
    assert abs(float(words[0]) / float(words[1]) - 1) < 0.02
    interrupts = counted(page, "Receive interrupt rate")
    page.get_by_role("slider", name="Interrupt delay").fill("200")
    eventually(page, lambda: counted(page, "Receive interrupt rate")[1] != interrupts[1])
    expect(page).to_have_url(re.compile(r"model=throttle-poisson&delay_us=200&at_us="))
    said = counted(page, "Receive interrupt rate")[1]
    page.reload()
    expect(page.get_by_label("Played")).to_have_value("throttle-poisson")
    eventually(page, lambda: counted(page, "Receive interrupt rate")[1] == said)
    page.get_by_label("Played").select_option(value="")
    expect(page.get_by_role("button", name="Livelock")).to_be_visible()
