# SPDX-License-Identifier: Apache-2.0
"""A peer is sent the package as it stands, compiled where that is of the same sources."""

import importlib.util
import io
import os
import py_compile
import zipfile
from pathlib import Path

import pytest
from coalescope_host.remote import bundle as module


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one module, which is compiled."""
    path = tmp_path / "coalescope_host" / "one.py"
    path.parent.mkdir()
    path.write_text("NUMBER = 1\n")
    py_compile.compile(str(path), importlib.util.cache_from_source(str(path)))
    monkeypatch.setattr(module, "PACKAGE_ROOT", tmp_path)
    module.bundle.cache_clear()
    return path


def members() -> set[str]:
    with zipfile.ZipFile(io.BytesIO(module.bundle.__wrapped__())) as archive:
        return {name for name in archive.namelist() if "/one." in name}


def test_a_module_is_sent_as_it_was_compiled(package: Path) -> None:
    assert members() == {"coalescope_host/one.py", "coalescope_host/one.pyc"}


@pytest.mark.parametrize("text", ["NUMBER = 2\n", "NUMBER = 10\n"])
def test_what_was_compiled_of_an_older_source_is_left_out(package: Path, text: str) -> None:
    changed = package.stat().st_mtime + (5 if len(text) == len(package.read_text()) else 0)
    package.write_text(text)
    os.utime(package, (changed, changed))
    assert members() == {"coalescope_host/one.py"}
