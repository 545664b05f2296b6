# SPDX-License-Identifier: Apache-2.0
"""Home page and a published study over a slow network, on a slow processor.

Chromium holds back what comes (9 Mb/s, 60 ms for each answer) and stops the page's threads for
three quarters of their time. A first view ends with the first frame after the surface is drawn and
a slider stands.
"""

from __future__ import annotations

from browser import browsing, serving
from playwright.sync_api import Browser
from promise_page import median_of, milliseconds
from rows import Row
from unwatched import unwatched

LOADS = 7
BITS_PER_SECOND = 9e6
LATENCY_MS = 60
TIMES_SLOWER = 4
FIRST_VIEW_MS = 1500
VIEWS = {"home page": "/", "a published study": "/explorer/geist-2005-nfs"}

# first-surface: the page's own mark, as it has drawn the first
WATCH = """
window.__firstView = new Promise((resolve) => {
  const look = () => {
    const there = document.querySelector('input[type=range]')
      && performance.getEntriesByName('first-surface').length;
    if (!there) return requestAnimationFrame(look);
    const painted = new MessageChannel();
    painted.port1.onmessage = () => resolve(performance.now());
    requestAnimationFrame(() => painted.port2.postMessage(null));
  };
  requestAnimationFrame(look);
});
"""
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"


def measure() -> list[Row]:
    """Rows for the report."""
    rows = []
    with serving() as url, browsing() as browser:
        for name, path in VIEWS.items():
            visit(browser, url + path)  # the server keeps the fit from then on
            painted, seen = zip(*(visit(browser, url + path) for _ in range(LOADS)), strict=True)
            rows += [
                milliseconds(
                    f"{name}, 9 Mb/s, 60 ms, processor slowed 4 ×: first view",
                    list(seen),
                    FIRST_VIEW_MS,
                ),
                Row("the same, first words on the page", median_of(list(painted))),
            ]
    return rows


def visit(browser: Browser, address: str) -> tuple[float, float]:
    """Milliseconds to the first words on the page, and to its first view, in a fresh profile."""
    with unwatched(browser) as page:
        page.send("Network.enable")
        page.send(
            "Network.emulateNetworkConditions",
            offline=False,
            latency=LATENCY_MS,
            downloadThroughput=BITS_PER_SECOND / 8,
            uploadThroughput=BITS_PER_SECOND / 8,
        )
        page.send("Emulation.setCPUThrottlingRate", rate=TIMES_SLOWER)
        page.send("Page.enable")
        page.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        page.send("Page.navigate", url=address)
        seen = page.evaluate("window.__firstView")
        return page.evaluate(FIRST_PAINT), seen
