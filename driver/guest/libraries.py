# SPDX-License-Identifier: Apache-2.0
"""This machine's Python packages for a guest: the files that a program loads, and no more.

The guest's Python is 3.11, and so must this one be: compiled parts are of one version.
"""

import json
import py_compile
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from guest.errors import GuestError

PLACE = "/srv/python"
LIBRARIES = "/srv/lib"
_NOT_THERE = "libstdc|libgcc_s|libgfortran|libquadmath"
_GUEST_PYTHON = (3, 11)
_LOADED = """
import json, sys
files = [m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None)]
print(json.dumps({"files": files, "path": sys.path}))
"""


def libraries_of(program: str) -> dict[str, bytes]:
    """Run a program here, and return what it loaded beside the standard library.

    Returns path in the guest, below PLACE → content; sources are there compiled as well.
    Errors: GuestError when the program fails.
    """
    if sys.version_info[:2] != _GUEST_PYTHON:
        raise GuestError("The guest's Python is 3.11: only a Python 3.11 has packages for it.")
    done = subprocess.run(
        [sys.executable, "-c", program + _LOADED], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise GuestError(f"The program does not run here:\n{done.stderr}")
    loaded = json.loads(done.stdout.splitlines()[-1])
    roots = _roots(loaded["path"])
    found: dict[str, bytes] = {}
    for path in map(Path, loaded["files"]):
        root = next((root for root in roots if path.is_relative_to(root)), None)
        if root is not None:
            inside = path.relative_to(root)
            found |= _with_compiled(path, f"{PLACE}/{inside.as_posix()}")
            found |= _shared_objects(root, inside.parts[0])
            found |= _libraries(path)
    return found


def _libraries(path: Path) -> dict[str, bytes]:
    """Libraries of this system that a compiled part wants and that the guest does not have."""
    if path.suffix != ".so":
        return {}
    said = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout
    wanted = re.findall(rf"=> (/\S+/(?:{_NOT_THERE})\S*)", said)
    return {f"{LIBRARIES}/{Path(name).name}": Path(name).read_bytes() for name in wanted}


def _roots(path: list[str]) -> list[Path]:
    """Where packages are, the innermost first; not the standard library."""
    standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    roots = {Path(folder) for folder in path if folder and folder not in standard}
    ours = [root for root in roots if root.name != "lib-dynload" and root.is_dir()]
    return sorted(ours, key=lambda root: -len(root.parts))


def _with_compiled(path: Path, place: str) -> dict[str, bytes]:
    found = {place: path.read_bytes()}
    if path.suffix == ".py":
        folder, _, name = place.rpartition("/")
        with tempfile.TemporaryDirectory() as temporary:
            # the guest must not look whether the source is newer: its files have no times
            py_compile.compile(
                str(path),
                cfile=f"{temporary}/compiled",
                dfile=place,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
            tag = sys.implementation.cache_tag
            cached = f"{folder}/__pycache__/{name.removesuffix('.py')}.{tag}.pyc"
            found[cached] = Path(temporary, "compiled").read_bytes()
    return found


def _shared_objects(root: Path, package: str) -> dict[str, bytes]:
    """What wheels carry beside a package for its compiled parts."""
    folder = root / f"{package}.libs"
    files = folder.iterdir() if folder.is_dir() else ()
    return {f"{PLACE}/{folder.name}/{file.name}": file.read_bytes() for file in files}
