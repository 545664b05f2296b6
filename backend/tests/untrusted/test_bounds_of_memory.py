# SPDX-License-Identifier: Apache-2.0
"""What a process that reads may have in memory, its program and the files that it maps included."""

import os
from pathlib import Path

import pytest
from coalescope.errors import CoalescopeError
from coalescope.untrusted.confined import Bounds
from coalescope.untrusted.confinement import confined

MOST, TAKEN = 40, 32  # MiB: an interpreter alone has more than is between them


class Refusals:
    def too_long(self, bounds: Bounds) -> CoalescopeError:
        return CoalescopeError("too_long", "")

    def too_much_memory(self, bounds: Bounds) -> CoalescopeError:
        return CoalescopeError("too_much_memory", "")


def test_what_a_program_has_itself_counts_where_it_is_told_to() -> None:
    take = f"len(bytes({TAKEN} << 20))"
    beside, all_told = Bounds(30, MOST, 10.0), Bounds(30, MOST, 10.0, all_told=True)
    assert confined(beside, Refusals(), eval, take) == TAKEN << 20
    with pytest.raises(CoalescopeError) as refused:
        confined(all_told, Refusals(), eval, take)
    assert refused.value.code == "too_much_memory"
    assert confined(all_told, Refusals(), eval, "len(bytes(1 << 10))") == 1 << 10


#: Maps that file, and takes so much memory beside it.
MAP = (
    "[file := __import__('io').FileIO({path!r}), mmap := __import__('mmap'),"
    " len([mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ), bytes({more})])][2]"
)


def test_a_file_that_is_mapped_is_no_memory(tmp_path: Path) -> None:
    mapped = Bounds(30, MOST, 10.0, mapped_mib=64)
    path = tmp_path / "large"
    path.touch()
    os.truncate(path, 64 << 20)
    assert confined(mapped, Refusals(), eval, MAP.format(path=str(path), more=1 << 20)) == 2
    for bounds, more in ((Bounds(30, MOST, 10.0), 0), (mapped, (MOST + 8) << 20)):
        with pytest.raises(CoalescopeError) as refused:
            confined(bounds, Refusals(), eval, MAP.format(path=str(path), more=more))
        assert refused.value.code == "too_much_memory"
