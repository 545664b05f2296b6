# SPDX-License-Identifier: Apache-2.0
"""Everything under the hand: pull a line, type a number, undo, pin a set of parameters."""

import re

import pytest
from playwright.sync_api import Page, expect

from .conftest import eventually, stand_still
from .test_explorer import drag_slider, open_explorer, surface

pytestmark = pytest.mark.browser

# where the first solid line is, some pixels left of the crosshair
ON_THE_LINE = """(left) => {
  const handle = document.querySelector('.handle').getBoundingClientRect();
  const x = handle.x + handle.width / 2 - left;
  const solid = [...document.querySelectorAll('[data-layer=curves] path')]
    .find((p) => !p.getAttribute('stroke-dasharray'));
  const corner = solid.getScreenCTM();
  for (let i = 0; i < solid.getTotalLength(); i += 0.5) {
    const at = solid.getPointAtLength(i);
    if (at.x + corner.e >= x) return [at.x + corner.e, at.y + corner.f];
  }
}"""


def value(page: Page, symbol: str) -> float:
    """What the slider says now."""
    text = page.get_by_role("slider", name=re.compile(f"^{symbol}")).get_attribute("aria-valuetext")
    assert text
    return float(text.split()[0].replace("−", "-"))


def pull(page: Page, pixels: float, left: float = 120) -> tuple[float, float]:
    """Press on the first line and move up; the button stays down. Where the pointer is."""
    x, y = page.evaluate(ON_THE_LINE, left)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(x, y - pixels * step / 5)
    return x, y - pixels


def test_a_line_that_is_pulled_follows_the_pointer_and_names_what_moves(page: Page) -> None:
    open_explorer(page)
    before = surface(page), value(page, "β")
    _, y = pull(page, 15)  # within the slider's range: beyond it, the plot gets another scale
    tag = page.locator("[data-layer=pull] text")
    expect(tag).to_have_text(re.compile("^β 0.266 → 0.3"))
    eventually(page, lambda: abs(page.evaluate(ON_THE_LINE, 120)[1] - y) < 1.5)
    page.mouse.up()
    expect(tag).to_have_count(0)
    eventually(page, lambda: value(page, "β") > before[1])
    stand_still(page)
    assert value(page, "α") == 0.813
    eventually(page, lambda: surface(page) != before[0])


def test_a_pull_stops_at_the_bounds_of_its_parameter(page: Page) -> None:
    open_explorer(page)
    pull(page, -400)
    page.mouse.up()
    expect(page.get_by_text("Edited")).to_be_visible()
    stand_still(page)
    assert value(page, "β") >= 0


def test_another_parameter_can_do_it(page: Page) -> None:
    """By name in the panel, or the second strongest with Shift."""
    open_explorer(page)
    page.get_by_label("Dragging a line adjusts").select_option("alpha")
    pull(page, 20)
    page.mouse.up()
    eventually(page, lambda: value(page, "α") > 0.813)
    stand_still(page)
    assert value(page, "β") == 0.266
    page.get_by_role("button", name="Undo").click()
    eventually(page, lambda: value(page, "α") == 0.813)
    page.get_by_label("Dragging a line adjusts").select_option("")
    stand_still(page)
    page.keyboard.down("Shift")
    pull(page, 20)
    page.keyboard.up("Shift")
    page.mouse.up()
    expect(page.get_by_text("Edited")).to_be_visible()
    stand_still(page)
    assert value(page, "β") == 0.266


def test_the_surface_is_pulled_with_alt_and_the_crosshair_moves_without(page: Page) -> None:
    open_explorer(page)
    box = page.locator("canvas").first.bounding_box()
    assert box
    x, y = box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.7
    page.keyboard.down("Alt")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 25, steps=4)
    page.mouse.up()
    page.keyboard.up("Alt")
    expect(page.get_by_text("Edited")).to_be_visible()
    crosshair = page.get_by_role("slider", name="Crosshair")
    stand_still(page)
    at = crosshair.get_attribute("aria-valuetext")
    byhand = value(page, "β")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 25, steps=4)
    page.mouse.up()
    expect(crosshair).not_to_have_attribute("aria-valuetext", at or "")
    stand_still(page)
    assert value(page, "β") == byhand


