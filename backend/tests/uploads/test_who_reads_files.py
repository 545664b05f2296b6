# SPDX-License-Identifier: Apache-2.0
"""From no address is a file read that somebody sent, but by the bounded reading.

Who reads files, and what an address leads to, is found in the code: a reader that an endpoint comes
to call is met here without anybody adding it.
"""

import ast
import inspect
from collections.abc import Iterator, Mapping, Set
from functools import cache
from pathlib import Path
from typing import NamedTuple

import coalescope
from coalescope_host import run_log

ROOT = Path(coalescope.__file__).parent
#: What takes files apart, of the standard library and of the run log's codec.
LIBRARIES: Mapping[str, Set[str]] = {
    "bz2": {"BZ2Decompressor", "BZ2File", "decompress", "open"},
    "csv": {"DictReader", "reader"},
    "gzip": {"GzipFile", "decompress", "open"},
    "lzma": {"LZMADecompressor", "LZMAFile", "decompress", "open"},
    "mmap": {"mmap"},
    "tarfile": {"TarFile"},
    "zipfile": {"ZipFile"},
    "zlib": {"decompress", "decompressobj"},
    "coalescope_host.run_log": {
        name
        for name, found in vars(run_log).items()
        if inspect.isfunction(found)
        and set(inspect.signature(found).parameters) & {"source", "path"}
    },
}
#: Where who takes an open file, or a path, reads it.
FEATURES = ("coalescope.foreign", "coalescope.runs", "coalescope.uploads")
FILES = {"BinaryIO", "Path"}
#: What is of a fixed size, whatever was sent.
BOUNDED = {
    "coalescope.foreign.readers.pcp._unpacked_start": "64 KiB, into 8 bytes, with at most 100 MiB",
    "coalescope.foreign.registry._inflated_start": "64 KiB, into 64 KiB",
    "coalescope.runs.log_header.read_log_header": "the first MiB of a log",
}
READING = "coalescope.uploads.reading.Reading"


class Part(NamedTuple):
    """A function, class or variable of a module: what it names, and whether it reads files."""

    names: Set[str]
    reads: bool


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in ROOT.rglob("*.py"):
        name = ".".join(("coalescope", *path.relative_to(ROOT).with_suffix("").parts))
        yield name.removesuffix(".__init__"), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> dict[str, str]:
    """The full name of each name that is imported anywhere in the module."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Import):
            found |= {one.asname or one.name: one.name for one in node.names}
    return found


def called(node: ast.AST) -> Iterator[ast.AST]:
    """All below it that is no type."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield part
                yield from called(part)


def names_in(node: ast.AST, known: Mapping[str, str]) -> Iterator[str]:
    for part in called(node):
        if isinstance(part, ast.Name):
            yield known.get(part.id, part.id)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            yield f"{known.get(part.value.id, part.value.id)}.{part.attr}"


def takes_a_file(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    return any(
        isinstance(part, ast.Name) and part.id in FILES
        for one in node.args.args
        if isinstance(one.annotation, ast.Name | ast.BinOp)
        for part in ast.walk(one.annotation)
    )


@cache
def parts() -> Mapping[str, Part]:
    """Everything that stands at the top of a module, by its full name."""
    found = {}
    libraries = {f"{name}.{each}" for name, of in LIBRARIES.items() for each in of}
    for module, tree in modules():
        top = {
            name: node
            for node in tree.body
            for name in (
                [node.name]
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
                else [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
                if isinstance(node, ast.Assign | ast.AnnAssign)
                else []
            )
        }
        known = {name: f"{module}.{name}" for name in top} | imported(tree)
        for name, node in top.items():
            names = set(names_in(node, known))
            takes = module.startswith(FEATURES) and takes_a_file(node)
            found[f"{module}.{name}"] = Part(names, bool(names & libraries) or takes)
    return found


def reached(*stops: str) -> set[str]:
    """What all endpoints lead to, not further than `stops`."""
    found: set[str] = set()
    left = {name for name in parts() if name.rpartition(".")[0].endswith(".endpoints")}
    while left:
        name = left.pop()
        found.add(name)
        if name not in stops:
            left |= (parts()[name].names & parts().keys()) - found
    return found


def readers(names: Set[str]) -> set[str]:
    return {name for name in names if parts()[name].reads}


def test_no_endpoint_reads_what_was_sent_but_within_bounds() -> None:
    assert readers(reached(READING)) - {READING} == set(BOUNDED)


def test_all_kinds_of_reading_are_found() -> None:
    """Control: what the bounded reading leads to."""
    behind = readers(reached()) - readers(reached(READING))
    assert {name.rpartition(".")[2] for name in behind} > {
        "understand_csv",
        "parse_foreign",
        "parse_run_log",
        "compare_logs",
        "read_contents",
        "look_at",
        "settle",
        "read_table",
        "read_bundle",
        "open_grid",
    }
    assert LIBRARIES["coalescope_host.run_log"] >= {"read", "scan", "check"}
