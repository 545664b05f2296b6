# SPDX-License-Identifier: Apache-2.0
"""The bill of materials names what the lock files pin, all of it and nothing else."""

import json
import re
import runpy
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
BILL = runpy.run_path(str(CHECKOUT / "docs/bill_of_materials.py"))


def test_every_pinned_package_is_in_it_with_its_hashes(tmp_path: Path) -> None:
    BILL["main"](tmp_path)
    bill = json.loads((tmp_path / "bom.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    references = [component["bom-ref"] for component in bill["components"]]
    assert len(set(references)) == len(references)
    lock = (CHECKOUT / "requirements.lock").read_text()
    pinned = {f"pkg:pypi/{n}@{v}" for n, v in re.findall(r"^([\w.-]+)==([^\s;]+)", lock, re.M)}
    assert pinned == {reference for reference in references if reference.startswith("pkg:pypi/")}
    assert sum(
        len(c["hashes"]) for c in bill["components"] if c["purl"].startswith("pkg:pypi/")
    ) == lock.count("--hash=sha256:")
    assert any(reference.startswith("pkg:npm/react@") for reference in references)
    table = (tmp_path / "licences.md").read_text()
    assert "numpy" in table and "react " in table
    # what runs may be used under a licence that asks nothing of Coalescope's own
    for row in table.splitlines():
        assert "GPL" not in row or " OR Apache-2.0" in row


def test_licences_are_expressions_or_names() -> None:
    component = BILL["_component"]
    for text in ("MIT", "(MIT OR Apache-2.0)", "BSD-3-Clause AND MIT"):
        assert component("npm", "a", "1", text)["licenses"] == [{"expression": text}]
    for text in ("BSD License", "MIT License and Python Software Foundation License"):
        assert component("npm", "a", "1", text)["licenses"] == [{"license": {"name": text}}]
