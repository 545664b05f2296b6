# SPDX-License-Identifier: Apache-2.0
"""Addresses that nobody's page made: every page stands, and its console is silent."""

import random
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from .conftest import ROOT, Console, stand_still

pytestmark = pytest.mark.browser

NFS = "geist-2005-nfs"
PATHS = [
    f"/explorer/{NFS}",
    f"/explorer/{NFS}",
    "/explorer/geist-2005-points",
    "/explorer/dillon-2004",
    "/models/tcp-coalescing-throughput",
    "/models/moderation-trade",
    f"/experiments/{NFS}/runs",
    f"/experiments/{NFS}/replicates",
    "/compare",
    "/workshop",
    "/how-it-works",
    "/figures/geist-2005-figure-10",
    f"/embed/explorer/{NFS}",
    "/open",
    "/glossary",
]
# Every parameter that the manual has, and names that are none of them.
ROWS = re.findall(r"^\| (`[^|]*) \|", (ROOT / "docs/addresses.md").read_text(), re.MULTILINE)
PARAMETERS = re.findall(r"`([a-z_]+)`", "\n".join(ROWS))
OTHERS = "mtu_bytes delay_ticks workload alpha beta gamma a.workload __proto__ constructor α"
NAMES = [*PARAMETERS, *OTHERS.split()]
VALUES = [
    "",
    "none",
    "NaN",
    "-0",
    "1e999",
    "-1e308",
    "5e-324",
    "1500,1500,,3000",
    "__proto__",
    "<script>alert(1)</script>",
    "javascript:alert(1)",
    "'; DROP TABLE cells; --",
    "\0",
    "\u202e1500",
    "a" * 3000,
    "9" * 300,
    "A*alpha:1,beta:1,gamma:1",
    "*",
    "180,86",
    "log",
    "3d",
    "residuals",
    "difference",
    "limits",
    "ols",
    "cells",
    "open",
    "trade",
    "cpu:1.5,latency:0",
    "mtu_bytes",
    "delay_ticks",
    "system_cpu_jiffies_per_gb",
    "cpu-overhead",
    NFS,
    "1500",
    "80",
    "1",
]
# What the server refuses is a complaint of the browser's, not of the page's.
REFUSED = "Failed to load resource: the server responded with a status of 4"


def some_address(draw: random.Random) -> str:
    path = draw.choice(PATHS)
    if draw.random() < 0.1:
        path += "/" + quote(draw.choice(VALUES)[:200], safe="")
    several = range(draw.randrange(1, 8))
    pairs = [f"{quote(draw.choice(NAMES))}={quote(draw.choice(VALUES))}" for _ in several]
    fragment = f"#{quote(draw.choice(VALUES))}" if draw.random() < 0.2 else ""
    return f"{path}?{draw.choice(['&', '&', '&&']).join(pairs)}{fragment}"


def open_addresses(page: Page, console: Console, seed: int, count: int) -> None:
    console.expected.append(REFUSED)
    page.emulate_media(reduced_motion="reduce")  # what moves by itself never settles
    draw = random.Random(seed)
    for _ in range(count):
        address = some_address(draw)
        page.goto(address)
        stand_still(page)
        expect(page.get_by_text("Something went wrong here"), address).to_have_count(0)
        assert len(page.locator("#page").inner_text()) > 20, address
        assert console.unexpected() == [], address


def test_fuzzed_addresses_do_not_break_the_page(page: Page, console: Console) -> None:
    open_addresses(page, console, seed=1, count=10)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 12))
def test_a_thousand_fuzzed_addresses_do_not_break_the_page(
    page: Page, console: Console, seed: int
) -> None:
    open_addresses(page, console, seed, count=100)
