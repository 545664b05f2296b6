# SPDX-License-Identifier: Apache-2.0
"""The guest's file system: Debian's busybox, iproute2, ethtool and Python, as an initramfs."""

import os
import shutil
import subprocess
from pathlib import Path

from guest import cpio
from guest.architecture import AMD64, Architecture
from guest.debian import Apt, unpack
from guest.errors import GuestError
from guest.folders import BUILD, made_once

_PACKAGES = (
    "busybox-static",
    "dash",  # busybox's shell prefers its own applets to iproute2
    "iproute2",
    "ethtool",
)
_PYTHON = ("python3.11-minimal", "libpython3.11-stdlib")
# Dependencies of the packages' installation scripts, which do not run here.
_NOT_UNPACKED = ("dpkg_", "tar_", "debconf_", "gcc-12-base_", "readline-common_")
_NOT_NEEDED = (
    "usr/share",
    "usr/lib/x86_64-linux-gnu/gconv",
    "usr/lib/x86_64-linux-gnu/perl-base",
    "usr/lib/python3.11/lib2to3",
    "usr/lib/python3.11/idlelib",
    "usr/lib/python3.11/ensurepip",
    "usr/lib/python3.11/pydoc_data",
    "usr/lib/python3.11/distutils",
    "var",
    "lib/systemd",
)
_PROGRAMS = ("bin", "sbin", "usr/bin", "usr/sbin")
_MOUNT_POINTS = ("dev", "proc", "sys", "tmp", "run", "out", "root", "var", "etc")


def debian_root(build: Path = BUILD, architecture: Architecture = AMD64) -> Path:
    """Return the archive of the guest's file system, made once; Python is in that of AMD64."""
    if architecture != AMD64:
        debian_root(build)  # its busybox says what applets there are

    def make(folder: Path) -> None:
        tree = folder / "tree"
        tree.mkdir()
        of_amd64 = architecture == AMD64
        names = (*_PACKAGES, *(_PYTHON if of_amd64 else ()))
        packages = Apt(build, architecture=architecture).download(names)
        unpack([p for p in packages if not p.name.startswith(_NOT_UNPACKED)], tree)
        for name in _NOT_NEEDED:
            shutil.rmtree(tree / name, ignore_errors=True)
        _add_applets(tree, (tree if of_amd64 else build / "root/tree") / "bin/busybox")
        if of_amd64:
            compile_python(tree, tree / "usr/lib/python3.11")
            (tree / "usr/bin/python3").symlink_to("python3.11")
        _add_configuration(tree)
        with (folder / "root.cpio").open("wb") as output:
            cpio.write(output, cpio.below(tree))

    own = "" if architecture == AMD64 else f"-{architecture.debian}"
    return made_once(build / f"root{own}", make) / "root.cpio"


def compile_python(tree: Path, sources: Path) -> None:
    """Compile a folder of Python for the guest, by the guest's own Python in `tree`.

    The guest is slow, and starts anew each time: it must not compile. Hence -B: what this Python
    imports itself it would otherwise leave compiled for files of now, which the guest's are not.
    """
    libraries = [str(tree / "lib/x86_64-linux-gnu"), str(tree / "usr/lib/x86_64-linux-gnu")]
    done = subprocess.run(
        [
            *(str(tree / "lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"), "--library-path"),
            *(":".join(libraries), str(tree / "usr/bin/python3.11")),
            *("-I", "-B", "-m", "compileall"),
            *("-q", "-j", "1", "--invalidation-mode", "unchecked-hash"),
            *("-s", str(tree), "-p", "/", str(sources)),
        ],
        env={**os.environ, "PYTHONHOME": str(tree / "usr")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise GuestError(f"The guest's Python does not compile {sources}:\n{done.stdout}")


def _add_applets(tree: Path, busybox: Path) -> None:
    """Link the applets that a busybox lists, but not over the programs of other packages."""
    listed = subprocess.run([str(busybox), "--list"], capture_output=True, text=True, check=True)
    present = {path.name for folder in _PROGRAMS for path in (tree / folder).glob("*")}
    for applet in listed.stdout.split():
        if applet not in present:
            (tree / "bin" / applet).symlink_to("busybox")


def _add_configuration(tree: Path) -> None:
    for name in _MOUNT_POINTS:
        (tree / name).mkdir(exist_ok=True)
    (tree / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    with (tree / "etc/passwd").open("a") as file:
        file.write("nobody:x:65534:65534:nobody:/tmp:/bin/sh\n")
    (tree / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
