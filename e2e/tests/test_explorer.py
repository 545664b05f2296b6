# SPDX-License-Identifier: Apache-2.0
"""Open, drag, share, open again: the main job of the page, in a real browser."""

import re
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from .conftest import Console, Server, eventually, said, somebody_else, stand_still

pytestmark = pytest.mark.browser

NFS = "/explorer/geist-2005-nfs"
SLIDERS = ["α", "β", "γ"]


def open_explorer(page: Page, path: str = NFS) -> None:
    """Until the fit is there, with its interval on the tracks, and all that comes beside it."""
    page.goto(path)
    expect(page.get_by_text("fit 0.813", exact=False).first).to_be_attached()
    stand_still(page)


def surface(page: Page) -> bytes:
    return page.locator("canvas").first.screenshot()


def residual_marks(page: Page) -> str:
    return page.get_by_role("img", name=re.compile("Cell minus model")).inner_html()


def choose_method(page: Page, label: str) -> None:
    page.get_by_role("button", name="Fit method").click()
    title = page.get_by_text(label, exact=True)
    page.get_by_role("menuitemradio").filter(has=title).click()


def drag_slider(page: Page, symbol: str, share: float) -> None:
    """Pull the crosshair by a share of the track's width, with the mouse."""
    box = page.get_by_role("slider", name=re.compile(f"^{symbol}")).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(x + share * box["width"] * step / 5, y)
    page.mouse.up()


def shared_link(page: Page) -> str:
    """What the button puts on the clipboard; the pointer is out of the way then."""
    with said(page, "Local link copied"):
        page.get_by_role("button", name="Share: copy the link").click()
    link: str = page.evaluate("navigator.clipboard.readText()")
    page.mouse.move(2, 2)
    return link


def test_the_page_shows_the_published_fit(page: Page) -> None:
    """Facts: α 0.813, β 0.266, γ 1.110; off by 1.86 % at most: a residual of −1.86 %."""
    open_explorer(page)
    panel = page.get_by_role("complementary", name="Model")
    for symbol, value in zip(SLIDERS, ["0.813", "0.266", "1.110"], strict=True):
        expect(panel.get_by_text(f"fit {value}", exact=False)).to_have_count(1)
        expect(panel.get_by_role("slider", name=re.compile(f"^{symbol}"))).to_be_visible()
    expect(panel).to_contain_text("largest −1.86 % at 1500 / 320")


@pytest.mark.parametrize("symbol", SLIDERS)
def test_dragging_a_slider_moves_surface_and_residuals(page: Page, symbol: str) -> None:
    open_explorer(page)
    before = surface(page), residual_marks(page)
    drag_slider(page, symbol, 0.3)
    expect(page.get_by_text("Edited")).to_be_visible()
    eventually(page, lambda: surface(page) != before[0])
    eventually(page, lambda: residual_marks(page) != before[1])


@pytest.mark.python
def test_nothing_moves_that_was_not_touched(page: Page) -> None:
    """The control of the test above: without a drag, surface and residuals stay."""
    open_explorer(page)
    before = surface(page), residual_marks(page)
    expect(page.get_by_text("Python ready", exact=False)).to_contain_text("agree")
    stand_still(page)
    assert (surface(page), residual_marks(page)) == before


def test_double_click_returns_to_the_fit(page: Page) -> None:
    open_explorer(page)
    before = residual_marks(page)
    drag_slider(page, "β", 0.3)
    expect(page.get_by_text("Edited")).to_be_visible()
    page.get_by_role("slider", name=re.compile("^β")).dblclick()
    expect(page.get_by_text("Edited")).to_have_count(0)
    eventually(page, lambda: residual_marks(page) == before)


def test_a_step_that_is_undone_leaves_the_slider_at_its_value(page: Page) -> None:
    """Once the focus has left it: until then it is the hand's."""
    open_explorer(page)
    sliders = [page.get_by_role("slider", name=re.compile(f"^{symbol}")) for symbol in SLIDERS]
    at_first = [slider.input_value() for slider in sliders]
    for (slider, other), before in zip(pairwise([*sliders, sliders[0]]), at_first, strict=True):
        for key in ("ArrowRight", "ArrowLeft"):
            slider.press(key)
            expect(page.get_by_text("Edited")).to_be_visible()
            page.keyboard.press("Control+z")
            expect(page.get_by_text("Edited")).to_have_count(0)
            other.press("ArrowRight")
            expect(page.get_by_text("Edited")).to_be_visible()
            stand_still(page)
            assert slider.input_value() == before, (key, before)
            page.keyboard.press("Control+z")
            expect(page.get_by_text("Edited")).to_have_count(0)


def test_a_copied_link_opens_the_identical_view(
    page: Page, chromium: Browser, server: Server, console: Console
) -> None:
    open_explorer(page)
    drag_slider(page, "γ", 0.2)
    page.get_by_role("slider", name="Crosshair").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    link = shared_link(page)
    assert set(parse_qs(urlsplit(link).query)) == {"gamma", "mtu_bytes", "delay_ticks"}
    page.locator(".head p").click()

    with somebody_else(chromium, color_scheme="light") as fresh:
        other = fresh.new_page()
        console.listen(other)
        other.goto(link)
        expect(other.get_by_text("Edited")).to_be_visible()
        eventually(other, lambda: surface(other) == surface(page))
        eventually(other, lambda: residual_marks(other) == residual_marks(page))
        panel = re.compile("Model")
        panels = [one.get_by_role("complementary", name=panel) for one in (other, page)]
        # what is out of sight is drawn when it is seen
        for one in panels:
            one.locator(".along svg").scroll_into_view_if_needed()
            expect(one.locator(".along svg text").first).to_be_visible()
        expect(panels[1].locator(".along")).to_have_text(
            panels[0].locator(".along").inner_text(), use_inner_text=True
        )
        for one in (other, page):
            stand_still(one)
        words = [one.inner_text().split("Python")[0] for one in panels]
        assert words[0] == words[1]


