# SPDX-License-Identifier: Apache-2.0
"""A server that demands tokens: its page asks for one, once in each tab, and then works."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from .conftest import COALESCOPE, ROOT, Console, Server, been_here, serving, somebody_else
from .test_workshop import link, run

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


SEARCH = """\
import json
import js

secret = "BACKWARDS"[::-1]


def text_of(place):
    try:
        return str(place())
    except BaseException:
        return ""


def found():
    places = [
        lambda: js.sessionStorage.getItem("KEY"),
        lambda: js.localStorage.getItem("KEY"),
        lambda: js.parent.sessionStorage.getItem("KEY"),
        lambda: js.document.cookie,
        *[lambda name=name: getattr(js, name) for name in dir(js)],
    ]
    return any(secret in text_of(place) for place in places)


judged = {"found": found()}
js.planted = secret
judged["control"] = found()


def model(delay_us, scale=1.0, *, xp):
    return {"latency_us": scale * delay_us}


model.__doc__ = json.dumps(judged)
"""


def test_python_of_a_link_has_no_token_of_whoever_opens_it(
    profile: BrowserContext, guarded: Server, console: Console
) -> None:
    """It waits for Run, finds the token nowhere, and no request of its frame carries it.

    Nor is a fit asked for that the link names, whoever may ask for one, before its model has run.
    """
    page = opened(profile, console)
    page.goto("/")
    give(page, OWN)
    expect(page.get_by_role("link", name="Geist").first).to_be_visible()
    names = page.evaluate(
        "secret => Object.keys(sessionStorage).filter("
        "name => sessionStorage.getItem(name) === secret)",
        OWN,
    )
    (name,) = names
    asked: list[Request] = []

    def note(request: Request) -> None:  # Playwright takes no method of a list
        asked.append(request)

    page.on("request", note)
    fit = "experiment=geist-2005-nfs&response=system_cpu_jiffies&free=scale"
    written = link(SEARCH.replace("BACKWARDS", OWN[::-1]).replace("KEY", name))
    page.goto(written.replace("#", f"?{fit}#"))
    expect(page.get_by_text("Python is ready")).to_be_visible()
    expect(page.get_by_text("not run yet")).to_be_visible()
    assert {one.method for one in asked} == {"GET"}
    with page.expect_request("**/nonlinear-fits") as fitted:
        run(page)
    assert "secret" not in (fitted.value.post_data or "")
    title = page.locator(".outcome h2").first
    expect(title).to_contain_text("control")
    assert json.loads(title.inner_text()) == {"found": False, "control": True}
    with_token = [one for one in asked if OWN in one.headers.get("authorization", "")]
    assert all(one.frame == page.main_frame for one in with_token)
    assert all(one.url.startswith(f"{guarded.url}/api/") for one in with_token)
