# SPDX-License-Identifier: Apache-2.0
"""A real server on a free port, a real Chromium, and the rule that its console stays silent."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from chromium import found_chromium
from page_idle import STILL, TWO_FRAMES
from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Frame,
    Page,
    StorageState,
    expect,
    sync_playwright,
)

ROOT = Path(__file__).parents[2]
COALESCOPE = Path(sys.executable).parent / "coalescope"
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# For what comes at once where nothing else goes on; what takes longer than that says so itself.
TIMEOUT_MS = 60_000
expect.set_options(timeout=TIMEOUT_MS)


@dataclass(frozen=True)
class Server:
    """A running server and the folder it keeps its data in."""

    url: str
    data: Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_healthy(process: subprocess.Popen[bytes], url: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            pytest.fail(f"the server ended with {process.returncode}")
        try:
            with urlopen(f"{url}/api/health") as answer:
                if answer.status == 200:
                    return
        except (URLError, ConnectionError):
            time.sleep(0.05)
    pytest.fail("the server did not answer")


@pytest.fixture(scope="session")
def loaded_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with all data sets: loading them takes seconds, so that all workers share one."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    made = shared / "loaded-store"
    with (shared / "loaded-store.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            begun = made.with_suffix(".begun")
            command = [COALESCOPE, "migrate", "--data", begun]
            begun.mkdir()
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            begun.rename(made)
    return made


@contextmanager
def serving(store: Path, data: Path, **environment: str) -> Iterator[Server]:
    """A copy of a store, served as `coalescope serve` serves it."""
    shutil.copytree(store, data)
    port = free_port()
    process = subprocess.Popen(
        [COALESCOPE, "serve", "--data", data, "--port", str(port)],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until_healthy(process, url)
        yield Server(url, data)
    finally:
        process.terminate()
        process.wait(timeout=60)


def contents(server: Server) -> Any:
    with urlopen(f"{server.url}/api/experiments") as answer:
        return json.load(answer)


@pytest.fixture(scope="session")
def common_server(tmp_path_factory: pytest.TempPathFactory, loaded_store: Path) -> Iterator[Server]:
    with serving(loaded_store, tmp_path_factory.mktemp("common") / "data") as server:
        yield server


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, loaded_store: Path
) -> Iterator[Server]:
    """The data sets, served; with a store of its own for a file that is marked `stores`."""
    if request.node.get_closest_marker("stores"):
        with serving(loaded_store, tmp_path_factory.mktemp("served") / "data") as own:
            yield own
    else:
        common: Server = request.getfixturevalue("common_server")
        before = contents(common)
        yield common
        assert contents(common) == before, "it stores something: mark the file `stores`"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = found_chromium()
    assert path, "the browser tests need Chromium: `make test` installs it where it may"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGS)
        yield browser
        browser.close()


class Console:
    """What a page said on its console, and the errors that nobody caught."""

    def __init__(self, expected: tuple[str, ...] = ()) -> None:
        self.complaints: list[str] = []
        self.expected = list(expected)

    def listen(self, page: Page) -> None:
        page.on("console", self.on_console)
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))

    def on_console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.type}: {message.text}")

    def unexpected(self) -> list[str]:
        return [
            complaint
            for complaint in self.complaints
            if not any(words in complaint for words in self.expected)
        ]


@pytest.fixture
def console() -> Iterator[Console]:
    """Fails the test when the page complained about something it did not announce."""
    console = Console()
    yield console
    assert console.unexpected() == []


def been_here(url: str) -> StorageState:
    """What the browser of somebody keeps who has seen the tour."""
    kept = {"name": "coalescope.tour", "value": "seen"}
    return {"origins": [{"origin": url, "localStorage": [kept]}]}  # type: ignore[typeddict-item]


# Before the first script of a page; an opaque origin has nothing to keep it in.
KNOWS_THE_TOUR = """() => {
  try { localStorage.setItem('coalescope.tour', 'seen'); } catch {}
}"""


@pytest.fixture(scope="module")
def profile(chromium: Browser, server: Server) -> Iterator[BrowserContext]:
    """One for the tests of a file, so that files are fetched once; it knows the tour."""
    profile = chromium.new_context(
        base_url=server.url,
        viewport={"width": 1440, "height": 900},
        color_scheme="light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    profile.set_default_timeout(TIMEOUT_MS)
    profile.add_init_script(f"({KNOWS_THE_TOUR})()")
    yield profile
    profile.close()


@pytest.fixture(scope="module")
def sweeper(profile: BrowserContext) -> CDPSession:
    """Devtools of an empty page: what a profile keeps is thrown away there in no time."""
    return profile.new_cdp_session(profile.new_page())


@pytest.fixture
def context(
    profile: BrowserContext, server: Server, sweeper: CDPSession
) -> Iterator[BrowserContext]:
    """As fresh, but for the cache of what was fetched: 1440 × 900, and nothing is open."""
    empty = profile.pages[0]
    yield profile
    profile.set_offline(False)
    # what is still held, or on its way through a test, goes with its page
    profile.unroute_all(behavior="ignoreErrors")
    for page in profile.pages:
        if page is not empty:
            page.unroute_all(behavior="ignoreErrors")
            page.close()
    profile.clear_cookies()
    sweeper.send("Storage.clearDataForOrigin", {"origin": server.url, "storageTypes": KEPT})


# What a page keeps, but for the cache of what it fetched.
KEPT = "file_systems,indexeddb,local_storage,service_workers,cache_storage"

# A worker that says nothing: to the page, Python that is still loading.
WITHOUT_PYTHON = """globalThis.Worker = new Proxy(globalThis.Worker, {
  construct: (Worker, [url, options]) => options?.name === 'python'
    ? Object.assign(new EventTarget(), { postMessage() {}, terminate() {} })
    : new Worker(url, options),
})"""


def hold_python_back(page: Page) -> None:
    """Its start takes more of a processor than all else of an explorer; few tests wait for it."""
    page.add_init_script(WITHOUT_PYTHON)


@pytest.fixture
def page(request: pytest.FixtureRequest, context: BrowserContext, console: Console) -> Page:
    """A page of its own; with the models' Python behind it where a test is marked `python`."""
    page = context.new_page()
    console.listen(page)
    if not request.node.get_closest_marker("python"):
        hold_python_back(page)
    return page


