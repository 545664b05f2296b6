# SPDX-License-Identifier: Apache-2.0
"""What DKMS gets: a source tree that builds by itself, with the module's own version."""

import re
import subprocess

import pytest
from guest.folders import HERE

pytestmark = pytest.mark.guest  # needs no guest, but the kernel's headers as the guests do

MODULE = HERE.parent / "module"


def dkms_conf():
    text = (MODULE / "dkms.conf").read_text()
    return dict(re.findall(r'^([A-Z_]+(?:\[0\])?)="(.*)"$', text, re.MULTILINE))


def test_the_source_tree_for_dkms_builds_by_itself(kernel, tmp_path):
    conf = dkms_conf()
    subprocess.run(["make", "-s", "-C", str(MODULE), "dkms", f"DESTDIR={tmp_path}"], check=True)
    tree = tmp_path / "usr/src" / f"{conf['PACKAGE_NAME']}-{conf['PACKAGE_VERSION']}"
    command = conf["MAKE[0]"].replace("$kernel_source_dir", str(kernel.headers))
    done = subprocess.run(
        ["sh", "-c", command], cwd=tree, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    built = tree / f"{conf['BUILT_MODULE_NAME[0]']}.ko"
    described = built.read_bytes()
    assert f"\0version={conf['PACKAGE_VERSION']}\0".encode() in described
    assert b"\0license=GPL\0" in described
