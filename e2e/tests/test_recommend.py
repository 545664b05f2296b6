# SPDX-License-Identifier: Apache-2.0
"""What should I set? Goal and limits in; a sentence, a curve and commands to copy out."""

from __future__ import annotations

import re
import shlex
from argparse import ArgumentParser
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from coalescope_host.commands.arguments import add_tune_arguments
from coalescope_host.plan.factors import Levels
from coalescope_host.tuning.question import question_of
from playwright.sync_api import Locator, Page, Route, expect

from .conftest import Console, Server, axe_complaints, eventually, said, stand_still

pytestmark = [pytest.mark.browser, pytest.mark.stores]

# MTU, delay: throughput, CPU seconds per GB; the two at 40 differ by less than their spread
SETTINGS = {
    (1500, 10): (198.0, 15.6), (1500, 40): (200.0, 13.2), (1500, 320): (133.0, 11.0),
    (9000, 10): (190.0, 12.0), (9000, 40): (199.9, 10.5), (9000, 320): (131.0, 9.0),
}  # fmt: skip


def lab_table() -> str:
    """Four replicates of each setting, as CSV."""
    lines = ["mtu_bytes,delay_us,workload,replicate,throughput_mbps,system_cpu_s_per_gb"]
    for (mtu, delay), (throughput, cost) in SETTINGS.items():
        for r, off in enumerate((-0.004, -0.001, 0.002, 0.003), 1):
            lines.append(f"{mtu},{delay},nfs,{r},{throughput * (1 + off)!r},{cost * (1 - off)!r}")
    return "\n".join(lines)


def upload(server: Server, name: str, table: str) -> None:
    query = urlencode({"filename": f"{name}.csv", "experiment": name})
    urlopen(Request(f"{server.url}/api/uploads?{query}", table.encode(), method="POST")).close()


def upload_lab(server: Server) -> None:
    upload(server, "lab", lab_table())


@pytest.fixture(scope="module")
def lab(server: Server) -> str:
    upload_lab(server)
    return "/explorer/lab"


def answer(page: Page) -> Locator:
    return page.locator(".advice .answer")


def test_the_answer_its_curve_and_its_commands(page: Page, lab: str) -> None:
    page.goto(f"{lab}?measure=throughput_mbps&delay_us=320&mtu_bytes=1500")
    expect(answer(page)).to_contain_text("Set MTU 1500, delay 10\u00a0µs: throughput 198")
    # a setting that is named is a place to go to
    answer(page).get_by_role("button", name="MTU 1500, delay 10").click()
    expect(page).to_have_url(re.compile("delay_us=10"))

    advice = page.get_by_role("region", name="Recommendation")
    advice.get_by_role("button", name="Goal, limits, curve").click()
    expect(advice).to_contain_text("It changes least of the 3 settings")
    expect(advice.get_by_role("img", name="The best of each setting")).to_be_visible()
    expect(page.locator("[data-layer=cells]")).to_contain_text("recommended")
    advice.get_by_label("Goal").select_option("balance")
    expect(answer(page)).to_contain_text("MTU 9000, delay 40")
    expect(advice).to_contain_text("furthest from the dotted line")
    advice.get_by_label("Goal").select_option("trade")
    advice.get_by_role("slider", name="CPU").fill("0.2")
    advice.get_by_text("Limits in numbers").click()
    advice.get_by_label("Throughput, at least").fill("195")
    advice.get_by_label("Throughput, at least").press("Enter")
    expect(answer(page)).to_contain_text("MTU 9000, delay 40\u00a0µs")
    expect(advice.get_by_role("row", name=re.compile("^Throughput"))).to_contain_text("the goal")

    # the commands take the curve's place, and the answer stays in sight
    advice.get_by_role("button", name="Apply to my machine").click()
    advice.get_by_label("Driver").select_option("igb")
    advice.get_by_label("Interface").fill("eth9; reboot")
    advice.get_by_label("Interface").press("Enter")
    expect(advice.get_by_role("alert")).to_have_text("cannot be the name of an interface")
    advice.get_by_label("Interface").fill("eth9")
    advice.get_by_label("Interface").press("Enter")
    commands = advice.get_by_label("Commands that set it")
    expect(commands).to_contain_text("ethtool -C eth9 rx-usecs 40")
    with said(page, "Copied"):
        advice.get_by_role("button", name="Copy").first.click()
    eventually(
        page, lambda: page.evaluate("navigator.clipboard.readText()") == commands.inner_text()
    )
    advice.get_by_role("button", name="Way back").click()
    back = advice.get_by_label("Undo commands")
    expect(back).to_contain_text("sh /run/coalescope-eth9.back")
    advice.get_by_role("button", name="Make it persistent").click()
    advice.get_by_role("combobox", name=re.compile("^System")).select_option("netplan")
    expect(advice.get_by_label("What keeps it")).to_contain_text("/etc/netplan/90-coalescope")

    # the table behind the curve, and the whole question in the address
    advice.get_by_text("All 6 settings").click()
    expect(advice.locator(".settings").get_by_role("row")).to_have_count(7)
    expect(advice.get_by_role("cell", name="violates a limit").first).to_be_visible()
    expect(page).to_have_url(re.compile("goal=trade.*weigh=cpu:0.2.*atleast=throughput_mbps:195"))
    stand_still(page)
    words = answer(page).inner_text()
    page.reload()
    expect(answer(page)).to_have_text(words)
    expect(page.get_by_label("Commands that set it")).to_contain_text("eth9")