def test_the_grip_pulls_by_keyboard(page: Page) -> None:
    open_explorer(page)
    handle = page.get_by_role("slider", name=re.compile("^Pull the line"))
    handle.focus()
    expect(handle).to_have_attribute("aria-valuetext", re.compile("jiffies, Cost per"))
    before = float(handle.get_attribute("aria-valuenow") or "nan")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_text("Edited")).to_be_visible()
    eventually(page, lambda: float(handle.get_attribute("aria-valuenow") or "nan") > before)
    stand_still(page)
    said = handle.get_attribute("aria-valuetext") or ""
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    expect(handle).not_to_have_attribute("aria-valuetext", said)


def test_a_number_can_be_typed_and_a_bad_one_says_why(page: Page) -> None:
    open_explorer(page)
    panel = page.get_by_role("complementary", name="Model")
    panel.get_by_role("button", name="Cost per megabyte: type a value").click()
    field = panel.get_by_role("textbox")
    field.fill("much")
    field.press("Enter")
    expect(panel.get_by_role("alert")).to_have_text("is not a number")
    field.fill("1.5")
    field.press("Enter")
    eventually(page, lambda: value(page, "α") == 1.5)
    # far beyond the fit's ruler: the ruler grows
    ruler = page.get_by_role("slider", name=re.compile("^α"))
    eventually(page, lambda: float(ruler.get_attribute("max") or 0) >= 1.5)
    page.get_by_role("slider", name=re.compile("^α")).dblclick()
    expect(page.get_by_text("Edited")).to_have_count(0)


def test_undo_and_redo_go_through_everything_a_gesture_at_a_time(page: Page) -> None:
    open_explorer(page)
    undo, redo = page.get_by_role("button", name="Undo"), page.get_by_role("button", name="Redo")
    expect(undo).to_have_attribute("aria-disabled", "true")
    at = page.get_by_role("slider", name="Crosshair").get_attribute("aria-valuetext")
    drag_slider(page, "γ", 0.2)
    stand_still(page)  # what the slider says follows the hand
    pulled = value(page, "γ")
    box = page.locator("canvas").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 200, steps=5)
    page.mouse.up()
    page.get_by_role("button", name="Cells").click()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    expect(page.get_by_role("slider", name="Crosshair")).to_have_attribute(
        "aria-valuetext", re.compile(re.escape((at or "").split(":")[0]))
    )
    eventually(page, lambda: value(page, "γ") == pulled)
    undo.click()
    eventually(page, lambda: value(page, "γ") == 1.110)
    page.keyboard.press("Control+Shift+z")
    eventually(page, lambda: value(page, "γ") == pulled)
    redo.click()
    redo.click()
    expect(page.get_by_role("button", name="Cells")).to_have_attribute("aria-pressed", "true")
    expect(redo).to_have_attribute("aria-disabled", "true")


def test_pinned_sets_are_drawn_compared_and_survive_a_reload(page: Page) -> None:
    open_explorer(page)
    panel = page.get_by_role("complementary", name="Model")
    pin = panel.get_by_role("button", name="Pin these")
    pin.click()
    drag_slider(page, "γ", 0.3)
    pin.click()
    lines, contours = page.locator("[data-layer=pinned] path"), "[data-layer=pinnedContours] path"
    expect(lines).to_have_count(6)
    expect(page.locator(contours)).to_have_count(4)
    panel.get_by_role("textbox", name="Name of Edited").fill("Dear interrupts")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"pin=Fit\*alpha:0\.81.*&pin=Dear\+interrupts\*alpha"))
    table = panel.get_by_role("table").filter(has_text="largest residual")
    stand_still(page)
    rows = table.inner_text()
    drawn = lines.evaluate_all("paths => paths.map(p => p.outerHTML)")
    page.reload()
    expect(lines).to_have_count(6)
    expect(table).to_have_text(rows, use_inner_text=True)
    stand_still(page)
    assert lines.evaluate_all("paths => paths.map(p => p.outerHTML)") == drawn
    panel.get_by_role("button", name="Load Fit").click()
    expect(page.get_by_text("Edited")).to_have_count(0)
    panel.get_by_role("button", name="Remove Fit").click()
    expect(lines).to_have_count(3)
    page.keyboard.press("Control+z")
    expect(lines).to_have_count(6)


