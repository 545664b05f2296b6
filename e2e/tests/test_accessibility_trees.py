# SPDX-License-Identifier: Apache-2.0
"""What a screen reader is told of each page, as it was read once: e2e/trees holds it.

A file for each route of the page, and none besides. Numbers are `#`, as are dates and what names a
run; of a long list stand the first three. `make trees` writes the files anew: read what changes in
them as somebody would who hears it.
"""

import os
import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from .conftest import ROOT, Console, Server, stand_still

pytestmark = pytest.mark.browser

TREES = ROOT / "e2e/trees"
WRITES = os.environ.get("TREES") == "write"
ROUTES = ["frontend/src/app/routes.tsx", "frontend/src/features/embed/EmbedPage.tsx"]
NFS = "geist-2005-nfs"
ANY = "*"
# of each route, an address of what is shipped
ADDRESSES = {
    "/": "/",
    "/explorer/:slug": f"/explorer/{NFS}",
    "/experiments/:slug/runs": f"/experiments/{NFS}/runs",
    "/experiments/:slug/replicates": "/experiments/virtual-testbed/replicates",
    "/compare": "/compare?a=virtual-testbed&a.workload=udp&b=virtual-testbed&b.workload=tcp",
    "/models": "/models",
    "/models/:id": "/models/tcp-coalescing-throughput",
    "/models/:id/about": "/models/cpu-overhead/about",
    "/glossary": "/glossary",
    "/figures": "/figures",
    "/figures/:id": "/figures/geist-2005-figure-10",
    "/how-it-works": "/how-it-works?at_us=240",
    "/open": "/open",
    "/start": "/start",
    "/workshop": "/workshop",
    "/upload": "/upload",
    "/runs/:id": "/runs/{run}",
    "/l/:token": "/l/nothing",
    "/embed/explorer/:slug": f"/embed/explorer/{NFS}?sliders=on",
    "/embed/models/:id": "/embed/models/cpu-overhead",
    "/embed/figures/:id": "/embed/figures/geist-2005-figure-10",
    ANY: "/nowhere",
}
LONGEST = 3


def name_of(route: str) -> str:
    return re.sub(r"\W+", "-", route).strip("-") or {"/": "home", ANY: "not-found"}[route]


def routes() -> set[str]:
    """The page's table of them, without those that only lead on."""
    text = "".join((ROOT / file).read_text() for file in ROUTES)
    named = re.findall(r'<Route path="([^"]+)">(?!\s*<Redirect)', text)
    assert len(named) > 15
    return {*named, ANY}


def test_each_route_has_a_tree_and_each_tree_a_route() -> None:
    assert routes() == set(ADDRESSES)
    assert {path.stem for path in TREES.glob("*.yml")} == {name_of(route) for route in ADDRESSES}


@pytest.fixture(autouse=True)
def refusals(console: Console) -> None:
    console.expected += ["422 (Unprocessable Entity)", "404 (Not Found)"]


def tree_of(page: Page) -> str:
    return page.locator("body").aria_snapshot()


def heard(tree: str) -> Iterator[str]:
    """Its lines, but for addresses and for what is within a picture, which is heard by its name."""
    within = None
    for line in tree.splitlines():
        depth = len(line) - len(line.lstrip())
        if within is not None and depth > within:
            continue
        within = None
        if line.lstrip().startswith("- /url:"):
            continue
        if re.match(r"\s*- '?img ", line):
            within = depth
        yield re.sub(r"^(\s*- '?img \".*?\"'?):.*", r"\1", line)


NUMBER = re.compile(r"[−+]?(?<![\w.])\d[\d.,:]*(?<![.,:])(?![\w⁰¹²³⁴-⁹])")
DATE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
SHORT_RUN = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8}\b")


