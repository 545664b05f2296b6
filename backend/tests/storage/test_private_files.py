# SPDX-License-Identifier: Apache-2.0
"""Folders of stores."""

from pathlib import Path

import pytest
from coalescope.storage.private_files import make_folder


def test_a_folder_is_made_with_those_that_it_stands_in(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


@pytest.mark.parametrize("folder", [Path("/proc/store"), Path("/proc/store/below")])
def test_where_no_folder_can_be_made_the_reason_is_said(folder: Path) -> None:
    with pytest.raises(OSError, match="No such file or directory") as refused:
        make_folder(folder)
    assert refused.value.filename == "/proc/store"
