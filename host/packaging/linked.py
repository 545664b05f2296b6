# SPDX-License-Identifier: Apache-2.0
"""Names the libraries that programs hold, and puts their licences beside the programs.

python3 host/packaging/linked.py TREE BUILD [LIBRARIES]

Reads the linker's maps in BUILD/*/*.map. TREE, that of debian.py, gets the folder of DOCUMENTS;
BUILD gets linked.json, which docs/bill_of_materials.py reads. LIBRARIES is what
arm64_libraries.sh unpacked. Versions and texts are those of Debian's packages: needs dpkg.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

DOCUMENTS = "usr/share/doc/coalescope-host/libraries"
MADE = "linked.json"
LICENCES = {
    "libbpf": "LGPL-2.1-only OR BSD-2-Clause",
    "libc": "LGPL-2.1-or-later",
    "libc_nonshared": "LGPL-2.1-or-later",
    "libelf": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgcc": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc_eh": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libm": "LGPL-2.1-or-later",
    "libmvec": "LGPL-2.1-or-later",
    "libz": "Zlib",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
}
"""Of the library's own code, as SPDX says it; its package's text has the rest."""
_MEMBER = re.compile(r"^(/\S+\.a)\(", re.MULTILINE)  # what a map begins with: members, and for whom
_VERSION = re.compile(r"-\d.*")  # libm-2.36.a
_COMMON = Path("/usr/share/common-licenses")
_COMMON_NAMED = re.compile(rf"{_COMMON}/((?:L?GPL|GFDL|Artistic|BSD|Apache)(?:-\d[\d.]*\d|-\d)?)")
_FIELDS = ("Package", "Version", "Source", "Architecture")
_HEAD = """\
These libraries are linked statically into the programs. Each folder here has what the library's
package says of copyright and licences; licenses/ has the texts that those name.

Their source is that of Debian's source packages of these versions. That of the programs is
Coalescope's, under Apache-2.0: `make archive` links them with other versions of the libraries,
where those are installed.

"""


class Linked(NamedTuple):
    """A package of Debian, and which of its libraries are linked.

    Attributes:
        libraries: names of static libraries, without `.a`.
        licence: of these libraries.
        copyright: the file of the package that says it.
    """

    package: str
    version: str
    source: str
    architecture: str
    libraries: tuple[str, ...]
    licence: str
    copyright: Path


def main(tree: Path, build: Path, unpacked: Path | None) -> None:
    """Write documents and linked.json.

    Errors: KeyError for a library without a licence here; FileNotFoundError without maps.
    """
    maps = [path.read_text() for path in sorted(build.glob("*/*.map"))]
    files = {Path(name).resolve() for text in maps for name in _MEMBER.findall(text)}
    if not files:
        raise FileNotFoundError(f"no map in {build} names a library: build the programs anew")
    linked = sorted(_packages(files, unpacked))
    folder = tree / DOCUMENTS
    _write_documents(linked, folder)
    known = [{**one._asdict(), "copyright": one.copyright.name} for one in linked]
    (build / MADE).write_text(json.dumps(known, indent=1) + "\n")


def _packages(files: Iterable[Path], unpacked: Path | None) -> list[Linked]:
    """The packages that brought these libraries."""
    found: dict[tuple[str, ...], set[str]] = {}
    for file in files:
        apart = unpacked is not None and file.is_relative_to(unpacked)
        fields = _fields_of_unpacked(file, unpacked) if apart and unpacked else _fields(file)
        found.setdefault(fields, set()).add(_VERSION.sub("", file.stem))
    return [_linked(fields, sorted(names), unpacked) for fields, names in found.items()]


def _linked(fields: tuple[str, ...], names: list[str], unpacked: Path | None) -> Linked:
    package, version, source, architecture = fields
    (licence,) = {LICENCES[name] for name in names}
    roots = [root for root in (unpacked, Path("/")) if root is not None]
    places = [root / "usr/share/doc" / package / "copyright" for root in roots]
    copyright_ = next(place for place in places if place.exists())
    return Linked(package, version, source, architecture, tuple(names), licence, copyright_)


def _fields(file: Path) -> tuple[str, ...]:
    """Of the installed package that has the file."""
    owner = _said("dpkg", "--search", str(file)).partition(": ")[0]
    form = "${Package}\t${Version}\t${source:Package}\t${Architecture}"
    return tuple(_said("dpkg-query", "--show", f"--showformat={form}", owner).split("\t"))


def _fields_of_unpacked(file: Path, unpacked: Path) -> tuple[str, ...]:
    """Of the package file, beside what was unpacked, that has the file."""
    name = f"./{file.relative_to(unpacked)}"
    for package in sorted((unpacked.parent / "packages").glob("*.deb")):
        if any(
            line.split()[5] == name for line in _said("dpkg-deb", "-c", str(package)).splitlines()
        ):
            said = dict(
                line.split(": ", 1)
                for line in _said("dpkg-deb", "-f", str(package), *_FIELDS).splitlines()
            )
            source = said.get("Source", said["Package"]).partition(" ")[0]
            return said["Package"], said["Version"], source, said["Architecture"]
    raise FileNotFoundError(f"{file} is of no package that was unpacked")


def _write_documents(linked: list[Linked], folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "licenses").mkdir(parents=True)
    rows = []
    for one in linked:
        text = one.copyright.read_text()
        (folder / one.package).mkdir()
        (folder / one.package / "copyright").write_text(text)
        for name in _COMMON_NAMED.findall(text):
            shutil.copyfile(_COMMON / name, folder / "licenses" / name)
        libraries = ", ".join(f"{name}.a" for name in one.libraries)
        rows.append(
            f"{libraries}: {one.licence}\n"
            f"    {one.package} {one.version} ({one.architecture}), source package {one.source}\n"
        )
    (folder / "README").write_text(_HEAD + "\n".join(rows))


def _said(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]) if sys.argv[3:] else None)
