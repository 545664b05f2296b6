# SPDX-License-Identifier: Apache-2.0
"""A link shows everybody the same picture, to the pixel, however the view was come by."""

import random
from base64 import b64encode
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import been_here, drawn, hold_python_back, somebody_else, stand_still
from .test_explorer import drag_slider, shared_link

pytestmark = pytest.mark.browser

NFS = "/explorer/geist-2005-nfs"
MODELS = ["cpu-overhead", "request-response", "receive-open-loop", "tcp-coalescing-throughput"]
ROUNDING = 2  # of 255: the corner of a button is not blended alike each time

PIXELS = """async (pictures) => {
  const pixels = await Promise.all(pictures.map(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  }));
  const [mine, theirs] = pixels;
"""
COMPARE = f"""{PIXELS}
  if (mine.length !== theirs.length) return 255;
  return mine.reduce((most, value, i) => Math.max(most, Math.abs(value - theirs[i])), 0);
}}"""


def some_view(draw: random.Random) -> str:
    """A view that somebody may send: an experiment's, or a model's without data."""
    if draw.random() < 0.2:
        return f"/models/{draw.choice(MODELS)}?{urlencode({'view': draw.choice(['map', '3d'])})}"
    says: dict[str, object] = {
        "fit": draw.choice(["paper-tls", "robust", "ols"]),
        "frames": draw.choice(["counted", "full"]),
        "surface": draw.choice(["model", "cells"]),
        "scale": draw.choice(["log", "linear"]),
        "view": draw.choice(["map", "map", "3d", "residuals"]),
        "mtu_bytes": draw.choice([1500, 3000, 4500]),
        "delay_ticks": draw.choice([10, 20, 40, 80, 160, 320, 640]),
    }
    if draw.random() < 0.5:
        says["gamma"] = round(draw.uniform(0.2, 3), 2)
    if draw.random() < 0.3:
        says["lines"] = "1500,4500"
    if draw.random() < 0.3:
        says["pin"] = (
            f"A*alpha:{draw.uniform(0.3, 1):.2f},beta:{draw.uniform(0.1, 0.5):.2f},gamma:1"
        )
    if draw.random() < 0.3:
        says |= {"x": "mtu_bytes", "y": "delay_ticks"}
    if says["view"] == "3d":
        says["turn"] = f"{draw.randrange(-170, 170)},{draw.randrange(10, 80)}"
    kept = draw.sample(sorted(says), draw.randrange(2, len(says)))
    if {"x", "y"} & set(kept):
        says["lines"] = "20,160"  # of what goes up; what is left out would be said, once
    return f"{NFS}?{urlencode({name: says[name] for name in kept})}"


def settle(page: Page) -> None:
    """Until the page says that nothing is under way."""
    expect(page.get_by_role("slider", name="Crosshair")).to_be_visible()
    stand_still(page)


def painted_afresh(page: Page) -> bytes:
    """Bar Python and the history; without what a compositor remembers of where things moved."""
    settle(page)
    for width in (1432, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        # the observers of sizes hear of it with the frame after the next
        drawn(page)
    settle(page)
    unshared = [page.locator(".engine"), page.locator(".undo")]
    return page.screenshot(animations="disabled", mask=unshared)


def seen_by_somebody_else(chromium: Browser, link: str) -> bytes:
    """In a profile that knows nothing, but that it was shown the tour."""
    url = urlsplit(link)
    known = been_here(f"{url.scheme}://{url.netloc}")
    with somebody_else(chromium, storage_state=known, color_scheme="light") as fresh:
        page = fresh.new_page()
        hold_python_back(page)
        page.goto(link)
        return painted_afresh(page)


def largest_difference(page: Page, *pictures: bytes) -> int:
    """Of any pixel's red, green or blue, of 255."""
    found: int = page.evaluate(COMPARE, [b64encode(picture).decode() for picture in pictures])
    return found


def compare(page: Page, chromium: Browser, seed: int) -> None:
    draw = random.Random(seed)
    page.goto(some_view(draw))
    expect(page.get_by_role("slider", name="Crosshair")).to_be_visible()
    if "/explorer/" in page.url:
        expect(page.get_by_text("fit 0.8", exact=False).first).to_be_attached()
    settle(page)
    if page.get_by_role("slider", name="α").count() and draw.random() < 0.7:
        drag_slider(page, "α", draw.uniform(-0.3, 0.3))
    link = shared_link(page)
    page.evaluate("document.activeElement.blur()")
    mine, theirs = painted_afresh(page), seen_by_somebody_else(chromium, link)
    assert largest_difference(page, mine, theirs) <= ROUNDING, link


# Of an outline, a canvas and an SVG blend the pixels on the edge a little differently.
EDGES = f"""{PIXELS}
  if (mine.length !== theirs.length) return 1;
  return mine.filter((value, i) => Math.abs(value - theirs[i]) > 48).length / mine.length;
}}"""


def test_what_is_painted_in_hand_is_what_comes_to_rest(page: Page) -> None:
    page.goto(NFS)
    settle(page)
    slider = page.get_by_role("slider", name="β")
    box = slider.bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    drawing, lines = page.locator(".duet"), page.locator("[data-layer=curves] path")
    at_fit = drawing.screenshot()
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(box["x"] + box["width"] * (0.5 + 0.03 * step), y)
    expect(lines).to_have_count(0)  # it is painted
    settle(page)
    in_hand = drawing.screenshot()
    page.mouse.up()
    expect(lines.first).to_be_attached()
    settle(page)
    at_rest = drawing.screenshot()
    share: float = page.evaluate(EDGES, [b64encode(p).decode() for p in (in_hand, at_rest)])
    assert share < 0.001
    # the control: the same drag makes another picture than the fit's
    assert page.evaluate(EDGES, [b64encode(p).decode() for p in (at_fit, at_rest)]) > 0.01


@pytest.mark.parametrize("seed", range(4))
def test_a_link_shows_the_same_picture(page: Page, chromium: Browser, seed: int) -> None:
    compare(page, chromium, seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4, 50))
def test_fifty_links_show_the_same_picture(page: Page, chromium: Browser, seed: int) -> None:
    compare(page, chromium, seed)
