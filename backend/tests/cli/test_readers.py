# SPDX-License-Identifier: Apache-2.0
"""A store or a backup that others on the machine may look into: the person who made it is told."""

import stat
from pathlib import Path

import pytest

from .conftest import Run, Serve

pytestmark = pytest.mark.folder_stack


@pytest.mark.parametrize(("mode", "said"), [(0o750, "0750"), (0o701, "0701"), (0o700, None)])
def test_a_server_whose_store_is_wider_says_so(
    serve: Serve, tmp_path: Path, mode: int, said: str | None
) -> None:
    folder = tmp_path / "a store"
    folder.mkdir(mode)
    folder.chmod(mode)
    with serve(COALESCOPE_DATA_DIR=str(folder)) as (_, process):
        process.terminate()
        _, errors = process.communicate()
    assert (f"{folder} has mode {said}: others" in errors) == (said is not None)
    assert (f"chmod -R go= '{folder}'" in errors) == (said is not None)


@pytest.mark.parametrize("wide", [True, False])
def test_a_backup_into_a_wider_folder_says_so(process: Run, tmp_path: Path, wide: bool) -> None:
    assert process("migrate").returncode == 0
    backup = tmp_path / "backup"
    if wide:
        backup.mkdir()
        backup.chmod(0o755)
    done = process("backup", backup)
    assert done.returncode == 0, done.stderr
    assert (f"{backup} has mode 0755: others on this machine" in done.stderr) == wide
    if not wide:
        assert stat.S_IMODE(backup.stat().st_mode) == 0o700
