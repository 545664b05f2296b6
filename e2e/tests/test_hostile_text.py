# SPDX-License-Identifier: Apache-2.0
"""Text that would be a program where text is not escaped: on every page that shows it, it is text.

A log, a table and a model of one's own carry it in every field that they have; what a page ran
would be seen as a dialog, as a mark on its window, as a request elsewhere, or as a complaint about
its policy.
"""

from __future__ import annotations

import base64
import json
import re
import uuid
import zlib
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

import pytest
from coalescope_host.run_log import Writer, make_header, standard_field
from playwright.sync_api import Page, expect

from .conftest import ROOT, Console, Server, stand_still

pytestmark = [pytest.mark.browser, pytest.mark.stores]

# Each sets window.ran where it is taken for markup, for an attribute, or for a script.
SCRIPT = "<script>window.ran=1</script>"
IMAGE = "<img src=x onerror=window.ran=2>"
ATTRIBUTE = "\"' onmouseover=window.ran=3 autofocus onfocus=window.ran=3 x=\"'"
LINK = "javascript:window.ran=4"
LATEX = r"\href{javascript:window.ran=5}{x}"
ALL = f"{SCRIPT}{IMAGE}{ATTRIBUTE}{LATEX}"
FIELDS = ("t_monotonic_ns", "rx_bytes", "rx_packets", "rx_interrupts")
SECOND = 1_000_000_000


def hostile_log(path: Path, replicate: int, delay_us: int) -> str:
    """A run log whose every text is hostile; returns its run's id."""
    run_id = str(uuid.uuid4())
    levels = {"mtu_bytes": 1500, "delay_us": delay_us, "workload": ALL, "factor.cable": SCRIPT}
    header = make_header(
        run_id=run_id,
        experiment="hostile-log",
        experiment_title=IMAGE,
        kind="measured",
        replicate=replicate,
        factors={n: {"requested": v, "read_back": v} for n, v in levels.items()},
        fields=[standard_field(name) for name in FIELDS],
        sources=[{"name": "sysfs", "atomic": False}, {"name": "proc", "atomic": False}],
        environment={
            "kernel": SCRIPT,
            "driver": IMAGE,
            "interface": ATTRIBUTE,
            "workload_command": [LINK, ALL],
            SCRIPT: IMAGE,
        },
    )
    with path.open("wb") as file:
        log = Writer(file, header, (1, 0))
        for second in range(1, 11):
            log.sample(second * SECOND, *(second * k for k in (125_000_000, 125_000, 31_250)))
            if second in (3, 9):
                log.mark("window_start" if second == 3 else "window_end", second * SECOND, None)
        log.result(json.dumps({"note": ALL, IMAGE: 1}).encode())
        log.finish()
    return run_id


def hostile_table() -> bytes:
    quoted = '"' + ALL.replace('"', '""') + '"'
    lines = ["mtu_bytes,delay_us,workload,factor.cable,replicate,throughput_mbps"]
    lines += [
        f"{mtu},{delay},{quoted},{LINK},{replicate},{900 + delay + replicate}"
        for mtu in (1500, 9000)
        for delay in (0, 40)
        for replicate in (1, 2, 3)
    ]
    return "\n".join(lines).encode()


def hostile_model(unit: str = SCRIPT, name: str = "delay_us", source: str = "delay_us") -> bytes:
    """A traced model, hostile where texts are free; a name and a source can be made so too."""
    model = {
        "format": 1,
        "title": ALL[:200],
        "inputs": [{"name": name, "source": source, "unit": unit, "lo": 0, "hi": 90}],
        "parameters": [{"name": "base", "default": 5, "lo": 0, "hi": 9, "unit": unit}],
        "outputs": [{"name": "result", "unit": unit}],
        "graph": {
            "format": 1,
            "inputs": [name, "base"],
            "nodes": [["input", 0], ["input", 1], ["add", 0, 1]],
            "outputs": {"result": 2},
        },
    }
    return json.dumps(model).encode()


def send(server: Server, path: str, body: bytes, method: str = "POST") -> Any:
    kind = "application/json" if body[:1] == b"{" else "application/octet-stream"
    request = Request(f"{server.url}{path}", body, {"Content-Type": kind}, method=method)
    with urlopen(request) as answer:
        return json.load(answer)


