# SPDX-License-Identifier: Apache-2.0
"""A store published as files, under a path of a plain web server: the page works as ever."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import COALESCOPE, ROOT, Console, free_port
from .test_explorer import drag_slider, surface

pytestmark = pytest.mark.browser

SLOW = 20_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a site made of two tables, two folders down."""
    top = tmp_path_factory.mktemp("host")
    shipped = tmp_path_factory.mktemp("datasets")
    for slug in ("geist-2005-nfs", "geist-2005-points"):
        shutil.copytree(ROOT / "datasets" / slug, shipped / slug)
    (top / "some").mkdir()
    subprocess.run(
        [COALESCOPE, "publish", top / "some/where", "--data", tmp_path_factory.mktemp("data")],
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
        for _ in range(100):
            try:
                with urlopen(f"{address}/"):
                    break
            except URLError:
                time.sleep(0.1)
        yield address
    finally:
        host.terminate()
        host.wait(timeout=20)


@pytest.fixture
def copy(chromium: Browser, console: Console) -> Iterator[Page]:
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(SLOW)
    console.listen(page)
    yield page
    context.close()


def test_from_the_list_to_a_figure(copy: Page, site: str) -> None:
    copy.goto(f"{site}/")
    expect(copy.get_by_role("contentinfo")).to_contain_text("A published copy")
    expect(copy.get_by_role("link", name="Upload")).to_have_count(0)
    copy.get_by_role("link", name="Geist et al. 2005, NFS", exact=True).click()
    expect(copy.get_by_text("fit 0.813", exact=False).first).to_be_attached(timeout=SLOW)
    before = surface(copy)
    drag_slider(copy, "β", 0.3)
    expect(copy.get_by_text("By hand")).to_be_visible()
    assert surface(copy) != before
    expect(copy.get_by_role("region", name="Recommendation")).to_contain_text("published copy")
    # Python and its models come from the same folder
    copy.wait_for_selector("[data-python=ready]")

    # the address is the view here too
    copy.wait_for_url("**/some/where/explorer/geist-2005-nfs?beta=*")
    copy.reload()
    expect(copy.get_by_text("By hand")).to_be_visible(timeout=SLOW)

    copy.get_by_role("link", name="27 runs").click()
    copy.get_by_role("row").nth(1).get_by_role("link").first.click()
    expect(copy.get_by_role("heading", name="Measures")).to_be_visible(timeout=SLOW)
    expect(copy.get_by_role("button", name="Retract")).to_have_count(0)

    pages = copy.get_by_role("navigation", name="Pages")
    pages.get_by_role("link", name="Models").click()
    copy.locator("main").get_by_role("link", name="throughput", exact=False).first.click()
    expect(copy.get_by_role("slider").first).to_be_visible(timeout=SLOW)
    pages.get_by_role("link", name="Figures").click()
    copy.locator("main a[href$='/figures/geist-2005-table-2']").first.click()
    expect(copy.locator("h1").first).to_be_visible(timeout=SLOW)
    expect(copy.get_by_role("table").first).to_contain_text("4500")


def test_every_address_opens_by_itself(copy: Page, site: str) -> None:
    for path in ("explorer/geist-2005-points", "models/link-bound", "figures/geist-2005-figure-14"):
        copy.goto(f"{site}/{path}")
        expect(copy.locator("h1, h2").first).to_be_visible(timeout=SLOW)
        assert copy.url == f"{site}/{path}"
        expect(copy.get_by_text("no such", exact=False)).to_have_count(0)
