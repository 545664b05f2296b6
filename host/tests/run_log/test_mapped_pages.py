# SPDX-License-Identifier: Apache-2.0
"""Whatever is done with a mapped log, a few MiB of it are in memory at a time."""

import mmap
import tracemalloc
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from coalescope_host import run_log
from coalescope_host.run_log import Writer, make_header, standard_field
from coalescope_host.run_log.layout import SAMPLES

MIB = 1 << 20
FIELDS = ("t_monotonic_ns", "rx_packets", "rx_line_interrupts", "rx_bytes")
RECORDS, BLOCKS = 2048, 1024  # 64 MiB


def written(path: Path, *, cut_off: bool = False) -> Path:
    """A log of 64 MiB, with a result of 8 MiB in it."""
    fields = [standard_field(name) for name in FIELDS]
    fields[2]["read_every_ns"] = 10**9
    header = make_header(
        run_id="00000000-0000-4000-8000-000000000001",
        experiment="large",
        factors={},
        fields=fields,
        sources=[{"name": name, "atomic": False} for name in {f["source"] for f in fields}],
    )
    with path.open("wb") as file:
        writer = Writer(file, header)
        writer.result(b'["' + b"x" * (8 * MIB) + b'"]')
        for number in range(BLOCKS):
            block = array("Q", bytes(8 * len(FIELDS) * RECORDS))
            for field in range(len(FIELDS)):
                block[field :: len(FIELDS)] = array(
                    "Q", range(number * RECORDS, (number + 1) * RECORDS)
                )
            writer._block(SAMPLES, block.tobytes(), 0, RECORDS)
        last = BLOCKS * RECORDS - 1
        writer._records[0], writer._first[0], writer._last[0] = last + 1, 0, last
        if not cut_off:
            writer.finish()
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs: whole, cut off, of zeros and of noise behind the first block."""
    folder = tmp_path_factory.mktemp("logs")
    whole = written(folder / "whole").read_bytes()
    written(folder / "cut_off", cut_off=True)
    begun = whole[: whole.rfind(b"CBLK", 0, 9 * MIB)]
    (folder / "zeros").write_bytes(begun + bytes(64 * MIB))
    (folder / "noise").write_bytes(begun + b"\xff" * (64 * MIB))
    return folder


def mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


@contextmanager
def in_memory() -> Iterator[Callable[[], int]]:
    """How many bytes more there were in memory at once than before. Source: proc(5)."""

    def said(name: str) -> int:
        return int(Path("/proc/self/status").read_text().partition(f"{name}:")[2].split()[0]) << 10

    Path("/proc/self/clear_refs").write_text("5")
    before = said("VmRSS")
    yield lambda: said("VmHWM") - before


def values(log: run_log.RunLog) -> int:
    return sum(block[0] for block in log.blocks)


DONE: dict[str, Callable[[Path], Any]] = {
    "read": lambda logs: run_log.read(mapped(logs / "whole")),
    "gone through": lambda logs: values(run_log.read(mapped(logs / "whole"))),
    "its result": lambda logs: run_log.read(mapped(logs / "whole")).results[0].json(),
    "zeros": lambda logs: run_log.read(mapped(logs / "zeros")),
    "noise, to its end": lambda logs: run_log.scan(mapped(logs / "noise")),
    "what is behind": lambda logs: run_log.read(mapped(logs / "cut_off")).behind,
    "compared": lambda logs: run_log.continuation(mapped(logs / "cut_off"), mapped(logs / "whole")),
}


@pytest.mark.parametrize("what", DONE)
def test_of_a_large_log_little_is_in_memory(folder: Path, what: str) -> None:
    with in_memory() as most:
        DONE[what](folder)
        # pages of two logs, and the result of 8 MiB as bytes, as text and as it was read
        assert most() < 44 * MIB


def test_a_file_that_is_read_is_all_there(folder: Path) -> None:
    """A control: it could be seen."""
    with in_memory() as most:
        run_log.read(folder / "whole")
        assert most() > 64 * MIB


def test_what_is_behind_is_told_by_the_last_records(folder: Path) -> None:
    log = run_log.read(mapped(folder / "cut_off"))
    tracemalloc.start()
    try:
        assert log.behind == {"rx_line_interrupts"}
        assert tracemalloc.get_traced_memory()[1] < MIB
    finally:
        tracemalloc.stop()


def test_what_was_changed_in_memory_stays(folder: Path) -> None:
    """Pages of a private mapping are not given back: they would be the file's again."""
    with (folder / "whole").open("rb") as file:
        private = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    at = private.rfind(b"CBLK", 0, len(private) // 2)
    private[at] ^= 1
    changed = private[at]
    with pytest.raises(run_log.RunLogError):
        run_log.read(private)
    run_log.scan(private)
    assert private[at] == changed
