# SPDX-License-Identifier: Apache-2.0
"""Which Chromium is driven: by the browser tests, the benchmarks and whoever takes pictures."""

import os
import shutil


def found_chromium() -> str | None:
    """The one that is asked for; else the one without a window, which draws with less."""
    asked = os.environ.get("COALESCOPE_CHROMIUM")
    return asked or shutil.which("chromium-headless-shell") or shutil.which("chromium")
