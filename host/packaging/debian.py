# SPDX-License-Identifier: Apache-2.0
"""Builds Debian packages of a host's tools from what `make install` puts in place.

python3 host/packaging/debian.py TREE DIR

TREE has usr/ as it is to be on a host: programs, manual pages, completion, and usr/src/ with the
module's source for DKMS. DIR gets two packages. Needs dpkg-deb and readelf.
"""

import gzip
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from linked import DOCUMENTS as LIBRARIES

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VERSION = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]["version"]
MAINTAINER = "Coalescope maintainers <maintainers@coalescope.invalid>"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_MODULE = f"usr/src/coalescope-{VERSION}"
RESTORE = "coalescope-host-restore.service"
_READABLE, _EXECUTABLE = 0o644, 0o755


class Package(NamedTuple):
    """A package, but for its files.

    Attributes:
        control: members of the control file beside version and maintainer.
        scripts: text of the maintainer scripts by their names.
        licence: the licence of all in it, and the file of the repository that has its text.
    """

    control: Mapping[str, str]
    scripts: Mapping[str, str]
    licence: str

    @property
    def name(self) -> str:
        """As it is asked of apt."""
        return self.control["Package"]


TOOLS = Package(
    {
        "Package": "coalescope-host",
        "Architecture": _ARCHITECTURES.get(platform.machine(), platform.machine()),
        "Section": "net",
        "Depends": "python3 (>= 3.9)",
        "Recommends": "iproute2, ethtool, iperf3, openssh-client",
        "Suggests": "coalescope-dkms",
        "Description": "measure what MTU and interrupt coalescing do to this machine\n"
        " coalescope-host sweeps settings of an interface and puts them back,\n"
        " coalescope-logger records its counters while a workload runs, and\n"
        " coalescope-traffic makes traffic. What they record is shown by coalescope.",
    },
    {
        "postinst": f"""#!/bin/sh
set -e
if [ "$1" = configure ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl enable {RESTORE}
fi
""",
        "prerm": f"""#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl disable {RESTORE}
fi
""",
    },
    "Apache-2.0",
)
MODULE = Package(
    {
        "Package": "coalescope-dkms",
        "Architecture": "all",
        "Section": "kernel",
        "Depends": "dkms (>= 2.8), make, gcc",
        "Recommends": "coalescope-host, linux-headers-generic | linux-headers-amd64",
        "Description": "snapshots of all counters of an interface at one instant (module)\n"
        " The kernel module that coalescope-logger prefers, as source that DKMS\n"
        " builds for each kernel with headers.",
    },
    {
        "postinst": f"""#!/bin/sh
set -e
if [ "$1" = configure ]; then
	dkms status -m coalescope -v {VERSION} | grep -q . || dkms add -m coalescope -v {VERSION}
	log=/var/lib/dkms/coalescope/{VERSION}/build/make.log
	for headers in /lib/modules/*/build; do
		[ -e "$headers/Makefile" ] || continue
		kernel=${{headers#/lib/modules/}}
		kernel=${{kernel%/build}}
		dkms install -m coalescope -v {VERSION} -k "$kernel" || \\
			echo "coalescope is not built for $kernel: see $log" >&2
	done
fi
""",
        "prerm": f"""#!/bin/sh
set -e
if dkms status -m coalescope -v {VERSION} | grep -q .; then
	dkms remove -m coalescope -v {VERSION} --all
fi
""",
    },
    "GPL-2.0",
)


def main(tree: Path, folder: Path) -> None:
    """Write the packages, and name them."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as temporary:
        module = Path(temporary) / "module"
        tools = copied(tree, Path(temporary) / "tools")
        (module / _MODULE).parent.mkdir(parents=True)
        shutil.move(tools / _MODULE, module / _MODULE)
        shutil.rmtree(tools / "usr/src")
        tools_on = {"Depends": f"{TOOLS.control['Depends']}, libc6 (>= {_glibc(tools)})"}
        made = [
            _package(TOOLS._replace(control={**TOOLS.control, **tools_on}), tools, folder),
            _package(MODULE, module, folder),
        ]
    for file in made:
        sys.stdout.write(f"{file}\n")


def _glibc(tree: Path) -> str:
    """The oldest C library that the programs run with, which is all they may need.

    Errors: ValueError for a program that needs another library.
    """
    programs = [
        file for file in (tree / "usr/bin").iterdir() if file.read_bytes()[:4] == b"\x7fELF"
    ]
    said = subprocess.run(
        ["readelf", "--wide", "--dynamic", "--version-info", *map(str, programs)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C"},
    ).stdout
    others = set(re.findall(r"Shared library: \[(.*?)\]", said)) - {"libc.so.6", "libm.so.6"}
    if others:
        raise ValueError(f"programs need {', '.join(sorted(others))}, which may not be there")
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", said)
    major, minor = max((int(major), int(minor)) for major, minor in versions)
    return f"{major}.{minor}"


def _package(package: Package, tree: Path, folder: Path) -> Path:
    documents = tree / "usr/share/doc" / package.name
    documents.mkdir(parents=True, exist_ok=True)
    _compress(ROOT / "CHANGELOG.md", documents / "changelog.gz")
    linked = f"Linked statically: /{LIBRARIES}/README\n" if (tree / LIBRARIES).exists() else ""
    (documents / "copyright").write_text(_copyright(package.licence, linked))
    installed_kib = sum(file.stat().st_size for file in tree.rglob("*") if file.is_file()) // 1024
    members = {
        **package.control,
        "Version": VERSION,
        "Maintainer": MAINTAINER,
        "Priority": "optional",
        "Installed-Size": str(installed_kib),
    }
    description = members.pop("Description")  # may have lines, so it comes last
    control = tree / "DEBIAN"
    control.mkdir()
    lines = [*(f"{name}: {value}" for name, value in members.items()), ""]
    (control / "control").write_text("\n".join(lines) + f"Description: {description}\n")
    for name, text in package.scripts.items():
        (control / name).write_text(text)
        (control / name).chmod(_EXECUTABLE)
    file = folder / f"{package.name}_{VERSION}_{package.control['Architecture']}.deb"
    built = ["dpkg-deb", "--root-owner-group", "--build", str(tree), str(file)]
    subprocess.run(built, check=True, stdout=subprocess.DEVNULL)
    return file


def copied(tree: Path, to: Path) -> Path:
    """The same files with the modes of packages, manual pages compressed."""
    shutil.copytree(tree, to)
    for path in [to, *to.rglob("*")]:
        executable = path.is_dir() or os.access(path, os.X_OK)
        path.chmod(_EXECUTABLE if executable else _READABLE)
    for page in to.glob("usr/share/man/man*/*.[1-9]"):
        _compress(page, page.with_name(f"{page.name}.gz"))
        page.unlink()
    return to


def _compress(source: Path, to: Path) -> None:
    """Without a time, so that the same source makes the same bytes."""
    to.write_bytes(gzip.compress(source.read_bytes(), mtime=0))
    to.chmod(_READABLE)


def _copyright(licence: str, linked: str) -> str:
    return (
        "Coalescope, copyright the Coalescope maintainers.\n\n"
        f"Licence: {licence}; its full text: /usr/share/common-licenses/{_COMMON[licence]}\n"
        f"{linked}"
    )


_COMMON = {"Apache-2.0": "Apache-2.0", "GPL-2.0": "GPL-2"}


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
