# SPDX-License-Identifier: Apache-2.0
"""A server on a fresh store and a real Chromium, for the promises that a page makes."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "e2e"))
from lab.chromium import found_chromium  # noqa: E402

# The largest data set that is shipped: its workload with the most cells, and a model, for its
# sliders. By itself the page draws these cells as they are, because replicates reject the model.
VIEW = (
    "/explorer/virtual-testbed?workload=tcp&measure=system_cpu_s_per_gb&model=cpu-overhead-surface"
)
WINDOW: ViewportSize = {"width": 1440, "height": 900}
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


@contextmanager
def serving(data: Path | None = None) -> Iterator[str]:
    """Serve the published data sets from a temporary store, or from `data`; yields the URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [Path(sys.executable).parent / "coalescope", "serve", "--port", str(port)]
    with tempfile.TemporaryDirectory() as empty:
        place = ["--data", data or empty]
        process = subprocess.Popen([*command, *place], cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            yield answering(f"http://127.0.0.1:{port}", process)
        finally:
            process.terminate()
            process.wait()


@contextmanager
def the_least() -> Iterator[str]:
    """Serve `floor.html`, a page that has only what the promises are about; yields its URL."""
    handler = partial(QuietHandler, directory=str(Path(__file__).parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/floor.html"
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a word about each."""

    def log_message(self, *_: object) -> None:
        pass


def answering(url: str, process: subprocess.Popen[bytes], seconds: float = 600) -> str:
    """Return the URL once it answers and has loaded its data sets: that takes a processor."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(f"{url}/api/health") as answer:
                states = [each["state"] for each in json.load(answer)["datasets"]]
                if "loading" not in states:
                    return url
        except OSError:
            pass
        time.sleep(0.1)
    sys.exit("the server did not start: see `coalescope serve`")


@contextmanager
def browsing() -> Iterator[Browser]:
    """A headless Chromium; each page of it gets a fresh profile."""
    path = found_chromium()
    if path is None:
        sys.exit("this benchmark drives Chromium, which is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield browser
        browser.close()


@contextmanager
def fresh_page(browser: Browser) -> Iterator[Page]:
    """A page with an empty cache."""
    context = browser.new_context(viewport=WINDOW)
    yield context.new_page()
    context.close()
