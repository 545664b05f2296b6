# SPDX-License-Identifier: Apache-2.0
"""Archives that somebody sent: read as others read them, and bounded where they are hostile."""

import bz2
import gzip
import io
import lzma
import random
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from coalescope.untrusted import archives, bounds
from coalescope.untrusted.archives import ArchiveError, members_of_tar, members_of_zip

FILES = {
    "a.csv": b"x\n" * 1000,
    "folder/b.runlog": b"",
    "deep/" * 60 + "c.csv": b"1" * 511,
    "grün/d.csv": b"2" * 512,
    "e.txt": b"passed over",
}
WANTED = {name: content for name, content in FILES.items() if name.endswith((".csv", ".runlog"))}
ENDINGS = (".csv", ".runlog")
PACK: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
}


def tar(form: int, files: dict[str, bytes] = FILES) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, content in files.items():
            told = tarfile.TarInfo(name)
            told.size, told.mtime = len(content), 1.5
            archive.addfile(told, io.BytesIO(content))
        link = tarfile.TarInfo("link.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return out.getvalue()


def zipped(files: dict[str, bytes] = FILES, way: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", way) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def whole(file: archives.Readable) -> bytes:
    return b"".join(iter(lambda: file.read(300), b""))


def found(
    tmp_path: Path, content: bytes, members: Callable[..., object] = members_of_tar
) -> object:
    path = tmp_path / "sent"
    path.write_bytes(content)
    return {name: whole(file) for name, file in members(path, ENDINGS)}  # type: ignore[attr-defined]


@pytest.mark.parametrize("packed", PACK)
@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_tar_archives_of_each_form(tmp_path: Path, form: int, packed: str) -> None:
    assert found(tmp_path, PACK[packed](tar(form))) == WANTED


def test_what_tar_itself_writes(tmp_path: Path) -> None:
    """GNU tar, in each of its formats."""
    for name, content in WANTED.items():
        place = tmp_path / "files" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    for form in ("gnu", "oldgnu", "pax", "posix"):
        command = ["tar", f"--format={form}", "-c", "-C", str(tmp_path / "files"), *WANTED]
        assert found(tmp_path, subprocess.check_output(command)) == WANTED, form


def test_files_are_passed_over_unread(tmp_path: Path) -> None:
    path = tmp_path / "sent"
    path.write_bytes(tar(tarfile.PAX_FORMAT))
    assert [name for name, _ in members_of_tar(path, ENDINGS)] == list(WANTED)


def test_zip_archives(tmp_path: Path) -> None:
    assert found(tmp_path, zipped(), members_of_zip) == WANTED


def test_a_file_that_is_only_compressed_has_no_name(tmp_path: Path) -> None:
    assert found(tmp_path, gzip.compress(b"mtu_bytes")) == {"": b"mtu_bytes"}


def test_streams_one_after_the_other(tmp_path: Path) -> None:
    content = tar(tarfile.GNU_FORMAT)
    for pack in (gzip.compress, lzma.compress, bz2.compress):
        assert found(tmp_path, pack(content[:700]) + pack(content[700:])) == WANTED


def header(name: bytes, size: int, kind: bytes) -> bytes:
    block = bytearray(512)
    block[:100] = name.ljust(100, b"\0")
    block[100:136] = b"0000644\0" * 3 + f"{size:011o}\0".encode()
    block[136:148] = b"00000000000\0"
    block[156:157] = kind
    block[257:265] = b"ustar\x0000"
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    return bytes(block)


def extended(content: bytes, kind: bytes = b"x") -> bytes:
    return header(b"x", len(content), kind) + content + b"\0" * (-len(content) % 512)


def chain(count: int) -> bytes:
    return extended(b"n" * 400, b"L") * count + header(b"a.csv", 0, b"0") + b"\0" * 1024


def one(size: int) -> bytes:
    return header(b"a.csv", size, b"0")


def zeros(size: int, begin: bytes) -> bytes:
    """So many behind a beginning, packed: one stream, again and again."""
    piece = 1 << 26
    again = lzma.compress(bytes(piece), preset=0)
    return lzma.compress(begin) + again * (size // piece)


def large_dictionary() -> bytes:
    return lzma.compress(
        tar(tarfile.GNU_FORMAT),
        filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}],
    )


#: What is sent, and what is said of it.
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "an extension of gibibytes": (lambda: zeros(3 << 30, header(b"x", 3 << 30, b"x")), "longer"),
    "an extension of 9 KiB": (lambda: extended(b"9216 path=" + b"a" * 9205 + b"\n"), "longer"),
    "a chain of long names": (lambda: chain(20_000), "longer"),
    "a file of gibibytes": (lambda: zeros(3 << 30, one(3 << 30)), "unpacks to more"),
    "a file that is passed over": (
        lambda: zeros(3 << 30, header(b"a.txt", 3 << 30, b"0")),
        "unpacks to more",
    ),
    "files without end": (lambda: lzma.compress(one(0) * 200_000, preset=0), "more than 100,000"),
    "digits": (lambda: extended(b"1" * 7000), "damaged"),
    "a size without end": (lambda: extended(b"40 size=" + b"9" * 31 + b"\n"), "damaged"),
    "a negative size": (
        lambda: header(b"a.csv", 0, b"0")[:124] + b"-0000000001\0",
        "damaged|no tar",
    ),
    "a dictionary of a gibibyte": (large_dictionary, "[Mm]emory"),
    "a cut stream": (lambda: lzma.compress(tar(tarfile.GNU_FORMAT))[:-40], "cut off"),
    "a cut archive": (lambda: tar(tarfile.GNU_FORMAT)[:1800], "ends inside"),
    "noise": (lambda: one(0) + random.Random(1).randbytes(4096), "damaged"),
}


