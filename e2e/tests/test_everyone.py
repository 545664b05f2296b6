# SPDX-License-Identifier: Apache-2.0
"""Every kind of page on paper, on the widest and narrowest screens, and without motion."""

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from .conftest import Console, Server, been_here, eventually, somebody_else, stand_still

pytestmark = pytest.mark.browser

PAGES = {
    "/": "Experiments",
    "/explorer/geist-2005-nfs": "System CPU time",
    "/experiments/geist-2005-nfs/runs": "1500",
    "/experiments/geist-2005-nfs/replicates": "1500",
    "/compare": "Compare",
    "/models": "link",
    "/models/link-bound": "Link bound",
    "/figures": "figure",
    "/figures/geist-2005-figure-10": "Figure 10",
    "/workshop?model=link-bound": "Run",
    "/upload": "Upload",
    "/open": "Open",
}

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
MOVING = "document.getAnimations().filter((each) => each.playState === 'running').length"


def shown(page: Page, path: str, words: str) -> None:
    page.goto(path)
    expect(page.get_by_role("main")).to_contain_text(words, ignore_case=True)
    stand_still(page)


@pytest.mark.parametrize("width", [360, 2560])
def test_no_page_is_wider_than_the_screen(page: Page, console: Console, width: int) -> None:
    console.expected.append("422")  # a recommendation that published means cannot carry
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 1440})
    for path, words in PAGES.items():
        shown(page, path, words)
        assert page.evaluate(OVERFLOW) <= 0, path
        assert page.evaluate(MOVING) == 0, path


# Pairs of cells of a row whose words lie on each other.
WORDS_ON_WORDS = """() => {
  const extent = (cell) => {
    const words = document.createRange();
    words.selectNodeContents(cell);
    return words.getBoundingClientRect();
  };
  const pairs = [];
  const rows = [...document.querySelectorAll('tr')].filter((row) => row.checkVisibility());
  for (const row of rows) {
    const cells = [...row.cells].filter((cell) => cell.textContent.trim() !== '');
    for (const [k, cell] of cells.slice(1).entries())
      if (extent(cell).left < extent(cells[k]).right - 1)
        pairs.push([cells[k].textContent, cell.textContent]);
  }
  return pairs;
}"""
TABLES = {
    "/compare?a=virtual-testbed&a.workload=udp&b=virtual-testbed&b.workload=tcp": "B / A",
    "/experiments/virtual-testbed/replicates": "Cell",
    "/models/cpu-overhead/about": "Symbol",
}


@pytest.mark.parametrize("width", [390, 1440])
def test_no_words_of_a_table_lie_on_others(page: Page, console: Console, width: int) -> None:
    console.expected.append("422")  # of all workloads at once no variance is analysed
    page.set_viewport_size({"width": width, "height": 900})
    for path, heading in TABLES.items():
        page.goto(path)
        expect(page.get_by_role("columnheader", name=heading).first).to_be_visible()
        stand_still(page)
        assert page.evaluate(WORDS_ON_WORDS) == [], path


@pytest.mark.fault("P21")
@pytest.mark.parametrize(
    "path", ["/models/interrupt-livelock", "/models/interrupt-livelock/about", "/models"]
)
@pytest.mark.parametrize("width", [390, 1440])
def test_an_equation_that_can_be_smaller_fits_its_room(page: Page, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path)
    equations = page.locator(".eq")
    expect(equations.first.locator("math").first).to_be_attached()
    stand_still(page)
    cut = equations.evaluate_all(
        """(all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1
          && Math.min(...[...each.querySelectorAll('.one > math, .one math')]
            .map((math) => parseFloat(getComputedStyle(math).fontSize))) > 12)
          .map((each) => each.ariaLabel)"""
    )
    assert cut == []


def test_pages_print(page: Page, console: Console) -> None:
    """What is for the hand stays off the paper; what is seen is on it, and no page is endless."""
    console.expected.append("422")  # a recommendation that published means cannot carry
    page.emulate_media(media="print")
    for path, words in PAGES.items():
        shown(page, path, words)
        expect(page.get_by_role("banner")).to_be_hidden()
        paper = page.pdf(format="A4")
        pages = paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ")
        assert 1 <= pages <= 12, (path, pages)


def test_the_list_of_experiments_has_its_heads_on_paper(page: Page) -> None:
    """A4 between its margins is narrower than the widest phone."""
    page.set_viewport_size({"width": 718, "height": 1000})
    page.emulate_media(media="print")
    shown(page, "/", "Experiments")
    heads = page.locator(".experiments .list thead th")
    first = page.locator(".experiments .list tbody tr").first.locator("td")
    for k in range(5):
        head, cell = heads.nth(k).bounding_box(), first.nth(k).bounding_box()
        assert head is not None
        assert cell is not None
        assert head["width"] > 40
        assert abs(head["x"] - cell["x"]) < 1
    assert page.evaluate(OVERFLOW) <= 0


