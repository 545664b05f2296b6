# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI document of an application with the default settings, without a store of its own."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from coalescope.app import create_app
from coalescope.settings import Settings


def document() -> dict[str, Any]:
    """Return the document, the same on every machine."""
    with TemporaryDirectory() as folder:
        settings = Settings(
            data_dir=Path(folder),
            host="127.0.0.1",
            token=None,
            datasets_dir=None,
            page_dir=None,
            database_url=None,
        )
        app = create_app(settings)
        try:
            return app.openapi()
        finally:
            app.state.database.close()


def document_text() -> str:
    """Return the document as it stands in docs/openapi.json."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
