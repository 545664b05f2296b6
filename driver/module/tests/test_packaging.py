# SPDX-License-Identifier: Apache-2.0
"""What docs/kernel-module.md lets somebody type to install the module, for a kernel of Debian's.

That kernel does not run here, and its folders are of the tests' own: `apt-get` is asked only
whether there are such packages, and `modprobe` says what it would load.
"""

import os
import re
import shutil
from pathlib import Path

import pytest
from guest.folders import HERE
from manuals import ROOT, fence, typed

pytestmark = pytest.mark.guest  # needs no guest, but the kernel's headers as the guests do

MODULE = HERE.parent / "module"
FOR_ONE_KERNEL = fence("docs/kernel-module.md", "make -C driver/module install")
WITH_DKMS = fence("docs/kernel-module.md", "make -C driver/module dkms")
SIGNED = fence("docs/kernel-module.md", "openssl req")


def dkms_conf():
    text = (MODULE / "dkms.conf").read_text()
    return dict(re.findall(r'^([A-Z_]+(?:\[0\])?)="(.*)"$', text, re.MULTILINE))


def type_(text, folder, **programs):
    """Type it at the checkout's root, with these shell scripts in the place of programs."""
    (folder / "bin").mkdir(exist_ok=True)
    for name, script in programs.items():
        program = folder / "bin" / name.replace("_", "-")
        program.write_text(f"#!/bin/sh\nset -e\n{script}\n")
        program.chmod(0o755)
    if not (folder / "driver").exists():
        (folder / "driver").symlink_to(ROOT / "driver")
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}:/usr/sbin:/sbin"}
    return typed(text, folder, environment)


APT_GET = 'test "$1" = install; shift; apt-cache show "$@" >/dev/null'


def test_it_is_installed_for_one_kernel(kernel, tmp_path):
    modules = tmp_path / "lib/modules" / kernel.abi
    modules.mkdir(parents=True)
    for name in ("modules.order", "modules.builtin"):
        shutil.copy(kernel.modules / name, modules)
    make = f"KERNEL={kernel.headers} OUT={tmp_path}/built INSTALL_MOD_PATH={tmp_path}"
    kmod = shutil.which("depmod", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    said = type_(
        FOR_ONE_KERNEL,
        tmp_path,
        apt_get=APT_GET,
        make=f'exec {shutil.which("make")} -s "$@" {make}',
        depmod=f'exec {kmod} "$@" -b {tmp_path} {kernel.abi}',
        modprobe=f"exec {Path(kmod).with_name('modprobe')} -d {tmp_path} -S {kernel.abi} -nD $1",
    )
    (found,) = modules.rglob("coalescope.ko*")
    assert str(found) in said.splitlines()[-1]


def test_it_is_built_by_dkms(kernel, tmp_path):
    """Of the tree that it lays out, with DKMS's own words in dkms.conf."""
    conf = dkms_conf()
    name, version = conf["PACKAGE_NAME"], conf["PACKAGE_VERSION"]
    tree = tmp_path / "usr/src" / f"{name}-{version}"
    command = conf["MAKE[0]"].replace("$kernel_source_dir", str(kernel.headers))
    type_(
        WITH_DKMS,
        tmp_path,
        apt_get=APT_GET,
        make=f'exec {shutil.which("make")} -s "$@" DESTDIR={tmp_path}',
        dkms=f'test "$*" = "install {name}/{version}"; cd {tree}; PATH=${{PATH#*:}}; {command}',
        modprobe=f"test $1 = {conf['BUILT_MODULE_NAME[0]']}",
    )
    described = (tree / f"{conf['BUILT_MODULE_NAME[0]']}.ko").read_bytes()
    assert f"\0version={version}\0".encode() in described
    assert b"\0license=GPL\0" in described


def test_it_is_signed_by_hand(kernel, tmp_path):
    module = tmp_path / "driver/module/coalescope.ko"
    module.parent.mkdir(parents=True)
    module.write_bytes(b"a module")
    headers = "/usr/src/linux-headers-$(uname -r)"
    assert headers in SIGNED
    type_(SIGNED.replace(headers, str(kernel.headers)), tmp_path)
    assert module.read_bytes().startswith(b"a module")
    assert module.read_bytes().endswith(b"~Module signature appended~\n")
