# SPDX-License-Identifier: Apache-2.0
"""Runs and experiments beside each other: tick, compare, look at one run, leave one out."""

import json
import re
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from .conftest import ROOT, Console, Server, eventually, stand_still

pytestmark = [pytest.mark.browser, pytest.mark.stores]

GOLDEN = ROOT / "driver" / "testdata"


def upload(server: Server, content: bytes, filename: str, **query: str) -> dict[str, object]:
    address = f"{server.url}/api/uploads?{urlencode({'filename': filename, **query})}"
    with urlopen(Request(address, data=content, method="POST")) as answer:
        receipt: dict[str, object] = json.load(answer)
        return receipt


def table(faster: float) -> bytes:
    """Two MTUs, three delays, five replicates each; `faster` times as fast at the last delay."""
    rows = ["mtu_bytes,delay_us,replicate,throughput_mbps"]
    for mtu in (1500, 9000):
        for delay in (10, 40, 160):
            for k in range(5):
                value = (900 + mtu / 100 + k) * (faster if delay == 160 else 1)
                rows.append(f"{mtu},{delay},{k + 1},{value:.3f}")
    return "\n".join(rows).encode()


@pytest.fixture(scope="module")
def labs(server: Server) -> Server:
    """Two tables that differ at one delay, and one run log."""
    upload(server, table(1.0), "before.csv", experiment="lab-before", title="Before")
    upload(server, table(1.5), "after.csv", experiment="lab-after", title="After")
    upload(server, (GOLDEN / "small.runlog").read_bytes(), "small.runlog", experiment="lab-log")
    return server


def runs_of(server: Server, slug: str) -> list[dict[str, object]]:
    with urlopen(f"{server.url}/api/experiments/{slug}/runs") as answer:
        runs: list[dict[str, object]] = json.load(answer)["runs"]
        return runs


def test_two_ticked_experiments_are_compared(page: Page, labs: Server) -> None:
    page.goto("/")
    page.get_by_role("checkbox", name="Compare Before").check()
    page.get_by_role("checkbox", name="Compare After").check()
    page.get_by_role("link", name="Compare 2 experiments").click()
    expect(
        page.get_by_text("Of the settings: 2 better; 4 not significantly different")
    ).to_be_visible()
    rows = page.get_by_role("region", name="Settings of A and B").get_by_role("row")
    expect(rows).to_have_count(7)
    expect(rows.filter(has_text=re.compile(r"50(\.0+)? % more, better"))).to_have_count(2)
    expect(
        page.get_by_text("records no environment").or_(page.get_by_text("record no"))
    ).to_be_visible()
    page.get_by_role("button", name="MTU: all 2").first.click()
    page.get_by_role("menuitemcheckbox", name="9000").click()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"a\.mtu_bytes=9000"))
    address = page.url
    page.reload()
    expect(page).to_have_url(address)


def test_a_side_is_held_to_several_levels(page: Page, labs: Server) -> None:
    page.goto("/compare?a=lab-before&b=lab-after&measure=throughput_mbps")
    rows = page.get_by_role("region", name="Settings of A and B").get_by_role("row")
    expect(rows).to_have_count(7)
    page.get_by_role("button", name=re.compile("^delay: all 3")).first.click()
    for level in ("10 µs", "160 µs"):
        page.get_by_role("menuitemcheckbox", name=level, exact=True).click()
    page.keyboard.press("Escape")
    expect(rows).to_have_count(5)
    expect(page).to_have_url(re.compile(r"a\.delay_us=10%2C160"))


def test_a_side_that_is_not_there_is_named_once_and_taken_out(
    page: Page, labs: Server, console: Console
) -> None:
    console.expected.append("404")
    page.goto("/compare?a=lab-before&b=nowhere&c=lab-after")
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.get_by_role("alert")).to_contain_text("B is not available")
    expect(page.get_by_role("alert")).to_contain_text("There is no experiment 'nowhere'.")
    stand_still(page)
    expect(page.get_by_text("There is no experiment")).to_have_count(1)
    page.get_by_role("button", name="remove B", exact=True).click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("region", name="Side by side")).to_be_visible()
    eventually(page, lambda: page.url.endswith("/compare?a=lab-before&b=lab-after"))


def test_a_comparison_leaves_as_csv(page: Page, labs: Server, tmp_path: Path) -> None:
    page.goto("/compare?a=lab-before&b=lab-after")
    expect(page.get_by_role("region", name="Settings of A and B")).to_be_visible()
    for format_, start in (("CSV", "a,b,measure"), ("SVG", "<?xml"), ("JSON", "{")):
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("menuitem", name=format_).click()
        saved = tmp_path / f"export.{format_}"
        download.value.save_as(saved)
        assert saved.read_text().startswith(start)


def test_a_run_over_its_time(page: Page, labs: Server) -> None:
    run = runs_of(labs, "lab-log")[0]["id"]
    page.goto(f"/runs/{run}")
    drawing = page.get_by_role("img", name=re.compile("over time"))
    expect(drawing).to_contain_text("Throughput, Mb/s")
    expect(drawing).to_contain_text("window starts")
    drawing.focus()
    page.keyboard.press("ArrowRight")
    expect(drawing).to_contain_text("242.9")
    counters = page.get_by_role("region", name="Counters over the window")
    expect(counters.get_by_role("row", name=re.compile("rx_packets"))).to_contain_text(
        "26\u2009000"
    )
    page.get_by_placeholder("Search names and values").fill("rx bytes")
    expect(page.get_by_text(re.compile(r"\d+ of \d+ values"))).to_be_visible()