@pytest.fixture(scope="module")
def stored(server: Server, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with hostile text in every field; returns the id of a run."""
    folder = tmp_path_factory.mktemp("hostile")
    run_id = ""
    for number, delay in enumerate((0, 40, 0, 40), 1):
        path = folder / f"{number}.runlog"
        run_id = hostile_log(path, number, delay)
        query = urlencode({"filename": f"{IMAGE}.runlog", "title": IMAGE, "citation": ALL})
        send(server, f"/api/uploads?{query}", path.read_bytes())
    query = urlencode(
        {"filename": f"{SCRIPT}.csv", "experiment": "hostile-table", "title": ALL[:200]}
        | {"citation": f"{LINK} {ALL}"}
    )
    send(server, f"/api/uploads?{query}", hostile_table())
    reason = json.dumps({"reason": ALL}).encode()
    send(server, f"/api/runs/{run_id}/retraction", reason)
    sweep = {"experiment": "hostile-log", "replicates": 2, "state": "running", "runs_planned": 9}
    sweep |= {"runs_done": 4, "cells": [{"mtu_bytes": 1500, "delay_us": 80, "workload": ALL}]}
    send(server, "/api/sweeps/hostile-sweep", json.dumps(sweep).encode(), "PUT")
    return run_id


def addresses(run_id: str) -> list[str]:
    """Each route of the page, embeds too, with what is stored, and hostile text in its places."""
    text = quote(ALL, safe="")
    found = [f"/{text}", f"/runs/{run_id}", f"/workshop#{text}"]
    for route in json.loads((ROOT / "frontend/dist/routes.json").read_text())["routes"]:
        names = ("hostile-log", "hostile-table", text) if ":slug" in route else (text,)
        still = "?at_us=240" if route == "/how-it-works" else ""  # else it plays
        found += dict.fromkeys(re.sub(r":\w+", name, route) + still for name in names)
    asked = f"z={text}&workload={text}&measure={text}"
    found += [f"/explorer/{slug}?{asked}" for slug in ("hostile-log", "hostile-table")]
    found += ["/compare?a=hostile-log&b=hostile-table", f"/compare?a={text}&b={text}"]
    return [*found, f"/?q={text}", f"/workshop?model={text}"]


# what a pointer and the keyboard would wake
TOUCH = """() => {
  for (const element of document.querySelectorAll('main *')) {
    element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
    element.focus?.({ preventScroll: true });
  }
}"""
HARMLESS = """() => ({
  ran: window.ran ?? null,
  // answers told with the document are data, which no browser runs
  scripts: [...document.scripts].filter((s) =>
    s.type !== 'application/json' && s.textContent.includes('window.ran')).length,
  handlers: [...document.querySelectorAll('*')].filter((e) =>
    [...e.attributes].some((a) => a.name.startsWith('on'))).length,
  images: [...document.images].filter((i) => i.getAttribute('src') === 'x').length,
  links: [...document.querySelectorAll('[href],[src],[action]')].filter((e) =>
    ['href', 'src', 'action'].some((n) => /^\\s*javascript:/i.test(e.getAttribute(n))))
    .length,
})"""
NOTHING = {"ran": None, "scripts": 0, "handlers": 0, "images": 0, "links": 0}


@pytest.fixture
def watched(page: Page, console: Console, server: Server) -> Page:
    """A page on which a dialog, or a request to elsewhere, fails the test."""
    # what is not there, or cannot be had, is said with a status, which the browser repeats
    console.expected += ["status of 404", "status of 422"]
    page.on("dialog", lambda dialog: console.complaints.append(f"dialog: {dialog.message}"))

    def asked(request: Any) -> None:
        if not request.url.startswith((server.url, "data:", "blob:")):
            console.complaints.append(f"request elsewhere: {request.url}")

    page.on("request", asked)
    return page


def test_text_is_text_on_every_page(server: Server, stored: str, watched: Page) -> None:
    shown = []
    for address in addresses(stored):
        watched.goto(address)
        stand_still(watched)
        watched.evaluate(TOUCH)
        assert watched.evaluate(HARMLESS) == NOTHING, address
        if "onerror=window.ran" in watched.locator("body").inner_text():
            shown.append(address)
    for address in (
        "/",
        f"/runs/{stored}",
        "/explorer/hostile-log",
        "/experiments/hostile-log/runs",
        "/embed/explorer/hostile-log",
    ):
        assert address in shown, f"nothing hostile is shown at {address}: it is not tested there"


def test_files_that_are_opened_here_are_text_too(
    stored: str, watched: Page, tmp_path: Path
) -> None:
    hostile_log(tmp_path / f"{IMAGE.replace('/', '')}.runlog", 1, 0)
    (tmp_path / "x.csv").write_bytes(hostile_table())
    for path in sorted(tmp_path.iterdir()):
        watched.goto("/open")
        watched.locator("input[type=file]").first.set_input_files(path)
        said = watched.get_by_text("Valid", exact=True)
        expect(said.or_(watched.get_by_text("This table is in this page alone"))).to_be_visible()
        stand_still(watched)
        assert watched.evaluate(HARMLESS) == NOTHING, path.name


@pytest.mark.parametrize(
    ("model", "taken"),
    [
        (hostile_model(), True),
        (hostile_model(unit=IMAGE), True),
        (hostile_model(source=IMAGE), True),
        (hostile_model(name=IMAGE, source=IMAGE), False),
        (hostile_model(name=LATEX), False),
        (hostile_model(name="__proto__"), False),
    ],
)
def test_a_model_that_comes_as_a_file_is_text(
    watched: Page, tmp_path: Path, model: bytes, taken: bool
) -> None:
    """What may stand in a model is shown as it stands; what may not is refused, as text."""
    path = tmp_path / "model.json"
    path.write_bytes(model)
    watched.goto("/workshop")
    watched.get_by_label("File with Python or a traced model").set_input_files(path)
    title = watched.get_by_role("heading").filter(has_text="onerror=window.ran")
    if taken:
        expect(title.first).to_be_visible()
        watched.evaluate(
            "for (const each of document.querySelectorAll('details')) each.open = true"
        )
    else:
        expect(watched.get_by_role("alert")).to_be_visible()
        expect(title).to_have_count(0)
    stand_still(watched)
    watched.evaluate(TOUCH)
    assert watched.evaluate(HARMLESS) == NOTHING


def test_a_model_sent_to_the_server_comes_back_as_data(server: Server, stored: str) -> None:
    body = {"measure": "throughput_mbps", "free": ["base"], "model": json.loads(hostile_model())}
    body |= {"response": "throughput_mbps"}
    for path in ("experiments/hostile-table/nonlinear-fits", "predictions"):
        request = Request(
            f"{server.url}/api/{path}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            answer = urlopen(request)
        except HTTPError as refused:
            answer = refused
        with answer:
            assert answer.headers["Content-Type"].startswith("application/json")
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.status in (200, 422)


PYTHON = f'''
def law(delay_us, base=5.0, *, xp):
    r"""{ALL.replace('"', "'")}"""
    return {{"latency_us": base + delay_us}}
'''


def test_a_short_link_with_text_in_every_field(server: Server, stored: str, watched: Page) -> None:
    """It opens as any other; its Python is shown, and runs when its reader says so, not before."""
    text = quote(ALL, safe="")
    fields = ("output", "at", "set", "pull", "experiment", "response", "free", "held", "where", "x")
    query = "&".join(f"{field}={text}" for field in fields)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(PYTHON.encode()) + packer.flush()
    fragment = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    path = f"/workshop?{query}#python={fragment}"
    short = send(server, "/api/links", json.dumps({"path": path}).encode())

    watched.goto(f"/l/{short['token']}")
    expect(watched.get_by_text("not run yet")).to_be_visible()
    expect(watched.get_by_role("textbox", name="Python of the model")).to_contain_text("def law")
    stand_still(watched)
    watched.evaluate(TOUCH)
    assert watched.evaluate(HARMLESS) == NOTHING
    expect(watched.get_by_text("Nothing is drawn yet")).to_be_visible()

    watched.get_by_role("button", name="Run", exact=True).click()
    expect(watched.locator(".outcome h2").first).to_contain_text("onerror")
    stand_still(watched)
    watched.evaluate(TOUCH)
    assert watched.evaluate(HARMLESS) == NOTHING


def test_a_page_that_takes_it_for_markup_is_caught(page: Page) -> None:
    """Control: what is looked for is there where text is taken for markup."""
    page.goto("about:blank")
    page.set_content(f"<p>{SCRIPT}{IMAGE}</p><a href='{LINK}'>x</a>")
    page.wait_for_function("window.ran !== undefined")
    found = page.evaluate(HARMLESS)
    assert found["ran"] in (1, 2)
    assert (found["scripts"], found["images"], found["links"]) == (1, 1, 1)
