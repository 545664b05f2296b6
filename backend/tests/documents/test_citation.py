# SPDX-License-Identifier: Apache-2.0
"""How the project asks to be cited is of this version and these licences."""

import re
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]


@pytest.mark.fault("C15")
def test_the_citation_is_of_this_version_and_its_licences() -> None:
    said = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert said.keys() >= {"cff-version", "message", "title", "authors"}  # what the format asks for
    assert said["version"] == version("coalescope")
    makers = ((ROOT / "driver" / "module" / "main.c").read_text(), (ROOT / "Makefile").read_text())
    named = [re.findall(r"SPDX-License-Identifier: (\S+)", text)[0] for text in makers]
    assert sorted(said["license"]) == sorted(f"{n}-only" if n == "GPL-2.0" else n for n in named)
