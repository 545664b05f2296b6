# SPDX-License-Identifier: Apache-2.0
"""A design of 500 cells: every page of it is there at once, and says how much it shows.

And large numbers, which have room where they stand.
"""

import re
import subprocess
from pathlib import Path

import pytest
from coalescope.untrusted.bounds import ROWS
from playwright.sync_api import Page, expect

from .conftest import COALESCOPE, ROOT, Console, Server, eventually, stand_still
from .test_explorer import surface
from .test_recommend import upload

pytestmark = [pytest.mark.browser, pytest.mark.stores]

MTUS = [1000 + 400 * i for i in range(20)]
DELAYS = [10 * j for j in range(25)]
MOST_NODES = 3000


def stored(server: Server, folder: Path, slug: str, replicates: int) -> None:
    """20 MTUs, 25 delays and so many replicates, in tables as large as they may be."""
    header = "mtu_bytes,delay_us,replicate,throughput_mbps,system_cpu_percent"
    rows = [
        f"{mtu},{delay},{replicate},{900 - delay + mtu / 400 + 0.37 * (replicate * 7 % 11)},"
        f"{50 - delay / 10 + 0.1 * (replicate * 5 % 7)}"
        for mtu in MTUS
        for delay in DELAYS
        for replicate in range(1, replicates + 1)
    ]
    tables = []
    for start in range(0, len(rows), ROWS):
        tables.append(folder / f"large-{start}.csv")
        tables[-1].write_text("\n".join([header, *rows[start : start + ROWS]]))
    command = [COALESCOPE, "import", *tables, "--experiment", slug, "--data", server.data]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def look_at_it(page: Page, slug: str, runs: str) -> None:
    page.goto(f"/explorer/{slug}")
    expect(page.get_by_role("main")).to_contain_text("500 measured cells")
    expect(page.get_by_role("link", name=f"{runs} runs")).to_be_visible()
    crosshair = page.get_by_role("slider", name="Crosshair")
    stand_still(page)
    assert page.evaluate("document.querySelectorAll('*').length") <= MOST_NODES
    before = crosshair.get_attribute("aria-valuetext"), surface(page)
    crosshair.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    expect(crosshair).not_to_have_attribute("aria-valuetext", before[0] or "")
    page.get_by_role("radio", name="System CPU").click()
    expect(page.locator(".head").get_by_role("heading")).to_contain_text("System CPU")
    eventually(page, lambda: surface(page) != before[1])
    expect(page.locator(".advice .answer")).to_contain_text("How long may a packet wait?")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("menuitem", name=re.compile("^CSV")).click()
    table = waiting.value.path().read_text().splitlines()
    assert len([line for line in table if not line.startswith("#")]) == 501

    page.goto(f"/experiments/{slug}/runs?sort=throughput_mbps")
    expect(page.get_by_role("status").filter(has_text=f"{runs} runs")).to_be_visible()
    expect(page.get_by_role("row").nth(2)).to_be_visible()
    page.goto(f"/compare?a={slug}&b={slug}&a.mtu_bytes=1000&b.mtu_bytes=8600")
    expect(page.get_by_text("over 25 settings that both have")).to_be_visible()


def test_five_hundred_cells(page: Page, server: Server, tmp_path: Path) -> None:
    stored(server, tmp_path, "large", 4)
    look_at_it(page, "large", "2000")


def test_thirty_levels_of_a_third_factor_take_one_line(page: Page, server: Server) -> None:
    lines = ["mtu_bytes,delay_us,streams,throughput_mbps"]
    lines += [
        f"{mtu},{delay},{streams},{9000 - 8 * delay + mtu / 40 - 20 * streams}"
        for mtu in MTUS[:5]
        for delay in DELAYS[1:8]
        for streams in range(1, 31)
    ]
    upload(server, "third-factor", "\n".join(lines))
    page.goto("/explorer/third-factor")
    rail = page.get_by_role("complementary", name="Data")
    stand_still(page)
    before = surface(page)
    rail.get_by_role("button", name="Streams: 1").click()
    page.get_by_role("option", name=re.compile("^19")).click()
    expect(rail.get_by_role("button", name="Streams: 19")).to_be_visible()
    eventually(page, lambda: surface(page) != before)
    assert page.evaluate("document.querySelectorAll('*').length") <= MOST_NODES
    # on a phone the line that says what is shown names the factor, too
    page.set_viewport_size({"width": 390, "height": 844})
    expect(rail.get_by_text("streams 19 · throughput")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.soak
def test_a_hundred_thousand_runs(
    page: Page, server: Server, console: Console, tmp_path: Path
) -> None:
    console.expected.append("422")  # so many replicates are not listed at once
    stored(server, tmp_path, "larger", 200)
    look_at_it(page, "larger", "100\u2009000")
    page.goto("/experiments/larger/replicates")
    expect(page.get_by_role("main")).to_contain_text("at most 20,000 are shown at once")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="Those of MTU 1000").click()
    expect(page.get_by_role("region", name="Cells")).to_contain_text("MTU 1000, delay 240")
    expect(page).to_have_url(re.compile(r"mtu_bytes=1000$"))


KEEP_CANVASES = """
  window.canvases = [];
  window.OffscreenCanvas = class extends OffscreenCanvas {
    constructor(...size) { super(...size); window.canvases.push(this); }
  };
"""


def test_a_drag_finds_what_stands_still_painted(page: Page) -> None:
    """Of 10,000 cells it takes longer than a frame."""

    def as_large_as_the_plots() -> int:
        large = "window.canvases.filter(({ height }) => height > 200).length"
        return int(page.evaluate(large))

    page.add_init_script(KEEP_CANVASES)
    page.goto("/explorer/geist-2005-nfs")
    slider = page.get_by_role("slider", name=re.compile("^α"))
    slider.hover()
    eventually(page, lambda: as_large_as_the_plots() > 0)
    painted = as_large_as_the_plots()
    page.mouse.down()
    assert page.locator(".moving:visible").count() > 0
    assert as_large_as_the_plots() == painted
    page.mouse.up()


# how many lines the text of each takes
LINES = """(elements) => elements.map((element) => {
  const text = document.createRange();
  text.selectNodeContents(element);
  return new Set(Array.from(text.getClientRects(), (line) => Math.round(line.bottom))).size;
})"""


@pytest.mark.parametrize("size", [3_084_479_901, 6_168_959_803_247])
def test_large_numbers_have_room(page: Page, server: Server, size: int) -> None:
    lines = ["mtu_bytes,delay_us,replicate,latency_us"]
    lines += [
        f"{mtu},{delay},{replicate},{size * (1 + delay / 100) * (1 + replicate / 200):.0f}"
        for mtu in (1500, 9000)
        for delay in (10, 40, 160)
        for replicate in (1, 2, 3)
    ]
    upload(server, f"large-{size}", "\n".join(lines))
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"/explorer/large-{size}")
        expect(page.locator(".model table td").first).to_be_visible()
        stand_still(page)
        numbers = page.locator(".now b, .model td")
        assert set(numbers.evaluate_all(LINES)) == {1}
        assert page.evaluate("document.documentElement.scrollWidth") <= width
