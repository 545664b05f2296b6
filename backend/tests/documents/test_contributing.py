# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING.md names the files that `make client` writes, and `make lint` compares the same."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_generated_files_are_named_and_compared() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    written = set(re.findall(r"\$\(call replaced,([^,$]+),", makefile))
    compared = re.search(r"git diff --exit-code -- (.*) \\\n", makefile)
    assert compared is not None
    assert set(compared[1].split()) == written
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    row = text.partition("- **Generated files**")[2].partition("\n- **")[0]
    assert set(re.findall(r"`([\w./-]+/[\w.-]+)`", row)) == written
