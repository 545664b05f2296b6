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
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

try:
    import atheris
except ImportError:  # to keep and to read a corpus, nothing is needed
    atheris = None

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus.tar.xz"
LONGEST = 1 << 14
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
NAMES = ["", "x", "name", "é", "time_dilation", "kind", "bytes_include", "wrap_bits", "n" * 99]
NAMES += ["order", "effective", "stream", "t_realtime_ns"]
ODD = [None, True, -1, 0, 1, 8, 0.5, 2**31, 2**63, 2**64, -(10**19), 10**30, 1e308, float("nan")]
ODD += ["", "x" * 70, "\u202e", "\ud800", "\0", "\\u0000", "\U0001f600", "A b"]
ODD += ["emulated", "fcs", "gauge", "u8", "i64", "window_end"]
ODD += [
    [],
    {},
    [0],
    ["fcs"],
    {"a": 1},
    {str(k): 1 for k in range(99)},
    json.loads("[" * 18 + "]" * 18),
]
# where a colon stands in the header: JSON as no writer of ours spells it
COLONS = [b" :", b"\n:", b"\t:", b"\r:", b":" + b"[" * 2000]

if __name__ == "__main__" and atheris is not None and sys.argv[1] != "--keep":
    with atheris.instrument_imports(include=["coalescope_host.run_log"]):  # before anybody else
        import coalescope_host.run_log  # noqa: F401

from coalescope_host.run_log import (  # noqa: E402
    Limits,
    RunLog,
    RunLogError,
    Writer,
    check,
    contents,
    layout,
    make_header,
    read,
    scan,
    standard_field,
)

# what a reader may have been told to accept at most
LIMITS = [Limits(json_values=90), Limits(marks=1, results=0), Limits(blocks=2, file_bytes=2000)]
_TOOLS = runpy.run_path(str(HERE / "conftest.py"))
repaired, split, padded, block = (_TOOLS[name] for name in ("repaired", "split", "padded", "block"))


def a_sound_log() -> bytes:
    """A log in which all that the format has stands somewhere."""
    factors = {"mtu_bytes": {"requested": 1500, "read_back": 1500, "effective": 1500}}
    factors["workload"] = {"requested": "tcp"}
    included = {"bytes_include": ["link_header", "fcs"]}
    fields = [standard_field("t_monotonic_ns"), standard_field("rx_bytes", **included)]
    fields += [{"name": "ring", "type": "u32", "unit": "1", "kind": "gauge", "source": "proc"}]
    fields += [{**standard_field("rx_packets"), "type": "u8", "wrap_bits": 8}]
    header = make_header(
        run_id="00000000-0000-4000-8000-000000000002",
        experiment="an-experiment",
        experiment_title="A title",
        plan="a plan",
        factors=factors,
        kind="emulated",
        time_dilation=2.5,
        order=3,
        seed=4,
        fields=fields,
        sources=[{"name": "sysfs", "atomic": False}, {"name": "proc", "atomic": True}],
        environment={"kernel": "6.1 \N{GRINNING FACE}"},
    )
    header["streams"] = [*header["streams"], {"name": "second", "record_bytes": 8}]
    header["fields"] = [*header["fields"], {**standard_field("t_monotonic_ns"), "stream": 1}]
    file = io.BytesIO()
    with Writer(file, header) as log:
        log.mark("window_start", 1010, 2010)
        for k in range(4):
            log.sample(1000 + 10 * k, 1500 * k, 256, k)
            log.sample(1000 + 10 * k, stream=1)
        log.mark("window_end", 1020, None)
        log.result(b'{"fine": true}', exit_status=0)
    return file.getvalue()


def try_reading(data: bytes) -> None:
    """Everything that a reader of a log does with it. Only the reader's own error is caught."""
    found, problems = scan(data)
    assert found is not None or problems
    check(data)
    for source in _other_ways(data):
        assert scan(source)[1] == problems
    for limits in LIMITS:
        assert scan(data, limits) != (None, [])
    try:
        log = read(data)
    except RunLogError as error:
        assert str(error)
    else:
        assert found is not None, "read takes what scan does not"
        _look_at(log, len(data))


def _other_ways(data: bytes) -> Iterator[Any]:
    """The same bytes as a file, as its path, and as words."""
    with tempfile.NamedTemporaryFile(dir=MEMORY) as file:
        file.write(data)
        file.flush()
        yield file.name
        file.seek(0)
        yield file
        for limits in LIMITS:
            scan(file.name, limits)
    if len(data) % 8 == 0:
        yield memoryview(data).cast("Q")


def _look_at(log: RunLog, size: int) -> None:
    contents(log)
    for stream in log.streams:
        for field in stream.fields:
            assert field.format.startswith("<")
            assert field.bytes_include is None or isinstance(field.bytes_include, tuple)
        assert all(len(part) % stream.record_bytes == 0 for part in stream.blocks)
    assert all(mark.name for mark in log.marks)
    assert all(len(result.body) <= size for result in log.results)


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """A changed log; in every second try that log is a sound one, as one fault hides the next."""
    chance = random.Random(seed)
    head, blocks = _parts(SOUND if chance.random() < 0.5 else data)
    if head is None:
        return bytes(atheris.Mutate(data, most))
    return _repaired_mostly(chance.choice([*CHANGES, _bytes])(head, blocks, chance), chance)[:most]


