# SPDX-License-Identifier: Apache-2.0
"""A wheel of the server serves the page and the data sets from anywhere, or is not built."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
SHIPPED = (
    "from coalescope.settings import Settings as S; s = S(); print(s.page_dir, s.datasets_dir)"
)


def checkout(folder: Path, *, page: bool) -> Path:
    """As much of a checkout as the wheel is made of; the page is a stand-in."""
    left_out = shutil.ignore_patterns("tests", "__pycache__")
    for part in ("backend", "host", "models", "datasets"):
        shutil.copytree(CHECKOUT / part, folder / part, ignore=left_out)
    if page:
        (folder / "frontend/dist/assets").mkdir(parents=True)
        (folder / "frontend/dist/index.html").write_text("the page")
        (folder / "frontend/dist/assets/page.js").write_text("0")
        (folder / "frontend/dist/notebook.js").write_text("1")
    return folder


def wheel(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps"]
    return subprocess.run(
        [*command, "--no-index", "-w", folder / "wheels", folder / "backend"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.fault("A11")
def test_it_has_the_page_and_the_data_sets(tmp_path: Path) -> None:
    done = wheel(checkout(tmp_path, page=True))
    assert done.returncode == 0, done.stderr
    (made,) = (tmp_path / "wheels").glob("coalescope-*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(made) as archive:
        archive.extractall(installed)
    share = installed / "coalescope" / "share"
    assert (share / "page/index.html").read_text() == "the page"
    assert (share / "page/assets/page.js").is_file()
    assert (share / "page/notebook.js").is_file()
    sources = (CHECKOUT / "datasets").glob("*/source.toml")
    names = {source.parent.name for source in sources}
    assert {found.name for found in (share / "datasets").iterdir()} == names
    for package in ("coalescope_models", "coalescope_host"):
        assert (installed / package / "__init__.py").is_file()
    (unit,) = installed.glob("coalescope-*.data/data/lib/systemd/system/coalescope.service")
    assert unit.read_text() == (CHECKOUT / "backend/packaging/coalescope.service").read_text()
    found = subprocess.run(
        [sys.executable, "-c", SHIPPED],
        env=os.environ | {"PYTHONPATH": str(installed)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout.split() == [str(share / "page"), str(share / "datasets")]


@pytest.mark.fault("A11")
def test_it_is_not_built_without_the_page(tmp_path: Path) -> None:
    folder = checkout(tmp_path, page=False)
    refused = wheel(folder)
    assert refused.returncode != 0
    assert "make page" in refused.stdout + refused.stderr
    assert wheel(folder, COALESCOPE_WHEEL_WITHOUT_PAGE="1").returncode == 0


def test_it_is_not_built_without_what_notebooks_show(tmp_path: Path) -> None:
    folder = checkout(tmp_path, page=True)
    (folder / "frontend/dist/notebook.js").unlink()
    refused = wheel(folder)
    assert refused.returncode != 0
    assert "notebook.js" in refused.stdout + refused.stderr
