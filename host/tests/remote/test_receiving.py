# SPDX-License-Identifier: Apache-2.0
"""A peer takes the host tools whole, to where nobody else can replace them, or says why not."""

import os
import shlex
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from coalescope_host.plan.plan import PeerSpec
from coalescope_host.remote import PeerError, connect

SPEC = PeerSpec(ssh="root@peer", address="192.0.2.7", python=sys.executable)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="folders of others and mounts need root")


def refusal(*shell: str) -> str:
    """Why no agent starts there."""
    with pytest.raises(PeerError) as refused:
        connect(SPEC, shell)
    said = str(refused.value)
    assert said.startswith("root@peer: ")
    assert "Traceback" not in said
    assert "line " not in said
    return said.removeprefix("root@peer: ")


def in_folder(folder: Path) -> Sequence[str]:
    """A shell there whose temporary files are in that folder."""
    return ["env", f"TMPDIR={folder}", "sh", "-c"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder for temporary files, as /tmp is."""
    made = tmp_path / "above" / "tmp"
    made.mkdir(parents=True)
    made.chmod(0o1777)
    return made


def test_they_are_in_a_private_file_for_as_long_as_the_agent_runs(folder: Path) -> None:
    peer = connect(SPEC, in_folder(folder))
    (private,) = folder.iterdir()
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert stat.S_IMODE((private / "coalescope-host.pyz").stat().st_mode) == 0o600
    peer.close()
    assert list(folder.iterdir()) == []


def writable(folder: Path) -> Path:
    folder.chmod(0o777)
    return folder


def writable_by_its_group(folder: Path) -> Path:
    folder.chmod(0o775)
    return folder


def below_one(folder: Path) -> Path:
    folder.parent.chmod(0o777)
    return folder.parent


def a_link_to_one(folder: Path) -> Path:
    target = folder.rename(folder.with_name("target"))
    folder.symlink_to(target)
    return writable(target)


def of_another_user(folder: Path) -> Path:
    os.chown(folder, 65534, 65534)
    return folder


@pytest.mark.parametrize(
    "make",
    [
        writable,
        writable_by_its_group,
        below_one,
        a_link_to_one,
        pytest.param(of_another_user, marks=as_root),
    ],
)
def test_they_go_nowhere_where_others_can_replace_them(folder: Path, make: object) -> None:
    assert callable(make)
    named = make(folder)
    said = refusal(*in_folder(folder))
    assert said == f"others can replace what is in {named}: set TMPDIR to another folder"
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("head -c 1000 |", "the connection ended while the host tools were sent"),
        (
            "dd bs=1 count=10 of=/dev/null status=none;",
            "the host tools came changed: do its shell's start files read standard input?",
        ),
    ],
)
def test_they_come_whole_or_not_at_all(folder: Path, before: str, said: str) -> None:
    shell = f'{before} exec env TMPDIR={shlex.quote(str(folder))} sh -c "$0"'
    assert refusal("sh", "-c", shell) == said
    assert list(folder.iterdir()) == []


@as_root
def test_a_full_disk_is_said(folder: Path) -> None:
    mount = f"mount -t tmpfs -o size=64k,mode=1777 tmpfs {shlex.quote(str(folder))}"
    shell = f'{mount} && exec env TMPDIR={shlex.quote(str(folder))} sh -c "$0"'
    said = refusal("unshare", "--mount", "sh", "-c", shell)
    assert said == "the host tools cannot be kept there: [Errno 28] No space left on device"
