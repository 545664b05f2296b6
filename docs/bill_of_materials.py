# SPDX-License-Identifier: Apache-2.0
"""What Coalescope is made of: CycloneDX JSON and tables of licences.

Licences of Python packages are those that the installed packages name, so that this runs in the
environment that the lock file made; those of what the zipapp alone brings are read from what
`make host-tools` packed. Versions and hashes are those of the lock files. What the host's programs
are linked with is what `make packages` and `make archive` left in build/.

    python docs/bill_of_materials.py FOLDER
"""

import base64
import json
import re
import sys
from importlib.metadata import distribution, distributions
from pathlib import Path
from typing import Any

_CHECKOUT = Path(__file__).resolve().parents[1]
_PYTHON_LOCKS = ("requirements.lock", "host/zipapp/requirements.lock")
_PACKED = _CHECKOUT / "build/host-tools/content"
_LINKED = ("packages/linked.json", "archive/*/linked.json")
_LINKED_HEAD = "Linked statically into a host's programs; their texts are in its packages:"
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_CLASSIFIER = "License :: OSI Approved :: "
UNKNOWN = "not named"


def python_packages(lock: str) -> list[dict[str, Any]]:
    """Components of a requirements file with hashes."""
    found: list[dict[str, Any]] = []
    for line in lock.splitlines():
        if pinned := _PINNED.match(line):
            name, version = pinned.groups()
            found.append(_component("pypi", name, version, _licence_of(name)))
        # a package has one hash for each of its files: the document's are of the package's files
        for digest in _HASH.findall(line):
            found[-1].setdefault("hashes", []).append({"alg": "SHA-256", "content": digest})
    return found


def page_packages(lock: str) -> list[dict[str, Any]]:
    """Components of a package-lock.json; what only builds or tests the page has scope excluded."""
    found = []
    for path, package in json.loads(lock)["packages"].items():
        if not path or package.get("link"):
            continue
        name = package.get("name") or path.rpartition("node_modules/")[2]
        licence = package.get("license") or UNKNOWN
        component = _component("npm", name, package["version"], licence)
        if package.get("dev") or package.get("devOptional"):
            component["scope"] = "excluded"
        algorithm, _, digest = package.get("integrity", "").partition("-")
        if algorithm == "sha512":
            content = base64.b64decode(digest).hex()
            component["hashes"] = [{"alg": "SHA-512", "content": content}]
        found.append(component)
    return found


def linked_libraries(made: str) -> list[dict[str, Any]]:
    """Components of a linked.json (host/packaging/linked.py): Debian's packages."""
    found = []
    for one in json.loads(made):
        component = _component("deb/debian", one["package"], one["version"], one["licence"])
        reference = f"{component['purl']}?arch={one['architecture']}"
        libraries = {"name": "libraries", "value": ", ".join(one["libraries"])}
        found.append(
            component | {"bom-ref": reference, "purl": reference, "properties": [libraries]}
        )
    return found


def document(components: list[dict[str, Any]], version: str) -> dict[str, Any]:
    """The bill of materials, the same for the same lock files; each package stands in it once."""
    unique = {component["bom-ref"]: component for component in components}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "coalescope",
                "name": "coalescope",
                "version": version,
                "licenses": [{"expression": "Apache-2.0"}],
            }
        },
        "components": [unique[reference] for reference in sorted(unique)],
    }


def licence_table(components: list[dict[str, Any]]) -> str:
    """Packages by licence, as Markdown; those that only build or test are left out."""
    by_licence: dict[str, set[str]] = {}
    for component in components:
        if component.get("scope") != "excluded":
            text = f"{component['name']} {component['version']}"
            by_licence.setdefault(_text(component), set()).add(text)
    rows = [f"| {licence} | {', '.join(sorted(by_licence[licence]))} |" for licence in by_licence]
    return "\n".join(["| licence | packages |", "|---|---|", *sorted(rows)]) + "\n"


def _text(component: dict[str, Any]) -> str:
    licence = component["licenses"][0]
    return str(licence.get("expression") or licence["license"]["name"])


def _component(kind: str, name: str, version: str, licence: str) -> dict[str, Any]:
    reference = f"pkg:{kind}/{name.replace('@', '%40')}@{version}"
    # an SPDX expression has no spaces but around its operators
    is_expression = re.fullmatch(r"[\w.+() -]+", licence) and not re.search(
        r"(?<!AND)(?<!OR)(?<!WITH) (?!AND|OR|WITH)", licence
    )
    named = {"expression": licence} if is_expression else {"license": {"name": licence}}
    return {
        "type": "library",
        "bom-ref": reference,
        "name": name,
        "version": version,
        "purl": reference,
        "licenses": [named],
    }


def _licence_of(name: str) -> str:
    found = next(iter(distributions(name=name, path=[*sys.path, str(_PACKED)])), None)
    if found is None:  # of another platform
        return UNKNOWN
    metadata = found.metadata
    if "License-Expression" in metadata:
        return metadata["License-Expression"]
    classifiers = metadata.get_all("Classifier") or []
    named = [c.removeprefix(_CLASSIFIER) for c in classifiers if c.startswith(_CLASSIFIER)]
    given = metadata.get_all("License") or [""]
    first = given[0].strip().partition("\n")[0]
    return " and ".join(named) or first or UNKNOWN


def main(folder: Path) -> None:
    """Write bom.json and licences.md into the folder."""
    locks = ((_CHECKOUT / name).read_text(encoding="utf-8") for name in _PYTHON_LOCKS)
    python = [component for lock in locks for component in python_packages(lock)]
    page = page_packages((_CHECKOUT / "frontend/package-lock.json").read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    made = [file for pattern in _LINKED for file in sorted((_CHECKOUT / "build").glob(pattern))]
    linked = [one for file in made for one in linked_libraries(file.read_text(encoding="utf-8"))]
    bill = document([*python, *page, *linked], distribution("coalescope").version)
    (folder / "bom.json").write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")
    tables = f"{licence_table([*python, *page])}\n{_LINKED_HEAD}\n\n{licence_table(linked)}"
    (folder / "licences.md").write_text(tables, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
