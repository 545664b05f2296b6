# SPDX-License-Identifier: Apache-2.0
"""axe finds nothing on any page, light and dark, wide and on a phone; none scrolls sideways."""

import pytest
from playwright.sync_api import Page, expect

from .conftest import Console, axe_complaints, stand_still

pytestmark = pytest.mark.browser

PAGES = [
    "/",
    pytest.param("/explorer/geist-2005-nfs", marks=pytest.mark.python),
    "/explorer/geist-2005-nfs?view=3d",
    "/explorer/geist-2005-nfs?view=residuals",
    "/explorer/geist-2005-points",
    "/explorer/dillon-2004",
    "/models",
    "/models/tcp-coalescing-throughput",
    "/figures",
    "/figures/geist-2005-table-2",
    "/figures/geist-2005-figure-14",
    "/how-it-works?at_us=240",
    "/workshop",
    "/compare?a=geist-2005-nfs&b=geist-2005-points",
    "/open",
    "/experiments/geist-2005-nfs/replicates",
    "/upload",
    "/experiments/geist-2005-nfs/runs",
]
# the tokens of a theme and the layout of a width each appear once
LOOKS = [("light", 1440), ("dark", 390)]


@pytest.fixture(autouse=True)
def refusals(console: Console) -> None:
    """What published means cannot answer is refused, and the browser says so of each refusal."""
    console.expected.append("422 (Unprocessable Entity)")


def settle(page: Page, path: str) -> None:
    page.goto(path)
    expect(page.locator("h1").first).to_be_visible()
    if path.startswith("/workshop"):
        expect(page.get_by_role("slider").first).to_be_visible()
    stand_still(page)


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing(page: Page, path: str, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    settle(page, path)
    assert axe_complaints(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
