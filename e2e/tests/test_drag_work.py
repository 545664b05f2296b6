# SPDX-License-Identifier: Apache-2.0
"""What the browser does before it shows a frame of a drag, counted in its own trace."""

import time

import pytest
from playwright.sync_api import Page, expect
from timeline import Event, frames_of_input, tracing

from .conftest import Server, stand_still

pytestmark = pytest.mark.browser

MOVES = 30
OWN = ("svg class='ruler'", "INPUT id='parameter-")


def drag(page: Page) -> None:
    """Pull the first slider to the right, an event each 16 ms."""
    box = page.locator(".track input[type=range]").first.bounding_box()
    assert box
    left, y = box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2
    page.mouse.move(left, y)
    page.mouse.down()
    for step in range(1, MOVES + 1):
        page.mouse.move(left + step * box["width"] * 0.4 / MOVES, y)
        time.sleep(0.016)
    page.mouse.up()


def is_own(frame: list[Event]) -> bool:
    """Nothing is styled anew, and what is laid out is within the slider that moves."""
    styled = sum(e["args"].get("elementCount", 0) for e in frame if e["name"] == "UpdateLayoutTree")
    roots = [
        root["nodeName"]
        for e in frame
        if e["name"] == "Layout"
        for root in e["args"]["endData"]["layoutRoots"]
    ]
    return styled == 0 and all(root.startswith(OWN) for root in roots)


def test_a_slider_that_moves_lays_out_itself_alone(page: Page, server: Server) -> None:
    page.goto("/explorer/geist-2005-nfs")
    expect(page.locator(".track input[type=range]").first).to_be_visible()
    stand_still(page)
    drag(page)  # the first of a drag changes what is hidden while something moves
    stand_still(page)
    with tracing(page) as events:
        drag(page)
    shown = frames_of_input(events)
    # what waits for a frame's end may fall into the next one on a busy machine
    assert sum(map(is_own, shown)) > len(shown) / 2
