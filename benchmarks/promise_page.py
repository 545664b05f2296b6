# SPDX-License-Identifier: Apache-2.0
"""The explorer is there at once, and follows the hand."""

from __future__ import annotations

import re
import statistics
import subprocess
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from urllib.request import urlopen

from browser import ROOT, VIEW, browsing, fresh_page, serving, the_least
from lab.timeline import Event, frames_of_input, tracing
from playwright.sync_api import Browser, Page
from rows import Row

LOADS = 7
STEPS = 90
FRAME_MS = 1000 / 60
FIRST_LOAD_BUDGET_KB = 195
# As Python gets ready, the browser begins to compile its interpreter's loop, on a thread that a
# reload does not end: after this long it is over.
REST_S = 2
PINS = 3

# The moment at which the surface stands on the screen with its sliders live: the first frame after
# a slider, a drawn canvas and the largest residual are there.
WATCH = """
window.__firstView = new Promise((resolve, reject) => {
  const look = () => {
    if (performance.now() > 30000)
      return reject(new Error('no slider on a drawn surface within 30 s'));
    const canvas = document.querySelector('canvas');
    const there = document.querySelector('input[type=range]') && canvas && canvas.width > 300
      && canvas.getContext('2d').getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data[3];
    if (!there) return requestAnimationFrame(look);
    const painted = new MessageChannel();
    painted.port1.onmessage = () => resolve(performance.now());
    requestAnimationFrame(() => painted.port2.postMessage(null));
  };
  requestAnimationFrame(look);
});
"""

COUNT_FRAMES = """
window.__frames = [];
const tick = (now) => {
  window.__frames.push(now);
  window.__ticking = requestAnimationFrame(tick);
};
window.__ticking = requestAnimationFrame(tick);
"""


def quantile(values: list[float], share: float) -> float:
    """Of a sorted copy, the nearest rank."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def first_views(
    browser: Browser, address: str, between: Callable[[Page], float] = lambda _: 0
) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds to the first view, fresh and on reload, and what `between` the two measures."""
    fresh, reloaded, measured = [], [], []
    for _ in range(LOADS):
        with fresh_page(browser) as page:
            page.add_init_script(WATCH)
            page.goto(address)
            fresh.append(page.evaluate("window.__firstView"))
            measured.append(between(page))
            page.reload()
            reloaded.append(page.evaluate("window.__firstView"))
    return fresh, reloaded, measured


PYTHON_MS = """() => {
  const files = performance.getEntriesByType('resource');
  const worker = files.find((file) => file.name.includes('python.worker'));
  return performance.getEntriesByName('python-ready')[0].startTime - worker.startTime;
}"""


def python_start(page: Page) -> float:
    """Milliseconds that Python took to be ready in its worker."""
    wait_for_python(page)
    return float(page.evaluate(PYTHON_MS))


def rest(page: Page) -> float:
    """Until nothing of the page's start goes on; measures nothing."""
    wait_for_python(page)
    time.sleep(REST_S)
    return 0


def wait_for_python(page: Page) -> None:
    """Until Pyodide is ready: asked from outside, because the page's policy forbids eval."""
    for _ in range(600):
        if page.evaluate("performance.getEntriesByName('python-ready').length"):
            return
        time.sleep(0.05)
    raise TimeoutError("Pyodide was not ready after 30 s")


def drag(page: Page, slider: int) -> None:
    """Pull a slider to and fro with the mouse, an event each 16 ms."""
    box = page.locator("input[type=range]").nth(slider).bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    middle = box["x"] + box["width"] / 2
    page.mouse.move(middle, y)
    page.mouse.down()
    start = time.perf_counter()
    for step in range(STEPS):
        swing = (step % 30 - 15) / 15
        page.mouse.move(middle + swing * box["width"] * 0.4, y)
        time.sleep(max(0.0, start + (step + 1) * 0.016 - time.perf_counter()))
    page.mouse.up()


def pin(page: Page, sets: int) -> None:
    """Pin parameter sets that differ from each other and from the fit."""
    for k in range(sets):
        for _ in range(8):
            page.locator("input[type=range]").nth(k).press("ArrowRight")
        page.get_by_role("button", name="Pin these").click()


def commit_times(events: list[Event]) -> list[float]:
    """Of each frame that shows an input: from the handler's start to the commit [ms].

    Two inputs may share a frame: the first of them waits longest.
    """
    frames = frames_of_input(events)
    return [(frame[-1]["ts"] + frame[-1]["dur"] - frame[0]["ts"]) / 1000 for frame in frames]


