# SPDX-License-Identifier: Apache-2.0
"""The module builds without a warning of W=1 and of sparse; and both would say something."""

import re
from pathlib import Path

import pytest
from guest.debian import Apt, unpack
from guest.folders import BUILD, HERE, alone, made_once
from guest.kernel import debian_kernel
from guest.versions import VERSIONS

pytestmark = pytest.mark.guest  # needs no guest, but the kernel's headers as the guests do

MODULES = {"coalescope": HERE.parent / "module", "wire": HERE.parent / "testbed/module"}
INCLUDE = HERE.parent / "include"
LOCKS_BY_SPARSE = re.compile(r"6\.")
"""Linux 7 left to clang what sparse said of locks that are not given back."""
PLANTED = """#include <linux/module.h>
#include <linux/spinlock.h>
MODULE_LICENSE("GPL");
int coalescope_planted;
int coalescope_plant(void)
{
	return 0;
}
static DEFINE_RAW_SPINLOCK(planted_lock);
void coalescope_plant_lock(void);
void coalescope_plant_lock(void)
{
	raw_spin_lock(&planted_lock);
}
"""


@pytest.fixture(
    scope="module",
    params=VERSIONS,
)
def kernel(request):
    with alone():
        return debian_kernel(request.param)


@pytest.fixture(scope="module")
def sparse(kernel):
    """Of the kernel's own release; Debian 12's is unpacked beside the system."""
    if kernel.toolchain:
        return "/usr/bin/sparse"
    with alone():
        folder = made_once(
            BUILD / "sparse", lambda folder: unpack(Apt(BUILD).download_only(["sparse"]), folder)
        )
    return str(folder / "usr/bin/sparse")


@pytest.fixture
def warnings_of(kernel, sparse):
    """Debian's headers lack the script that asks whether sparse is there: without KBUILD_CHECKSRC
    given as well, sparse is left out, with a message and no error."""

    def build(folder):
        asked = ("W=1", "C=2", "KBUILD_CHECKSRC=2", f"CHECK={sparse}", "V=1")
        known = f"CF=-include {Path(__file__).with_name('for_sparse.h')}"
        said = kernel.make(folder, *asked, known, f"COALESCOPE_INCLUDE={INCLUDE}")
        checked = re.findall(rf"^.*{re.escape(sparse)} -.* (?:\S*/)?(\w+)\.c$", said, re.MULTILINE)
        own = [path for path in folder.glob("*.c") if not path.name.endswith(".mod.c")]
        built = {path.stem for path in own if path.with_suffix(".o").exists()}
        assert built
        assert set(checked) >= built, "sparse did not run"
        return [line for line in said.splitlines() if re.search(r"\b(warning|error):", line)]

    return build


def sources(module, folder):
    folder.mkdir()
    for path in MODULES[module].iterdir():
        if path.suffix in (".c", ".h") or path.name == "Kbuild":
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.mark.fault("F3")
@pytest.mark.parametrize("module", MODULES)
def test_it_builds_without_warnings(module, warnings_of, tmp_path):
    assert warnings_of(sources(module, tmp_path / module)) == []


@pytest.mark.fault("F5")
def test_the_compiler_and_sparse_would_warn(kernel, warnings_of, tmp_path):
    """In a file that is built as the module's own are."""
    folder = sources("coalescope", tmp_path / "planted")
    kbuild = folder / "Kbuild"
    kbuild.write_text(f"{kbuild.read_text()}coalescope-y := planted.o\n")
    (folder / "planted.c").write_text(PLANTED)
    found = "\n".join(warnings_of(folder))
    assert "no previous prototype for" in found  # gcc, W=1
    assert "'coalescope_planted' was not declared. Should it be static?" in found  # sparse
    if LOCKS_BY_SPARSE.match(kernel.abi):
        assert "context imbalance in 'coalescope_plant_lock'" in found
