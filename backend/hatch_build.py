# SPDX-License-Identifier: Apache-2.0
"""The wheel of the server has all: page, data sets, models and host tools, which stand beside it.

So one file installs everything, and no registry is asked for packages of this project.
"""

import os
import runpy
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

WITHOUT = "COALESCOPE_WHEEL_WITHOUT_PAGE"
BESIDE = ("models", "host")


class Requirements(MetadataHookInterface):
    """What the wheel depends on: what the server needs, and what each package inside needs."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dependencies."""
        checkout = Path(self.root).parent
        needed = set(self.config["dependencies"])
        for package in BESIDE:
            described = (checkout / package / "pyproject.toml").read_text(encoding="utf-8")
            needed |= set(tomllib.loads(described)["project"]["dependencies"])
        metadata["dependencies"] = sorted(needed)


class AllInside(BuildHookInterface):  # type: ignore[type-arg]
    """Adds what stands beside to each wheel but an editable one, which finds it where it is."""

    _manual: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Refuses where the page is not built: a server without it looks broken."""
        if version == "editable":
            return
        checkout = Path(self.root).parent
        for package in BESIDE:
            name = f"coalescope_{package}"
            build_data["force_include"][str(checkout / package / "src" / name)] = name
        self._manual = tempfile.TemporaryDirectory()
        program = runpy.run_path(str(checkout / "host/man_pages.py"))
        program["main"](Path(self._manual.name))
        build_data["shared_data"][self._manual.name] = "share/man/man1"
        unit = Path(self.root) / "packaging" / "coalescope.service"
        build_data["shared_data"][str(unit)] = f"lib/systemd/system/{unit.name}"
        for folder, inside in self._shown(checkout):
            build_data["force_include"][str(folder)] = f"coalescope/share/{inside}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made on the way."""
        if self._manual is not None:
            self._manual.cleanup()

    def _shown(self, checkout: Path) -> Iterator[tuple[Path, str]]:
        if os.environ.get(WITHOUT):
            return
        page = checkout / "frontend" / "dist"
        for name in ("index.html", "notebook.js"):  # the page, and what notebooks show of it
            if not (page / name).is_file():
                self.app.abort(
                    f"The page is not built: {page} has no {name}. Run `make page` in the "
                    f"checkout, or set {WITHOUT}=1 for a server that is told where its page is."
                )
        yield page, "page"
        for source in sorted((checkout / "datasets").glob("*/source.toml")):
            yield source.parent, f"datasets/{source.parent.name}"
