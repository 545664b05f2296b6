# SPDX-License-Identifier: Apache-2.0
"""The page when its server is gone, slow, or ahead of the fit, when what a link names is gone, and
in a browser that lacks something: what is in hand goes on working."""

import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from .conftest import Console, Server, drawn, eventually, stand_still
from .test_explorer import NFS, choose_method, open_explorer, surface
from .test_hands_on import value

pytestmark = pytest.mark.browser

FITS = "**/api/experiments/*/fits"
CELLS = "**/api/experiments/*/cells*"


def press(page: Page, symbol: str) -> tuple[float, float, float]:
    """Take hold of a slider in its middle; the button stays down."""
    box = page.get_by_role("slider", name=re.compile(f"^{symbol}")).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    return x, y, box["width"]


def open_from_the_list(page: Page) -> None:
    """An explorer that asks for its cells: its own document, and that of `/`, would bring them."""
    page.goto("/models")
    page.get_by_role("navigation").get_by_role("link", name="Experiments").first.click()
    page.get_by_role("link", name="Geist et al. 2005, NFS").first.click()


def test_a_server_that_goes_in_mid_drag_does_not_end_the_drag(page: Page, console: Console) -> None:
    console.expected.append("net::ERR")
    open_explorer(page)
    x, y, width = press(page, "γ")
    page.mouse.move(x + 0.1 * width, y)
    eventually(page, lambda: value(page, "γ") > 1.110)
    stand_still(page)
    half = value(page, "γ"), surface(page)
    page.route("**/api/**", lambda route: route.abort())
    page.mouse.move(x + 0.3 * width, y, steps=3)
    page.mouse.up()
    eventually(page, lambda: value(page, "γ") > half[0])
    eventually(page, lambda: surface(page) != half[1])
    panel = page.get_by_role("complementary", name="Model")
    choose_method(page, "Least squares")
    expect(panel).to_contain_text("Couldn’t load the fit")
    expect(panel).to_contain_text("keep the fit from before")
    expect(panel.get_by_role("button", name="Try again")).to_be_visible()
    page.unroute("**/api/**")
    expect(panel).not_to_contain_text("Couldn’t load the fit")
    expect(panel).to_contain_text("fit, 95 % interval")


@pytest.mark.fault("P19")
def test_a_recommendation_comes_back_after_an_outage(page: Page, console: Console) -> None:
    console.expected.append("net::ERR")
    page.goto("/explorer/virtual-testbed?workload=tcp&advice=open")
    answer = page.locator(".advice .answer")
    expect(answer).to_contain_text("How long may a packet wait?")
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_label("Delay at most").select_option(label="40 ticks")
    expect(answer).to_have_text("No answer yet. The server does not answer. Try again")
    expect(answer.get_by_role("button", name="Try again")).to_be_visible()
    page.unroute("**/api/**")
    expect(answer).to_contain_text(re.compile("^Set MTU"))


def test_a_slow_fit_leaves_the_old_one_in_hand(page: Page) -> None:
    open_explorer(page)
    waiting: list[Route] = []
    page.route(FITS, lambda route: waiting.append(route))  # noqa: PLW0108
    panel = page.get_by_role("complementary", name="Model")
    choose_method(page, "Least squares")
    fitting = panel.get_by_text("Fitting")
    expect(fitting).to_have_count(1)
    drawn(page)
    before = surface(page)
    x, y, width = press(page, "α")
    page.mouse.move(x + 0.3 * width, y, steps=3)
    page.mouse.up()
    eventually(page, lambda: surface(page) != before)
    drawn(page)  # the fit is under way: the page does not say that it is settled
    moved = value(page, "α")
    assert moved > 0.813
    for route in waiting:
        route.continue_()
    expect(fitting).to_have_count(0)
    stand_still(page)
    assert value(page, "α") == moved


