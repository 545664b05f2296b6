# SPDX-License-Identifier: Apache-2.0
"""A backup to look at."""

from pathlib import Path
from typing import Any

import pytest
from coalescope.backups.service import back_up
from coalescope.store import Store

CSV = b"mtu_bytes,delay_us,drops,replicate\n1500,10,1,1\n1500,20,2,1\n9000,10,3,1\n9000,20,4,1\n"


@pytest.fixture
def backup(client: Any, tmp_path: Path) -> Path:
    """Of a store with one experiment, `lab`: four cells of one run."""
    assert client.upload(CSV, experiment="lab").status_code == 201
    store = Store(client.app.state.database, client.app.state.object_store)
    assert back_up(store, tmp_path / "backup").report.sound
    return tmp_path / "backup"
