# SPDX-License-Identifier: Apache-2.0
"""The surface in a real JupyterLab: what is dragged is in Python, and back."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import notebooks
import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, Page, expect

from .conftest import TIMEOUT_MS, eventually, free_port, somebody_else

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not notebooks.installed(), reason="make .stamps/notebooks installs them"),
]

SHOW = """\
import json, pathlib
import coalescope as cs

heard = pathlib.Path("heard.json")
w = cs.load("geist-2005-nfs").fit("cpu-overhead").explore()
w.observe(lambda change: heard.write_text(json.dumps(change.new)), "parameters")
w"""
SET = 'w.parameters = {"gamma": 1.4}'
FITTED = {"alpha": 0.812997, "beta": 0.266365, "gamma": 1.10987}


@pytest.fixture
def alone(chromium: Browser) -> Iterator[BrowserContext]:
    """A browser that finds nothing but what this machine has."""
    with somebody_else(chromium) as context:
        asked: set[str] = set()
        context.on("request", lambda request: asked.add(request.url.split("/")[2]))
        yield context
        assert all(host.startswith("127.0.0.1") for host in asked if host), asked


@pytest.fixture
def jupyterlab(alone: BrowserContext, tmp_path: Path) -> Iterator[Page]:
    """A notebook that is open in it, its first cell chosen."""
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{place}",
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for place, source in enumerate((SHOW, SET))
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    document = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "surface.ipynb").write_text(json.dumps(document))
    url = f"http://127.0.0.1:{(port := free_port())}"
    options = ("ServerApp.ip=127.0.0.1", f"ServerApp.port={port}", "ServerApp.port_retries=0")
    options += ("IdentityProvider.token=", "ServerApp.allow_root=True")
    options += ("ServerApp.open_browser=False",)
    command = ["jupyterlab", *(f"--{each}" for each in options)]
    with notebooks.running(command, tmp_path, f"{url}/api", TIMEOUT_MS / 1000):
        page = alone.new_page()
        page.goto(f"{url}/lab/tree/surface.ipynb")
        expect(page.get_by_role("button", name="Python 3 (ipykernel) | Idle")).to_be_visible()
        page.locator(".jp-Cell .cm-content").first.click()
        yield page
        page.close()


def heard(folder: Path) -> dict[str, Any]:
    """Python's parameters at their last change."""
    try:
        found: dict[str, Any] = json.loads((folder / "heard.json").read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return found


def drag(page: Page, frame: FrameLocator, name: str, share: float) -> None:
    """A slider by a share of its track, with the mouse."""
    track = frame.locator(f"#parameter-{name}")
    track.scroll_into_view_if_needed()
    box = track.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(x + share * box["width"] * step / 5, y)
    page.mouse.up()


def picture(frame: FrameLocator) -> str:
    found: str = frame.locator("canvas.surface").evaluate("canvas => canvas.toDataURL()")
    return found


def linked_both_ways(page: Page, folder: Path, run_second: Callable[[], object]) -> None:
    """The surface is dragged, then Python sets a parameter in the second cell."""
    frame = page.frame_locator("iframe[title=Surface]")
    expect(frame.get_by_text("fit 1.110", exact=False)).to_be_attached()
    before = picture(frame)
    drag(page, frame, "beta", 0.3)
    eventually(page, lambda: picture(frame) != before)
    eventually(page, lambda: heard(folder).get("beta", 0) > FITTED["beta"] * 1.02)
    gamma = frame.locator("#parameter-gamma")
    expect(gamma).to_have_attribute("aria-valuetext", "1.110 jiffies/kinterrupt")
    before = picture(frame)
    run_second()
    expect(gamma).to_have_attribute("aria-valuetext", "1.400 jiffies/kinterrupt")
    eventually(page, lambda: picture(frame) != before)
    dragged = heard(folder)["beta"]
    assert dragged > FITTED["beta"] * 1.02
    assert heard(folder) == pytest.approx({**FITTED, "beta": dragged, "gamma": 1.4}, rel=1e-5)


def test_in_jupyterlab(jupyterlab: Page, tmp_path: Path) -> None:
    page = jupyterlab

    def run_second() -> None:
        page.locator(".jp-Cell .cm-content").nth(1).click()
        page.keyboard.press("Shift+Enter")

    page.keyboard.press("Shift+Enter")
    linked_both_ways(page, tmp_path, run_second)


MARIMO = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    {show}
    return mo, w


@app.cell
def _(mo):
    second = mo.ui.run_button(label="Run the second cell")
    second
    return (second,)


@app.cell
def _(second, w):
    if second.value:
        {set}
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def marimo(alone: BrowserContext, tmp_path: Path) -> Iterator[Page]:
    """The same in a notebook of marimo, which is told to run its cells when it is opened."""
    show = SHOW.replace("\n", "\n    ")
    (tmp_path / "surface.py").write_text(MARIMO.format(show=show, set=SET))
    (tmp_path / "pyproject.toml").write_text("[tool.marimo.runtime]\nauto_instantiate = true\n")
    url = f"http://127.0.0.1:{(port := free_port())}"
    options = ["--headless", "--no-token", "--host", "127.0.0.1", "--port", str(port)]
    command = ["marimo", "-q", "edit", "surface.py", "--skip-update-check", *options]
    with notebooks.running(command, tmp_path, f"{url}/health", TIMEOUT_MS / 1000):
        page = alone.new_page()
        page.goto(url)
        yield page
        page.close()


def test_in_marimo(marimo: Page, tmp_path: Path) -> None:
    second = marimo.get_by_role("button", name="Run the second cell")
    linked_both_ways(marimo, tmp_path, second.click)
