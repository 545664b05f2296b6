# SPDX-License-Identifier: Apache-2.0
"""A table as somebody has it gets onto a surface by visible text alone, in at most six clicks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import FileChooser, Locator, Page, expect

from .conftest import Console, Server, axe_complaints, eventually, stand_still
from .test_explorer import surface
from .test_figures_of_the_explorer import taken_away

pytestmark = [pytest.mark.browser, pytest.mark.stores]

ROWS = [
    (1500, 10, "71,4", "8,61"), (1500, 50, "58,9", "9,37"), (1500, 200, "43,8", "9,40"),
    (9000, 10, "38,2", "9,88"), (9000, 50, "31,0", "9,90"), (9000, 200, "27,1", "9,84"),
]  # fmt: skip


def table(path: Path, shift: int = 0) -> Path:
    lines = ["mtu;rx-usecs;cpu;Gbps", *(f"{m};{d + shift};{c};{g}" for m, d, c, g in ROWS)]
    path.write_text("\n".join(lines) + "\n")
    return path


class Hand:
    """Clicks, and counts them; what is chosen from a list takes two."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, what: Locator) -> None:
        self.clicks += 1
        what.click()

    def choose(self, what: Locator, label: str) -> None:
        self.clicks += 2
        what.select_option(label=label)

    def drop(self, file: Path, what: Locator) -> None:
        with self.page.expect_file_chooser() as chosen:
            self.click(what)
        chooser: FileChooser = chosen.value
        chooser.set_files(file)


@pytest.fixture
def hand(page: Page, server: Server) -> Iterator[Hand]:
    page.goto(server.url)
    yield Hand(page)


def test_the_drop_zone_shows_no_ring_after_a_mouse_chose_a_file(hand: Hand, tmp_path: Path) -> None:
    page = hand.page
    hand.click(page.get_by_role("link", name="Upload", exact=True))
    hand.drop(table(tmp_path / "lab.csv"), page.get_by_text("choose files"))
    zone = page.locator("label.drop")
    expect(zone).to_contain_text("more files")
    assert zone.evaluate("(drop) => getComputedStyle(drop).outlineStyle") == "none"


def test_the_upload_page_begins_with_a_file_that_is_dropped_on_the_home_page(hand: Hand) -> None:
    page = hand.page
    expect(page.get_by_role("link", name="Try it with my data")).to_be_visible()
    file = """([name, text]) => {
      const dropped = new DataTransfer();
      dropped.items.add(new File([text], name));
      return dropped;
    }"""
    rows = "mtu;rx-usecs;cpu\n1500;10;71,4\n9000;10;38,2\n"
    dropped = page.evaluate_handle(file, ["lab.csv", rows])
    page.dispatch_event("main", "dragenter", {"dataTransfer": dropped})
    expect(page.get_by_role("link", name="Try it with my data")).to_contain_text("Drop it here")
    page.dispatch_event("main", "drop", {"dataTransfer": dropped})
    expect(page).to_have_url(re.compile("/upload$"))
    expect(page.get_by_label("Quantity of cpu")).to_be_visible()


@pytest.mark.fault("P14")
def test_a_semicolon_table_is_on_a_surface_in_six_clicks(
    hand: Hand, server: Server, tmp_path: Path
) -> None:
    page = hand.page
    hand.click(page.get_by_role("link", name="Upload", exact=True))
    hand.drop(table(tmp_path / "lab seven.csv"), page.get_by_text("choose files"))
    expect(page.get_by_role("heading", name="Your table, as Coalescope reads it")).to_be_visible()
    for said in ("separated by semicolons", "decimal comma", "Enough to draw:", "2 × 3 settings"):
        expect(page.get_by_text(said)).to_be_visible()
    save = page.get_by_role("button", name="Save and open")
    expect(save).to_be_disabled()
    expect(page.get_by_text("First: choose what cpu is; confirm Gbps.")).to_be_visible()
    hand.choose(page.get_by_label("Quantity of cpu"), "System CPU")
    hand.click(page.get_by_role("button", name="Confirm Gbps"))
    expect(save).to_be_enabled()
    hand.click(save)
    page.wait_for_url("**/explorer/lab-seven")
    assert hand.clicks <= 6
    with urlopen(f"{server.url}/api/experiments/lab-seven/cells") as answer:
        cells = json.load(answer)["cells"]
    assert cells[0]["measures"]["throughput_mbps"]["mean"] == 8610
    eventually(page, lambda: len(surface(page)) > 0)


