# SPDX-License-Identifier: Apache-2.0
"""The parts of the guest that need no machine: archive format, module signatures, folders."""

import io
import subprocess

import pytest
from testbed import cpio
from testbed.folders import made_once
from testbed.kernel import without_signature


@pytest.mark.skipif(
    subprocess.run(["sh", "-c", "command -v cpio"], capture_output=True, check=False).returncode,
    reason="needs cpio",
)
def test_archives_are_what_cpio_reads(tmp_path):
    archive = io.BytesIO()
    entries = [cpio.file("a/b/file", b"12345", executable=True), cpio.link("a/link", "b/file")]
    cpio.write(archive, cpio.parents(entries))
    done = subprocess.run(
        ["cpio", "-idm", "--quiet"], input=archive.getvalue(), cwd=tmp_path, check=False
    )
    assert done.returncode == 0
    assert (tmp_path / "a/link").read_bytes() == b"12345"
    assert (tmp_path / "a/b/file").stat().st_mode & 0o777 == 0o755


def test_a_signature_is_cut_off_and_nothing_else():
    signed = b"module" + b"S" * 300 + bytes(8) + (300).to_bytes(4, "big")
    assert without_signature(signed + b"~Module signature appended~\n") == b"module"
    assert without_signature(b"module") == b"module"


def test_a_folder_is_there_only_when_whole(tmp_path):
    def fail(folder):
        (folder / "half").write_text("")
        raise ValueError

    def fill(folder):
        (folder / "whole").write_text("")

    with pytest.raises(ValueError):
        made_once(tmp_path / "made", fail)
    assert list(tmp_path.iterdir()) == []
    assert list(made_once(tmp_path / "made", fill).iterdir()) == [tmp_path / "made/whole"]
    assert made_once(tmp_path / "made", fail) == tmp_path / "made"
