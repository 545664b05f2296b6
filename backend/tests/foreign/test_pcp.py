# SPDX-License-Identifier: Apache-2.0
"""What pcp2json writes: units, times and settings that vary."""

import bz2
import gzip
import lzma
import shutil
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from coalescope.errors import CoalescopeError, Problem
from coalescope.foreign.readers.pcp import ARCHIVE
from coalescope.foreign.records import Record
from coalescope.foreign.registry import ReadFile, is_foreign, read_file, recognise

from .conftest import Runs, corpus_file

UTC = "pcp/6.0.3-utc.json"
LOCAL = "pcp/6.0.3-local.json"
CLIENT = "pcp/iperf3-client.json"
needs_zstd = pytest.mark.skipif(shutil.which("zstd") is None, reason="needs zstd")


def beside(old: str, new: str) -> list[Record]:
    text = corpus_file(UTC).decode()
    assert old in text
    found = read_file("a", text.replace(old, new).encode())
    assert isinstance(found, ReadFile), found
    return list(found.reading.beside)


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ('"ms/s"', '"ns/s"', "system_cpu_percent"),
        ('"ms/s"', '"millisec"', "idle_cpu_percent"),
        ('"byte/s"', '"Tbyte/s"', "throughput_mbps"),
        ('"count/s"', '"count x 10/s"', "tx_throughput_mbps"),
    ],
)
def test_a_value_in_a_unit_that_is_not_known_is_none(old: str, new: str, lost: str) -> None:
    assert lost not in {record.quantity for record in beside(old, new)}


def test_without_the_number_of_cpus_only_the_system_s_share_is_known() -> None:
    quantities = {record.quantity for record in beside('"ncpu"', '"nnode"')}
    assert "system_cpu_percent" in quantities
    assert quantities.isdisjoint({"idle_cpu_percent", "host_cpu_percent"})


def test_a_setting_that_changed_is_none() -> None:
    text = corpus_file(UTC).decode()
    before, _, after = text.rpartition('"value": "1500"')
    found = read_file("a", f'{before}"value": "9000"{after}'.encode())
    assert isinstance(found, ReadFile)
    sizes = {r.interface for r in found.reading.beside if r.quantity == "mtu_bytes"}
    assert "eth0" not in sizes
    assert "lo" in sizes


def test_a_sample_counts_with_the_one_before_and_after_within_the_run() -> None:
    """pcp2json interpolates between pmlogger's, which lie up to one sample outside."""
    windows = [r.window for r in beside("sink", "sink") if r.quantity == "system_cpu_percent"]
    assert len(windows) == 12
    assert all(w is not None and 2.9 < w.length_s < 3.1 for w in windows)


def test_local_times_need_their_offset(runs: Runs) -> None:
    given = ["delay_us=unknown", "mtu_bytes=1500", "interface=eth0", "host=sink"]
    with pytest.raises(CoalescopeError, match="local times"):
        runs(CLIENT, LOCAL, given=given)
    (run,) = runs(CLIENT, LOCAL, given=[*given, "utc_offset=+00:00"])
    assert run.values["system_cpu_percent"].value == pytest.approx(37.2682)


def test_an_archive_is_told_from_its_first_bytes_and_its_tool_named() -> None:
    found = read_file("a", corpus_file("pcp/6.0.3-archive.0"))
    assert isinstance(found, Problem)
    assert "pcp-export-pcp2json" in (found.advice or "")
    assert "pcp2json -a ARCHIVE" in (found.advice or "")


@pytest.mark.parametrize(("version", "length"), [(2, 132), (3, 808)])
def test_every_file_of_an_archive_is_refused(version: int, length: int) -> None:
    """Volume, metadata and index begin with one label (__pmLogLabel), of two lengths."""
    label = struct.pack(">IIi", length, 0x50052600 | version, 4711).ljust(length - 4, b"\0")
    label += struct.pack(">I", length)
    for name in ("20261128.0", "20261128.meta", "20261128.index"):
        found = read_file(name, label)
        assert isinstance(found, Problem)
        assert "an archive of pmlogger" in found.message
        assert "pcp-export-pcp2json" in (found.advice or "")


def zstandard(content: bytes) -> bytes:
    return subprocess.run(["zstd", "-qc"], input=content, capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    ("pack", "ending"),
    [
        (gzip.compress, "gz"),
        (lzma.compress, "xz"),
        (bz2.compress, "bz2"),
        pytest.param(zstandard, "zst", marks=needs_zstd),
    ],
)
def test_what_pmlogger_daily_packed_is_refused_in_the_same_words(
    pack: Callable[[bytes], bytes], ending: str, tmp_path: Path
) -> None:
    plain = read_file("a", corpus_file("pcp/6.0.3-archive.0"))
    assert isinstance(plain, Problem)
    for member in ("0", "12", "meta", "index"):
        file = tmp_path / f"20261128.{member}.{ending}"
        file.write_bytes(pack(corpus_file("pcp/6.0.3-archive.0")))
        assert is_foreign(file)
        found = read_file(file.name, file.read_bytes())
        assert isinstance(found, Problem)
        assert (found.message.partition(" ")[2], found.advice) == (
            plain.message.partition(" ")[2],
            plain.advice,
        )


@pytest.mark.parametrize(
    "content",
    [
        lzma.compress(b"another log"),
        lzma.compress(b"\0\0")[:20],
        bz2.compress(b"another log"),
        b"BZhello",
        b"\xfd7zXZ\0 and no more",
    ],
)
def test_what_else_is_packed_is_none(content: bytes) -> None:
    assert recognise(content, "20261128.0.xz") is None


def test_zstandard_of_another_name_is_none() -> None:
    packed = b"\x28\xb5\x2f\xfd"
    assert recognise(packed, "20261128.meta.zst") is ARCHIVE
    assert recognise(packed, "results.json.zst") is None