def test_the_next_file_with_these_columns_asks_nothing(hand: Hand, tmp_path: Path) -> None:
    page = hand.page
    hand.click(page.get_by_role("link", name="Upload", exact=True))
    hand.drop(table(tmp_path / "first.csv"), page.get_by_text("choose files"))
    hand.choose(page.get_by_label("Quantity of cpu"), "Host CPU")
    hand.click(page.get_by_role("button", name="Confirm Gbps"))
    hand.click(page.get_by_role("button", name="Save and open"))
    page.wait_for_url("**/explorer/first")
    hand.click(page.get_by_role("link", name="Upload", exact=True))
    hand.drop(table(tmp_path / "second.csv", shift=5), page.get_by_text("choose files"))
    expect(page.get_by_text("as for your last file with these columns").first).to_be_visible()
    expect(page.get_by_label("Quantity of cpu")).to_have_value("host_cpu_percent")
    hand.click(page.get_by_role("button", name="Save and open"))
    page.wait_for_url("**/explorer/second")


def test_the_example_can_be_tried_and_the_preview_follows(hand: Hand) -> None:
    page = hand.page
    hand.click(page.get_by_role("link", name="Upload", exact=True))
    expect(page.get_by_role("link", name="Template")).to_have_attribute("download", "template.csv")
    hand.click(page.get_by_role("button", name="Use the example"))
    expect(page.get_by_text("Row 12 has a note:")).to_be_visible()
    figure = page.get_by_role("img", name="Preview: Throughput over Interrupt delay")
    expect(figure).to_be_visible()
    expect(figure.locator("circle")).to_have_count(12)
    hand.choose(page.get_by_label("Quantity of cpu"), "Host CPU")
    hand.click(page.get_by_role("button", name="Host CPU"))
    expect(page.get_by_role("img", name="Preview: Host CPU over Interrupt delay")).to_be_visible()
    hand.choose(page.get_by_label("Role of rx-usecs"), "ignore")
    expect(page.get_by_text("Rows with the same setting")).to_be_visible()


def test_what_is_no_table_is_refused_in_words(hand: Hand, tmp_path: Path, console: Console) -> None:
    console.expected.append("422 (Unprocessable Entity)")
    page = hand.page
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    hand.click(page.get_by_role("link", name="Upload", exact=True))
    hand.drop(tmp_path / "old.xls", page.get_by_text("choose files"))
    expect(page.get_by_text("a workbook of an older Excel (.xls)")).to_be_visible()
    expect(page.get_by_text("Save the table as CSV in UTF-8")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_while_columns_are_said(hand: Hand, scheme: str, width: int) -> None:
    page = hand.page
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.get_by_role("link", name="Upload", exact=True).click()
    page.get_by_role("button", name="Use the example").click()
    expect(page.get_by_text("Row 12 has a note:")).to_be_visible()
    page.get_by_text("The file, first lines").click()
    expect(page.get_by_text("9000;200;27,1;9,84;")).to_have_count(0)  # the first ones only
    assert axe_complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_table_that_cannot_be_opened_goes_on_to_be_said(hand: Hand, tmp_path: Path) -> None:
    page = hand.page
    page.goto(page.url.rstrip("/") + "/open")
    hand.drop(table(tmp_path / "lab.csv"), page.get_by_text("choose a file"))
    page.get_by_role("button", name="say what its columns are").click()
    expect(page.get_by_label("Quantity of cpu")).to_be_visible()


# what CPU time is added for each packet is lost in the scatter of the runs
NOISY = [
    f"{mtu},{delay},{run},1e9,{packets},{packets / each},"
    f"{scatter * (1 + 5e-7 * packets + 1e-6 * packets / each)}"
    for mtu, packets in ((1500, 7e5), (9000, 1e5))
    for delay, each in ((0, 1), (40, 4))
    for run, scatter in enumerate((0.7, 1.0, 1.3), 1)
]


def test_a_cost_that_noise_leaves_unknown_is_named_on_the_page_and_in_its_files(
    page: Page, server: Server
) -> None:
    head = "mtu_bytes,delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s"
    content = "\n".join([head, *NOISY]).encode()
    address = f"{server.url}/api/uploads?filename=noisy.csv&experiment=noisy"
    urlopen(Request(address, content, method="POST")).close()
    page.goto(f"{server.url}/explorer/noisy?measure=system_cpu_s_per_gb&view=residuals")
    panel = page.get_by_role("complementary", name="Model")
    named = "Poorly determined: β (standard error"
    expect(panel.get_by_text(named)).to_be_visible()
    stand_still(page)
    for file in ("SVG", "CSV", "JSON"):
        assert named in taken_away(page, file).decode(), file
