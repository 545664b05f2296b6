# SPDX-License-Identifier: Apache-2.0
"""A view in a frame of somebody else's page: it works there, the page itself does not."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from .conftest import ROOT, Console, Server, axe_complaints, eventually, said, stand_still

pytestmark = pytest.mark.browser

VIEW = "/explorer/geist-2005-nfs?mtu_bytes=1500&delay_ticks=40"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere(tmp_path: Path, server: Server) -> Iterator[str]:
    """Another site, which frames an embed and, in vain, the page."""
    frame = '<iframe id="{}" src="{}{}" width="700" height="900" title="{}"></iframe>'
    embed = frame.format("embed", server.url, f"/embed{VIEW}&sliders=on&theme=dark", "a view")
    page = frame.format("page", server.url, VIEW, "the page")
    document = "<!doctype html><html lang=en><title>Elsewhere</title><link rel=icon href=data:,>{}"
    (tmp_path / "embed.html").write_text(document.format(embed))
    (tmp_path / "page.html").write_text(document.format(page))
    handler = partial(Quiet, directory=tmp_path)
    site = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    # another name of this machine: another site, not only another origin
    yield f"http://localhost:{site.server_port}"
    site.shutdown()
    thread.join()
    site.server_close()


def test_an_embed_works_in_another_site(
    page: Page, context: BrowserContext, elsewhere: str, server: Server
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{elsewhere}/embed.html")
    frame = page.frame_locator("#embed")
    expect(frame.get_by_role("heading", name="System CPU time")).to_be_visible()
    expect(frame.get_by_text("Geist et al. 2005, NFS")).to_be_visible()
    expect(frame.get_by_text("published", exact=True)).to_be_visible()
    expect(frame.get_by_role("list", name="Key")).to_be_visible()
    for chrome in ("banner", "navigation"):
        expect(frame.get_by_role(chrome)).to_have_count(0)  # type: ignore[arg-type]
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")
    crosshair = frame.get_by_role("slider", name="Crosshair")
    expect(crosshair).to_have_attribute("aria-valuetext", re.compile("MTU 1500 bytes, 40 ticks"))
    stand_still(page.frames[1])
    gamma = frame.locator("#parameter-gamma")
    gamma.focus()
    page.keyboard.press("ArrowRight")
    crosshair.focus()
    page.keyboard.press("ArrowRight")
    with context.expect_page() as opened:
        frame.get_by_role("link", name="Open in Coalescope").click()
    whole = opened.value
    expect(whole.get_by_role("banner")).to_be_visible()
    stand_still(whole)
    stand_still(page.frames[1])
    assert whole.url.startswith(f"{server.url}/explorer/geist-2005-nfs?")
    assert "delay_ticks=80" in whole.url or "delay_ticks" not in whole.url
    assert "gamma=" in whole.url
    assert "sliders" not in whole.url and "theme" not in whole.url
    own = [url for url in asked if url.startswith(server.url)]
    assert own
    assert [url for url in own if "pyodide" in url or "python" in url or ".zip" in url] == []


def test_the_page_itself_is_not_framed(page: Page, elsewhere: str, console: Console) -> None:
    console.expected += ["frame-ancestors", "X-Frame-Options", "Refused to display"]
    page.goto(f"{elsewhere}/page.html")
    [frame] = [frame for frame in page.frames if frame is not page.main_frame]
    frame.wait_for_load_state()
    # the browser's own page, in place of ours
    eventually(page, lambda: frame.url.startswith("chrome-error:"))
    expect(frame.get_by_text("Geist et al. 2005")).to_have_count(0)


def test_the_page_refuses_to_work_in_a_frame(page: Page, elsewhere: str, server: Server) -> None:
    """In a browser, or behind a proxy, that takes the headers away which forbid it."""

    def without_its_headers(route: Route) -> None:
        answer = route.fetch()
        left_out = ("content-security-policy", "x-frame-options")
        kept = {name: text for name, text in answer.headers.items() if name not in left_out}
        route.fulfill(response=answer, headers=kept)

    page.route(f"{server.url}/explorer/**", without_its_headers)
    page.goto(f"{elsewhere}/page.html")
    frame = page.frame_locator("#page")
    expect(frame.get_by_role("heading", name="The page does not work in a frame")).to_be_visible()
    for chrome in ("banner", "navigation", "button"):
        expect(frame.get_by_role(chrome)).to_have_count(0)  # type: ignore[arg-type]
    way_out = frame.get_by_role("link")
    expect(way_out).to_have_attribute("target", "_blank")
    expect(way_out).to_have_attribute("href", re.compile(re.escape(VIEW.split("?", maxsplit=1)[0])))


ROUTES = json.loads((ROOT / "frontend/dist/routes.json").read_text())["embeds"]
#: Of each embed, what stands in the place of the route's parameter, with what is asked for.
EXAMPLES = {
    "/embed/explorer/:slug": ("geist-2005-nfs?sliders=on", "virtual-testbed?view=3d"),
    "/embed/models/:id": ("tcp-coalescing-throughput?sliders=on",),
    "/embed/figures/:id": ("geist-2005-figure-14",),
}


def filled(route: str, example: str) -> str:
    return re.sub(r":\w+", example, route)


EMBEDS = [
    *(filled(route, one) for route in ROUTES for one in (*EXAMPLES.get(route, ()), "nothing")),
    "/embed/nonsense",
]


def test_each_embed_has_an_example() -> None:
    assert EXAMPLES.keys() == {*ROUTES}


@pytest.mark.parametrize("path", EMBEDS)
def test_no_way_leads_from_an_embed_into_the_page(page: Page, console: Console, path: str) -> None:
    console.expected += ["404 (Not Found)", "422 (Unprocessable"]
    page.goto(path)
    expect(page.locator("main.embed")).to_be_visible()
    expect(page.get_by_role("link", name="Open in Coalescope")).to_be_visible()
    stand_still(page)
    links = page.locator("a[href]")
    for number in range(links.count()):
        expect(links.nth(number)).to_have_attribute("target", "_blank")
    assert page.locator("form").count() == 0
    # a history entry of a program's making leads to nothing else either
    page.evaluate("history.pushState(null, '', '/upload')")
    expect(page.locator("main.embed")).to_be_visible()
    expect(page.get_by_role("banner")).to_have_count(0)


#: Of each embed one, by turns in both schemes, wide and narrow.
SHOWN = [
    (path, ("light", "dark")[number % 2], (720, 320)[number // 2 % 2])
    for number, path in enumerate(EMBEDS)
]


@pytest.mark.parametrize(("path", "scheme", "width"), SHOWN)
def test_axe_finds_nothing_in_an_embed(
    page: Page, console: Console, path: str, scheme: str, width: int
) -> None:
    console.expected += ["404 (Not Found)", "422 (Unprocessable"]
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 560})
    page.goto(path)
    expect(page.locator("h1").first).to_be_visible()
    stand_still(page)
    expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert axe_complaints(page) == []


# How much narrower the frame of the preview is than its room, and the room than the dialog's.
ROOM_AND_FRAME_PX = """(preview) => {
  const width = (element) => element.getBoundingClientRect().width;
  return [
    width(preview) - width(preview.querySelector('iframe')),
    width(preview.closest('form')) - width(preview),
  ];
}"""


def test_the_share_menu_hands_out_the_code(page: Page, server: Server) -> None:
    page.goto(VIEW)
    page.get_by_role("button", name="More ways to share").press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.get_by_role("menuitem", name="Embed").press("Enter")
    dialog = page.get_by_role("dialog", name="Embed this view")
    code = dialog.get_by_label("Code")
    expect(code).to_have_value(
        f'<iframe src="{server.url}/embed{VIEW.replace("&", "&amp;")}"\n'
        '  title="Geist et al. 2005, NFS · Coalescope"\n'
        '  width="720" height="600" loading="lazy" style="border: 0; max-width: 100%"></iframe>'
    )
    dialog.get_by_label("Width, px").fill("400")
    dialog.get_by_role("button", name="Dark").click()
    dialog.get_by_label("With the model’s parameters").check()
    expect(code).to_have_value(re.compile('sliders=on&amp;theme=dark".*width="400"', re.DOTALL))
    expect(dialog.get_by_text("400 × 600 px")).to_be_visible()
    shown = page.frame_locator("iframe[title^='Preview']")
    expect(shown.get_by_text("Geist et al. 2005, NFS")).to_be_visible()
    preview = dialog.locator(".embedpreview")
    dialog.get_by_label("Width, px").fill("2000")
    expect(preview).to_contain_text("2000 × 600 px, shown at")
    assert preview.evaluate(ROOM_AND_FRAME_PX) == pytest.approx([0, 0], abs=1)
    with said(page, "Copied"):
        dialog.get_by_role("button", name="Copy the code").click()
    eventually(page, lambda: page.evaluate("navigator.clipboard.readText()") == code.input_value())
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.goto("/upload")
    page.get_by_role("button", name="More ways to share").press("Enter")
    expect(page.get_by_role("menuitem", name="Embed")).to_have_attribute("aria-disabled", "true")
