# SPDX-License-Identifier: Apache-2.0
"""A real server on a free port, a real Chromium, and the rule that its console stays silent."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    StorageState,
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


def wait_until_healthy(process: subprocess.Popen[bytes], url: str, seconds: float = 30) -> None:
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
            command = [COALESCOPE, "experiments", "--data", begun]
            begun.mkdir()
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            begun.rename(made)
    return made


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, loaded_store: Path) -> Iterator[Server]:
    """A store of its own with the data sets, served as `coalescope serve` serves it."""
    data = tmp_path_factory.mktemp("served") / "data"
    shutil.copytree(loaded_store, data)
    port = free_port()
    process = subprocess.Popen(
        [COALESCOPE, "serve", "--data", data, "--port", str(port)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until_healthy(process, url)
        yield Server(url, data)
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = os.environ.get("COALESCOPE_CHROMIUM") or shutil.which("chromium")
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


@pytest.fixture
def context(chromium: Browser, server: Server) -> Iterator[BrowserContext]:
    """A fresh profile, 1440 × 900, that knows the tour."""
    context = chromium.new_context(
        base_url=server.url,
        storage_state=been_here(server.url),
        viewport={"width": 1440, "height": 900},
        color_scheme="light",
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.set_default_timeout(15_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext, console: Console) -> Page:
    page = context.new_page()
    console.listen(page)
    return page


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


# Half a second without a change. What moves all the time is given three.
STILL = """() => new Promise((done) => {
  let calm = setTimeout(done, 500);
  const watch = new MutationObserver(() => {
    clearTimeout(calm);
    calm = setTimeout(done, 500);
  });
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  watch.observe(document, all);
  setTimeout(done, 3000);
})"""


def stand_still(page: Page) -> None:
    """Until the page is done changing; events that a server streams never let a network be idle."""
    page.evaluate(STILL)
