# SPDX-License-Identifier: Apache-2.0
"""The manuals can be read in a terminal, and in parts."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST_LINE = 100
BY_HAND = (
    "CONTRIBUTING.md",
    "README.md",
    "benchmarks/README.md",
    "docs/architecture.md",
    "docs/ci.md",
    "docs/kernel-module.md",
    "docs/operation.md",
    "docs/scaling.md",
    "docs/sharing.md",
    "docs/soak.md",
    "docs/sweep.md",
    "docs/upgrading.md",
    "driver/logger/bpf/README.md",
)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


@pytest.mark.fault("D6")
@pytest.mark.parametrize("name", BY_HAND)
def test_lines_fit_a_terminal(name: str) -> None:
    lines = CODE.sub("", (ROOT / name).read_text()).splitlines()
    prose = [line for line in lines if not line.startswith(("|", "![")) and " " in line.strip()]
    assert [
        line for line in prose if len(line) > LONGEST_LINE and "`sudo apt-get" not in line
    ] == []


@pytest.mark.fault("D6")
@pytest.mark.parametrize("name", ["docs/operation.md", "docs/sweep.md"])
def test_a_long_manual_begins_with_its_contents(name: str) -> None:
    text = CODE.sub("", (ROOT / name).read_text())
    contents, _, rest = text.partition("\n## ")
    titles = re.findall(r"^## (.+)$", "## " + rest, re.MULTILINE)
    anchors = [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles]
    assert [anchor for anchor in anchors if f"(#{anchor})" not in contents] == []