def test_what_costs_less_than_the_best_loses_less_than_nothing(page: Page, lab: str) -> None:
    page.goto(f"{lab}?measure=throughput_mbps&goal=cpu&atleast=throughput_mbps:199")
    advice = page.get_by_role("region", name="Recommendation")
    advice.get_by_role("button", name="Goal, limits, curve").click()
    advice.get_by_text("All 6 settings").click()
    slow = advice.locator(".settings").get_by_role("row", name=re.compile("MTU 9000, delay 320"))
    expect(slow).to_contain_text("violates a limit")
    expect(slow.get_by_role("cell").nth(1)).to_have_text("\u221216.7")  # 9.0 against 10.5 s/GB


def test_out_of_the_drivers_range_there_is_nothing_to_copy(page: Page) -> None:
    query = "goal=cpu&workload=tcp&atmost=delay_ticks:5000&advice=apply"
    page.goto(f"/explorer/virtual-testbed?{query}&driver=ixgbe")
    advice = page.get_by_role("region", name="Recommendation")
    expect(advice).to_contain_text("Nothing to copy.")
    expect(advice).to_contain_text("cannot be set")
    expect(advice.get_by_role("button", name="Copy")).to_have_count(0)
    expect(advice).to_contain_text("What does not carry over.")


def test_what_the_data_say_of_the_driver_is_preselected(page: Page) -> None:
    page.goto("/explorer/geist-2005-nfs?atmost=delay_ticks:40&advice=apply")
    advice = page.get_by_role("region", name="Recommendation")
    expect(advice.get_by_label("Driver")).to_have_value("e1000")
    expect(advice.get_by_label("Commands that set it")).to_contain_text("RxAbsIntDelay=10")
    advice.get_by_label("Kernel").select_option("6.1")
    expect(page).to_have_url(re.compile("kernel=6.1"))