@pytest.mark.parametrize(("make", "said"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_tar_archives_end_as_an_error_with_a_name(
    tmp_path: Path, make: Callable[[], bytes], said: str
) -> None:
    path = tmp_path / "sent"
    path.write_bytes(make())
    assert_bounded(path, "members_of_tar", said)


def crowded() -> bytes:
    return zipped({f"{n}.csv": b"" for n in range(120_000)}, zipfile.ZIP_STORED)


ZIPS: dict[str, tuple[Callable[[], bytes], str]] = {
    "many files": (crowded, "directory"),
    "zeros": (lambda: zipped({"a.csv": bytes(bounds.ARCHIVE_BYTES + 1)}), "unpacks to more"),
    "no archive": (lambda: b"PK\x03\x04" + bytes(5000), "not a zip"),
}


@pytest.mark.parametrize(("make", "said"), ZIPS.values(), ids=ZIPS)
def test_hostile_zip_archives_end_as_an_error_with_a_name(
    tmp_path: Path, make: Callable[[], bytes], said: str
) -> None:
    path = tmp_path / "sent"
    path.write_bytes(make())
    assert_bounded(path, "members_of_zip", said)


_READ = """
import resource, sys, time
from pathlib import Path
from typing import Any
from coalescope.untrusted import archives
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    for name, file in getattr(archives, sys.argv[2])(Path(sys.argv[1]), (".csv",)):
        while file.read(1 << 20):
            pass
except archives.ArchiveError as error:
    print(error)
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_maxrss - before, time.process_time())
"""


def assert_bounded(path: Path, how: str, said: str) -> None:
    """In a process of its own, whose memory and time are told."""
    command = [sys.executable, "-c", _READ, str(path), how]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    *message, numbers = told.splitlines()
    assert re.search(said, "\n".join(message)), told
    kib, cpu_s = map(float, numbers.split())
    assert kib < 200 * 1024
    assert cpu_s < 10


def test_noise_is_an_archive_or_an_error(tmp_path: Path) -> None:
    """Bytes changed here and there, of archives packed in each way."""
    source = random.Random(7)
    sent = [pack(tar(form)) for pack in PACK.values() for form in (1, 2)] + [zipped()]
    for round_ in range(400):
        content = bytearray(sent[round_ % len(sent)])
        for _ in range(source.randrange(1, 6)):
            content[source.randrange(len(content))] = source.randrange(256)
        for members in (members_of_tar, members_of_zip):
            try:
                found(tmp_path, bytes(content), members)
            except ArchiveError as error:
                assert str(error)


def test_the_bounds_are_those_of_the_guide() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "operation.md").read_text(encoding="utf-8")
    guide = " ".join(guide.split())
    for said in (
        f"a JSON export by {bounds.EXPORT_BYTES >> 20} MiB",
        f"archives of at most {bounds.ARCHIVE_BYTES >> 30} GiB",
        f"{bounds.ARCHIVE_MEMBERS:,} files",
        f"{bounds.ARCHIVE_HEADER_BYTES >> 10} KiB of headers of each file",
        f"{bounds.ZIP_DIRECTORY_BYTES >> 20} MiB of a zip archive's directory",
        f"at most {bounds.ARCHIVE_MEMORY_BYTES >> 20} MiB of memory and "
        f"{bounds.ARCHIVE_SECONDS:g} s of CPU time",
    ):
        assert said in guide


class Counting:
    """A decompressor that counts the bytes that it is given."""

    given = 0

    def __init__(self, within: Any) -> None:
        self._within = within

    def decompress(self, packed: bytes, size: int) -> bytes:
        Counting.given += len(packed)
        found: bytes = self._within.decompress(packed, size)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._within, name)


@pytest.mark.parametrize("packed", ["bz2", "xz"])
def test_many_small_streams_cost_as_many_times_what_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: str
) -> None:
    """Not the square: what follows a stream is given anew to the next, but not to the end."""
    library, name = {"bz2": (bz2, "BZ2Decompressor"), "xz": (lzma, "LZMADecompressor")}[packed]
    begin = getattr(library, name)
    monkeypatch.setattr(library, name, lambda **given: Counting(begin(**given)))
    given = []
    for count in (10_000, 40_000):
        Counting.given = 0
        with pytest.raises(ArchiveError, match="no tar archive"):
            found(tmp_path, PACK[packed](b"") * count)
        given.append(Counting.given)
    assert given[1] < 5 * given[0]
