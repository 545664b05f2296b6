# SPDX-License-Identifier: Apache-2.0
"""The eBPF object, built for other processors: nothing in it is of one of them."""

import shutil
import struct
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
PROCESSORS = ("x86_64", "aarch64")
MEMBERS = 60
"""At least so many places read a member of a kernel's struct."""

pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("clang", "llvm-objcopy")),
    reason="needs clang and llvm",
)


def built(machine: str, folder: Path) -> Path:
    command = ["make", "-s", "-C", HERE, f"BUILD={folder}", f"MACHINE={machine}"]
    file = folder / "coalescope.bpf.o"
    subprocess.run([*command, str(file)], check=True)
    return file


def section(file: Path, name: str) -> bytes:
    copied = file.with_name("section")
    command = ["llvm-objcopy", f"--dump-section={name}={copied}", file, file.with_name("rest")]
    subprocess.run(command, check=True)
    return copied.read_bytes()


def relocations(extended: bytes) -> list[int]:
    """Kinds of the CO-RE relocations in .BTF.ext (include/uapi/linux/bpf.h: bpf_core_relo)."""
    header_bytes = struct.unpack_from("<I", extended, 4)[0]
    start, length = struct.unpack_from("<II", extended, 24)
    start += header_bytes
    (record_bytes,) = struct.unpack_from("<I", extended, start)
    place, end, found = start + 4, start + length, []
    while place < end:
        (count,) = struct.unpack_from("<I", extended, place + 4)
        place += 8
        for _ in range(count):
            found.append(struct.unpack_from("<I", extended, place + 12)[0])
            place += record_bytes
    return found


def test_it_is_the_same_for_each_processor(tmp_path: Path) -> None:
    """Arguments of tracepoints come by their types, and no register is read."""
    objects = [built(machine, tmp_path / machine).read_bytes() for machine in PROCESSORS]
    assert objects[0] == objects[1]


def test_members_of_the_kernel_are_found_when_it_is_loaded(tmp_path: Path) -> None:
    kinds = relocations(section(built("aarch64", tmp_path), ".BTF.ext"))
    byte_offset, exists = 0, 2
    assert kinds.count(byte_offset) >= MEMBERS
    assert exists in kinds
