# SPDX-License-Identifier: Apache-2.0
"""Builds an rpm of a host's tools from what `make install` puts in place.

python3 host/packaging/red_hat.py TREE DIR

TREE is that of debian.py, and what is said of the package comes from there. Needs rpmbuild; where
it is missing, nothing is built, and stderr says so.
"""

import platform
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from debian import RESTORE, ROOT, TOOLS, VERSION, copied

_DOCUMENTS = f"usr/share/doc/{TOOLS.name}"


def main(tree: Path, folder: Path) -> None:
    """Write the package, and name it."""
    if shutil.which("rpmbuild") is None:
        sys.stderr.write("No rpm is built: rpmbuild is not installed (Debian: apt install rpm)\n")
        return
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{TOOLS.name}-{VERSION}-1.{platform.machine()}.rpm"
    with TemporaryDirectory() as temporary:
        tools = copied(tree, Path(temporary) / "tools")
        shutil.rmtree(tools / "usr/src")  # the module's source: DKMS has another package
        (tools / _DOCUMENTS).mkdir(parents=True, exist_ok=True)
        for document in ("CHANGELOG.md", "LICENSE"):
            shutil.copyfile(ROOT / document, tools / _DOCUMENTS / document)
        specification = Path(temporary) / "coalescope-host.spec"
        specification.write_text(_specification(tools))
        command = ["rpmbuild", "-bb", "--quiet", "--define", f"_topdir {temporary}"]
        command += ["--define", f"_rpmdir {folder.resolve()}", "--define", f"_rpmfilename {name}"]
        done = subprocess.run(
            [*command, str(specification)], capture_output=True, text=True, check=False
        )
    if done.returncode:
        sys.exit(f"rpmbuild ended with {done.returncode}:\n{done.stderr}")
    sys.stdout.write(f"{folder / name}\n")


def _specification(tools: Path) -> str:
    """What rpmbuild makes the package of: files as they are, C library as the programs need it."""
    summary, _, text = TOOLS.control["Description"].partition("\n")
    described = "\n".join(line.strip() for line in text.splitlines())
    files = [f"/{path.relative_to(tools)}" for path in sorted(tools.rglob("*")) if path.is_file()]
    return f"""\
%global debug_package %{{nil}}
%global __os_install_post %{{nil}}
%define _build_id_links none
Name: {TOOLS.name}
Version: {VERSION}
Release: 1
Summary: {summary}
License: {TOOLS.licence}
Requires: python3 >= 3.9
Recommends: iproute, ethtool, iperf3, openssh-clients

%description
{described}

%install
cp -a {tools}/. %{{buildroot}}

%post
if [ "$1" = 1 ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl enable {RESTORE}
fi

%preun
if [ "$1" = 0 ] && [ -d /run/systemd/system ]; then
	systemctl disable {RESTORE}
fi

%files
%defattr(-,root,root,-)
{chr(10).join(files)}
"""


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
