# SPDX-License-Identifier: Apache-2.0
"""Take pictures of every page of a running server, light and dark, wide and on a phone.

    python e2e/screenshots.py [--first-looks] http://127.0.0.1:8000 OUT

OUT/NAME-SCHEME-WIDTH.png are the pictures, OUT/sheets/NAME.jpg the four of a page on one sheet, as
docs/pages.md shows them. The README's picture is OUT/explorer-light-1440.png. With --first-looks:
every experiment of the server instead, as it opens on a small laptop and on a phone.
"""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path

from lab.chromium import found_chromium
from lab.page_idle import STILL
from playwright.sync_api import Browser, Page, sync_playwright

NFS = "geist-2005-nfs"
PAGES = {
    "home": "/",
    "explorer": f"/explorer/{NFS}",
    "surface": f"/explorer/{NFS}?view=3d",
    "residuals": f"/explorer/{NFS}?view=residuals",
    "recommend": f"/explorer/{NFS}?goal=throughput&advice=open&driver=e1000",
    "emulated": "/explorer/virtual-testbed",
    "points": "/explorer/geist-2005-points",
    "dillon": "/explorer/dillon-2004",
    "embed": f"/embed/explorer/{NFS}?sliders=on",
    "how-it-works": "/how-it-works",
    "models": "/models",
    "model": "/models/tcp-coalescing-throughput",
    "about-a-model": "/models/cpu-overhead/about",
    "glossary": "/glossary",
    "figures": "/figures",
    "figure": "/figures/geist-2005-figure-10",
    "surface-figure": "/figures/geist-2005-figure-14",
    "workshop": "/workshop?model=cpu-overhead-open-loop",
    "compare": "/compare?a=virtual-testbed&a.workload=udp&b=virtual-testbed&b.workload=tcp",
    "upload": "/upload",
    "open": "/open",
    "runs": f"/experiments/{NFS}/runs",
    "replicates": "/experiments/virtual-testbed/replicates",
    "not-found": "/nowhere",
}
SIZES = {1440: 900, 1366: 768, 390: 844}
WIDTHS, FIRST_LOOK_WIDTHS = (1440, 390), (1366, 390)
LONGEST_MS = 120_000
# A page is settled without its Python, which only checks what is drawn: pictures show that it did,
# where there is a model to check.
CHECKED = """() => {
  const python = document.querySelector('[data-python]');
  const model = document.querySelector('input[type=range]');
  const said = model ? /agree|differs|did not start/ : /ready|did not start/;
  return !python || said.test(python.innerText);
}"""
SHOWN = {1440: 810, 390: 234}
SHEET = (1180, 1000)


def pages_of(page: Page, url: str) -> dict[str, str]:
    """The addresses of all pages, by name; a run's has a number that only the server knows."""
    runs = page.request.get(f"{url}/api/experiments/virtual-testbed/runs?limit=1").json()
    return PAGES | {"run": f"/runs/{runs['runs'][0]['id']}"}


def experiments_of(page: Page, url: str) -> dict[str, str]:
    """The addresses of all experiments, by slug."""
    listed = page.request.get(f"{url}/api/experiments").json()
    return {one["slug"]: f"/explorer/{one['slug']}" for one in listed}


def take(
    browser: Browser, url: str, pages: Mapping[str, str], out: Path, scheme: str, width: int
) -> None:
    """One look, all pages, by somebody who has seen the tour."""
    context = browser.new_context(
        viewport={"width": width, "height": SIZES[width]},
        color_scheme="dark" if scheme == "dark" else "light",
        device_scale_factor=2 if width == 390 else 1,
        reduced_motion="reduce",  # what moves by itself never stands still
        storage_state={
            "origins": [
                {"origin": url, "localStorage": [{"name": "coalescope.tour", "value": "seen"}]}
            ]
        },
    )
    context.set_default_timeout(LONGEST_MS)
    page = context.new_page()
    for name, path in pages.items():
        page.goto(url + path)
        page.evaluate(STILL, LONGEST_MS)
        page.wait_for_function(CHECKED)
        page.screenshot(path=out / f"{name}-{scheme}-{width}.png")
    context.close()


def sheet(page: Page, out: Path, name: str) -> None:
    """The four pictures of a page side by side: wide above each other, phones beside them."""
    pictures = "".join(
        f'<img src="{name}-{scheme}-{width}.png" width="{SHOWN[width]}">'
        for scheme in ("light", "dark")
        for width in WIDTHS
    )
    style = "display:grid;grid-template-columns:auto auto;gap:16px;padding:16px;background:#888"
    made = out / "sheet.html"
    made.write_text(
        f'<body style="margin:0"><div style="{style};width:max-content">{pictures}</div>'
    )
    page.goto(made.resolve().as_uri())
    page.locator("div").screenshot(path=out / "sheets" / f"{name}.jpg", type="jpeg", quality=72)
    made.unlink()


def main() -> None:
    """Take all pictures."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", type=lambda typed: typed.rstrip("/"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--first-looks", action="store_true", help="every experiment, as it opens")
    told = parser.parse_args()
    url, out = told.url, told.out
    (out if told.first_looks else out / "sheets").mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": SHEET[0], "height": SHEET[1]})
        pages = (experiments_of if told.first_looks else pages_of)(page, url)
        for scheme in ("light", "dark"):
            for width in FIRST_LOOK_WIDTHS if told.first_looks else WIDTHS:
                take(browser, url, pages, out, scheme, width)
        for name in () if told.first_looks else pages:
            sheet(page, out, name)
        browser.close()


if __name__ == "__main__":
    main()
