# SPDX-License-Identifier: Apache-2.0
"""A database of its own for each test, with all its tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from coalescope.db.engine import Database, open_database
from coalescope.db.migrations import migrate


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(None, tmp_path)
    migrate(opened)
    yield opened
    opened.close()
