# SPDX-License-Identifier: Apache-2.0
"""Archives as `write_bundle` writes them that were made to hurt: refused in words, and soon."""

import io
import tarfile
from collections.abc import Callable
from typing import Any

import pytest
from coalescope.errors import CoalescopeError
from coalescope.foreign.bundle import MOST_FILES, is_bundle, read_bundle, write_bundle
from coalescope.foreign.registry import MOST_BYTES

END = b"\0" * 1024


def header(size: int, kind: bytes) -> bytes:
    told = tarfile.TarInfo("a")
    told.size, told.type = size, kind
    return told.tobuf(tarfile.GNU_FORMAT)


def behind_what_was_given(rest: bytes) -> bytes:
    return write_bundle([], {})[:1024] + rest + END


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "names of names": (lambda: (header(512, b"L") + b"a" * 512) * 20_000, "longer than"),
    "a header of 64 MiB": (
        lambda: header(1 << 26, b"x") + b"20 a=bbbbbbbbbbbbbb\n" * (1 << 22),
        "longer than",
    ),
    "files": (lambda: header(0, b"0") * (MOST_FILES + 1), f"{MOST_FILES:,} files"),
    "folders": (lambda: header(0, b"5") * 100_001, "100,000 files"),
    "bytes": (
        lambda: header(MOST_BYTES + 512, b"0") + bytes(MOST_BYTES + 512),
        f"{MOST_BYTES:,} bytes",
    ),
    "a size below nothing": (
        lambda: tarfile.TarInfo("a").tobuf()[:124] + b"-0000000001\0" + bytes(376),
        "damaged",
    ),
    "an end inside a file": (lambda: header(1 << 20, b"0"), "ends inside"),
}


@pytest.mark.parametrize(("make", "said"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_archive_is_an_error_with_a_name(make: Callable[[], bytes], said: str) -> None:
    content = behind_what_was_given(make())
    assert is_bundle(content)
    with pytest.raises(CoalescopeError, match=said) as caught:
        read_bundle(io.BytesIO(content))
    assert caught.value.code == "bad_bundle"


def test_the_server_says_so(client: Any) -> None:
    make, said = HOSTILE["names of names"]
    answer = client.upload(behind_what_was_given(make()), "evil.tar", experiment="lab")
    assert answer.status_code == 422, answer.text
    assert said in answer.json()["error"]["message"]
    assert client.get("/api/experiments").json() == []
