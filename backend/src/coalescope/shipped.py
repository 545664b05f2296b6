# SPDX-License-Identifier: Apache-2.0
"""What comes with the program: inside its wheel, or in the checkout that it runs from."""

from importlib.resources import files
from pathlib import Path

_PACKAGE = Path(str(files("coalescope")))


def page() -> Path | None:
    """Folder of the built page; None where there is none."""
    return _first(_PACKAGE / "share/page", _checkout() / "frontend/dist")


def datasets() -> Path | None:
    """Folder of the published data sets; None where there is none."""
    return _first(_PACKAGE / "share/datasets", _checkout() / "datasets")


def documents() -> Path | None:
    """Folder of the documents' built site; None where there is none."""
    return _first(_PACKAGE / "share/docs", _checkout() / "build/site")


def _checkout() -> Path:
    """Where a checkout begins, if this is one; an installed package has nothing of it there."""
    return _PACKAGE.parents[2]


def _first(*places: Path) -> Path | None:
    return next((path for path in places if path.is_dir()), None)
