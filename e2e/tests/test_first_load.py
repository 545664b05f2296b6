# SPDX-License-Identifier: Apache-2.0
"""What the first view of the explorer loads, and what waits until it is asked for."""

import gzip
import re
import time
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from .conftest import ROOT, Server, eventually, stand_still
from .test_explorer import NFS

pytestmark = [pytest.mark.browser, pytest.mark.python]

DIST = ROOT / "frontend/dist"
BUDGET_BYTES = 195_000
MOST_SHIFT = 0.01  # of 0.1, which Core Web Vitals call good
THREE_D, EDITOR, PYODIDE = r"/mainCharts-", r"/WorkshopPage-", r"python\.worker|/pyodide/"
SURFACES = "performance.getEntriesByName('first-surface').length"
# By the moment at which the first surface was drawn.
BEFORE_FIRST_VIEW = """() => {
  const drawn = performance.getEntriesByName('first-surface')[0].startTime;
  const before = performance.getEntriesByType('resource').filter((e) => e.startTime < drawn);
  return before.map((e) => e.name);
}"""


def asked(page: Page, pattern: str) -> bool:
    names = page.evaluate("performance.getEntriesByType('resource').map((e) => e.name)")
    return any(re.search(pattern, name) for name in names)


def first_view(page: Page) -> list[str]:
    """Addresses of what came before the first surface."""
    page.goto(NFS)
    expect(page.get_by_text("fit 0.813", exact=False).first).to_be_attached()
    eventually(page, lambda: page.evaluate(SURFACES) > 0)
    names: list[str] = page.evaluate(BEFORE_FIRST_VIEW)
    return names


def scripts_of_the_document(page: Page, server: Server) -> set[str]:
    document = page.request.get(f"{server.url}{NFS}").text()
    return set(re.findall(r"(?<=/)assets/[^\"]+\.js", document))


def test_the_first_load_takes_195_kb_of_javascript(page: Page, server: Server) -> None:
    scripts = [DIST / path for path in scripts_of_the_document(page, server)]
    # theme, first script, and what they bring: few, for a browser asks for six files at a time
    assert 3 <= len(scripts) <= 6, scripts
    assert sum(len(gzip.compress(script.read_bytes(), 6)) for script in scripts) <= BUDGET_BYTES