# Heard after the page's own: what a printer is given.
KEEP_WHAT_IS_PRINTED = """(plot) => addEventListener('beforeprint', () => {
  globalThis.printed = plot.innerHTML;
})"""


def test_paper_holds_what_is_out_of_sight_as_it_is_now(page: Page) -> None:
    """A drawing that nobody sees does not follow a slider; on paper everything is seen."""
    page.set_viewport_size({"width": 390, "height": 500})
    page.goto("/explorer/geist-2005-nfs")
    stand_still(page)
    plot = page.locator(".residuals svg.plot")
    plot.evaluate(KEEP_WHAT_IS_PRINTED)
    for _ in range(8):
        page.locator("input[type=range]").first.press("ArrowRight")
    stand_still(page)
    expect(plot).not_to_be_in_viewport()
    before = plot.inner_html()
    page.pdf(format="A4")
    printed = page.evaluate("globalThis.printed")
    assert printed != before
    plot.scroll_into_view_if_needed()
    stand_still(page)
    # in sight it is the same on paper
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("globalThis.printed") == printed


# Heard after the page's own: how far the drawing's words reach.
KEEP_HOW_FAR_IT_REACHES = """(plot) => {
  const reach = () => {
    const boxes = [...plot.querySelectorAll('text')].map((each) => each.getBBox());
    return [
      Math.max(...boxes.map((box) => box.x + box.width)),
      Math.max(...boxes.map((box) => box.y + box.height)),
    ];
  };
  addEventListener('beforeprint', () => { globalThis.onPaper = reach(); });
  return reach();
}"""
PAPER_PX = (680, 520)  # as explorer.css has it
# how much larger than on paper at the default text size a drawing is
DRAWN = "(plot) => plot.currentCSSZoom"


@pytest.mark.parametrize("text_px", [16, 24])
def test_paper_holds_the_whole_drawing(page: Page, text_px: int) -> None:
    """Nothing can be measured on paper: the drawing has a size of its own, at any text size."""
    browser = page.context.new_cdp_session(page)
    browser.send("Page.setFontSizes", {"fontSizes": {"standard": text_px, "fixed": text_px}})
    page.set_viewport_size({"width": 2160, "height": 1350})
    page.goto("/explorer/geist-2005-nfs")
    stand_still(page)
    plot = page.locator(".duet svg.plot").first
    wide, high = plot.evaluate(KEEP_HOW_FAR_IT_REACHES)
    assert wide > PAPER_PX[0]
    assert high > PAPER_PX[1]
    assert plot.evaluate(DRAWN) == text_px / 16
    before = plot.inner_html()
    page.pdf(format="A4", landscape=True)
    wide, high = page.evaluate("globalThis.onPaper")
    assert PAPER_PX[0] / 2 < wide <= PAPER_PX[0]
    assert PAPER_PX[1] / 2 < high <= PAPER_PX[1]
    stand_still(page)
    assert plot.inner_html() == before
    page.emulate_media(media="print")
    box = page.locator(".duet").bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == PAPER_PX
    assert plot.evaluate(DRAWN) == 1


# Heard after the page's own: how far the drawings beside the picture reach.
KEEP_HOW_FAR_THEY_REACH = """(drawings) => {
  const reach = () => Math.max(...drawings.map((each) => {
    const box = each.getBBox();
    return box.x + box.width;
  }));
  addEventListener('beforeprint', () => { globalThis.onPaper = reach(); });
  return reach();
}"""
COLUMN_OF_PAPER_PX = (210 - 2 * 10) / 25.4 * 96 / 2 - 16  # A4, two columns, 32 px between them


@pytest.mark.parametrize("width", [390, 750, 1440])
@pytest.mark.parametrize("path", ["/explorer/geist-2005-nfs", "/how-it-works"])
def test_what_is_drawn_for_a_window_fits_its_column_of_paper(
    page: Page, path: str, width: int
) -> None:
    """In a window of one column a ruler is as wide as the page, which on paper has two of them."""
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path)
    stand_still(page)
    drawings = page.locator("svg.ruler, svg.plot.wide")
    assert drawings.count() >= 5
    before = drawings.evaluate_all(KEEP_HOW_FAR_THEY_REACH)
    page.pdf(format="A4")
    assert COLUMN_OF_PAPER_PX / 2 < page.evaluate("globalThis.onPaper") <= COLUMN_OF_PAPER_PX
    stand_still(page)
    page.evaluate("dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'))")
    stand_still(page)
    assert drawings.evaluate_all(KEEP_HOW_FAR_THEY_REACH) == before


