# SPDX-License-Identifier: Apache-2.0
"""A page that stays open all day: drags and changes of page leave nothing behind."""

import json
import logging
from dataclasses import dataclass, replace

import pytest
from playwright.sync_api import CDPSession, Page, expect

from .conftest import hold_python_back, stand_still
from .test_explorer import NFS, open_explorer

pytestmark = [pytest.mark.browser, pytest.mark.python]

MEGABYTE = 1_000_000
# What each further change of page may add once code and caches are warm.
SLOPE_BYTES = 4_000
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Held:
    """What the page holds once its rubbish is collected."""

    heap_bytes: int
    nodes: int
    listeners: int
    # of scripts: objects, functions, arrays, strings; what the engine compiled is none of it
    own_bytes: int = 0


def held(page: Page, devtools: CDPSession) -> Held:
    # the list of experiments comes some time after the page
    expect(page.locator("h1 + .menu [role=menuitemradio]").first).to_be_attached()
    stand_still(page)
    for _ in range(3):  # what a finalizer frees is collected the next time
        devtools.send("HeapProfiler.collectGarbage")
    counted = devtools.send("Memory.getDOMCounters")
    heap = devtools.send("Runtime.getHeapUsage")
    return Held(int(heap["usedSize"]), counted["nodes"], counted["jsEventListeners"])


# What else is on a heap belongs to the engine: compiled code, its feedback, the browser's records.
OWN = {"object", "closure", "array", "string", "concatenated string", "regexp", "symbol", "bigint"}


def own_bytes(devtools: CDPSession) -> int:
    """The scripts' share of a heap snapshot."""
    chunks: list[str] = []
    keep = lambda event: chunks.append(event["chunk"])  # noqa: E731
    devtools.on("HeapProfiler.addHeapSnapshotChunk", keep)
    devtools.send("HeapProfiler.takeHeapSnapshot", {"reportProgress": False})
    devtools.remove_listener("HeapProfiler.addHeapSnapshotChunk", keep)
    whole = json.loads("".join(chunks))
    fields, types = (whole["snapshot"]["meta"][name] for name in ("node_fields", "node_types"))
    kinds = whole["nodes"][fields.index("type") :: len(fields)]
    sizes = whole["nodes"][fields.index("self_size") :: len(fields)]
    own = {number for number, name in enumerate(types[0]) if name in OWN}
    return sum(size for kind, size in zip(kinds, sizes, strict=True) if kind in own)


def drag_often(page: Page, times: int) -> None:
    """Press, move and let go, over all sliders of the model; each drag is a step of the history."""
    boxes = [slider.bounding_box() for slider in page.locator("aside input[type=range]").all()]
    tracks = [box for box in boxes if box]
    assert len(tracks) == 3
    for number in range(times):
        box = tracks[number % 3]
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + (number % 7 - 3) * box["width"] / 10, y)
        page.mouse.up()


def go_round(page: Page, times: int) -> None:
    """To the list and back into an explorer, within the page."""
    for _ in range(times):
        page.get_by_role("link", name="Experiments", exact=True).click()
        page.get_by_role("link", name="Geist et al. 2005, NFS").first.click()
        expect(page.get_by_role("slider", name="Crosshair")).to_be_visible()
        expect(page.get_by_text("fit 0.813", exact=False).first).to_be_attached()


def warm(page: Page) -> CDPSession:
    """An explorer whose code and caches are there."""
    devtools = page.context.new_cdp_session(page)
    open_explorer(page, NFS)
    expect(page.locator("[data-python=ready]")).to_be_attached()
    stand_still(page)
    drag_often(page, 12)
    go_round(page, 3)
    return devtools


def grown(before: Held, after: Held, heap_bytes: int) -> list[str]:
    """What the page holds more of than chance explains."""
    most = {
        "nodes": before.nodes * 1.02 + 50,
        "listeners": before.listeners * 1.02 + 10,
        "heap_bytes": before.heap_bytes + heap_bytes,
    }
    return [name for name, limit in most.items() if getattr(after, name) > limit]


def test_drags_and_changes_of_page_leave_nothing_behind(page: Page) -> None:
    devtools = warm(page)
    before = held(page, devtools)
    drag_often(page, 60)
    go_round(page, 5)
    after = held(page, devtools)
    assert grown(before, after, heap_bytes=4 * MEGABYTE) == [], (before, after)


# At the end of each drag, what is set as `leak` leaves something behind.
LEAKS = """
const kept = [];
const leaks = {
  nodes: () => kept.push(...Array.from({ length: 20 }, () => document.createElement('i'))),
  listeners: () => {
    for (const type of ['leak', 'leek']) addEventListener(type, () => undefined);
  },
  heap_bytes: () => kept.push(Array.from({ length: 60_000 }, (_, i) => i + 0.5)),
};
addEventListener('pointerup', () => leaks[globalThis.leak]?.(), true);
"""


def test_what_each_drag_leaves_behind_is_found(page: Page) -> None:
    """Control: a leak of each kind, planted, is found, and named for what it is."""
    hold_python_back(page)
    page.add_init_script(LEAKS)
    open_explorer(page)
    devtools = page.context.new_cdp_session(page)
    drag_often(page, 6)
    for leak in ("nodes", "listeners", "heap_bytes"):
        before = held(page, devtools)
        page.evaluate("leak => { globalThis.leak = leak; }", leak)
        drag_often(page, 10)
        after = held(page, devtools)
        assert grown(before, after, heap_bytes=4 * MEGABYTE) == [leak], (before, after)


@pytest.mark.soak
def test_a_thousand_drags_and_a_hundred_changes_of_page_leave_nothing_behind(page: Page) -> None:
    """Weighed at each tenth: the second half adds next to nothing to what the first half left."""
    devtools = warm(page)
    weighed = []
    for tenth in range(10):
        drag_often(page, 100)
        go_round(page, 5)  # ten changes of page
        weighed.append(held(page, devtools))
        if tenth in (4, 9):
            weighed[-1] = replace(weighed[-1], own_bytes=own_bytes(devtools))
        _LOG.info("after %d drags: %s", 100 * (tenth + 1), weighed[-1])
    assert grown(weighed[4], weighed[9], heap_bytes=MEGABYTE) == [], weighed
    assert weighed[9].own_bytes - weighed[4].own_bytes <= 50 * SLOPE_BYTES, weighed
