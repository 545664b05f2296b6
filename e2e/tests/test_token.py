# SPDX-License-Identifier: Apache-2.0
"""A server that demands tokens: its page asks for one, once in each tab, and then works."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from .conftest import COALESCOPE, ROOT, Console, Server, been_here, serving, somebody_else

pytestmark = pytest.mark.browser

OWN = "the admin's own secret"
ASKS = "This server asks for a token"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, loaded_store: Path) -> Iterator[Server]:
    """A server with the published data sets that lets nobody in without a token."""
    data = tmp_path_factory.mktemp("guarded") / "data"
    with serving(loaded_store, data, COALESCOPE_TOKEN=OWN) as guarded:
        yield guarded


def token(server: Server, scope: str) -> str:
    command = [COALESCOPE, "token", "create", f"the {scope} one", "--scope", scope]
    made = subprocess.run(
        [*command, "--data", server.data], check=True, capture_output=True, text=True
    )
    return made.stdout.strip()


@pytest.fixture
def profile(chromium: Browser, guarded: Server) -> Iterator[BrowserContext]:
    known = been_here(guarded.url)
    with somebody_else(chromium, base_url=guarded.url, storage_state=known) as context:
        yield context


def opened(profile: BrowserContext, console: Console) -> Page:
    page = profile.new_page()
    console.listen(page)
    console.expected += ["status of 401", "status of 403"]
    return page


def give(page: Page, answer: str) -> None:
    dialog = page.get_by_role("dialog", name=ASKS)
    dialog.get_by_label("Token").fill(answer)
    dialog.get_by_role("button", name="Continue").click()


def test_a_token_is_asked_for_once_and_kept_for_the_tab(
    profile: BrowserContext, guarded: Server, console: Console
) -> None:
    page = opened(profile, console)
    page.goto("/")
    dialog = page.get_by_role("dialog", name=ASKS)
    expect(dialog).to_be_visible()
    give(page, "a guess")
    expect(dialog.get_by_role("alert")).to_contain_text("not known here")
    give(page, OWN)
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("link", name="Geist").first).to_be_visible()
    page.reload()
    expect(page.get_by_role("link", name="Geist").first).to_be_visible()
    expect(dialog).to_be_hidden()
    assert OWN not in page.evaluate("JSON.stringify(localStorage) + document.cookie")
    assert OWN not in page.url
    assert profile.cookies() == []
    other = opened(profile, console)
    other.goto("/")
    expect(other.get_by_role("dialog", name=ASKS)).to_be_visible()


def test_a_reader_is_asked_for_more_where_more_is_needed(
    profile: BrowserContext, guarded: Server, console: Console
) -> None:
    page = opened(profile, console)
    page.goto("/")
    give(page, token(guarded, "read"))
    expect(page.get_by_role("link", name="Geist").first).to_be_visible()
    page.goto("/upload")
    page.locator("input[type=file]").first.set_input_files(ROOT / "driver/testdata/small.runlog")
    dialog = page.get_by_role("dialog", name=ASKS)
    expect(dialog.get_by_role("alert")).to_contain_text("may not do this")
    with page.expect_response(lambda answer: answer.status == 201) as stored:
        give(page, token(guarded, "upload"))
    assert stored.value.url.startswith(f"{guarded.url}/api/uploads?")
    expect(dialog).to_be_hidden()
