# SPDX-License-Identifier: Apache-2.0
"""The manual pages in the documents' site: those of `make manual`, as Markdown by mandoc."""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path("commands")
_MAKER = Path(__file__).with_name("manual_pages.py")
_IN_C = sorted((_MAKER.parents[1] / "driver").glob("*/coalescope-*.1"))
_INTRODUCTION = """\
What each command takes, from the commands themselves; `make install` puts the same into a host's
manual. `--help` of each prints it, too.
"""


def pages() -> dict[Path, str]:
    """The text of each page, by its place in the site's sources."""
    if shutil.which("mandoc") is None:
        sys.exit("The reference of commands is made by mandoc: install it (Debian: mandoc).")
    with tempfile.TemporaryDirectory() as made:
        command = [sys.executable, str(_MAKER), made]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  our own
        manual = sorted([*_IN_C, *Path(made).glob("man?/*")], key=lambda path: path.stem)
        found = {FOLDER / f"{path.stem}.md": page(path) for path in manual}
    return found | {FOLDER / "index.md": contents([path.stem for path in found])}


def page(path: Path) -> str:
    """One page of the manual."""
    command = ["mandoc", "-T", "markdown", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  its own
    text = done.stdout
    # between the lines of name and date, which every page has at its ends
    body = "\n".join(text.strip().splitlines()[1:-1])
    return f"# {path.stem}\n\n" + re.sub(r"^(#+ )", r"#\1", body, flags=re.MULTILINE).strip() + "\n"


def contents(names: list[str]) -> str:
    """The list of all pages."""
    listed = "\n".join(names)
    return f"# Commands\n\n{_INTRODUCTION}\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
