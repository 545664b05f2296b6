# SPDX-License-Identifier: Apache-2.0
"""The wheel of the host tools brings their manual pages."""

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ManualPages(BuildHookInterface):  # type: ignore[type-arg]
    """Writes them of what each command says of itself."""

    _folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them to each wheel but an editable one."""
        if version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        program = runpy.run_path(str(Path(self.root) / "man_pages.py"))
        program["main"](Path(self._folder.name))
        build_data["shared_data"][self._folder.name] = "share/man/man1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made on the way."""
        if self._folder is not None:
            self._folder.cleanup()