FORCED = {"/explorer/geist-2005-nfs": ("Map", "Model", "counted"), "/how-it-works": ("evenly",)}
# Of words on their ground, as the browser was told to paint them.
CONTRAST = """(element) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map((v) => v / 255)
      .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const { color, backgroundColor } = getComputedStyle(element);
  const [a, b] = [light(color), light(backgroundColor)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""
UNDERLINE = "(element) => getComputedStyle(element).borderBottomColor"


@pytest.mark.fault("P17")
@pytest.mark.parametrize("path", FORCED)
def test_what_is_chosen_is_read_in_forced_colours(page: Page, path: str) -> None:
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    page.goto(path)
    stand_still(page)
    for name in FORCED[path]:
        chosen = page.locator(".seg").get_by_role("button", name=name, exact=True).first
        expect(chosen).to_have_attribute("aria-pressed", "true")
        # else the browser lays a plate of its own colour behind the words
        assert chosen.evaluate("(it) => getComputedStyle(it).forcedColorAdjust") == "none"
        assert chosen.evaluate(CONTRAST) >= 4.5, name
    pages = page.get_by_role("banner").get_by_role("navigation").get_by_role("link").all()
    lines = {one.get_attribute("aria-current"): one.evaluate(UNDERLINE) for one in pages}
    assert len(lines) == 2
    assert len(set(lines.values())) == 2


@pytest.mark.fault("P17")
def test_the_preset_that_plays_is_read_in_forced_colours(page: Page) -> None:
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    page.goto("/how-it-works")
    stand_still(page)
    presets = page.locator(".presets").get_by_role("button")
    chosen = page.locator(".presets").get_by_role("button", pressed=True)
    expect(chosen).to_have_count(1)
    assert chosen.evaluate(CONTRAST) >= 4.5
    grounds = [
        one.evaluate("(it) => getComputedStyle(it).backgroundColor") for one in presets.all()
    ]
    assert grounds.count(chosen.evaluate("(it) => getComputedStyle(it).backgroundColor")) == 1


def test_a_recommendation_is_on_paper_whole_or_not_at_all(page: Page) -> None:
    """Its place is far below the screen; a printer waits for nothing that is asked for then."""
    page.set_viewport_size({"width": 390, "height": 500})
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/recommendations", hold)
    page.goto("/explorer/virtual-testbed")
    section = page.locator(".advice")
    expect(section.get_by_text("Calculating…")).to_be_attached()
    eventually(page, lambda: len(held) == 1)
    page.emulate_media(media="print")
    expect(section).to_be_hidden()
    held[0].continue_()
    expect(section).to_contain_text("for the emulated host, not for yours")
    expect(section.get_by_role("heading", name="What to set")).to_be_visible()


# whether nothing lies over any of its corners
ON_TOP = """(element) => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const corners = [[left, top], [right, top], [left, bottom], [right, bottom]];
  const inward = (at, from, to) => at + Math.sign((from + to) / 2 - at) * 3;
  return corners.every(([x, y]) =>
    element.contains(document.elementFromPoint(inward(x, left, right), inward(y, top, bottom))));
}"""


def test_why_a_choice_is_not_there_is_read_without_a_mouse(
    chromium: Browser, server: Server
) -> None:
    with somebody_else(
        chromium,
        base_url=server.url,
        storage_state=been_here(server.url),
        viewport={"width": 390, "height": 844},
        has_touch=True,
    ) as phone:
        read_why(phone.new_page())


def read_why(page: Page) -> None:
    page.goto("/explorer/geist-2005-nfs")
    stand_still(page)
    limits = page.get_by_role("button", name="Limits", exact=True)
    why = page.locator(".seg .why").last
    expect(limits).to_have_attribute("aria-disabled", "true")
    expect(why).to_be_hidden()
    limits.focus()
    expect(why).to_be_visible()
    page.keyboard.press("Escape")
    expect(why).to_be_hidden()
    page.get_by_role("button", name="Map").focus()
    limits.tap(force=True)  # Playwright takes what says it is disabled for out of reach
    expect(why).to_be_visible()
    expect(limits).to_have_accessible_description(why.inner_text())
    eventually(page, lambda: why.evaluate(ON_TOP))
    assert page.evaluate(OVERFLOW) <= 0
