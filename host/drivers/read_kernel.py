# SPDX-License-Identifier: Apache-2.0
"""Write drivers.json from Debian's packages of kernel sources.

    apt-get download linux-source-6.1 linux-source-6.12
    python host/drivers/read_kernel.py linux-source-6.1_*.deb linux-source-6.12_*.deb >
        host/src/coalescope_host/drivers/drivers.json

facts.toml says which files are read and what for. Of the kernel, numbers, names and places are
kept, no code.
"""

import ast
import io
import json
import operator
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coalescope_host.plan.registry import SETTINGS

FACTS = Path(__file__).with_name("facts.toml")
_ABOUT = ("about", "folder", "operations", "aliases")
_ETHTOOL = "include/linux/ethtool.h"
_PACKAGE = re.compile(r"linux-source-(\d+\.\d+)_([^_]+)_all\.deb\Z")
_DEFINE = re.compile(r"^#\s*define\s+(\w+)(?:\((\w+)\))?[ \t]+(.*)$")
_SUPPORTED = re.compile(r"\.supported_coalesce_params\s*=\s*([^,]+),")
_COMMENT = re.compile(r"/\*.*?\*/|//.*|/\*.*", re.DOTALL)
_NUMBER = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)(?:[uU]?[lL]{0,2})\b")
_OPERATIONS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.RShift: operator.rshift,
    ast.LShift: operator.lshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}
_LIMITS = {"U16_MAX": "65535"}


class UnknownError(Exception):
    """A release does not say it."""


@dataclass(frozen=True)
class Source:
    """Files of one kernel release: path → text."""

    release: str
    version: str
    files: Mapping[str, str]

    def place(self, path: str, text: str) -> str:
        """Where a text stands first, as path:line. UnknownError where it does not."""
        for number, line in enumerate(self.files.get(path, "").splitlines(), 1):
            if text in line:
                return f"{path}:{number}"
        raise UnknownError(f"{path} has no {text!r}")

    def define(self, paths: Sequence[str], name: str) -> tuple[str, str]:
        """A macro without arguments: its text, and where it stands."""
        for path in paths:
            lines = self.files.get(path, "").splitlines()
            for number, line in enumerate(lines, 1):
                found = _DEFINE.match(line)
                if found and found[1] == name and found[2] is None:
                    text, last = found[3], number
                    while text.endswith("\\"):
                        text = text[:-1] + lines[last]
                        last += 1
                    return _COMMENT.sub("", text).strip(), f"{path}:{number}"
        raise UnknownError(f"{name} is in none of {', '.join(paths)}")

    def number(self, paths: Sequence[str], text: str) -> int:
        """The value of an expression of numbers, macros, BIT() and GENMASK()."""
        plain = _NUMBER.sub(lambda match: str(int(match[1], 0)), text)
        return self._value(paths, ast.parse(plain, mode="eval").body)

    def _value(self, paths: Sequence[str], node: ast.expr) -> int:
        def value(part: ast.expr) -> int:
            return self._value(paths, part)

        match node:
            case ast.Constant(value=int() as found):
                return found
            case ast.Name(id=name):
                return self.number(paths, _LIMITS.get(name) or self.define(paths, name)[0])
            case ast.Call(func=ast.Name(id="BIT"), args=[bit]):
                return 1 << value(bit)
            case ast.Call(func=ast.Name(id="GENMASK"), args=[high, low]):
                return (1 << value(high) + 1) - (1 << value(low))
            case ast.BinOp(left=left, op=operation, right=right):
                return _OPERATIONS[type(operation)](value(left), value(right))
        raise UnknownError(f"{ast.unparse(node)} is no number")


def read_package(package: Path, wanted: set[str]) -> Source:
    """Take the wanted files out of a linux-source package of Debian."""
    named = _PACKAGE.search(package.name)
    if named is None:
        raise SystemExit(f"{package.name} is not named linux-source-RELEASE_VERSION_all.deb")
    content = subprocess.run(  # noqa: S603
        ["dpkg-deb", "--fsys-tarfile", package],  # noqa: S607
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(content)) as outer:
        inner = next(m for m in outer if re.search(r"linux-source-[\d.]+\.tar\.xz$", m.name))
        compressed = outer.extractfile(inner)
        assert compressed is not None
        with tarfile.open(fileobj=compressed, mode="r|xz") as tree:
            files = dict(_texts(tree, wanted))
    return Source(named[1], named[2], files)


def _texts(tree: tarfile.TarFile, wanted: set[str]) -> Iterator[tuple[str, str]]:
    for member in tree:
        path = member.name.removeprefix("./").partition("/")[2]
        file = tree.extractfile(member) if path in wanted else None
        if file is not None:
            yield path, file.read().decode("utf-8", "replace")


