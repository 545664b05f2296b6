# SPDX-License-Identifier: Apache-2.0
"""Take pictures of every page of a running server, light and dark, wide and on a phone.

    python e2e/screenshots.py http://127.0.0.1:8000 OUT

The README's picture is OUT/explorer-light-1440.png.
"""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

PAGES = {
    "home": "/",
    "explorer": "/explorer/geist-2005-nfs",
    "recommend": "/explorer/geist-2005-nfs?goal=throughput&advice=open&driver=e1000",
    "points": "/explorer/geist-2005-points",
    "dillon": "/explorer/dillon-2004",
    "models": "/models",
    "model": "/models/tcp-coalescing-throughput",
    "about": "/models/cpu-overhead-open-loop/about",
    "glossary": "/glossary#delay_us",
    "open-loop": "/models/cpu-overhead-open-loop",
    "figures": "/figures",
    "figure": "/figures/geist-2005-figure-10",
    "surface-figure": "/figures/geist-2005-figure-14",
    "how-it-works": "/how-it-works?at_us=240",
    "workshop": "/workshop?model=cpu-overhead-open-loop",
    "upload": "/upload",
    "runs": "/experiments/geist-2005-nfs/runs",
    "not-found": "/nowhere",
}
SIZES = {1440: 900, 390: 844}
QUIET_MS = 2500


def take(browser: Browser, url: str, out: Path, scheme: str, width: int) -> None:
    """One look, all pages."""
    context = browser.new_context(
        viewport={"width": width, "height": SIZES[width]},
        color_scheme="dark" if scheme == "dark" else "light",
        device_scale_factor=1 if width == 1440 else 2,
        storage_state={
            "origins": [
                {"origin": url, "localStorage": [{"name": "coalescope.tour", "value": "seen"}]}
            ]
        },
    )
    page = context.new_page()
    for name, path in PAGES.items():
        page.goto(url + path)
        page.wait_for_timeout(QUIET_MS)
        page.screenshot(path=out / f"{name}-{scheme}-{width}.png", full_page=width == 390)
    context.close()


def main() -> None:
    """Take all pictures."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    url, out = sys.argv[1].rstrip("/"), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    path = os.environ.get("COALESCOPE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        for scheme in ("light", "dark"):
            for width in SIZES:
                take(browser, url, out, scheme, width)
        browser.close()


if __name__ == "__main__":
    main()
