# SPDX-License-Identifier: Apache-2.0
"""One file that holds a view: exported, opened from the disk without a network, dragged."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import Console, axe_complaints, eventually, somebody_else, stand_still
from .test_explorer import choose_method, drag_slider, open_explorer, residual_marks, surface

pytestmark = pytest.mark.browser


def exported(page: Page, folder: Path) -> Path:
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Offline page").click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_a_view_in_one_file_still_drags_without_a_network(
    page: Page, chromium: Browser, console: Console, tmp_path: Path
) -> None:
    open_explorer(page, "/explorer/geist-2005-nfs?delay_ticks=240")
    drag_slider(page, "β", 0.2)
    expect(page.get_by_text("Edited")).to_be_visible()
    path = exported(page, tmp_path)
    assert path.suffix == ".html"
    assert 1_500_000 < path.stat().st_size < 2_500_000  # the menu says 2 MB
    content = path.read_text(encoding="utf-8")
    assert (
        "unsafe"
        not in re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', content)[0]
    )

    with somebody_else(chromium, offline=True) as offline:
        file = offline.new_page()
        console.listen(file)
        work_offline(file, path, page)


def work_offline(file: Page, path: Path, page: Page) -> None:
    """As in the page that the file was saved from."""
    asked: list[str] = []
    file.on("request", lambda request: asked.append(request.url.split(":")[0]))
    file.goto(path.as_uri())
    expect(file.get_by_text("fit 0.813", exact=False).first).to_be_attached()
    expect(file.get_by_text("240 ticks").first).to_be_visible()
    expect(file.get_by_text("Edited")).to_be_visible()
    banner = file.get_by_role("banner")
    for words in ("Geist et al. 2005, NFS", "published", "licence", "Offline page of"):
        expect(banner).to_contain_text(words)
    original = file.get_by_role("link", name="The original").get_attribute("href")
    assert original == page.url
    # the same picture, but for what a moved crosshair leaves between pixels
    eventually(file, lambda: residual_marks(file) == residual_marks(page))

    stand_still(file)
    before = surface(file), residual_marks(file)
    drag_slider(file, "γ", 0.3)
    eventually(file, lambda: surface(file) != before[0])
    eventually(file, lambda: residual_marks(file) != before[1])
    # kept: every method, every measure
    choose_method(file, "Least squares")
    expect(file.get_by_text("27 cells", exact=False).first).to_be_visible()
    # kept: what is recommended; not kept, and said: for another interface
    advice = file.get_by_role("region", name="Recommendation")
    expect(advice).to_contain_text("How long may a packet wait?")
    advice.get_by_role("button", name=re.compile("≤ 120")).click()
    advice.get_by_role("button", name="Apply to my machine").click()
    advice.get_by_label("Interface").fill("eth9")
    advice.get_by_label("Interface").press("Enter")
    expect(advice).to_contain_text("without a server")
    expect(advice.get_by_role("button", name="Try again")).to_have_count(0)
    stand_still(file)
    assert axe_complaints(file) == []
    assert set(asked) <= {"file", "data", "blob"}


def test_a_recommendation_is_kept_for_the_other_levels_too(
    page: Page, chromium: Browser, console: Console, tmp_path: Path
) -> None:
    page.goto("/explorer/virtual-testbed?workload=tcp&measure=throughput_mbps&advice=open")
    advised(page, "MTU 3000, delay 10")
    path = exported(page, tmp_path)
    with somebody_else(chromium, offline=True) as offline:
        file = offline.new_page()
        console.listen(file)
        file.goto(path.as_uri())
        advised(file, "MTU 3000, delay 10")
        file.get_by_role("radio", name="UDP").click()
        advised(file, "MTU 1500, delay 10")
        file.get_by_label("Goal").select_option("cpu")
        advised(file, "How long may a packet wait")


def advised(page: Page, words: str) -> None:
    expect(page.get_by_role("region", name="Recommendation").locator(".answer")).to_contain_text(
        re.compile(words.replace(" ", r"\s"))
    )