def without_numbers(line: str) -> str:
    kept = re.split(r"(\[[a-z]+(?:=\d)?\]|10[⁰¹²³⁴-⁹]+)", line)
    masked = "".join(
        part if k % 2 else NUMBER.sub("#", SHORT_RUN.sub("#", DATE.sub("#", part)))
        for k, part in enumerate(kept)
    )
    return re.sub(r"#(?:[ .]#)+", "#", masked)  # thousands stand apart


def cut_short(lines: list[str]) -> Iterator[str]:
    """Of rows, items, options and the like that follow each other, the first three."""
    last: dict[int, str] = {}
    counts: dict[int, int] = {}
    left_out = None
    for line in lines:
        depth = len(line) - len(line.lstrip())
        if left_out is not None and depth > left_out:
            continue
        left_out = None
        role = re.split(r"[ :]", line.lstrip(" -'"), maxsplit=1)[0]
        for deeper in [each for each in last if each > depth]:
            del last[deeper]
        counts[depth] = counts[depth] + 1 if last.get(depth) == role else 1
        last[depth] = role
        if role in {"row", "listitem", "option"} and counts[depth] > LONGEST:
            left_out = depth
            if counts[depth] == LONGEST + 1:
                yield f"{' ' * depth}- … more of the kind"
            continue
        yield line


def read(tree: str) -> str:
    return "\n".join(cut_short([without_numbers(line) for line in heard(tree)])) + "\n"


NAMED = re.compile(r"""- '?([a-z]+) "(.*?)(?<!\\)"(?: \[.*?\])?'?(?:: (.*))?$""")
UNNAMED = re.compile(r"- (button|link|img|slider|checkbox|radio|combobox|textbox|heading)[: ]*$")
HEADING = re.compile(r"- '?heading .*\[level=(\d)\]")
REPEATED = re.compile(r"(\b\w.{11,}\b).*\b\1|\b(\w{3,}) \2(?!\w)")


def complaints(tree: str) -> list[str]:
    """What somebody would stumble over who hears it."""
    found = []
    depth = 0
    for line in heard(tree):
        if heading := HEADING.search(line):
            level = int(heading[1])
            # one that is a page's own comes first, and no level is left out below it
            if level > depth + 1 or (level == 1) != (depth == 0):
                found.append(f"a heading out of order, after level {depth}: {line}")
            depth = level
        if UNNAMED.search(line):
            found.append(f"without a name: {line}")
        if re.search(r"\b10[3-9]\b (?:bytes|B\b|packets|interrupts)", line):
            found.append(f"a power of ten that is heard as a number: {line}")
        if re.search(r"[←→↑↓▸▾]\s*[\"']?$|[\"'][←→↑↓▸▾]", line):
            found.append(f"a decoration: {line}")
        if not (named := NAMED.search(line)):
            continue
        role, name, text = named.groups()
        if role in {"button", "link", "img", "slider", "option"} and REPEATED.search(name):
            found.append(f"said twice: {line}")
        if role in {"button", "link"} and text and re.search(r"[A-Za-z]", text):
            said = text.strip("\"'").casefold()
            if said not in name.casefold():
                found.append(f"seen by another name than is said: {line}")
    return found


@pytest.mark.parametrize("route", ADDRESSES, ids=name_of)
def test_a_page_is_heard_as_it_was_read(page: Page, server: Server, route: str) -> None:
    runs = httpx.get(f"{server.url}/api/experiments/{NFS}/runs?limit=1").json()["runs"]
    page.goto(ADDRESSES[route].format(run=runs[0]["id"]))
    expect(page.locator("h1").first).to_be_visible()
    stand_still(page)
    file = TREES / f"{name_of(route)}.yml"
    if WRITES:
        file.write_text(read(tree_of(page)))
    assert complaints(tree_of(page)) == []
    # a part that comes late is waited for; what differs then is shown
    for _ in range(20):
        if read(tree_of(page)) == file.read_text():
            break
        page.wait_for_timeout(100)
    assert read(tree_of(page)) == file.read_text()
