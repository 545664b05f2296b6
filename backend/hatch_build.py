# SPDX-License-Identifier: Apache-2.0
"""A wheel brings the page and the data sets, which stand beside this folder in a checkout."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WITHOUT = "COALESCOPE_WHEEL_WITHOUT_PAGE"


class PageAndDataSets(BuildHookInterface):  # type: ignore[type-arg]
    """Adds them to each wheel but an editable one, which finds them where they are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Refuses where the page is not built: a server without it looks broken."""
        if version == "editable" or os.environ.get(WITHOUT):
            return
        checkout = Path(self.root).parent
        page = checkout / "frontend" / "dist"
        if not (page / "index.html").is_file():
            self.app.abort(
                f"The page is not built: {page} has no index.html. Run `make page` in the "
                f"checkout, or set {WITHOUT}=1 for a server that is told where its page is."
            )
        datasets = {found.parent for found in (checkout / "datasets").glob("*/source.toml")}
        shared = {page: "page"} | {folder: f"datasets/{folder.name}" for folder in datasets}
        build_data["force_include"] |= {
            str(folder): f"coalescope/share/{name}" for folder, name in shared.items()
        }