def test_the_band_has_its_room_before_it_comes(page: Page) -> None:
    """The surface stands where it stood; the answer is whole on the first screen."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    for width, height in ((1366, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        held.clear()
        page.route("**/recommendations", hold)
        page.goto("/explorer/geist-2005-nfs")
        eventually(page, lambda: len(held) == 1)
        before = page.locator(".duet").bounding_box()
        held[0].continue_()
        expect(answer(page)).to_contain_text("How long may a packet wait?")
        stand_still(page)
        assert page.locator(".duet").bounding_box() == before
        page.unroute("**/recommendations")
        band = page.locator(".advicehead").bounding_box()
        assert band
        assert band["y"] + band["height"] <= height
        for button in page.locator(".inshort button").all():
            box = button.bounding_box()
            assert box
            assert box["y"] + box["height"] <= band["y"] + band["height"]


# The largest room between two of the things that are said, one below the other.
WIDEST_GAP_PX = """() => {
  const parts = [...document.querySelectorAll('.advicehead > *')].map((part) => {
    const words = document.createRange();
    words.selectNodeContents(part);
    return words.getBoundingClientRect();
  }).filter(({ height }) => height > 0);
  return Math.max(...parts.slice(1).map((part, k) => part.top - parts[k].bottom));
}"""


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_what_is_said_of_each_shipped_experiment_is_whole_on_the_first_screen(
    page: Page, console: Console, server: Server, width: int, height: int
) -> None:
    console.expected.append("422")  # no recommendation
    page.set_viewport_size({"width": width, "height": height})
    listed = page.request.get(f"{server.url}/api/experiments").json()
    slugs = [one["slug"] for one in listed if one["kind"] != "measured"]
    assert len(slugs) >= 8
    heights = {}
    for slug in slugs:
        page.goto(f"/explorer/{slug}")
        stand_still(page)
        expect(answer(page)).to_be_visible()
        expect(page.locator(".advice .awaited")).to_have_count(0)
        band = page.locator(".advicehead").bounding_box()
        assert band
        assert band["y"] + band["height"] <= height, slug
        assert width > 390 or page.evaluate(WIDEST_GAP_PX) <= 16, slug
        heights[slug] = band["height"]
    # the room that is there before anything is said: the longest answer moves nothing either
    assert len(set(heights.values())) == 1, heights


def test_a_profile_is_proposed_where_no_shipped_one_fits(page: Page, server: Server) -> None:
    counted = "elapsed_s,rx_packets,rx_bytes,rx_interrupts,throughput_mbps"
    header = f"workload,mtu_bytes,delay_us,replicate,{counted}"
    rows = [f"udp,1500,{delay},1,2,400000,600000000,80000,2400" for delay in (8, 14, 128)]
    upload(server, "fast", "\n".join([header, *rows]))
    page.goto("/explorer/fast?advice=open&interface=eth7")
    advice = page.get_by_role("region", name="Recommendation")
    advice.get_by_text("Adaptive moderation on this traffic").click()
    expect(advice.locator(".adaptive")).to_contain_text("A profile of")
    expect(advice.locator(".adaptive")).to_contain_text("If the load is twice as high")
    expect(advice.locator(".adaptive code")).to_contain_text("ethtool -C eth7 rx-profile ")


def test_the_papers_advice_for_nfs(page: Page) -> None:
    """Throughput was only plotted: the model answers, says so, and stays at 40 ticks or below."""
    page.goto("/explorer/geist-2005-nfs?goal=throughput&advice=open")
    expect(answer(page)).to_contain_text("As the model “Request and response” predicts, no run")
    found = re.search(r"delay (\d+)\u00a0ticks", answer(page).inner_text())
    assert found and int(found[1]) <= 40
    advice = page.get_by_role("region", name="Recommendation")
    expect(advice).to_contain_text("No run here has throughput: the model “Request and response”")
    advice.get_by_text("All 27 settings").click()
    last = advice.locator(".settings").get_by_role("row").last
    expect(last).to_contain_text("delay 640")


def test_an_answer_is_compared_with_the_default_that_the_data_name(page: Page) -> None:
    page.goto("/explorer/aspm-c-states-2026?advice=open")
    expect(answer(page)).to_contain_text("than at the default, aspm L1, rx usecs 3")
    advice = page.get_by_role("region", name="Recommendation")
    expect(advice.get_by_role("row", name=re.compile("^Power of the processor"))).to_contain_text(
        "+309"
    )
    expect(advice.get_by_label("Compared with")).to_contain_text("the default, aspm L1")


def test_nothing_is_for_choice_where_nobody_sets_what_varies(page: Page) -> None:
    page.goto("/explorer/napi-howto-2002")
    expect(answer(page)).to_contain_text("Nothing here is for choice: frame size says")
    page.goto("/explorer/chase-1999")
    expect(answer(page)).to_contain_text("Not enough to recommend. System CPU is a share of time")
    page.goto("/explorer/dillon-2004")
    offered = page.locator(".inshort").get_by_role("button").first
    expect(offered).to_contain_text("idle CPU 2 → 7")


def is_taken_by_tune(command: str) -> bool:
    """Whether `tune` has all that it asks for, where settings differ in delay."""
    parser = ArgumentParser()
    add_tune_arguments(parser)
    typed = parser.parse_args(shlex.split(command)[2:])
    asked = question_of(typed.goal, typed.under)
    settings: list[Levels] = [{"workload": "tcp", "delay_us": delay} for delay in (0, 25, 100)]
    assert question_of(typed.goal, []).free_waits(settings), "without the limit it would ask"
    return asked.free_waits(settings) == []


def test_what_cannot_be_answered_says_what_to_measure(page: Page) -> None:
    page.goto("/explorer/dillon-2004?workload=iperf&goal=throughput")
    expect(answer(page)).to_contain_text("Not enough to recommend. No run here has throughput")
    expect(answer(page)).to_contain_text("measure it in each setting, three times or more")
    page.goto("/explorer/geist-2005-points?workload=tcp&goal=throughput")
    expect(answer(page)).to_contain_text("No two settings differ in delay alone")
    own = page.locator(".inshort .ownhost")
    expect(own).to_contain_text("coalescope-host tune eth1 --goal throughput --peer root@HOST")
    page.goto("/explorer/geist-2005-points?workload=tcp&goal=cpu")
    assert is_taken_by_tune(own.locator("code").inner_text())
    page.goto("/explorer/geist-2005-nfs?advice=open")
    expect(answer(page)).to_contain_text("How long may a packet wait?")
    expect(page.locator(".ownhost")).to_have_count(0)
    advice = page.locator(".advice")
    expect(advice).to_contain_text("less than half of its maximum at 640")
    expect(page.locator("[data-layer=cells]")).not_to_contain_text("recommended")
    advice.get_by_role("button", name=re.compile("Choose at most 120")).press("Enter")
    expect(answer(page)).to_contain_text(re.compile(r"MTU 4500, delay (80|120)\u00a0ticks"))
    expect(page).to_have_url(re.compile("atmost=delay_ticks:120"))


def test_one_idle_run_leaves_no_choice_and_no_percentage(
    page: Page, console: Console, server: Server
) -> None:
    console.expected.append("422")  # no recommendation
    upload(server, "idle", "mtu_bytes,delay_us,replicate,throughput_mbps\n1500,40,1,0\n")
    page.goto("/explorer/idle?model=link-bound")
    expect(answer(page)).to_have_text(re.compile("One setting leaves no choice. Measure at least"))
    residuals = page.locator(".residuals")
    expect(residuals.get_by_role("row").last).to_contain_text(re.compile("−9.. Mb/s"))
    expect(residuals.locator(".note")).to_have_text("no percentages of 0")
    expect(residuals).not_to_contain_text("%")


def test_a_rate_is_limited_from_below(page: Page, server: Server) -> None:
    """Of a moderation rate the smaller one waits longer: "at most" would bound no wait."""
    runs = [f"{m},{hz},{r},{900 + r}" for m in (1500, 9000) for hz in (2000, 8000) for r in (1, 2)]
    header = "mtu_bytes,moderation_rate_hz,replicate,throughput_mbps"
    upload(server, "rates", "\n".join([header, *runs]))
    page.goto("/explorer/rates?advice=apply")
    advice = page.get_by_role("region", name="Recommendation")
    expect(advice.get_by_label("MTU at most")).to_be_visible()
    advice.get_by_label(re.compile("rate at least$")).select_option("8000")
    expect(page).to_have_url(re.compile("atleast=moderation_rate_hz:8000"))


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_in_it(page: Page, lab: str, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{lab}?goal=trade&advice=apply&driver=e1000e")
    advice = page.get_by_role("region", name="Recommendation")
    expect(advice.get_by_label("Commands that set it")).to_be_visible()
    for unfold in ("All 6 settings", "What these words mean"):
        advice.get_by_text(unfold).click()
    stand_still(page)
    assert axe_complaints(page, ".advice") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_folded_answer_says_what_was_kept_also_beside_offers(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    view = "workload=udp&x=delay_ticks&y=mtu_bytes&within=throughput_mbps:5"
    page.goto(f"/explorer/virtual-testbed?{view}")
    expect(answer(page)).to_contain_text("How long may a packet wait?")
    words = "Guards: throughput within 5\u00a0% of its best"
    guards = page.locator(".inshort .kept", has_text=words)
    expect(guards).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
