# SPDX-License-Identifier: Apache-2.0
"""A store published as files, under a path of a plain web server: the page works as ever."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import (
    COALESCOPE,
    ROOT,
    TIMEOUT_MS,
    Console,
    axe_complaints,
    eventually,
    free_port,
    somebody_else,
    stand_still,
)
from .test_explorer import drag_slider, surface
from .test_recommend import lab_table

pytestmark = pytest.mark.browser

# What Python works out in the page, which starts it first.
SLOW = 2 * TIMEOUT_MS


def wait_for_files(address: str) -> None:
    end = time.monotonic() + TIMEOUT_MS / 1000
    while time.monotonic() < end:
        try:
            with urlopen(address):
                return
        except URLError:
            time.sleep(0.1)
    pytest.fail("the host of files did not answer")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site made of two tables, two folders down."""
    top = tmp_path_factory.mktemp("host")
    shipped = tmp_path_factory.mktemp("datasets")
    for slug in ("geist-2005-nfs", "geist-2005-points"):
        shutil.copytree(ROOT / "datasets" / slug, shipped / slug)
    (top / "some").mkdir()
    table = tmp_path_factory.mktemp("tables") / "lab.csv"
    table.write_text(lab_table())
    data = tmp_path_factory.mktemp("data")
    for command in (["import", table, "--experiment", "lab"], ["publish", top / "some/where"]):
        subprocess.run(
            [COALESCOPE, *command, "--data", data],
            env=os.environ | {"COALESCOPE_DATASETS_DIR": str(shipped)},
            cwd=ROOT,
            check=True,
        )
    port = free_port()
    host = subprocess.Popen(
        [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "-d", top],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}/some/where"
    try:
        wait_for_files(f"{address}/")
        yield address
    finally:
        host.terminate()
        host.wait(timeout=60)


@pytest.fixture
def copy(chromium: Browser, console: Console) -> Iterator[Page]:
    with somebody_else(chromium) as reader:
        page = reader.new_page()
        console.listen(page)
        yield page


def test_from_the_list_to_a_figure(copy: Page, site: str) -> None:
    copy.goto(f"{site}/")
    expect(copy.get_by_role("contentinfo")).to_contain_text("A published copy")
    expect(copy.get_by_role("link", name="Upload")).to_have_count(0)
    copy.get_by_role("link", name="Geist et al. 2005, NFS", exact=True).click()
    expect(copy.get_by_text("fit 0.813", exact=False).first).to_be_attached()
    stand_still(copy)
    before = surface(copy)
    drag_slider(copy, "β", 0.3)
    expect(copy.get_by_text("Edited")).to_be_visible()
    eventually(copy, lambda: surface(copy) != before)
    advice = copy.get_by_role("region", name="Recommendation")
    expect(advice).to_contain_text("How long may a packet wait?")
    # each limit that is asked for is answered, too
    advice.get_by_role("button", name=re.compile("≤ 120")).click()
    expect(advice.locator(".answer")).to_contain_text(re.compile(r"Set MTU 4500, delay (80|120)"))
    # Python and its models come from the same folder
    copy.wait_for_selector("[data-python=ready]")

    # the address is the view here too
    copy.wait_for_url("**/some/where/explorer/geist-2005-nfs?*beta=*")
    copy.reload()
    expect(copy.get_by_text("Edited")).to_be_visible()

    copy.get_by_role("link", name="27 rows").click()
    copy.get_by_role("button", name=re.compile("^MTU: ")).click()
    copy.get_by_role("menuitemcheckbox", name="3000").click()
    copy.keyboard.press("Escape")
    expect(copy.get_by_role("status").filter(has_text="9 runs")).to_be_visible()
    copy.get_by_role("row").nth(1).get_by_role("link").first.click()
    expect(copy.get_by_role("heading", name="Measures")).to_be_visible()
    expect(copy.get_by_role("button", name="Retract")).to_have_count(0)

    pages = copy.get_by_role("navigation", name="Pages")
    pages.get_by_role("link", name="Models").click()
    copy.locator("main").get_by_role("link", name="throughput", exact=False).first.click()
    expect(copy.get_by_role("slider").first).to_be_visible()
    pages.get_by_role("link", name="Figures").click()
    copy.locator("main a[href$='/figures/geist-2005-table-2']").first.click()
    expect(copy.locator("h1").first).to_be_visible()
    expect(copy.get_by_role("table").first).to_contain_text("4500")


