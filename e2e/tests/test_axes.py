# SPDX-License-Identifier: Apache-2.0
"""Any factor across, up or in facets; addresses that nobody's page made."""

import csv
import random
import re
import subprocess
from itertools import product
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from .conftest import COALESCOPE, Server, eventually, stand_still

pytestmark = [pytest.mark.browser, pytest.mark.stores]

NFS = "/explorer/geist-2005-nfs"
DRIVERS = ["e1000e 3.2", "e1000e 3.8, patched", "igb 5.6"]


@pytest.fixture(scope="module")
def bench(server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Drivers, NAPI weights and twelve hosts: an experiment without MTU and delay."""
    table = tmp_path_factory.mktemp("bench") / "bench.csv"
    hosts = [f"node-{k:02}" for k in range(12)]
    with Path(table).open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["driver_version", "napi_weight", "host", "n", "system_cpu_percent"])
        for (d, driver), weight, (h, host) in product(
            enumerate(DRIVERS), [8, 16, 64], enumerate(hosts)
        ):
            rows.writerow([driver, weight, host, 5, 20 + 10 * d + 64 / weight + h])
    command = [COALESCOPE, "upload", "--server", server.url, "--experiment", "bench", table]
    subprocess.run(command, check=True, capture_output=True)
    return "/explorer/bench"


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def choose(page: Page, axis: str, item: str) -> None:
    rail = page.get_by_role("complementary", name="Data")
    rail.get_by_role("button", name=re.compile(f"^{axis}: ")).click()
    page.get_by_role("menuitemradio", name=re.compile(f"^{item}")).click()


def crosshair(page: Page) -> str:
    return page.get_by_role("slider", name="Crosshair").get_attribute("aria-valuetext") or ""


def test_axes_change_places_and_the_cost_stays(page: Page) -> None:
    page.goto(NFS)
    expect(page.get_by_text("fit 0.813", exact=False).first).to_be_attached()
    stand_still(page)
    before = crosshair(page)
    value = before.split(": ")[1]
    choose(page, "Across", "MTU")
    page.wait_for_url("**x=mtu_bytes**")
    expect(page.get_by_role("slider", name="Crosshair")).to_have_attribute(
        "aria-valuetext", re.compile(f"^80 ticks.*3000 bytes: {re.escape(value)}$")
    )
    page.reload()
    expect(page.get_by_role("button", name="Across: MTU")).to_be_visible()
    choose(page, "Across", "Linear|Logarithmic")
    page.wait_for_url("**scale=log**")


def test_one_press_swaps_the_axes_and_a_pull_keeps_its_parameter(page: Page) -> None:
    page.goto(f"{NFS}?gamma=1.2")
    page.get_by_label("Dragging a line adjusts").select_option("gamma")
    page.wait_for_url("**pull=gamma**")
    page.get_by_role("button", name="Swap x and y").press("Enter")
    page.wait_for_url("**x=mtu_bytes**gamma=1.2**")
    page.reload()
    expect(page.get_by_role("button", name="Across: MTU")).to_be_visible()
    expect(page.get_by_label("Dragging a line adjusts")).to_have_value("gamma")
    page.get_by_role("button", name="Swap x and y").click()
    expect(page.get_by_role("button", name="Up: MTU")).to_be_visible()


def test_facets_stand_beside_each_other_and_are_chosen_by_keyboard(page: Page) -> None:
    page.goto(NFS)
    choose(page, "Facets", "MTU")
    facets = page.get_by_role("radiogroup", name="MTU").filter(has=page.locator("svg"))
    expect(facets.get_by_role("radio")).to_have_count(3)
    chosen = facets.get_by_role("radio", checked=True)
    expect(chosen).to_have_count(1)
    stand_still(page)
    first = chosen.inner_text()
    chosen.focus()
    page.keyboard.press("ArrowRight")
    expect(facets.get_by_role("radio", checked=True)).not_to_have_text(first)
    expect(facets.get_by_role("radio", checked=True)).to_be_focused()
    page.wait_for_url("**facet=mtu_bytes**")


def test_a_few_facets_are_chosen_and_the_address_says_which(page: Page, bench: str) -> None:
    page.goto(f"{bench}?y=none")
    choose(page, "Facets", "Driver version")
    rail = page.get_by_role("complementary", name="Data")
    shown = page.get_by_role("radiogroup", name="Driver version").filter(has=page.locator("svg"))
    expect(shown.get_by_role("radio")).to_have_count(3)
    beside = rail.get_by_role("group", name="Levels side by side: Driver version")
    beside.get_by_role("button", name=DRIVERS[0]).click()
    expect(shown.get_by_role("radio")).to_have_count(2)
    eventually(page, lambda: query(page).get("driver_version") == ["e1000e 3.8%2C patched,igb 5.6"])
    expect(shown.get_by_role("radio", checked=True)).to_contain_text(DRIVERS[1])
    page.reload()
    expect(shown.get_by_role("radio")).to_have_count(2)
    expect(page.get_by_text("2 of 3 levels")).to_be_visible()
    for file in ("CSV", "JSON", "SVG"):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as waiting:
            page.get_by_role("menuitem", name=re.compile(f"^{file}")).click()
        text = waiting.value.path().read_text()
        assert [driver in text for driver in DRIVERS] == [False, True, True], file
    rail.get_by_role("button", name="All").click()
    expect(shown.get_by_role("radio")).to_have_count(3)


def test_a_factor_that_is_text_is_an_axis(page: Page, bench: str) -> None:
    page.goto(bench)
    choose(page, "Up", "Driver version")
    page.wait_for_url("**y=driver_version**")
    hit = page.get_by_role("slider", name="Crosshair")
    hit.focus()
    page.keyboard.press("ArrowUp")
    expect(hit).to_have_attribute("aria-valuetext", re.compile(re.escape(DRIVERS[1])))
    page.wait_for_url("**driver_version=e1000e**")
    eventually(page, lambda: query(page)["driver_version"] == [DRIVERS[1]])
    page.reload()
    expect(hit).to_have_attribute("aria-valuetext", re.compile(re.escape(DRIVERS[1])))
    rows = page.get_by_role("table", name=re.compile("^System CPU")).get_by_role("row")
    expect(rows).to_have_count(10)


# Two letters typed in the very task that opens it.
OPEN_AND_TYPE = "button => { button.click(); document.execCommand('insertText', false, '11'); }"


def test_many_levels_take_one_line_and_are_searched(page: Page, bench: str) -> None:
    page.goto(bench)
    rail = page.get_by_role("complementary", name="Data")
    rail.get_by_role("button", name=re.compile("^Host: ")).evaluate(OPEN_AND_TYPE)
    expect(page.get_by_role("combobox")).to_have_value("11")
    expect(page.get_by_role("option")).to_have_count(1)
    page.keyboard.press("Enter")
    page.wait_for_url("**host=node-11**")
    expect(rail.get_by_role("button", name="Host: node-11")).to_be_visible()


def test_a_model_without_data_over_another_of_its_inputs(page: Page) -> None:
    page.goto("/models/moderation-trade")
    choose(page, "Across", "Frame size")
    page.wait_for_url("**x=frame_bytes**")
    expect(page.get_by_role("slider", name="Crosshair")).not_to_have_attribute(
        "aria-valuetext", re.compile("no value")
    )


VALUES = [
    "",
    "none",
    "NaN",
    "1e999",
    "-1",
    "<img src=x onerror=alert(1)>",
    "__proto__",
    "\u202e1500",
    "9" * 300,
    "mtu_bytes",
    "workload",
    "delay_ticks",
    "80",
    "1500,,4500",
    "%E0%A4",
    "3d",
    "log",
]
NAMES = [
    "x",
    "y",
    "facet",
    "scale",
    "yscale",
    "v",
    "measure",
    "model",
    "fit",
    "lines",
    "mtu_bytes",
    "delay_ticks",
    "alpha",
    "view",
    "turn",
    "against",
    "pin",
    "__proto__",
    "",
]


def test_hostile_addresses_break_nothing(page: Page) -> None:
    """A sample in the browser; a thousand more are read in the page's own tests."""
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    draw = random.Random(7)
    page.goto(NFS)
    for _ in range(20):
        pairs = [(draw.choice(NAMES), draw.choice(VALUES)) for _ in range(5)]
        address = "&".join(f"{quote(name)}={quote(value)}" for name, value in pairs)
        with page.expect_navigation():
            page.evaluate("address => location.assign(address)", f"{NFS}?{address}")
        expect(page.get_by_role("slider", name="Crosshair")).to_have_attribute(
            "aria-valuetext", re.compile(": ")
        )
    stand_still(page)
    assert dialogs == []
