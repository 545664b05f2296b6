# SPDX-License-Identifier: Apache-2.0
"""An experiment of 10,000 cells with ten replicates each: its first view, its size, the drag.

What is sent is almost all the cells' means, deviations and intervals, as exact as they are stored:
the replicates have random digits, which pack badly. Its peer is the floor of any such answer: the
same numbers as 64-bit binary. The page asks for the cells as columns.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from browser import ROOT, browsing, fresh_page, serving
from coalescope.untrusted.bounds import ROWS
from playwright.sync_api import Browser, Page
from promise_page import (
    LOADS,
    WATCH,
    drag_rows,
    dragged,
    milliseconds,
    wait_for_python,
)
from rows import Row

LEVELS = 100
REPLICATES = 10
SEED = 1
VIEW = "/explorer/large?model=tcp-coalescing-throughput"
# of each cell and measure: mean, standard deviation, both ends of the interval
NUMBERS = 4 * 2 * LEVELS**2
FIRST_VIEW_MS = 1000
SENT_BYTES = 1_000_000
NODES = 3000


def measure() -> list[Row]:
    """Rows for the report."""
    with tempfile.TemporaryDirectory() as data:
        store(Path(data))
        with serving(Path(data)) as url, browsing() as browser:
            fresh, sent, nodes = first_views(browser, url + VIEW)
            times, shown, dropped = drag(browser, url + VIEW)
            cells = packed_bytes(f"{url}/api/experiments/large/cells?layout=columns")
    numbers = 8 * NUMBERS
    return [
        milliseconds(
            "10,000 cells × 10 replicates: first view, fresh profile", fresh, FIRST_VIEW_MS
        ),
        Row(
            "the same, sent until then",
            f"{sent / 1e6:.2f} MB",
            f"≤ {SENT_BYTES / 1e6:g} MB",
            sent <= SENT_BYTES,
        ),
        Row(
            "of it the cells, against their means, deviations and intervals as binary",
            f"{cells / 1e6:.2f} MB, {cells / numbers:.2f} ×",
        ),
        Row("the same, DOM nodes", str(nodes), f"≤ {NODES}", nodes <= NODES),
        *drag_rows("the same, drag", times, shown, dropped),
    ]


def store(data: Path) -> None:
    """An experiment of two measures whose replicates scatter."""
    dice = random.Random(SEED)
    lines = [
        f"{mtu},{delay},{replicate},{dice.gauss(9000 - 8 * delay + mtu / 40, 30):.3f},"
        f"{dice.gauss(60 - delay / 12 + mtu / 900, 0.6):.4f}"
        for mtu in range(1500, 1500 + 75 * LEVELS, 75)
        for delay in range(0, 5 * LEVELS, 5)
        for replicate in range(1, REPLICATES + 1)
    ]
    header = "mtu_bytes,delay_us,replicate,throughput_mbps,system_cpu_percent"
    tables = []
    for start in range(0, len(lines), ROWS):
        tables.append(data / f"large-{start}.csv")
        tables[-1].write_text("\n".join([header, *lines[start : start + ROWS]]))
    command = [Path(sys.executable).parent / "coalescope", "import", *tables]
    into = ["--experiment", "large", "--data", data]
    subprocess.run([*command, *into], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def first_views(browser: Browser, address: str) -> tuple[list[float], int, int]:
    """Of each first view the milliseconds; of the last the bytes sent until then, nodes at rest."""
    times, sent, nodes = [], 0, 0
    for _ in range(LOADS):
        with fresh_page(browser) as page, counting_bytes(page) as lengths:
            page.add_init_script(WATCH)
            page.goto(address)
            times.append(page.evaluate("window.__firstView"))
            sent = sum(lengths)
            wait_for_python(page)
            nodes = page.evaluate("document.querySelectorAll('*').length")
    return times, sent, nodes


@contextmanager
def counting_bytes(page: Page) -> Iterator[list[int]]:
    """Of each answer that came: headers and body as they were sent."""
    session = page.context.new_cdp_session(page)
    lengths: list[int] = []
    session.on("Network.loadingFinished", lambda event: lengths.append(event["encodedDataLength"]))
    session.send("Network.enable")
    yield lengths
    session.detach()


def drag(browser: Browser, address: str) -> tuple[list[float], int, int]:
    """Handler to committed frame [ms], frames shown, frames dropped."""
    with fresh_page(browser) as page:
        page.goto(address)
        wait_for_python(page)
        return dragged(page, [0, 1])


def packed_bytes(address: str) -> int:
    """How long the answer is for one who takes gzip."""
    with urlopen(Request(address, headers={"Accept-Encoding": "gzip"})) as answer:
        return len(answer.read())