def drags(browser: Browser, url: str, pins: int = 0) -> tuple[list[float], int, int]:
    """Handler to committed frame [ms], frames shown, and frames dropped, over pinned sets."""
    with fresh_page(browser) as page:
        page.goto(url + VIEW)
        wait_for_python(page)
        pin(page, pins)
        return dragged(page, [0, 1, 2, 1])


def dragged(page: Page, sliders: list[int]) -> tuple[list[float], int, int]:
    """The same of these sliders of a page, one after the other."""
    times: list[float] = []
    shown = dropped = 0
    for slider in sliders:
        drag(page, slider)  # once to warm up, once to measure
        with tracing(page) as events:
            page.evaluate(COUNT_FRAMES)
            drag(page, slider)
            frames = page.evaluate("cancelAnimationFrame(window.__ticking), window.__frames")
        times += commit_times(events)
        gaps = [b - a for a, b in pairwise(frames)]
        shown += len(gaps)
        dropped += sum(max(0, round(gap / FRAME_MS) - 1) for gap in gaps)
    return times, shown, dropped


def floor(browser: Browser) -> list[Row]:
    """What a page costs that is one slider and a surface: this browser, here, goes no lower."""
    with the_least() as url:
        fresh, reloaded, _ = first_views(browser, url)
        with fresh_page(browser) as page:
            page.goto(url)
            times, shown, dropped = dragged(page, [0, 0])
    drag_words = f"{quantile(times, 0.5):.1f} and {quantile(times, 0.95):.1f} ms"
    return [
        Row("a slider and a canvas alone: first view, fresh profile", median_of(fresh)),
        Row("a slider and a canvas alone: first view, reload", median_of(reloaded)),
        Row(f"a slider and a canvas alone: drag, p50 and p95 of {len(times)}", drag_words),
        Row("a slider and a canvas alone: dropped frames", f"{dropped} of {shown + dropped}"),
    ]


def first_load_kilobytes(url: str) -> float:
    """JavaScript that the document names, gzip: the first view waits for no other."""
    with urlopen(url + VIEW) as answer:
        names = set(re.findall(r"assets/[^\"]+\.js", answer.read().decode()))
    return sum(gzip_bytes(ROOT / "frontend/dist" / name) for name in names) / 1000


def gzip_bytes(path: Path) -> int:
    """As `gzip -6` packs it."""
    packed = subprocess.run(["gzip", "-6", "-c", path], capture_output=True, check=True)
    return len(packed.stdout)


def milliseconds(what: str, values: list[float], limit_ms: float) -> Row:
    """The median against a limit."""
    bar = f"≤ {limit_ms:g} ms"
    return Row(what, median_of(values), bar, statistics.median(values) <= limit_ms)


def median_of(values: list[float]) -> str:
    """The median [ms], and how far the values lie apart."""
    spread = f"of {len(values)}: {min(values):.0f} to {max(values):.0f}"
    return f"{statistics.median(values):.0f} ms ({spread})"


def drag_rows(what: str, times: list[float], shown: int, dropped: int) -> list[Row]:
    """How soon the picture follows the hand, and whether it misses a frame."""
    p50, p95 = quantile(times, 0.5), quantile(times, 0.95)
    return [
        Row(
            f"{what}: handler to committed frame, p50 and p95 of {len(times)}",
            f"{p50:.1f} and {p95:.1f} ms",
            "p95 ≤ 8 ms",
            p95 <= 8,
        ),
        Row(
            f"{what}: dropped frames at 60 Hz",
            f"{dropped} of {shown + dropped}",
            "0",
            dropped == 0,
        ),
    ]


def measure() -> list[Row]:
    """Rows for the report."""
    with serving() as url, browsing() as browser:
        fresh, as_python_starts, python = first_views(browser, url + VIEW, python_start)
        _, rested, _ = first_views(browser, url + VIEW, rest)
        plain, overlaid = drags(browser, url), drags(browser, url, PINS)
        kilobytes = first_load_kilobytes(url)
        least = floor(browser)
    return [
        milliseconds("first view with live sliders, fresh profile", fresh, 300),
        milliseconds(f"the same, reload {REST_S} s after Python is ready", rested, 150),
        milliseconds("the same, reload in the moment when Python is ready", as_python_starts, 150),
        milliseconds("Pyodide ready, fresh profile, in its worker", python, 1200),
        *drag_rows("drag, 128²", *plain),
        *drag_rows("drag, 128², three parameter sets pinned", *overlaid),
        Row(
            "first-load JavaScript without Pyodide, gzip",
            f"{kilobytes:.1f} kB",
            f"≤ {FIRST_LOAD_BUDGET_KB} kB",
            kilobytes <= FIRST_LOAD_BUDGET_KB,
        ),
        *least,
    ]
