# SPDX-License-Identifier: Apache-2.0
"""Archives of every kind that commands take end, at the most they may hold and far beyond."""

import bz2
import gzip
import io
import json
import lzma
import os
import random
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from coalescope.client.files.given import ARCHIVES
from coalescope.untrusted import archives, bounds
from coalescope.untrusted.archives import ArchiveError, members_of_tar, members_of_zip
from timeouts import TIMEOUT_S

CPU_S = 10.0
MEMORY_KIB = 200 * 1024
MEMBER_BYTES = 2**24
FULL = bounds.ARCHIVE_BYTES // MEMBER_BYTES - 1  # the last has room for what ends a tar archive
Pieces = Callable[[], Iterator[bytes]]


class Sent(NamedTuple):
    """An archive, piece by piece, and how reading it ends: the code of the error, or none."""

    make: Pieces
    ends: str | None = None


def numbers() -> bytes:
    """Content as logs have it: clocks and counters."""
    values = (each for n in range(MEMBER_BYTES // 32) for each in (n * 10**6, n * 7, n, 0))
    return b"".join(value.to_bytes(8, "little") for value in values)


def noise(size: int = MEMBER_BYTES) -> bytes:
    """What takes longest to unpack: as good as random, and yet packed."""
    seven_bits = bytes(number & 0x7F for number in range(256))
    return random.Random(1).randbytes(size).translate(seven_bits)


def in_tar(content: bytes) -> bytes:
    """One member of a tar archive."""
    member = tarfile.TarInfo("a.runlog")
    member.size = len(content)
    return member.tobuf(tarfile.GNU_FORMAT) + content + b"\0" * (-len(content) % 512)


def tar(
    pack: Callable[[bytes], bytes], content: Callable[[], bytes], count: int
) -> Iterator[bytes]:
    """So many members, each packed as a stream of its own, which is made once."""
    piece = pack(in_tar(content()))
    yield from (piece for _ in range(count))


def zipped(content: Callable[[], bytes], count: int) -> Iterator[bytes]:
    """So many members, whose bytes stand there once: each entry of the directory leads to them."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("a.runlog", content())
        archive.filelist *= count
    yield file.getvalue()


def apart(content: Callable[[], bytes], count: int) -> Iterator[bytes]:
    """So many members, one after the other."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(count):
            archive.writestr(f"{number}.runlog", content())
    yield file.getvalue()


def zeros() -> bytes:
    return bytes(MEMBER_BYTES)


PACK: Mapping[str, Callable[[bytes], bytes]] = {
    ".tar": bytes,
    ".tar.gz": partial(gzip.compress, compresslevel=1),
    ".tgz": partial(gzip.compress, compresslevel=1),
    ".tar.xz": partial(lzma.compress, preset=0),
    ".tar.bz2": bz2.compress,
}
#: What of a hundred times too much has to be there, to be refused: a plain one would be as large.
TOO_MUCH = {ending: 100 * FULL if pack is not bytes else FULL + 2 for ending, pack in PACK.items()}
#: Which may take longer to unpack than there is time.
SLOW: Mapping[str, Mapping[str, Sent]] = {
    ending: {"noise": Sent(partial(tar, PACK[ending], noise, FULL), "took_too_long")}
    for ending in (".tar.xz", ".tar.bz2")
}
#: By their endings: the most that is legal, and what is too much of it.
KINDS: Mapping[str, Mapping[str, Sent]] = {
    **{
        ending: {
            "full": Sent(partial(tar, pack, zeros if ending in SLOW else numbers, FULL)),
            "too much": Sent(partial(tar, pack, zeros, TOO_MUCH[ending]), "too_large"),
        }
        for ending, pack in PACK.items()
    },
    ".zip": {
        "full": Sent(partial(apart, numbers, FULL)),
        "too much": Sent(partial(zipped, zeros, 100 * FULL), "too_large"),
    },
}
CASES = [
    pytest.param(ending, sent, id=f"{ending}: {case}")
    for table in (KINDS, SLOW)
    for ending, cases in table.items()
    for case, sent in cases.items()
]


def test_all_kinds_are_here() -> None:
    assert {*KINDS} == {*ARCHIVES}


_READ = """
import json, resource, sys
from pathlib import Path
from coalescope.client.files.given import GivenFile, given_files
before = resource.getrusage(resource.RUSAGE_SELF)
with given_files([Path(sys.argv[1])]) as files:
    found = [getattr(file, "error", None) for file in files]
after = resource.getrusage(resource.RUSAGE_SELF)
taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
print(json.dumps([found, taken, after.ru_maxrss - before.ru_maxrss]))
"""


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize(("ending", "sent"), CASES)
def test_it_ends_within_its_time_and_memory(tmp_path: Path, ending: str, sent: Sent) -> None:
    """To unpack it; each file in it is read, or sent, as if it were alone."""
    path = tmp_path / f"sent{ending}"
    with path.open("wb") as file:
        file.writelines(sent.make())
    told = subprocess.run(
        [sys.executable, "-c", _READ, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT_S,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    found, cpu_s, kib = json.loads(told.stdout)
    assert cpu_s < CPU_S
    assert kib < MEMORY_KIB
    if sent.ends is None:
        assert found == [None] * FULL
    else:
        assert found[-1]["code"] == sent.ends


@pytest.mark.parametrize("ending", KINDS)
def test_unpacking_takes_as_much_cpu_time_as_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    pack = PACK.get(ending)
    content = noise(2**17)
    made = tar(pack, lambda: content, 2) if pack else apart(lambda: content, 2)
    path = tmp_path / "sent"
    path.write_bytes(b"".join(made))
    members = members_of_tar if pack else members_of_zip
    assert sum(1 for _ in members(path, (".runlog",))) == 2
    monkeypatch.setattr(archives, "ARCHIVE_SECONDS", 0.00002)
    with pytest.raises(ArchiveError, match=r"more than 2e-05 s of CPU time") as error:
        for _, file in members(path, (".runlog",)):
            while file.read(2**16):
                pass
    assert error.value.code == "took_too_long"