# The number beside a slider.
SHOWN = "it => it.closest('.param').querySelector('.typed span').textContent"


def said(page: Page) -> list[str]:
    """What the panel says beside its drawings: the equation's numbers, worst residual, value."""
    words = page.locator(".live, .residuals header .note, .now")
    return words.all_inner_texts()


def hold(page: Page, to: float) -> None:
    """Press in the middle of γ's slider and move by a share of it; the button stays down."""
    box = page.get_by_role("slider", name=re.compile("^γ")).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + to * box["width"], y, steps=3)
    stand_still(page)


def painted(page: Page) -> list[str]:
    """The canvases that stand in for drawings in hand: lines, split, residuals."""
    return page.locator("canvas.moving:visible").evaluate_all("all => all.map(c => c.toDataURL())")


def test_a_hand_that_rests_sees_the_whole_panel_follow(page: Page) -> None:
    """While a slider is being dragged, parts of the panel take turns: none is left behind."""
    open_explorer(page)
    fitted, gamma = said(page), value(page, "γ")
    hold(page, 0.3)
    in_hand, number = said(page), page.locator("#parameter-gamma").evaluate(SHOWN)
    assert all(now != before for now, before in zip(in_hand, fitted, strict=True))
    assert value(page, "γ") == float(number) > gamma
    expect(page.locator("canvas.moving").first).to_be_visible()
    page.mouse.up()
    expect(page.locator("canvas.moving").first).to_be_hidden()
    stand_still(page)
    assert said(page) == in_hand


def test_what_is_in_hand_takes_on_another_theme(page: Page) -> None:
    """The system's theme may change at any time, and a canvas has no colours that follow."""
    page.emulate_media(color_scheme="light")
    open_explorer(page)
    hold(page, 0.3)
    light = painted(page)
    page.emulate_media(color_scheme="dark")
    stand_still(page)
    dark = painted(page)
    assert len(light) == len(dark) > 1
    assert all(now != before for now, before in zip(dark, light, strict=True))
    page.emulate_media(color_scheme="light")
    stand_still(page)
    assert painted(page) == light


def test_a_slider_is_followed_without_canvases_aside(page: Page) -> None:
    """A browser of some years ago has no OffscreenCanvas: it shows the same."""
    open_explorer(page)
    hold(page, 0.3)
    expected = painted(page)
    page.mouse.up()
    page.add_init_script("delete globalThis.OffscreenCanvas")
    open_explorer(page)
    hold(page, -0.2)
    page.mouse.up()
    page.get_by_role("button", name="Fit", exact=True).click()
    stand_still(page)
    hold(page, 0.3)
    assert page.evaluate("typeof OffscreenCanvas") == "undefined"
    assert painted(page) == expected


def test_a_press_of_another_button_holds_nothing(page: Page) -> None:
    """Its menu takes the release: the page would never hear that the slider was let go."""
    open_explorer(page)
    slider = page.get_by_role("slider", name=re.compile("^γ"))
    box = slider.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down(button="right")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Edited")).to_be_visible()
    stand_still(page)
    expect(page.locator("canvas.moving").first).to_be_hidden()


def test_the_cost_is_drawn_along_the_other_axis_as_soon_as_it_is_chosen(page: Page) -> None:
    open_explorer(page)
    drawing = page.locator(".along svg")
    drawing.scroll_into_view_if_needed()
    expect(drawing).to_have_attribute("aria-label", re.compile("along Delay at"))
    along = page.get_by_role("group", name="Split along")
    along.get_by_role("button", name="MTU").click()
    expect(drawing).to_have_attribute("aria-label", re.compile("along MTU at"))