def one_fault_each() -> Iterator[bytes]:
    """The sound log with each value of its documents replaced in every way there is, one a time."""
    head, blocks = _parts(SOUND)
    assert head is not None
    for text in _one_change_each(head[24:]):
        yield repaired(_with_header(head, text, blocks))
    for at, old in enumerate(blocks):
        for new in _documents(old, _one_change_each):
            yield repaired(head + b"".join([*blocks[:at], new, *blocks[at + 1 :]]))


def _one_change_each(text: bytes) -> Iterator[bytes]:
    for number in range(len(list(_places([json.loads(text)])))):
        document = [json.loads(text)]
        inside, key = list(_places(document))[number]
        old = inside[key]
        for inside[key] in [*_near(old), *ODD]:
            yield json.dumps(document[0]).encode()
        del inside[key]
        yield json.dumps(document[0] if document else None).encode()


def _repaired_mostly(data: bytes, chance: random.Random) -> bytes:
    """With its checksums right again in nine of ten."""
    return repaired(data) if chance.random() < 0.9 else data


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


def _colon(head: bytes, blocks: list[bytes], chance: random.Random) -> bytes:
    """The header's text with one colon spelled in another way."""
    parts = head[24:].split(b":")
    at = chance.randrange(len(parts))
    text = b":".join(parts[:at]) + chance.choice(COLONS) + b":".join(parts[at:])
    return _with_header(head, text, blocks)


def _header(head: bytes, blocks: list[bytes], chance: random.Random) -> bytes:
    return _with_header(head, _changed_text(head[24:], chance), blocks)


def _document(head: bytes, blocks: list[bytes], chance: random.Random) -> bytes:
    """Another document in a block of marks, of a result, or in the footer."""
    at = chance.randrange(len(blocks)) if blocks else 0
    changed = (
        list(_documents(blocks[at], lambda text: [_changed_text(text, chance)])) if blocks else []
    )
    if not changed:
        return _header(head, blocks, chance)
    return head + b"".join([*blocks[:at], *changed, *blocks[at + 1 :]])


def _documents(block: bytes, change: Callable[[bytes], Iterable[bytes]]) -> Iterator[bytes]:
    """The block with its document changed in each of those ways; nothing of a block of records."""
    payload = block[layout.BLOCK.size :]
    if len(payload) < layout.RESULT.size or (kind := block[4]) == layout.SAMPLES:
        return
    start, end = b"", b""
    if kind == layout.RESULT_BLOCK:
        size, body_size = layout.RESULT.unpack_from(payload)
        start, end = payload[:8], payload[8 + size :][:body_size]
        payload = payload[8 : 8 + size]
    for text in change(payload):
        lengths = len(text).to_bytes(4, "little") + start[4:] if start else b""
        whole = padded(text) if not start else lengths + text + end
        whole += bytes(-len(whole) % 8)
        yield block[:12] + len(whole).to_bytes(4, "little") + block[16:32] + whole


def _changed_text(text: bytes, chance: random.Random) -> bytes:
    try:
        whole = [json.loads(text)]
    except (ValueError, RecursionError):
        return text[: chance.randrange(len(text) + 1)]
    _change(whole, chance)
    return json.dumps(whole[0] if whole else None).encode()


def _change(document: list[Any], chance: random.Random) -> None:
    """Something in it, at any depth, is replaced, left out, added or repeated."""
    inside, key = chance.choice(list(_places(document)))
    match chance.randrange(8), inside:
        case 0, _:
            del inside[key]
        case 1, dict():
            inside[chance.choice(NAMES)] = chance.choice(ODD)
        case 1, _:
            inside[key:key] = [inside[key]] * chance.choice([1, 1, 70])
        case 2 | 3 | 4, _:
            inside[key] = chance.choice([*_near(inside[key]), None])
        case _:
            inside[key] = chance.choice(ODD)


def _places(inside: Any) -> Iterator[tuple[Any, Any]]:
    for key in inside if isinstance(inside, dict) else range(len(inside)):
        yield inside, key
        if isinstance(inside[key], dict | list):
            yield from _places(inside[key])


def _near(value: Any) -> list[Any]:
    """Other values of the same type."""
    match value:
        case bool():
            return [not value]
        case str():
            return [value.upper(), value + "-", value * 99, value * 999]
        case int() | float():
            return [value + 1, value - 1, -value, value * 2, value * 999]
        case list():
            return [value * 2, value * 70]
        case _:
            return []


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


CHANGES = (_colon, _header, _header, _header, _document, _document, _numbers, _blocks, _cut)
SOUND = a_sound_log()


def corpus() -> dict[str, bytes]:
    """What was kept of former runs, by name."""
    with tarfile.open(CORPUS) as kept:
        members = [(member, kept.extractfile(member)) for member in kept.getmembers()]
        return {member.name: file.read() for member, file in members if file is not None}


def keep(folder: Path) -> None:
    """Keep the shortest inputs that together reach what all reach.

    Of the folder, of those kept, and of a sound log with one fault each: the fuzzer does not see
    all the branches that are counted here.
    """
    from branches import Branches

    found = {path.read_bytes() for path in folder.iterdir()}
    inputs = sorted({b"", *found, *one_fault_each(), *corpus().values()}, key=len)
    branches = Branches.of_the_reader()
    seen: set[Any] = set()
    kept = []
    for data in inputs:
        branches.taken.clear()
        with branches.watched():
            scan(data)
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
