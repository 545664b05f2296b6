# SPDX-License-Identifier: Apache-2.0
"""The bill of materials names what the lock files pin, all of it and nothing else."""

import json
import re
import runpy
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
BILL = runpy.run_path(str(CHECKOUT / "docs/bill_of_materials.py"))


def test_every_pinned_package_is_in_it_with_its_hashes(tmp_path: Path) -> None:
    subprocess.run(["make", "-s", "-C", str(CHECKOUT), "host-tools"], check=True)
    BILL["main"](tmp_path)
    bill = json.loads((tmp_path / "bom.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    references = [component["bom-ref"] for component in bill["components"]]
    assert len(set(references)) == len(references)
    locks = ("requirements.lock", "host/zipapp/requirements.lock")  # what runs, and what is shipped
    lock = "".join((CHECKOUT / name).read_text() for name in locks)
    pinned = {f"pkg:pypi/{n}@{v}" for n, v in re.findall(r"^([\w.-]+)==([^\s;]+)", lock, re.M)}
    assert pinned == {reference for reference in references if reference.startswith("pkg:pypi/")}
    assert sum(
        len(c["hashes"]) for c in bill["components"] if c["purl"].startswith("pkg:pypi/")
    ) == lock.count("--hash=sha256:")
    assert any(reference.startswith("pkg:npm/react@") for reference in references)
    table, _, _linked = (tmp_path / "licences.md").read_text().partition(BILL["_LINKED_HEAD"])
    assert "numpy" in table and "react " in table
    assert "| MIT |" in next(row for row in table.splitlines() if "tomli " in row)
    # what runs may be used under a licence that asks nothing of Coalescope's own
    for row in table.splitlines():
        assert "GPL" not in row or " OR Apache-2.0" in row


def test_licences_are_expressions_or_names() -> None:
    component = BILL["_component"]
    for text in ("MIT", "(MIT OR Apache-2.0)", "BSD-3-Clause AND MIT"):
        assert component("npm", "a", "1", text)["licenses"] == [{"expression": text}]
    for text in ("BSD License", "MIT License and Python Software Foundation License"):
        assert component("npm", "a", "1", text)["licenses"] == [{"license": {"name": text}}]


def test_a_linked_library_is_named_with_its_package() -> None:
    one = {"package": "libelf-dev", "version": "0.188-2.1", "architecture": "amd64"}
    said = {"licence": "LGPL-3.0-or-later OR GPL-2.0-or-later", "libraries": ["libelf"]}
    (component,) = BILL["linked_libraries"](json.dumps([one | said]))
    assert component["purl"] == "pkg:deb/debian/libelf-dev@0.188-2.1?arch=amd64"
    assert component["licenses"] == [{"expression": said["licence"]}]
    assert component["properties"] == [{"name": "libraries", "value": "libelf"}]