def test_the_first_view_waits_for_no_other_script(page: Page, server: Server) -> None:
    named = scripts_of_the_document(page, server)
    held: list[str] = []

    def is_another(url: str) -> bool:
        path = urlsplit(url).path.lstrip("/")
        return path.startswith("assets/") and path.endswith(".js") and path not in named

    page.route(is_another, lambda route: held.append(route.request.url))
    assert first_view(page) != []
    slider = page.get_by_role("slider", name=re.compile("^α"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Edited")).to_be_visible()
    eventually(page, lambda: held != [])  # control: others are asked for, and do not come


# What stands when the explorer's first render is in the document, before a frame is painted.
FIRST_RENDER = """new MutationObserver((_, watch) => {
  const explorer = document.querySelector('.explorer');
  if (!explorer) return;
  watch.disconnect();
  globalThis.firstRender = {
    fitted: [...explorer.querySelectorAll('.param .sr')]
      .some((each) => /fit 0\\.813/.test(each.textContent)),
    said: explorer.querySelector('input[type=range]')?.getAttribute('aria-valuetext'),
    surfaces: performance.getEntriesByName('first-surface').length,
    rows: explorer.querySelectorAll('.centre .sr tr').length,
    beside: document.querySelectorAll('.rail .opts, .residuals, [role^=menuitem]').length,
  };
}).observe(document, { childList: true, subtree: true })"""
DRAWN = {"fitted": True, "said": "0.813 jiffies/MB", "surfaces": 1, "rows": 0, "beside": 0}


def first_render(page: Page) -> object:
    """Of the second visit: the server keeps the fit since the first, and tells it."""
    first_view(page)
    page.add_init_script(FIRST_RENDER)
    first_view(page)
    return page.evaluate("firstRender")


def test_the_first_render_has_the_fit_and_is_drawn_and_what_stands_beside_comes_later(
    page: Page,
) -> None:
    assert first_render(page) == DRAWN
    expect(page.locator(".centre .sr tbody tr")).to_have_count(27)
    expect(page.get_by_role("radiogroup", name="Measure", exact=True)).to_be_visible()
    expect(page.locator(".residuals")).to_be_visible()


# No frame is painted until `paint()`.
HOLD_FRAMES = """(() => {
  const ask = requestAnimationFrame.bind(globalThis);
  const held = [];
  globalThis.requestAnimationFrame = (draw) => held.push(draw);
  globalThis.paint = () => {
    globalThis.requestAnimationFrame = ask;
    for (const draw of held) ask(draw);
  };
})()"""


def test_the_first_surface_does_not_wait_for_the_equation(page: Page) -> None:
    formulas = page.locator(".eq math")
    page.add_init_script(HOLD_FRAMES)
    page.goto(NFS)
    eventually(page, lambda: page.evaluate(SURFACES) > 0 and asked(page, "/cpu-overhead-surface-"))
    page.wait_for_timeout(300)
    expect(formulas).to_have_count(0)
    room = page.locator(".eq").bounding_box()
    page.evaluate("paint()")
    expect(formulas).to_be_visible()
    assert page.locator(".eq").bounding_box() == room


SHIFTS = """new PerformanceObserver((list) => {
  for (const e of list.getEntries()) globalThis.shifted = (globalThis.shifted ?? 0) + e.value;
}).observe({ type: 'layout-shift', buffered: true })"""


@pytest.mark.parametrize("size", [(1440, 900), (1000, 900), (390, 844)])
def test_what_comes_later_moves_nothing_that_is_there(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    first_view(page)
    page.add_init_script(SHIFTS)
    first_view(page)
    expect(page.locator(".residuals")).to_be_attached()
    stand_still(page)
    assert page.evaluate("globalThis.shifted ?? 0") <= MOST_SHIFT
    # control: what does move is seen
    page.evaluate("document.querySelector('.explorer').style.marginTop = '200px'")
    eventually(page, lambda: page.evaluate("globalThis.shifted ?? 0") > MOST_SHIFT)


def test_code_that_is_long_on_its_way_does_not_cost_the_first_render_its_fit(page: Page) -> None:
    def slow(route: Route) -> None:
        time.sleep(0.4)  # longer than the page waits for answers
        route.continue_()

    page.route("**/assets/explorer-*.js", slow)
    assert first_render(page) == DRAWN


def test_a_fit_that_does_not_come_is_not_waited_for(page: Page) -> None:
    def tell_nothing(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('id="answers"', "hidden"))

    waiting: list[Route] = []
    page.route(f"**{NFS}", tell_nothing)
    page.route("**/fits", lambda route: waiting.append(route))  # noqa: PLW0108
    page.add_init_script(FIRST_RENDER)
    page.goto(NFS)
    expect(page.get_by_role("slider", name=re.compile("^α"))).to_be_visible()
    eventually(page, lambda: waiting != [])
    assert not page.evaluate("firstRender.fitted")


def test_the_home_page_waits_for_no_answer_and_no_other_script(page: Page, server: Server) -> None:
    first_view(page)  # the server keeps the fit since
    document = page.request.get(server.url).text()
    named = set(re.findall(r"(?<=/)assets/[^\"]+\.js", document))
    page.goto("/")
    eventually(page, lambda: page.evaluate(SURFACES) > 0)
    asked = [urlsplit(name).path.lstrip("/") for name in page.evaluate(BEFORE_FIRST_VIEW)]
    assert {path for path in asked if path.endswith(".js")} <= named
    assert [path for path in asked if path.startswith("api/experiments")] == []


def test_scripts_come_as_the_build_packed_them(page: Page, server: Server) -> None:
    document = page.request.get(f"{server.url}{NFS}").text()
    for path in set(re.findall(r"/assets/[^\"]+\.(?:js|css)", document)):
        plain = page.request.get(server.url + path, headers={"Accept-Encoding": "identity"})
        packed = page.request.get(server.url + path, headers={"Accept-Encoding": "gzip"})
        assert "content-encoding" not in plain.headers
        if len(plain.body()) >= 1200:  # what fits into one packet is not packed
            assert packed.headers["content-encoding"] == "gzip", path
            assert int(packed.headers["content-length"]) < len(plain.body()) / 2
        assert packed.body() == plain.body()


def test_python_goes_on_from_the_memory_that_the_build_left(page: Page) -> None:
    names: list[str] = []
    page.on("request", lambda request: names.append(request.url))
    page.goto(NFS)
    agreed = page.get_by_text(re.compile("Python ready; kernels agree"))
    expect(agreed).to_be_attached()
    assert [name for name in names if name.endswith(".memory")] != []
    assert [name for name in names if name.endswith("stdlib.zip")] == []


def test_its_document_brings_the_answers_that_it_needs(page: Page) -> None:
    assert [name for name in first_view(page) if urlsplit(name).path.endswith("/cells")] == []
    page.get_by_role("link", name="Experiments", exact=True).click()
    page.get_by_role("link", name="Geist et al. 2005, UDP and TCP").first.click()
    expect(page.get_by_role("slider", name="Crosshair")).to_be_visible()
    eventually(page, lambda: asked(page, "geist-2005-points/cells[?]layout=columns$"))


def test_3d_editor_and_python_wait_until_they_are_wanted(page: Page) -> None:
    before = first_view(page)
    assert [n for n in before if re.search(f"{THREE_D}|{EDITOR}|{PYODIDE}", n)] == []
    stand_still(page)
    assert not asked(page, THREE_D)
    page.goto(f"{NFS}?view=3d")
    expect(page.get_by_role("img", name=re.compile("against the settings"))).to_be_visible()
    eventually(page, lambda: asked(page, THREE_D))
    stand_still(page)
    assert not asked(page, EDITOR)
    page.goto("/workshop")
    expect(page.locator(".cm-editor")).to_be_visible()
    eventually(page, lambda: asked(page, EDITOR))