def eventually(page: Page, holds: Callable[[], bool]) -> None:
    """For what no locator says: as `expect` does, ask again until it is so."""
    end = time.monotonic() + TIMEOUT_MS / 1000
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        page.wait_for_timeout(50)


AXE = ROOT / "frontend/node_modules/axe-core/axe.min.js"


def axe_complaints(page: Page, within: str = "html") -> list[tuple[str, str, list[object]]]:
    """What axe finds wrong within the elements of a selector, and where first."""
    # through the debugger, not through a script tag: the page's policy forbids inline scripts
    page.evaluate(AXE.read_text())
    found = page.evaluate(
        "(within) => axe.run(within, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']})",
        within,
    )["violations"]
    return [(f["id"], f["help"], [node["target"] for node in f["nodes"]][:4]) for f in found]


# Words that stand for a moment only may be gone before anybody looks.
LISTEN = """(words) => {
  globalThis.heard = false;
  new MutationObserver((_, watch) => {
    if (!document.body.textContent.includes(words)) return;
    globalThis.heard = true;
    watch.disconnect();
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


@contextmanager
def said(page: Page, words: str) -> Iterator[None]:
    """What is done here, the page answers with these words, however soon it takes them back."""
    page.evaluate(LISTEN, words)
    yield
    eventually(page, lambda: page.evaluate("globalThis.heard"))


def stand_still(page: Page | Frame) -> None:
    """Until the page says that nothing is under way (docs/sharing.md), and nothing on it moves."""
    page.evaluate(STILL, TIMEOUT_MS)


def drawn(page: Page) -> None:
    """Until what was done is drawn, whatever else is under way."""
    page.evaluate(TWO_FRAMES)


@contextmanager
def somebody_else(chromium: Browser, **options: Any) -> Iterator[BrowserContext]:
    """A profile of its own, as patient as that of the tests."""
    context = chromium.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
    context.set_default_timeout(TIMEOUT_MS)
    try:
        yield context
    finally:
        context.close()
