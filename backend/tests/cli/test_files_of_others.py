# SPDX-License-Identifier: Apache-2.0
"""Every command that reads a file of somebody else reads it within bounds.

Which commands there are, and which of their arguments name files, is what the parser says: a new
one fails here until it is said whose the files are.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from coalescope.foreign.registry import MOST_BYTES
from coalescope.untrusted.bounds import JSON_VALUES, TABLE_BYTES

from .conftest import Run, parsers, serving_in

#: Of numbers, each of which is four bytes, and 32 when it is read.
LONG_LIST = b'{"start": {"version": "iperf 3.12"}, "x": [' + b"0.5," * 7_000_000 + b"1]}"
MODEL_BYTES = 2**20

#: What names a file that may be anybody's: what is typed before it, and after it.
SENT = {
    ("check", "files"): ("check",),
    ("import", "files"): ("import",),
    ("upload", "files"): ("upload",),
}
NONLINEAR = ("--output", "y", "--free", "z")
MODELS = {
    ("predict", "model"): (("predict",), ()),
    ("predict", "model_option"): (("predict", "--model"), ()),
    ("fit", "model"): (("fit", "geist-2005-nfs"), NONLINEAR),
    ("fit", "model_option"): (
        ("fit", "geist-2005-nfs", "--model"),
        ("--output", "y", "--free", "z"),
    ),
    ("recommend", "model"): (("recommend", "--model"), ("--maximise", "y")),
}
OF_A_KNOWN_SIZE = {("datasets fetch", "copy")}
#: What is of the person who types: an own store, a secret, a program to be run, what is written.
OWN = {
    ("trace", "file"),
    ("trace", "write"),
    ("export", "output"),
    ("backup", "directory"),
    ("publish", "directory"),
}
#: A store, as large as stores are, whose tables and files are copied in pieces.
STORES = {("restore", "directory")}
OWN_EVERYWHERE = {"data", "token_file"}


def test_all_arguments_that_name_files_are_here() -> None:
    found = {
        (command, action.dest)
        for command, parser in parsers().items()
        for action in parser._actions
        if action.type is Path or str(action.metavar).startswith(("FILE", "DIR", "MODEL"))
    }
    named = {each for each in found if each[1] not in OWN_EVERYWHERE}
    assert named == SENT.keys() | MODELS.keys() | OF_A_KNOWN_SIZE | OWN | STORES


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_in(tmp_path_factory.mktemp("files"))(COALESCOPE_DATASETS_DIR="") as (url, _):
        yield url


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("sent")
    contents = {
        "table.csv": b"mtu_bytes,drops\n" + b"1500,1\n" * (TABLE_BYTES // 7),
        "results.json": LONG_LIST + b" " * (MOST_BYTES + 1 - len(LONG_LIST)),
        "list.json": LONG_LIST,
        "large.model.json": b'{"name": "' + b"x" * MODEL_BYTES + b'"}',
        "lists.model.json": b"[" + b"[]," * (MODEL_BYTES // 3 - 2) + b"[]]",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return {name: folder / name for name in contents}


@pytest.mark.parametrize("typed", SENT.values(), ids=" ".join)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("table.csv", f"up to {TABLE_BYTES:,} are read at once"),
        ("results.json", f"up to {MOST_BYTES:,} are read at once"),
        ("list.json", f"holds more than {JSON_VALUES:,} JSON values"),
    ],
)
def test_what_is_too_large_or_holds_too_many_values_is_refused(
    run: Run,
    address: str,
    files: Mapping[str, Path],
    typed: tuple[str, ...],
    name: str,
    reason: str,
) -> None:
    to = ("--server", address, "--experiment", "lab") if typed == ("upload",) else ()
    done = run(*typed, files[name], *to)
    assert (done.returncode, "lab" in done.stdout) == (1, False)
    assert reason in done.stderr


@pytest.mark.parametrize(("before", "after"), MODELS.values(), ids=" ".join)
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("large.model.json", f"is larger than {MODEL_BYTES} bytes"),
        ("lists.model.json", "should be a valid dictionary"),
    ],
)
def test_a_model_is_of_a_mebibyte_whatever_is_in_it(
    read: Run,
    files: Mapping[str, Path],
    before: tuple[str, ...],
    after: tuple[str, ...],
    name: str,
    reason: str,
) -> None:
    done = read(*before, files[name], *after)
    assert done.returncode == 1
    assert reason in done.stderr


def test_a_copy_of_a_data_set_has_its_size_before_it_is_read(read: Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    with copy.open("wb") as file:
        file.truncate(1 << 40)
    done = read("datasets", "fetch", "nic-tuning-2022", "--from", copy)
    assert done.returncode == 1
    assert "1,099,511,627,776 bytes, not" in done.stderr
