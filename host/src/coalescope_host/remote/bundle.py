# SPDX-License-Identifier: Apache-2.0
"""The host tools as one file that Python runs: what is sent to a peer."""

import functools
import importlib.util
import io
import struct
import zipfile
from pathlib import Path

from ..settings.guard import PACKAGE_ROOT

_COMPILED_HEAD = struct.Struct("<4xIII")
"""PEP 552, after the interpreter's magic number."""
_U32 = 0xFFFFFFFF


@functools.cache
def bundle() -> bytes:
    """This package and pyroute2, zipped; the zipapp itself where it runs from one."""
    if PACKAGE_ROOT.is_file():
        return PACKAGE_ROOT.read_bytes()
    netlink = importlib.util.find_spec("pyroute2")
    assert netlink is not None
    assert netlink.origin is not None
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for package in (PACKAGE_ROOT / "coalescope_host", Path(netlink.origin).parent):
            for path in sorted(package.rglob("*.json")):  # the table of drivers
                archive.write(path, path.relative_to(package.parent))
            for path in sorted(package.rglob("*.py")):
                name = path.relative_to(package.parent)
                archive.write(path, name)
                compiled = Path(importlib.util.cache_from_source(str(path)))
                if _is_of(compiled, path):  # a peer with the same Python need not compile again
                    archive.write(compiled, name.with_suffix(".pyc"))
    return file.getvalue()


def _is_of(compiled: Path, source: Path) -> bool:
    """Whether it was compiled of the source as it is now: its header has flags, time and size."""
    try:
        flags, seconds, size = _COMPILED_HEAD.unpack_from(compiled.read_bytes())
    except (OSError, struct.error):
        return False
    now = source.stat()
    return (flags, seconds, size) == (0, int(now.st_mtime) & _U32, now.st_size & _U32)