def _paths(driver: Mapping[str, Any], named: str | Sequence[str]) -> list[str]:
    names = [named] if isinstance(named, str) else named
    return [n.removeprefix("/") if n.startswith("/") else f"{driver['folder']}/{n}" for n in names]


def wanted_files(facts: Mapping[str, Mapping[str, Any]]) -> set[str]:
    """All files that the facts are read from."""
    found = {_ETHTOOL}
    for driver in facts.values():
        found |= set(_paths(driver, driver["operations"]))
        for fact in driver.values():
            if isinstance(fact, dict):
                found |= set(_paths(driver, fact["in"]))
    return found


def _words(source: Source) -> dict[int, str]:
    """The bit of each coalescing parameter → ethtool's word for it."""
    found = {}
    for row in SETTINGS:
        if row.group == "coalescing":
            name = row.attribute.replace("USE_CQE_MODE_", "USE_CQE_")
            try:
                bit = source.number([_ETHTOOL], f"ETHTOOL_COALESCE_{name}")
            except UnknownError:
                continue  # younger than this release
            found[bit] = row.word
    return found


def _parameters(source: Source, driver: Mapping[str, Any]) -> dict[str, Any]:
    """What the driver says it supports, by ethtool's words."""
    (path,) = _paths(driver, driver["operations"])
    text = source.files.get(path)
    if text is None:
        raise UnknownError(f"{path} is not in this release")
    masks = [(m.start(), m[1]) for m in _SUPPORTED.finditer(text)]
    words = _words(source)
    values = {source.number([path, _ETHTOOL], " ".join(mask.split())) for _, mask in masks}
    if not masks:
        return {"value": [], "at": path, "by": "script"}
    if len(values) > 1:
        raise UnknownError(f"{path} has several kinds of devices with other parameters")
    mask = values.pop()
    line = text.count("\n", 0, masks[0][0]) + 1
    listed = [word for bit, word in sorted(words.items()) if mask & bit]
    return {"value": listed, "at": f"{path}:{line}", "by": "script"}


def _fact(source: Source, driver: Mapping[str, Any], fact: Mapping[str, Any]) -> dict[str, Any]:
    paths = _paths(driver, fact["in"])
    if "find" in fact:
        return {"value": fact["value"], "at": source.place(paths[0], fact["find"]), "by": "hand"}
    name = re.search(r"\b[A-Z]\w+\b", fact["value"])
    assert name is not None
    value = source.number(paths, fact["value"])
    return {"value": value, "at": source.define(paths, name[0])[1], "by": "script"}


def facts_of(source: Source, driver: Mapping[str, Any]) -> dict[str, Any] | None:
    """All that this release says of a driver; None where it has no such driver."""
    try:
        parameters = _parameters(source, driver)
    except UnknownError:
        return None
    found = {"parameters": parameters}
    if not parameters["value"]:
        return found
    for name, fact in driver.items():
        if name not in _ABOUT:
            try:
                found[name] = _fact(source, driver, fact)
            except UnknownError:
                continue  # not known of this release
    return found


def table(sources: Sequence[Source], facts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The whole table."""
    drivers = {}
    for name, driver in facts.items():
        kernels = {s.release: found for s in sources if (found := facts_of(s, driver)) is not None}
        about = {"about": driver["about"], "aliases": driver.get("aliases", [])}
        drivers[name] = {**about, "kernels": kernels}
    releases = {s.release: f"linux-source-{s.release} {s.version}, Debian" for s in sources}
    return {"releases": releases, "drivers": drivers}


def text_of(found: Mapping[str, Any]) -> str:
    """The table as JSON, a fact a line."""
    lines = ["{", f' "releases": {json.dumps(found["releases"])},', ' "drivers": {']
    drivers = []
    for name, driver in found["drivers"].items():
        kernels = []
        for release, facts in driver["kernels"].items():
            rows = ",\n".join(
                f"    {json.dumps(fact)}: {json.dumps(told, ensure_ascii=False)}"
                for fact, told in facts.items()
            )
            kernels.append(f"   {json.dumps(release)}: {{\n{rows}\n   }}")
        head = f'  {json.dumps(name)}: {{"about": {json.dumps(driver["about"])}, '
        head += f'"aliases": {json.dumps(driver["aliases"])}, "kernels": {{\n'
        drivers.append(head + ",\n".join(kernels) + "\n  }}")
    return "\n".join([*lines, ",\n".join(drivers), " }", "}", ""])


def main(packages: Sequence[str]) -> int:
    """Write the table of these packages to standard output; return the exit status."""
    if not packages:
        sys.stderr.write(__doc__ or "")
        return 2
    facts = tomllib.loads(FACTS.read_text(encoding="utf-8"))
    sources = [read_package(Path(package), wanted_files(facts)) for package in packages]
    sources.sort(key=lambda source: tuple(map(int, source.release.split("."))))
    sys.stdout.write(text_of(table(sources, facts)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