def test_reading_a_run_comes_before_changing_it(page: Page, labs: Server) -> None:
    page.goto(f"/runs/{runs_of(labs, 'lab-log')[0]['id']}")
    acts = page.locator(".run-acts").locator("a, button")
    expect(acts).to_have_text(
        [re.compile("Download"), "All runs", "Explore without it", "Correct", "Retract"]
    )
    expect(page.locator(".run-acts .action")).to_have_count(0)


def test_a_run_is_left_out_of_the_view_and_put_back(page: Page, labs: Server) -> None:
    run = next(r for r in runs_of(labs, "lab-before") if r["replicate"] == 5)["id"]
    page.goto(f"/runs/{run}")
    page.get_by_role("link", name="Explore without it").click()
    expect(page.get_by_text("1 run is left out of this view")).to_be_visible()
    expect(page).to_have_url(re.compile(f"without={run}"))
    page.get_by_role("button", name="Include again").click()
    expect(page.get_by_text("left out of this view")).to_have_count(0)
    eventually(page, lambda: "without" not in page.url)


def test_what_replicates_say(page: Page, labs: Server) -> None:
    page.goto("/experiments/lab-before/replicates")
    expect(page.get_by_text("6 cells. No run stands out")).to_be_visible()
    allocation = page.get_by_role("region", name="Sources of variance")
    expect(allocation.get_by_role("row", name=re.compile("^MTU \\d"))).to_be_visible()
    expect(page.get_by_text("Nothing has to be measured again")).to_be_visible()
    page.goto("/experiments/lab-before/replicates?width=1&delay_us=10")
    expect(page.get_by_text("needs two factors")).to_be_visible()


def test_a_third_factor_that_varies_is_named_and_held_by_a_press(
    page: Page, server: Server, console: Console
) -> None:
    """An analysis of two factors is refused over three: the page says so in its own words."""
    console.expected.append("status of 422")
    head, *rows = table(1.0).decode().splitlines()
    lines = [f"{head},workload"] + [f"{row},{law}" for law in ("tcp", "nfs") for row in rows]
    upload(server, "\n".join(lines).encode(), "three.csv", experiment="three")
    page.goto("/experiments/three/replicates")
    variance = page.get_by_role("region", name="Sources of variance")
    expect(variance).to_contain_text("Besides MTU and delay, the workload varies")
    variance.get_by_role("button", name="TCP").click()
    expect(page).to_have_url(re.compile("workload=tcp"))
    allocation = page.get_by_role("region", name="Sources of variance")
    expect(allocation.get_by_role("row", name=re.compile("^MTU \\d"))).to_be_visible()


def test_two_runs_beside_each_other(page: Page, labs: Server) -> None:
    ids = [run["id"] for run in runs_of(labs, "lab-before")[:2]]
    page.goto(f"/compare?runs={ids[0]},{ids[1]}")
    expect(page.get_by_role("heading", name="Compare runs")).to_be_visible()
    expect(page.get_by_role("region", name="Measures of the runs")).to_contain_text("more")
    expect(page.get_by_text("how far they would lie apart by chance is not known")).to_be_visible()


def test_a_log_is_opened_and_not_uploaded(page: Page, labs: Server) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
    page.goto("/open")
    page.locator("input[type=file]").set_input_files(GOLDEN / "small.runlog")
    expect(page.get_by_text("Valid", exact=True)).to_be_visible()
    expect(page.get_by_text("not uploaded", exact=True)).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("over time"))).to_contain_text("Throughput")
    assert not [request for request in sent if not request.startswith("GET ")]
    page.locator("input[type=file]").set_input_files(GOLDEN / "flipped-bit.runlog")
    expect(page.get_by_text("It is damaged; what is whole in it is shown")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Byte [\d\u2009]+ \(0x"))).to_be_visible()
    page.locator("input[type=file]").set_input_files(GOLDEN / "cut-off.runlog")
    expect(page.get_by_text("Truncated")).to_be_visible()
    lost = {"name": "lost.runlog", "mimeType": "", "buffer": b"the log was lost\n"}
    page.locator("input[type=file]").set_input_files(lost)
    expect(page.get_by_text("Nothing in it can be read")).to_be_visible()
    expect(page.get_by_text("The file is not a run log")).to_be_visible()


def test_a_level_that_no_cell_has_is_said_to_be_none_and_nothing_of_its_machine(page: Page) -> None:
    page.goto("/compare?a=geist-2005-nfs&b=virtual-testbed&b.workload=nonesuch")
    expect(page.get_by_text("No cell of B has these levels")).to_be_visible()
    expect(page.get_by_role("button", name="workload: nonesuch: none has this")).to_be_visible()
    expect(page.get_by_role("heading", name="Environment")).to_have_count(0)


def test_a_side_without_the_others_workload_is_shown_at_one_and_at_another_by_a_press(
    page: Page,
) -> None:
    page.goto("/compare?a=geist-2005-nfs&b=virtual-testbed")
    said = page.get_by_text("of B, request response is shown")
    expect(said).to_be_visible()
    expect(page.get_by_text("over 21 settings that both have")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.get_by_role("button", name="workload: request response").click()
    page.get_by_role("menuitemcheckbox", name="UDP").click()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"b\.workload=udp(&|$)"))
    expect(page.get_by_role("button", name="workload: UDP")).to_be_visible()
    page.goto("/compare?a=virtual-testbed&b=geist-2005-nfs")
    expect(page.get_by_text("of A, request response is shown")).to_be_visible()
    page.get_by_role("button", name="TCP", exact=True).click()
    expect(page).to_have_url(re.compile(r"a\.workload=tcp"))
    expect(said).to_have_count(0)
    expect(page.get_by_text(re.compile(r"over \d+ settings that both have"))).to_be_visible()
