# SPDX-License-Identifier: Apache-2.0
"""An experiment of one's own is renamed, deleted and restored; its address stays."""

import re
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from .conftest import Console, Server, axe_complaints

pytestmark = [pytest.mark.browser, pytest.mark.stores]

TABLE = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900\n9000,40,1,940\n"


def send(server: Server, slug: str, title: str) -> str:
    """The address of the runs of a new experiment."""
    query = urlencode({"filename": "lab.csv", "experiment": slug, "title": title})
    with urlopen(Request(f"{server.url}/api/uploads?{query}", TABLE, method="POST")) as answer:
        assert answer.status == 201
    return f"/experiments/{slug}/runs"


@pytest.fixture
def lab(server: Server) -> str:
    """The address of an experiment of this test's own."""
    return send(server, "lab", "The lab")


def test_a_person_renames_deletes_and_restores(page: Page, console: Console, lab: str) -> None:
    console.expected.append("404")
    page.goto(lab)
    page.get_by_role("button", name="Edit").click()
    dialog = page.get_by_role("dialog", name="Edit this experiment")
    expect(dialog.get_by_text("Its address stays lab")).to_be_visible()
    assert axe_complaints(page, "dialog") == []
    dialog.get_by_label(re.compile("^Title")).fill("Two hosts")
    dialog.get_by_label("Notes, one a line").fill("The cable was changed in May.")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1, name="Runs of Two hosts")).to_be_visible()
    expect(dialog).to_have_count(0)

    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", level=1, name="A deleted experiment")).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("link", name="Geist et al. 2005, NFS").first).to_be_visible()
    expect(page.get_by_role("link", name="Two hosts")).to_have_count(0)

    page.set_viewport_size({"width": 390, "height": 800})
    page.goto("/explorer/lab")
    expect(page.get_by_text("'lab' was deleted on")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert axe_complaints(page) == []
    page.get_by_role("button", name="Restore it").click()
    expect(page.get_by_role("heading", name="A deleted experiment")).to_have_count(0)
    page.goto("/")
    expect(page.get_by_role("link", name="Two hosts").first).to_be_visible()


def test_what_was_deleted_is_found_and_restored_from_the_home_page(
    page: Page, console: Console, server: Server
) -> None:
    console.expected.append("404")
    runs = send(server, "bench", "The bench")
    page.goto("/")
    expect(page.get_by_role("link", name="The bench").first).to_be_visible()
    expect(page.get_by_text("deleted experiment")).to_have_count(0)
    page.goto(runs)
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_role("link", name="All experiments").click()
    page.get_by_text("1 deleted experiment").click()
    expect(page.get_by_text("2 runs, deleted on ")).to_be_visible()
    assert axe_complaints(page) == []
    page.get_by_role("button", name="Restore The bench").click()
    expect(page.get_by_text("deleted experiment")).to_have_count(0)
    expect(page.get_by_role("link", name="The bench").first).to_be_visible()


def test_what_is_published_is_not_offered_to_be_changed(page: Page) -> None:
    page.goto("/experiments/geist-2005-nfs/runs")
    expect(page.get_by_role("heading", level=1, name="Runs of")).to_be_visible()
    expect(page.get_by_role("button", name="Edit")).to_have_count(0)
