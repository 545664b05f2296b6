# SPDX-License-Identifier: Apache-2.0
"""Which tool wrote a file is told in a moment, whatever stands in its beginning.

A server asks this of every file before it is read anywhere, and answers nobody meanwhile.
"""

import gzip
import re
import time
import zlib
from collections.abc import Callable

import pytest
from coalescope.foreign import registry
from coalescope.foreign.registry import FORMATS, START_BYTES, read_file, recognise
from coalescope.untrusted.confined import is_of_memory

from .conftest import CORPUS, corpus_file

BEGINNING = 200
CPU_S = 0.2
FILES = sorted(str(path.relative_to(CORPUS)) for path in CORPUS.glob("*/*"))


def text_of(name: str) -> str:
    content = corpus_file(name)
    packed = content.startswith(b"\x1f\x8b")
    return (gzip.decompress(content) if packed else content).decode(errors="replace").lstrip()


def unlike() -> list[str]:
    """Of the files that begin alike but for their numbers, one."""
    found = {re.sub(r"\d+", "0", text_of(name)[:BEGINNING]): name for name in FILES}
    return sorted(found.values())


def beginnings(text: str) -> set[str]:
    """Up to each of its first words and signs, and then one thing over and over."""
    found = set()
    for word in re.finditer(r"\w+|\W", text[:BEGINNING]):
        start, rest = text[: word.end()], START_BYTES - word.end() - 1
        quoted = f'"{word[0]}":'
        for again in ("\n", " ", word[0], quoted):
            found.add(start + again * (rest // len(again)) + "!")
    return found


def test_all_formats_have_files_here() -> None:
    formats = {found.name for name in FILES if (found := recognise(text_of(name).encode()))}
    assert formats == {form.name for form in FORMATS}


@pytest.mark.parametrize("name", unlike())
def test_it_takes_a_moment(name: str) -> None:
    slowest, of = 0.0, ""
    for start in beginnings(text_of(name)):
        began = time.thread_time()
        recognise(start.encode())
        took = time.thread_time() - began
        if took > slowest:
            slowest, of = took, start
        assert slowest < CPU_S, f"{slowest:g} s: {of[:80]!r}…{of[-20:]!r}"


def test_a_line_of_interrupts_is_not_kept_with_each_of_its_words() -> None:
    """150 MB of 25 kB."""
    words = "-".join(f"{number:x}" for number in range(6000))
    found = read_file("a", f"CPU0 \n 24: 1  IO {words}\n 25: 2  IO eth0-rx-0\n".encode())
    counters = found.reading.counters  # type: ignore[union-attr]
    assert {counter.interface for counter in counters} == {"eth0", "rx", "0"}


@pytest.mark.parametrize(
    "ask", [lambda name, content: recognise(content, name), read_file], ids=["recognise", "read"]
)
def test_memory_that_is_refused_makes_no_packed_file_one_of_an_unknown_format(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[str, bytes], object]
) -> None:
    """zlib says so by a number in its words: the process that reads is told of it."""

    class Refused:
        def decompress(self, *_: object) -> bytes:
            raise zlib.error("Error -4 while decompressing data")

    monkeypatch.setattr(registry.zlib, "decompressobj", lambda **_: Refused())
    with pytest.raises(zlib.error) as told:
        ask("data.flent.gz", gzip.compress(b'{"results": {}}'))
    assert is_of_memory(told.value)
    assert not is_of_memory(zlib.error("Error -3 while decompressing data: invalid block type"))