def test_a_fit_of_older_data_says_so_until_it_is_fitted_again(page: Page) -> None:
    def newer(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        body["data_version"] += 1
        route.fulfill(response=answer, body=json.dumps(body))

    page.route(CELLS, newer)
    open_from_the_list(page)
    panel = page.get_by_role("complementary", name="Model")
    expect(panel).to_contain_text("This fit is out of date")
    expect(page.locator("canvas.surface").first).to_have_css("opacity", "0.45")
    stand_still(page)
    # cells are current, and sliders still move the surface
    x, y, width = press(page, "β")
    page.mouse.move(x + 0.2 * width, y, steps=3)
    page.mouse.up()
    expect(page.get_by_text("Edited")).to_be_visible()
    page.route(FITS, newer)
    panel.get_by_role("button", name="Fit again").click()
    expect(panel).not_to_contain_text("This fit is out of date")
    expect(page.locator("canvas.surface").first).to_have_css("opacity", "1")
    expect(page.get_by_text("Edited")).to_have_count(0)


def test_a_menu_that_is_opened_before_its_experiments_came_gets_them_and_the_focus(
    page: Page,
) -> None:
    waiting: list[Route] = []
    page.route("**/api/experiments", lambda route: waiting.append(route))  # noqa: PLW0108
    page.goto(NFS)
    page.get_by_role("button", name=re.compile("^Experiment: ")).press("Enter")
    expect(page.get_by_text("Loading experiments…").first).to_be_visible()
    eventually(page, lambda: len(waiting) == 1)
    waiting[0].continue_()
    experiments = page.get_by_role("menuitemradio")
    expect(experiments.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(experiments.nth(1)).to_be_focused()


# Quicker than the address follows a slider.
MOVE_AND_LEAVE = """slider => {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(slider, slider.max);
  slider.dispatchEvent(new Event('input', { bubbles: true }));
  document.querySelector('nav a[href="/models"]').click();
}"""


def test_what_was_done_just_before_leaving_is_there_after_going_back(page: Page) -> None:
    open_explorer(page)
    page.get_by_role("slider", name=re.compile("^γ")).evaluate(MOVE_AND_LEAVE)
    expect(page.get_by_role("heading", name="Models", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_text("Edited")).to_be_visible()


def test_a_part_that_does_not_come_takes_only_itself_away(page: Page, console: Console) -> None:
    console.expected.append("net::ERR")
    page.route("**/assets/WhatToSet-*", lambda route: route.abort())
    open_explorer(page)
    advice = page.get_by_role("region", name="Recommendation")
    advice.scroll_into_view_if_needed()
    expect(advice).to_contain_text("The recommendation did not load")
    stand_still(page)
    before = surface(page)
    x, y, width = press(page, "α")
    page.mouse.move(x + 0.3 * width, y, steps=3)
    page.mouse.up()
    eventually(page, lambda: surface(page) != before)
    page.unroute("**/assets/WhatToSet-*")
    advice.get_by_role("button", name="Try again").click()
    expect(advice).not_to_contain_text("did not load")
    expect(advice).to_contain_text(re.compile("Set|set"))


def test_cells_that_take_long_have_their_place_from_the_first_moment(page: Page) -> None:
    waiting: list[Route] = []
    page.route(CELLS, lambda route: waiting.append(route))  # noqa: PLW0108
    open_from_the_list(page)
    expect(page.get_by_role("main")).to_contain_text("Loading cells…")
    # the axes, from what the experiment says of itself; no spinner, and nothing to press yet
    for tick in ("1500", "4500", "640"):
        expect(page.get_by_role("main").get_by_text(tick, exact=True).first).to_be_visible()
    page.evaluate("document.fonts.ready")
    drawn(page)
    title = page.locator(".head").get_by_role("heading").bounding_box()
    assert title
    for route in waiting:
        route.continue_()
    expect(page.locator(".foot")).to_be_attached()
    expect(page.get_by_role("main")).not_to_contain_text("Loading cells…")
    stand_still(page)
    loaded = page.locator(".head").get_by_role("heading").bounding_box()
    assert loaded
    assert (loaded["x"], loaded["y"]) == (title["x"], title["y"])


def test_cells_that_are_refused_are_not_asked_for_without_end(page: Page, console: Console) -> None:
    """The stream of changes names a version of the data; refused cells have none to compare."""
    console.expected.append("status of 422")
    error = {"code": "unreadable", "message": "These cells cannot be told.", "advice": ""}
    refusals: list[str] = []

    def refuse(route: Route) -> None:
        refusals.append(route.request.url)
        route.fulfill(status=422, json={"error": error})

    page.route(CELLS, refuse)
    open_from_the_list(page)
    expect(page.get_by_text("These cells cannot be told.").first).to_be_visible()
    page.wait_for_timeout(1_500)
    assert 1 <= len(refusals) <= 4


def test_a_run_that_is_gone_says_so_and_spoils_nothing(
    page: Page, server: Server, console: Console
) -> None:
    console.expected.append("404")
    gone = "00000000-0000-0000-0000-000000000000"
    page.goto(f"/runs/{gone}")
    expect(page.get_by_role("heading", name="There is no such run here")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="experiments").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Receive the same data")

    runs = page.request.get("/api/experiments/geist-2005-nfs/runs?limit=1").json()["runs"]
    page.goto(f"/compare?runs={runs[0]['id']},{gone}")
    expect(page.get_by_role("alert")).to_contain_text("This store has no such run")

    # a view that leaves it out is the view, and says that it does not count here anyway
    page.goto(f"{NFS}?without={gone},{runs[0]['id']}")
    expect(page.get_by_text("1 run is left out of this view")).to_be_visible()
    expect(page.get_by_text("1 more does not count here anyway")).to_be_visible()
    page.get_by_role("button", name="Include again").click()
    expect(page.get_by_text("left out of this view")).to_have_count(0)

    page.goto(f"{NFS}?without={gone}")
    expect(page.get_by_text("No runs are excluded from this view")).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_text("left out of this view")).to_have_count(0)


@pytest.fixture
def without_webassembly(page: Page) -> Page:
    """A browser that has none, in the page and in its workers."""

    def bare(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=f"delete globalThis.WebAssembly;{answer.text()}")

    page.add_init_script("delete globalThis.WebAssembly")
    page.context.route(re.compile(r"/assets/\w+\.worker-[^/]*\.js$"), bare)
    return page


@pytest.mark.python
def test_without_webassembly_the_kernels_go_on_alone(
    without_webassembly: Page, console: Console
) -> None:
    page = without_webassembly
    page.goto(NFS)
    expect(page.get_by_text("Python did not start: ")).to_be_visible()
    stand_still(page)
    before = surface(page)
    x, y, width = press(page, "α")
    page.mouse.move(x + 0.3 * width, y, steps=3)
    page.mouse.up()
    eventually(page, lambda: surface(page) != before)
    page.goto("/open")
    content = b"mtu_bytes,delay_us,replicate,throughput_mbps\n1500,0,1,900\n9000,0,1,950\n"
    opened = {"name": "x.csv", "mimeType": "text/csv", "buffer": content}
    page.locator("input[type=file]").first.set_input_files(opened)  # type: ignore[arg-type]
    expect(page.get_by_role("alert")).to_contain_text("WebAssembly")
