# SPDX-License-Identifier: Apache-2.0
"""The host tools as one file that Python runs: what is sent to a peer."""

import functools
import importlib.util
import io
import zipfile
from pathlib import Path

from ..settings.guard import PACKAGE_ROOT


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
                if compiled.exists():  # a peer with the same Python need not compile again
                    archive.write(compiled, name.with_suffix(".pyc"))
    return file.getvalue()
