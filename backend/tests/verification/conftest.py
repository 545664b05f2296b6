# SPDX-License-Identifier: Apache-2.0
"""A backup to look at."""

import shutil
from pathlib import Path

import anyio.from_thread
import pytest
from coalescope.app import create_app
from coalescope.backups.service import back_up
from coalescope.settings import Settings
from coalescope.store import Store

from ..conftest import Client

CSV = b"mtu_bytes,delay_us,drops,replicate\n1500,10,1,1\n1500,20,2,1\n9000,10,3,1\n9000,20,4,1\n"


@pytest.fixture(scope="session")
def sound_backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a store with one experiment, `lab`: four cells of one run."""
    folder = tmp_path_factory.mktemp("sound")
    app = create_app(Settings(data_dir=folder / "data", datasets_dir=None, page_dir=None))
    with anyio.from_thread.start_blocking_portal() as portal:
        assert Client(app, portal).upload(CSV, experiment="lab").status_code == 201
    store = Store(app.state.database, app.state.object_store)
    assert back_up(store, folder / "backup").report.sound
    store.close()
    return folder / "backup"


@pytest.fixture
def backup(sound_backup: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(sound_backup, tmp_path / "backup")
