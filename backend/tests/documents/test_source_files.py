# SPDX-License-Identifier: Apache-2.0
"""No source file that people write is too long to be read at once."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MOST_LINES = 400
SOURCES = re.compile(r"\.(py|ts|tsx|c|h)$")
NOT_WRITTEN_AS_SOURCE = re.compile(
    r"(^|/)tests?/|(^|/)test_[^/]*\.py$|\.test\.tsx?$"
    r"|\.d\.ts$"  # made of the API's description
    r"|^frontend/src/features/figures/definitions/"  # data
)
#: To be divided by concern; a file that was divided leaves the list.
NOT_YET_DIVIDED = {
    "docs/published_vs_predicted.py",
    "docs/scored.py",
}


def too_long(root: Path, names: list[str]) -> set[str]:
    """Those of these files that are sources with more lines than are allowed."""
    written = (n for n in names if SOURCES.search(n) and not NOT_WRITTEN_AS_SOURCE.search(n))
    return {
        name
        for name in written
        if (root / name).is_file() and (root / name).read_bytes().count(b"\n") > MOST_LINES
    }


def test_no_source_file_is_too_long() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: what belongs to the project is not known")
    command = ["git", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found = too_long(ROOT, listed.split("\0"))
    new, divided = sorted(found - NOT_YET_DIVIDED), sorted(NOT_YET_DIVIDED - found)
    assert not new, f"More than {MOST_LINES} lines; divide by concern: {', '.join(new)}"
    assert not divided, f"Divided: take it off NOT_YET_DIVIDED: {', '.join(divided)}"


def test_what_is_counted(tmp_path: Path) -> None:
    long, short = "x\n" * (MOST_LINES + 1), "x\n" * MOST_LINES
    files = {"a.py": long, "b.tsx": long, "c.py": short, "tests/d.py": long, "e.test.ts": long}
    files |= {"api/schema.d.ts": long, "f.md": long, "g/test_h.py": long}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert too_long(tmp_path, list(files)) == {"a.py", "b.tsx"}
