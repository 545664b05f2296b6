# SPDX-License-Identifier: Apache-2.0
"""A table opened in the page: its surface without a server, its faults, on to the upload."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

HEAD = "mtu_bytes,delay_us,n,throughput_mbps,packets_per_interrupt\n"
GOOD = HEAD + "".join(
    f"{mtu},{delay},5,{900 + mtu / 100 - delay / 10},{1 + delay / 20}\n"
    for mtu in (1500, 3000, 9000)
    for delay in (0, 20, 40, 80)
)
WRONG = HEAD + "1500,0,5,nine hundred,1\n1500,20,0,900,1\n"


def choose(page: Page, text: str) -> None:
    file = {"name": "Bench 3.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.locator("input[type=file]").set_input_files(file)


def test_a_table_is_opened_looked_at_and_carried_on(page: Page) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(f"{request.method} {request.url}"))
    page.goto("/open")
    choose(page, WRONG)
    fault = page.get_by_role("row").filter(has_text="nine hundred")
    expect(fault).to_contain_text("2")
    expect(fault).to_contain_text("throughput_mbps")
    expect(page.get_by_text("It has 2 faults.")).to_be_visible()

    choose(page, GOOD)
    rail = page.get_by_role("complementary", name="Data")
    expect(rail).to_contain_text("opened here, not uploaded")
    expect(rail).to_contain_text("Bench 3")
    expect(rail.get_by_role("link", name="spread")).to_have_count(0)
    expect(page.get_by_role("heading", name="Throughput", level=2)).to_be_visible()
    expect(page.get_by_text("cells", exact=False).first).to_be_visible()
    rail.get_by_role("radio", name="Packets per interrupt").click()
    expect(page.get_by_role("heading", name="Packets per interrupt", level=2)).to_be_visible()
    assert not [request for request in sent if not request.startswith("GET ")]
    assert not [request for request in sent if "/api/experiments/bench" in request]

    page.get_by_role("button", name="Upload it").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Bench 3.csv")


def test_what_reads_files_is_ready_before_there_is_one(page: Page) -> None:
    """Starting it takes seconds; a wrong file is said to be one in a moment."""
    with page.expect_worker(lambda worker: "files.worker" in worker.url):
        page.goto("/open")
    picture = {"name": "x.png", "mimeType": "image/png", "buffer": b"\x89PNG" + bytes(4000)}
    page.locator("input[type=file]").set_input_files(picture)  # type: ignore[arg-type]
    expect(page.get_by_text("Nothing in it can be read")).to_be_visible()
    expect(page.get_by_role("button", name="Upload it")).to_have_count(0)