def test_a_short_link_leads_to_the_view(page: Page, server: Server) -> None:
    open_explorer(page, f"{NFS}?gamma=1.2")
    page.get_by_role("button", name="More ways to share").click()
    page.get_by_role("menuitem", name=re.compile("Short link")).click()
    shown = page.get_by_text(re.compile(r"/l/[\w-]{6,}")).first
    expect(shown).to_be_visible()
    token = re.search(r"/l/([\w-]+)", shown.inner_text())
    assert token
    page.goto(f"{server.url}/l/{token[1]}")
    expect(page).to_have_url(re.compile(r"/explorer/geist-2005-nfs\?.*gamma=1\.2"))
    expect(page.get_by_text("Edited")).to_be_visible()


@pytest.mark.parametrize(
    "query",
    [
        "gamma=banana",
        "mtu_bytes=-1&delay_ticks=1e999",
        "measure=nonsense",
        "fit=<script>",
        "model=nope",
        "%00=%FF&&&==",
    ],
)
def test_a_bad_parameter_spoils_nothing_else(page: Page, query: str) -> None:
    """The good parameter beside it still holds, and the page says what it left out."""
    page.goto(f"{NFS}?alpha=0.83&{query}")
    expect(page.get_by_text("Edited")).to_be_visible()
    slider = page.get_by_role("slider", name=re.compile("^α"))
    expect(slider).to_have_value(re.compile("0.83"))


def test_keyboard_alone_moves_the_crosshair_and_a_slider(page: Page) -> None:
    open_explorer(page)
    crosshair = page.get_by_role("slider", name="Crosshair")
    crosshair.focus()
    before = crosshair.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowRight")
    expect(crosshair).not_to_have_attribute("aria-valuetext", before or "")
    slider = page.get_by_role("slider", name=re.compile("^α"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Edited")).to_be_visible()


@pytest.mark.python
def test_python_arrives_and_agrees_with_the_kernels(page: Page) -> None:
    open_explorer(page)
    expect(page.get_by_text("Python ready", exact=False)).to_contain_text("agree")


def test_published_and_predicted_packets_per_interrupt_stand_side_by_side(page: Page) -> None:
    """Facts: at delay 960, published 80, 41, 27, 22; theory 81, 42, 29, 22."""
    page.goto(
        "/explorer/geist-2005-points?delay_ticks=960&mtu_bytes=1500&model=timer-packets-per-interrupt"
    )
    for published in ("80", "41", "27", "22"):
        expect(page.get_by_role("table").first).to_contain_text(published)
    panel = page.get_by_role("complementary", name="Model")
    expect(panel).to_contain_text("81")


@pytest.mark.parametrize(
    "model",
    [
        "cpu-overhead-open-loop",
        "link-bound",
        "timer-packets-per-interrupt",
        "tcp-coalescing-throughput",
    ],
)
def test_a_model_can_be_explored_without_data(page: Page, model: str) -> None:
    page.goto(f"/models/{model}")
    # the link bound has no delay: a line, not a surface
    drawing = page.locator(".duet")
    expect(drawing.locator("[data-layer=curves] path").first).to_be_attached()
    stand_still(page)
    before = drawing.screenshot()
    slider = page.get_by_role("complementary", name="Model").get_by_role("slider").first
    slider.focus()
    for _ in range(30):
        page.keyboard.press("ArrowLeft")
    eventually(page, lambda: drawing.screenshot() != before)


def test_figure_and_data_leave_with_their_provenance(page: Page) -> None:
    open_explorer(page)
    for item, holds in {
        "SVG": ["<svg", "Geist", "published", "/explorer/geist-2005-nfs"],
        "CSV": ["mtu_bytes", "delay_ticks"],
        "JSON": ['"kind"', "published", "Geist"],
    }.items():
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as waiting:
            page.get_by_role("menuitem", name=re.compile(f"^{item}")).click()
        text = waiting.value.path().read_text()
        for words in holds:
            assert words in text, (item, words)
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("menuitem", name=re.compile("^PNG")).click()
    assert waiting.value.path().read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "path",
    [
        "/explorer/no-such-thing",
        "/experiments/no-such-thing/runs",
        "/experiments/no-such-thing/replicates",
    ],
)
def test_an_unknown_experiment_says_so_and_leads_on(
    page: Page, console: Console, path: str
) -> None:
    console.expected.append("404")
    page.goto(path)
    expect(page.get_by_role("heading", name="No such experiment")).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    page.get_by_role("main").get_by_role("link", name="All experiments").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Receive the same data")


def test_a_server_that_is_gone_leaves_the_view_working(
    page: Page, context: BrowserContext, console: Console
) -> None:
    console.expected.append("net::ERR")
    open_explorer(page)
    context.set_offline(True)
    drag_slider(page, "α", 0.2)
    expect(page.get_by_text("Edited")).to_be_visible()
    choose_method(page, "Least squares")
    expect(page.get_by_role("main")).to_contain_text(re.compile("Try again|did not"))
