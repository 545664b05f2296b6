# SPDX-License-Identifier: Apache-2.0
"""The figures page: all figures at a glance, one in full, its files, its ways into the explorer."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import TIMEOUT_MS, eventually, stand_still

pytestmark = pytest.mark.browser

#: The marks of published numbers, as paths of a chart: squares, where emulated ones are diamonds.
SQUARES = "path[stroke='var(--ground)'][d*='h']"


def wait_for_the_testbed(page: Page) -> None:
    """The server reads its largest data set while it serves already."""
    page.wait_for_function(
        "fetch('/api/health').then(r => r.json())"
        ".then(h => h.datasets.every(d => d.state !== 'loading'))",
        timeout=TIMEOUT_MS,
    )


def open_figure(page: Page, figure: str) -> None:
    page.goto("/figures")
    wait_for_the_testbed(page)
    page.goto(f"/figures/{figure}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    stand_still(page)


def test_all_figures_stand_under_their_documents(page: Page) -> None:
    page.goto("/")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Figures").click()
    expect(page.get_by_role("heading", level=1, name="Figures")).to_be_visible()
    for document in ("Geist et al. 2005", "Zec et al. 2002", "Chase et al. 1999", "Dillon 2004"):
        expect(page.get_by_role("heading", level=2, name=document)).to_be_visible()
    founding = page.get_by_role("region", name="Geist et al. 2005")
    expect(founding.get_by_role("link")).to_have_count(15)
    # drawn with their published marks
    tile = founding.get_by_role("link", name=re.compile("^Figure 10"))
    expect(tile.locator(SQUARES)).to_have_count(27)
    tile.click()
    expect(page).to_have_url(re.compile("/figures/geist-2005-figure-10$"))
    expect(page.get_by_text("Geist et al. 2005, figure 10").first).to_be_visible()


def test_a_figure_says_what_is_what(page: Page) -> None:
    """Facts: at delay 960, published 80, 41, 27, 22; theory 81, 42, 29, 22."""
    open_figure(page, "geist-2005-figure-2")
    chart = page.get_by_role("img", name=re.compile("how many packets"))
    expect(chart.locator(SQUARES)).to_have_count(8)
    for kind in ("published", "emulated: UDP", "model"):
        expect(page.get_by_text(kind, exact=True).first).to_be_visible()
    expect(page.get_by_text("27 against 29 (MTU 4500, delay 960)")).to_be_visible()
    expect(page.get_by_text("Only the values at delays 10 and 960 were printed")).to_be_visible()
    page.get_by_text("The numbers in the chart").click()
    row = page.get_by_role("row", name=re.compile("published 4500 960 27"))
    expect(row).to_be_visible()


def test_numbers_and_picture_can_be_taken_away(page: Page) -> None:
    open_figure(page, "geist-2005-figure-13")
    with page.expect_download() as taken:
        page.get_by_role("button", name="Save as CSV").click()
    assert taken.value.suggested_filename == "geist-et-al-2005-figure-13.csv"
    rows = list(csv.reader(Path(taken.value.path()).read_text().splitlines()))
    published = [row for row in rows if row and row[0] == "published"]
    assert len(published) == 27
    assert ["published", "MTU 1500", "10", "7807.386629", "", ""] in published
    with page.expect_download() as taken:
        page.get_by_role("button", name="Save as SVG").click()
    picture = Path(taken.value.path()).read_text()
    assert "NFS: CPU time of the whole transfer" in picture
    assert "/figures/geist-2005-figure-13" in picture
    assert "var(--" not in picture
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as taken:
        page.get_by_role("menuitem", name="PNG").click()
    assert Path(taken.value.path()).read_bytes().startswith(b"\x89PNG")


def test_a_surface_is_painted_under_its_contours(page: Page) -> None:
    open_figure(page, "geist-2005-figure-14")
    canvas = page.locator("figure canvas").first
    colours = """canvas => {
        const { width, height } = canvas;
        const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
        const rows = Array.from({ length: 50 }, (_, i) => Math.floor((i * height) / 50));
        return new Set(rows.map(row => data[4 * row * width])).size;
    }"""
    eventually(page, lambda: canvas.evaluate(colours) > 10)
    with page.expect_download() as taken:
        page.get_by_role("button", name="Save as SVG").click()
    assert "data:image/png" in Path(taken.value.path()).read_text()


def test_the_same_data_and_model_open_in_the_explorer(page: Page) -> None:
    open_figure(page, "geist-2005-figure-6")
    ways = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="emulated cells"))
    ways.get_by_role("link").click()
    expect(page).to_have_url(re.compile("/explorer/virtual-testbed"))
    expect(page.locator("main")).to_contain_text("Packets per interrupt")
    expect(page.get_by_text("left out")).to_have_count(0)
    page.go_back()
    page.get_by_role("link", name="The model", exact=True).click()
    expect(page).to_have_url(re.compile("/models/receive-windowed"))


def test_what_went_in_is_read_whole_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_figure(page, "geist-2005-figure-14")
    inputs = page.locator(".inputs").first
    expect(inputs).to_contain_text("Cost per megabyte")
    cells = inputs.locator("th:visible, td:visible").evaluate_all(
        "all => all.map(it => it.getBoundingClientRect().right)"
    )
    assert max(cells) <= 390
    # three lines of text and their space, not the height of a column that is out of sight
    rows = inputs.locator("tbody tr").evaluate_all("all => all.map(it => it.clientHeight)")
    assert max(rows) < 120


def test_an_unknown_figure_says_so(page: Page) -> None:
    page.goto("/figures/geist-2005-figure-99")
    expect(page.get_by_role("heading", name="No such figure")).to_be_visible()
    page.get_by_role("link", name="All figures").click()
    expect(page).to_have_url(re.compile("/figures$"))


def test_figures_are_walked_through_by_keyboard(page: Page) -> None:
    open_figure(page, "geist-2005-table-2")
    following = page.get_by_role("navigation", name="Other figures").get_by_role("link").last
    following.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Geist et al. 2005, figure 1").first).to_be_visible()