def test_answers_that_were_kept_and_what_needs_a_server(
    copy: Page, site: str, console: Console
) -> None:
    console.expected.append("404")  # a host of files says so of what was not kept
    copy.goto(f"{site}/explorer/lab?advice=apply&measure=throughput_mbps")
    advice = copy.get_by_role("region", name="Recommendation")
    expect(advice.locator(".answer")).to_contain_text("Set MTU 1500, delay 10")
    expect(advice.get_by_label("Commands that set it")).to_contain_text("mtu 1500")
    advice.get_by_label("Goal").select_option("balance")
    expect(advice.locator(".answer")).to_contain_text("MTU 9000, delay 40")
    advice.get_by_text("Limits in numbers").click()
    advice.get_by_label("Throughput, at least").fill("199.95")
    advice.get_by_label("Throughput, at least").press("Enter")
    expect(advice).to_contain_text("published copy")
    expect(advice.get_by_role("button", name="Try again")).to_have_count(0)

    copy.goto(f"{site}/experiments/lab/replicates")
    expect(copy.get_by_role("region", name="Cells")).to_contain_text("MTU 9000, delay 320")
    expect(copy.get_by_role("region", name="Sources of variance")).to_contain_text("MTU × ")
    expect(copy.get_by_role("region", name="What to measure again")).to_contain_text("Every mean")
    copy.goto(f"{site}/workshop")
    expect(copy.get_by_role("region", name="Fit")).to_contain_text("published copy")


def test_a_file_is_opened_and_nowhere_to_be_uploaded(copy: Page, site: str, tmp_path: Path) -> None:
    (tmp_path / "bench.csv").write_text(lab_table())
    copy.goto(f"{site}/open/")
    expect(copy.get_by_text("sent nowhere")).to_be_visible()
    expect(copy.get_by_text("upload it")).to_have_count(0)
    copy.locator("input[type=file]").set_input_files(tmp_path / "bench.csv")
    expect(copy.get_by_text("This table is in this page alone")).to_be_visible(timeout=SLOW)
    expect(copy.get_by_role("button", name="Upload it")).to_have_count(0)


def test_what_follows_from_kept_answers_is_worked_out(copy: Page, site: str) -> None:
    copy.goto(f"{site}/compare?a=lab&b=lab&a.mtu_bytes=1500&b.mtu_bytes=9000")
    settings = copy.get_by_role("region", name="Settings of A and B")
    expect(settings.get_by_role("row")).to_have_count(4, timeout=SLOW)
    expect(copy.get_by_text("B is", exact=False).first).to_be_visible()
    environment = copy.get_by_role("region", name="Environment", exact=True)
    expect(environment).to_contain_text("A and B record no environment")

    copy.goto(f"{site}/experiments/lab/replicates?mtu_bytes=1500&width=1")
    cells = copy.get_by_role("region", name="Cells")
    expect(cells).to_contain_text("delay 320", timeout=SLOW)
    expect(cells).not_to_contain_text("MTU 9000")
    expect(copy.get_by_role("region", name="What to measure again")).to_contain_text("± 1 %")

    # without a run: what moves the measure is worked out anew
    copy.goto(f"{site}/experiments/lab/replicates")
    allocation = copy.get_by_role("region", name="Sources of variance")
    replicates = allocation.get_by_role("row", name=re.compile("^replicates"))
    freedom = int(replicates.get_by_role("cell").nth(1).inner_text())
    with copy.expect_response(re.compile(r"/experiments/lab/runs\.json")):
        copy.goto(f"{site}/experiments/lab/runs")
    run = copy.get_by_role("row").nth(1).get_by_role("link").first
    uid = str(run.get_attribute("href")).rstrip("/").rpartition("/")[2]
    copy.goto(f"{site}/experiments/lab/replicates?without={uid}")
    expect(copy.get_by_text("1 run is left out of this page")).to_be_visible()
    expect(replicates.get_by_role("cell").nth(1)).to_have_text(str(freedom - 1), timeout=SLOW)


@pytest.mark.parametrize("path", ["", "explorer/lab", "experiments/lab/runs", "figures"])
def test_axe_finds_nothing(copy: Page, site: str, path: str) -> None:
    copy.goto(f"{site}/{path}")
    expect(copy.locator("h1").first).to_be_visible()
    stand_still(copy)
    assert axe_complaints(copy) == []


def test_every_address_opens_by_itself(copy: Page, site: str) -> None:
    copy.emulate_media(reduced_motion="reduce")  # what moves by itself never stands still
    for path in (
        "explorer/geist-2005-points",
        "models/link-bound",
        "models/link-bound/about",
        "figures/geist-2005-figure-14",
        "glossary",
        "how-it-works",
    ):
        copy.goto(f"{site}/{path}")
        expect(copy.locator("h1, h2").first).to_be_visible()
        stand_still(copy)
        assert copy.url.partition("?")[0] == f"{site}/{path}"  # time stands where it is written
        expect(copy.get_by_text("no such", exact=False)).to_have_count(0)
