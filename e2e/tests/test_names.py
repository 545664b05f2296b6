# SPDX-License-Identifier: Apache-2.0
"""Wherever a page names a quantity, the name opens its definition, unit and source."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import Console, stand_still

pytestmark = pytest.mark.browser

# Heads of columns and rows, terms, labels, captions, titles of axes, keys.
SPOTS = (
    "th, dt, legend, label, svg text, h1, h2, h3, h4, caption, figcaption, "
    ".key li, li > b, strong, .field > span"
)
# What repeats a name for those who hear it, the preview of a table, and what follows another rule:
# equations, menus (each offers the definition), the card itself; a link opens what it names.
BESIDES = ".sr, [aria-hidden=true], .definition, nav, [role=menu], math, a, details:not([open]) > *"

# Names that stand on a page by themselves, or before a unit or a remark, and open nothing.
MUTE = """([labels, spots, besides]) => {
  const plain = (words) => words.replace(/\\s+/g, ' ').trim();
  const names = new Set(labels.map((label) => label.toLowerCase()));
  const found = [];
  for (const spot of document.querySelectorAll(spots)) {
    if (spot.closest('[data-quantity]') || spot.querySelector('[data-quantity]')) continue;
    if (spot.closest(besides) || spot.getBoundingClientRect().width === 0) continue;
    const copy = spot.cloneNode(true);
    for (const each of copy.querySelectorAll('select, input, small, title, svg')) each.remove();
    const words = plain(copy.textContent).toLowerCase();
    const heads = [words, words.split(/,| \\(/)[0]];
    if (!heads.some((head) => names.has(head))) continue;
    found.push(`${plain(spot.textContent).slice(0, 80)} <${spot.tagName.toLowerCase()}>`);
  }
  return [...new Set(found)];
}"""

NFS = "geist-2005-nfs"
# In words of the page, not of the glossary: the delay is the delay.
ALSO = ("delay", "moderation rate", "interrupt rate")
ADDRESSES = (
    "/",
    f"/explorer/{NFS}",
    f"/explorer/{NFS}?view=3d",
    f"/explorer/{NFS}?view=limits",
    f"/explorer/{NFS}?goal=throughput&advice=open",
    "/explorer/virtual-testbed?facet=workload&measure=throughput_mbps",
    "/explorer/geist-2005-points",
    "/explorer/dillon-2004-streams",
    "/explorer/chase-1999",
    "/how-it-works",
    "/models/tcp-coalescing-throughput",
    "/models/cpu-overhead/about",
    "/figures",
    "/figures/geist-2005-table-2",
    "/figures/geist-2005-figure-14",
    "/figures/ronciak-2005-figure-2",
    "/workshop?model=cpu-overhead-open-loop",
    "/workshop?model=cpu-overhead",
    "/compare?a=virtual-testbed&a.workload=udp&b=virtual-testbed&b.workload=tcp",
    "/compare?runs={run},{other}",
    "/experiments/virtual-testbed/runs",
    "/experiments/virtual-testbed/replicates",
    "/runs/{run}",
)


def mute_names(page: Page, labels: list[str]) -> list[str]:
    found: list[str] = page.evaluate(MUTE, [labels, SPOTS, BESIDES])
    return found


def answer(page: Page, path: str) -> Any:
    return json.loads(page.request.get(path).text())


def test_every_name_opens_its_definition(page: Page, console: Console) -> None:
    console.expected.append("422")  # a recommendation that published means cannot carry
    page.emulate_media(reduced_motion="reduce")  # what moves by itself never stands still
    page.goto("/")
    labels = [quantity["label"] for quantity in answer(page, "/api/quantities")] + [*ALSO]
    runs = answer(page, "/api/experiments/virtual-testbed/runs?limit=2")["runs"]
    ids = dict(zip(("run", "other"), (run["id"] for run in runs), strict=True))
    mute = {}
    for address in ADDRESSES:
        page.goto(address.format(**ids))
        expect(page.locator("h1").first).to_be_attached()
        stand_still(page)
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        stand_still(page)
        if found := mute_names(page, labels):
            mute[address] = found
    assert not mute, json.dumps(mute, ensure_ascii=False)

    # and the same look finds one that is there
    page.evaluate("document.querySelector('dt [data-quantity]').outerHTML = 'Host'")
    assert mute_names(page, labels) == ["Host <dt>"]
