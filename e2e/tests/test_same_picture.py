# SPDX-License-Identifier: Apache-2.0
"""A link shows everybody the same picture, to the pixel, however the view was come by."""

import random
from base64 import b64encode
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from .test_explorer import drag_slider

pytestmark = pytest.mark.browser

NFS = "/explorer/geist-2005-nfs"
MODELS = ["cpu-overhead", "request-response", "receive-open-loop", "tcp-coalescing-throughput"]
AT_REST = 4
ROUNDING = 2  # of 255: the corner of a button is not blended alike each time

COMPARE = """async (pictures) => {
  const pixels = await Promise.all(pictures.map(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  }));
  const [mine, theirs] = pixels;
  if (mine.length !== theirs.length) return 255;
  return mine.reduce((most, value, i) => Math.max(most, Math.abs(value - theirs[i])), 0);
}"""


def some_view(draw: random.Random) -> str:
    """A view that somebody may send: an experiment's, or a model's without data."""
    if draw.random() < 0.2:
        return f"/models/{draw.choice(MODELS)}?{urlencode({'view': draw.choice(['map', '3d'])})}"
    says: dict[str, object] = {
        "fit": draw.choice(["paper-tls", "ols"]),
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
    return f"{NFS}?{urlencode({name: says[name] for name in kept})}"


def settled(page: Page) -> bytes:
    """The picture once it stands still for half a second; bar Python's state and the history."""
    expect(page.get_by_role("slider", name="Crosshair")).to_be_visible()
    page.evaluate("document.fonts.ready")
    unshared = [page.locator(".engine"), page.locator(".undo")]
    pictures: list[bytes] = []
    for _ in range(60):
        page.wait_for_timeout(150)
        pictures.append(page.screenshot(animations="disabled", mask=unshared))
        if len(pictures) >= AT_REST and len(set(pictures[-AT_REST:])) == 1:
            return pictures[-1]
    raise AssertionError("the picture does not come to rest")


def painted_afresh(page: Page) -> bytes:
    """Without what a compositor remembers of where things moved."""
    settled(page)
    page.set_viewport_size({"width": 1432, "height": 900})
    settled(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    return settled(page)


def shared_link(page: Page) -> str:
    page.get_by_role("button", name="Share: copy the link").click()
    link: str = page.evaluate("navigator.clipboard.readText()")
    page.mouse.move(1, 1)
    return link


def seen_by_somebody_else(chromium: Browser, link: str) -> bytes:
    fresh = chromium.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    try:
        page = fresh.new_page()
        page.goto(link)
        return painted_afresh(page)
    finally:
        fresh.close()


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
    if page.get_by_role("slider", name="α").count() and draw.random() < 0.7:
        drag_slider(page, "α", draw.uniform(-0.3, 0.3))
    link = shared_link(page)
    expect(page.get_by_text("copied")).to_have_count(0, timeout=10_000)
    page.evaluate("document.activeElement.blur()")
    mine, theirs = painted_afresh(page), seen_by_somebody_else(chromium, link)
    assert largest_difference(page, mine, theirs) <= ROUNDING, link


@pytest.mark.parametrize("seed", range(4))
def test_a_link_shows_the_same_picture(page: Page, chromium: Browser, seed: int) -> None:
    compare(page, chromium, seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4, 50))
def test_fifty_links_show_the_same_picture(page: Page, chromium: Browser, seed: int) -> None:
    compare(page, chromium, seed)
