# SPDX-License-Identifier: Apache-2.0
"""The parts of the guest that need no machine: archive format, module signatures, folders."""

import io
import lzma
import struct
import subprocess
from dataclasses import replace
from unittest.mock import Mock

import pytest
from guest import cpio
from guest.errors import GuestError
from guest.folders import made_once
from guest.kernel import uncompressed, without_signature
from guest.machine import Guest, Result, _check
from testbed.blocks import digest
from testbed.cost import Cost, costs


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


def test_the_kernel_in_an_image_is_inflated_and_another_image_left_alone():
    payload = lzma.compress(b"ELF") + bytes(4)  # the size follows
    head = bytearray(2 * 512)
    head[0x1F1] = 1  # sectors of setup, beside the first
    struct.pack_into("<II", head, 0x248, 16, len(payload))
    assert uncompressed(bytes(head) + bytes(16) + payload) == b"ELF"
    other = bytes(head) + bytes(16) + b"zstd" + bytes(len(payload))
    assert uncompressed(other) == other


def test_costs_are_summed_over_blocks_also_those_kept_from_before(tmp_path):
    for name, cpu_s in (("01", 300.0), ("02", 360.0)):
        (tmp_path / name).mkdir()
        Cost(elapsed_s=120.0, cpu_s=cpu_s).write(tmp_path / name)
    said = costs([tmp_path / "01", tmp_path / "02"], elapsed_s=150.0).splitlines()
    assert said[0] == "block 01:   2.0 min elapsed,    300 s of CPU"
    assert said[2].startswith("all: 2.5 min elapsed now, 660 s of CPU in 2 guests, that is 5.5 min")


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


@pytest.mark.parametrize(
    ("status", "log", "said"),
    [
        (3, "", "ended with status 3. The end of its console:\nlast words"),
        (0, "WARNING: made up", "tells of a fault:\nWARNING: made up"),
    ],
)
def test_either_a_fault_or_a_failing_script_is_an_error(tmp_path, status, log, said):
    good = Result("last words", tmp_path, 0, "all is well", 1.0, 1.0)
    _check(good)
    with pytest.raises(GuestError) as error:
        _check(replace(good, exit_status=status, kernel_log=log))
    assert str(error.value).endswith(said)


def test_blocks_of_other_programs_or_versions_are_not_mixed():
    """Kernel and emulator count too, though they are not among the guest's files."""
    newer = {
        "kernel": Mock(abi="6.2.0-1-amd64"),
        "emulator": Mock(**{"version.return_value": "11.0.0"}),
    }
    guest = Guest(
        files={"/plan.toml": "a"},
        kernel=Mock(abi="6.1.0-1-amd64"),
        emulator=Mock(**{"version.return_value": "10.0.2"}),
    )
    others = [
        replace(guest, files={"/plan.toml": "b"}),
        *(replace(guest, **{n: v}) for n, v in newer.items()),
    ]
    digests = {digest(each) for each in (guest, *others)}
    assert len(digests) == 4
    assert digest(replace(guest, seed=2)) == digest(guest)
