# SPDX-License-Identifier: Apache-2.0
"""Fuzz the reader of run logs, guided by coverage: python fuzz_reader.py FOLDER -max_total_time=S

Changes are made to the parts of a log, and its checksums are set right again after most of them:
else nothing behind the first checksum would ever be reached. FOLDER collects what reached something
new. `python fuzz_reader.py --keep FOLDER` writes the few of it that reach all that it reaches into
corpus.tar.xz, which test_corpus.py reads again at every change.
"""

import io
import json
import random
import runpy
import sys
import tarfile
from pathlib import Path
from typing import Any

try:
    import atheris
except ImportError:  # to keep and to read a corpus, nothing is needed
    atheris = None

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus.tar.xz"
LONGEST = 1 << 14
NAMES = [
    "",
    "x",
    "name",
    "é",
    "time_dilation",
    "kind",
    "bytes_include",
    "wrap_bits",
    "order",
    "n" * 99,
]
ODD = [None, True, -1, 0, 1, 8, 0.5, 2**31, 2**63, 2**64, 10**30, 1e308, float("nan")]
ODD += [
    "",
    "x" * 70,
    "\u202e",
    "\ud800",
    "emulated",
    "fcs",
    "gauge",
    "u8",
    [],
    {},
    [0],
    ["fcs"],
    {"a": 1},
]
ODD += [{str(k): 1 for k in range(99)}, [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]

if __name__ == "__main__" and atheris is not None and sys.argv[1] != "--keep":
    with atheris.instrument_imports(include=["coalescope_host.run_log"]):  # before anybody else
        import coalescope_host.run_log  # noqa: F401

_TOOLS = runpy.run_path(str(HERE / "conftest.py"))
repaired, split, padded, block = (_TOOLS[name] for name in ("repaired", "split", "padded", "block"))


def try_reading(data: bytes) -> None:
    """Everything that a reader of a log does with it. Only the reader's own error is caught."""
    from coalescope_host.run_log import RunLogError, check, read, scan

    found, problems = scan(data)
    assert found is not None or problems
    check(data)
    try:
        log = read(data)
    except RunLogError as error:
        assert str(error)
        return
    assert found is not None, "read takes what scan does not"
    for stream in log.streams:
        for field in stream.fields:
            assert field.format.startswith("<")
            assert field.bytes_include is None or isinstance(field.bytes_include, tuple)
        assert all(len(part) % stream.record_bytes == 0 for part in stream.blocks)
    assert all(mark.name for mark in log.marks)
    assert all(len(result.body) <= len(data) for result in log.results)


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """A changed log; its checksums are right again in nine of ten."""
    chance = random.Random(seed)
    head, blocks = _parts(data)
    if head is None:
        return bytes(atheris.Mutate(data, most))
    changes = (_bytes, _text, _header, _document, _numbers, _blocks, _cut)
    changed = chance.choice(changes)(head, blocks, chance)
    if chance.random() < 0.9:
        changed = repaired(changed)
    return changed[:most]


def _parts(data: bytes) -> tuple[bytes | None, list[bytes]]:
    try:
        head, blocks = split(data)
    except Exception:  # whatever is wrong with it
        return None, []
    return (head, blocks) if 24 < len(head) <= len(data) and len(blocks) < 64 else (None, [])


def _bytes(head: bytes, blocks: list[bytes], chance: random.Random) -> bytes:
    return bytes(atheris.Mutate(head + b"".join(blocks), LONGEST))


def _with_header(head: bytes, text: bytes, blocks: list[bytes]) -> bytes:
    text = padded(text)
    return head[:12] + len(text).to_bytes(4, "little") + head[16:24] + text + b"".join(blocks)


def _text(head: bytes, blocks: list[bytes], chance: random.Random) -> bytes:
    return _with_header(head, bytes(atheris.Mutate(head[24:], 1 << 12)), blocks)


def _header(head: bytes, blocks: list[bytes], chance: random.Random) -> bytes:
    try:
        document = json.loads(head[24:])
    except (ValueError, RecursionError):
        return _text(head, blocks, chance)
    return _with_header(head, json.dumps(_changed(document, chance)).encode(), blocks)


def _changed(document: Any, chance: random.Random) -> Any:
    """The document with something in it replaced, left out, added or repeated."""
    if isinstance(document, dict) and document and chance.random() < 0.85:
        key = chance.choice(sorted(document))
        if chance.random() < 0.15:
            return {k: v for k, v in document.items() if k != key}
        if chance.random() < 0.1:
            return {**document, chance.choice(NAMES): chance.choice(ODD)}
        return {**document, key: _changed(document[key], chance)}
    if isinstance(document, list) and document and chance.random() < 0.85:
        at = chance.randrange(len(document))
        if chance.random() < 0.3:
            return document[:at] + document[at:][: chance.randrange(3)] * 2 + document[at + 1 :]
        return [*document[:at], _changed(document[at], chance), *document[at + 1 :]]
    if isinstance(document, int | float) and chance.random() < 0.5:
        return chance.choice([document + 1, document - 1, -document, document * 2])
    return chance.choice(ODD)


def _document(head: bytes, blocks: list[bytes], chance: random.Random) -> bytes:
    """Another document in a block of marks, of a result, or in the footer."""
    at = chance.randrange(len(blocks)) if blocks else 0
    if not blocks:
        return _header(head, blocks, chance)
    old = blocks[at]
    try:
        payload = json.dumps(_changed(json.loads(old[32:]), chance)).encode()
    except (ValueError, RecursionError):
        payload = bytes(atheris.Mutate(old[32:], 1 << 12))
    payload = padded(payload)
    new = old[:12] + len(payload).to_bytes(4, "little") + old[16:32] + payload
    return head + b"".join([*blocks[:at], new, *blocks[at + 1 :]])


def _numbers(head: bytes, blocks: list[bytes], chance: random.Random) -> bytes:
    """Another number in the preamble or in the header of a block."""
    whole = bytearray(head + b"".join(blocks))
    starts = [len(head) + sum(map(len, blocks[:k])) for k in range(len(blocks))]
    at, (offset, size) = (
        chance.choice([0, *starts]),
        chance.choice([(4, 2), (6, 2), (8, 4), (12, 4), (16, 4)]),
    )
    old = int.from_bytes(whole[at + offset : at + offset + size], "little")
    new = chance.choice([0, 1, 2, 3, 4, 5, 9, 0x8001, old + 1, old - 1, old + 8, old * 2, 2**31])
    whole[at + offset : at + offset + size] = (new % 2 ** (8 * size)).to_bytes(size, "little")
    return bytes(whole)


def _blocks(head: bytes, blocks: list[bytes], chance: random.Random) -> bytes:
    """Blocks left out, repeated, exchanged or added; counted anew in two of three."""
    changed = list(blocks)
    at = chance.randrange(len(blocks) + 1)
    other = chance.choice(blocks) if blocks else b""
    match chance.randrange(4):
        case 0:
            changed = changed[:at] + changed[at + 1 :]
        case 1:
            changed.insert(at, other)
        case 2:
            chance.shuffle(changed)
        case _:
            kind = chance.choice([1, 2, 3, 4, 5, 0x8001])
            changed.insert(at, block(head + bytes(32), kind, at, bytes(8 * chance.randrange(1, 5))))
    if chance.random() < 0.67:
        changed = [b[:8] + k.to_bytes(4, "little") + b[12:] for k, b in enumerate(changed)]
    return head + b"".join(changed)


def _cut(head: bytes, blocks: list[bytes], chance: random.Random) -> bytes:
    whole = head + b"".join(blocks)
    tail = chance.choice([b"", bytes(8 * chance.randrange(40)), b"CBLK", bytes(40) + b"x"])
    return whole[: chance.randrange(len(whole) + 1)] + tail


def corpus() -> dict[str, bytes]:
    """What was kept of former runs, by name."""
    with tarfile.open(CORPUS) as kept:
        members = [(member, kept.extractfile(member)) for member in kept.getmembers()]
        return {member.name: file.read() for member, file in members if file is not None}


def keep(folder: Path) -> None:
    """Keep the shortest inputs that together reach all branches that the folder's reach."""
    from branches import Branches

    inputs = sorted((path.read_bytes() for path in folder.iterdir()), key=len)
    if CORPUS.exists():
        inputs = sorted({*inputs, *corpus().values()}, key=len)
    seen: set[Any] = set()
    kept = []
    for data in inputs:
        branches = Branches.of_the_reader()
        with branches.watched():
            try_reading(data)
        if branches.taken - seen:
            seen |= branches.taken
            kept.append(data)
    with tarfile.open(CORPUS, "w:xz") as archive:
        for number, data in enumerate(kept):
            member = tarfile.TarInfo(f"{number:03}.runlog")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    sizes = f"{len(kept)} of {len(inputs)} kept, {sum(map(len, kept))} bytes"
    print(f"{sizes}, {branches.share(seen):.3f} of the branches; not taken:")  # noqa: T201
    print(*sorted(branches.possible - seen), sep="\n")  # noqa: T201


def main() -> None:
    if sys.argv[1] == "--keep":
        keep(Path(sys.argv[2]))
        return
    atheris.Setup([*sys.argv, f"-max_len={LONGEST}"], try_reading, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
