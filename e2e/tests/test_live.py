# SPDX-License-Identifier: Apache-2.0
"""A page that is open while a sweep uploads: it fills by itself, and says how far the sweep is."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from .conftest import Console, Server, stand_still

pytestmark = [pytest.mark.browser, pytest.mark.stores]

SLUG = "live-host"
TO_COME = "[data-layer=cells] circle[stroke-dasharray]"
LOOKS_AGAIN_MS = 20_000  # a page looks for a new sweep now and then
CELLS = [(mtu, delay) for mtu in (1500, 9000) for delay in (0, 40, 80)]


def put(server: Server, path: str, document: dict[str, Any]) -> None:
    body = json.dumps(document).encode()
    headers = {"Content-Type": "application/json"}
    urlopen(Request(f"{server.url}{path}", body, headers, method="PUT")).close()


def progress(server: Server, done: int, state: str = "running") -> dict[str, Any]:
    return {"state": state, "runs_planned": 6, "runs_done": done, "left_s": 20.0 * (6 - done)}


def arrive(server: Server, mtu: int, delay: int, throughput: float) -> None:
    """One run, as a table of one row."""
    table = f"mtu_bytes,delay_us,replicate,throughput_mbps\n{mtu},{delay},1,{throughput}\n"
    query = urlencode({"filename": f"{mtu}-{delay}.csv", "experiment": SLUG})
    urlopen(Request(f"{server.url}/api/uploads?{query}", table.encode(), method="POST")).close()


def test_the_surface_fills_while_the_sweep_goes_on(
    server: Server, page: Page, console: Console
) -> None:
    console.expected.append("404")  # the experiment is not there before its first run
    console.expected.append("422")  # nor do its first cells carry a recommendation
    page.clock.install()
    page.goto(f"/explorer/{SLUG}")
    expect(page.get_by_role("heading", name="No such experiment")).to_be_visible()
    sweep = {
        "experiment": SLUG,
        "replicates": 1,
        "cells": [{"mtu_bytes": mtu, "delay_us": delay} for mtu, delay in CELLS],
    }
    put(server, "/api/sweeps/live-sweep", sweep | progress(server, 0))
    page.clock.fast_forward(LOOKS_AGAIN_MS)
    expect(page.locator(".sweep")).to_contain_text("0 of 6 runs, 2 min left")
    expect(page.get_by_role("heading", name="No run has come yet")).to_be_visible()
    expect(page.get_by_text("There is no experiment")).to_have_count(0)
    for done, (mtu, delay) in enumerate(CELLS, 1):
        arrive(server, mtu, delay, 900 + done)
        put(server, "/api/sweeps/live-sweep/progress", progress(server, done))
        expect(page.locator("main")).to_contain_text(f"{done} of 6 runs")
        words = f"{done} of 6 planned cells" if done < 6 else "6 measured cells"
        expect(page.locator(".head")).to_contain_text(words)
        # what is still to come has its place already
        expect(page.locator(TO_COME)).to_have_count(6 - done)
    put(server, "/api/sweeps/live-sweep/progress", progress(server, 6, "ended"))
    expect(page.locator(".sweep")).to_contain_text("The sweep has ended: 6 of 6 runs.")


def test_a_list_that_stays_open_gets_what_is_new(server: Server, page: Page) -> None:
    page.clock.install()
    page.goto("/")
    expect(page.get_by_role("link", name="Geist et al. 2005, NFS", exact=True)).to_be_visible()
    table = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,10,1,900\n"
    query = urlencode({"filename": "new.csv", "experiment": "new", "title": "New since then"})
    urlopen(Request(f"{server.url}/api/uploads?{query}", table, method="POST")).close()
    page.clock.fast_forward(LOOKS_AGAIN_MS)
    expect(page.get_by_role("link", name="New since then", exact=True)).to_be_visible()


def cost_row(mtu: int, delay: int) -> str:
    """What the cost model is fitted to: the counts of 5 GB."""
    packets = 5_000_000_000 // (mtu - 40)
    interrupts = round(packets / (1 + delay / 12))
    cpu_s = 40 + 0.0027 * packets / 1000 + 0.011 * interrupts / 1000
    return f"{mtu},{delay},1,5000000000,{packets},{interrupts},{cpu_s:.3f}"


def test_what_a_sweep_has_measured_is_drawn_as_data_so_far(
    server: Server, page: Page, console: Console
) -> None:
    console.expected.append("422")  # the first cells carry neither a fit nor a recommendation
    slug = "live-cost"
    cells = [{"mtu_bytes": mtu, "delay_us": delay} for mtu, delay in CELLS]
    sweep = {"experiment": slug, "replicates": 2, "cells": cells}
    put(server, "/api/sweeps/live-cost-sweep", sweep | progress(server, 0))
    header = "mtu_bytes,delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s"
    head = page.locator(".head")
    for done, (mtu, delay) in enumerate(CELLS, 1):
        query = urlencode({"filename": f"cost-{done}.csv", "experiment": slug})
        table = f"{header}\n{cost_row(mtu, delay)}\n".encode()
        urlopen(Request(f"{server.url}/api/uploads?{query}", table, method="POST")).close()
        put(server, "/api/sweeps/live-cost-sweep/progress", progress(server, done))
        if done == 1:
            page.goto(f"/explorer/{slug}?measure=system_cpu_s_per_gb")
        words = f"{done} of 6 planned cells so far" if done < 6 else "6 measured cells so far"
        expect(head).to_contain_text(words)
        stand_still(page)
        # a row says nothing of the other, and a model's surface comes with a fit to all cells
        if done < 6:
            expect(head).to_contain_text(re.compile("between them|^System CPU.*1 of 6 planned"))
            expect(page.locator(".param")).to_have_count(0)
        else:
            expect(head).to_contain_text("The model’s surface under the 6")
            expect(page.get_by_text("6 cells, condition")).to_be_visible()
        expect(page.locator(".advice")).to_contain_text("so far: the sweep goes on")
    put(server, "/api/sweeps/live-cost-sweep/progress", progress(server, 6, "ended"))
    expect(head).not_to_contain_text("so far")
    expect(page.locator(".advice")).not_to_contain_text("so far")
