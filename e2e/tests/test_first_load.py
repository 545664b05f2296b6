# SPDX-License-Identifier: Apache-2.0
"""What the first view of the explorer loads, and what waits until it is asked for."""

import gzip
import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from .conftest import ROOT, Server, eventually, stand_still
from .test_explorer import NFS

pytestmark = [pytest.mark.browser, pytest.mark.python]

DIST = ROOT / "frontend/dist"
BUDGET_BYTES = 200_000
THREE_D, EDITOR, PYODIDE = r"/uppers-", r"/WorkshopPage-", r"python\.worker|/pyodide/"
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
    names: list[str] = page.evaluate(BEFORE_FIRST_VIEW)
    return names


def scripts_of_the_document(page: Page, server: Server) -> set[str]:
    document = page.request.get(f"{server.url}{NFS}").text()
    return set(re.findall(r"(?<=/)assets/[^\"]+\.js", document))


def test_the_first_load_takes_200_kb_of_javascript(page: Page, server: Server) -> None:
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
    expect(page.get_by_text("By hand")).to_be_visible()
    eventually(page, lambda: held != [])  # control: others are asked for, and do not come


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
    expect(agreed).to_be_attached(timeout=60_000)
    assert [name for name in names if name.endswith(".memory")] != []
    assert [name for name in names if name.endswith("stdlib.zip")] == []


def test_its_document_brings_the_answers_that_it_needs(page: Page) -> None:
    assert [name for name in first_view(page) if name.endswith("/cells")] == []
    page.get_by_role("link", name="Experiments", exact=True).click()
    page.get_by_role("link", name="Geist et al. 2005, UDP and TCP").first.click()
    expect(page.get_by_role("slider", name="Crosshair")).to_be_visible()
    assert asked(page, "geist-2005-points/cells$")


def test_3d_editor_and_python_wait_until_they_are_wanted(page: Page) -> None:
    before = first_view(page)
    assert [n for n in before if re.search(f"{THREE_D}|{EDITOR}|{PYODIDE}", n)] == []
    assert not asked(page, THREE_D)
    page.goto(f"{NFS}?view=3d")
    expect(page.get_by_role("group", name=re.compile("against the settings"))).to_be_visible()
    stand_still(page)
    assert asked(page, THREE_D)
    assert not asked(page, EDITOR)
    page.goto("/workshop")
    expect(page.locator(".cm-editor")).to_be_visible()
    assert asked(page, EDITOR)
