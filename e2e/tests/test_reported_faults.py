# SPDX-License-Identifier: Apache-2.0
"""Each reported fault has a test that reproduces it; each such test names one of the table."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
TABLE = CHECKOUT / "e2e" / "reported_faults.toml"
SUITES = ("models", "host", "backend", "datasets", "docker", "e2e", "driver")


def test_each_fault_of_the_table_has_a_test() -> None:
    missing = _table().keys() - set(_marked())
    assert not missing, f"no test is marked with {sorted(missing)}"


def test_each_mark_names_a_fault_of_the_table() -> None:
    unknown = {fault: where for fault, where in _marked().items() if fault not in _table()}
    assert not unknown, f"not in {TABLE.name}: {unknown}"


def test_the_table_says_each_fault_in_one_sentence() -> None:
    assert all(sentence.endswith(".") for sentence in _table().values())


def test_marks_are_read_on_functions_classes_and_files() -> None:
    source = """
pytestmark = [pytest.mark.slow, pytest.mark.fault("F")]

@pytest.mark.fault("A")
@pytest.mark.fault("B")
def test_it(): ...

class TestThem:
    @pytest.mark.fault("C")
    def test_it(self): ...

@pytest.mark.parametrize("case", [pytest.param(1, marks=pytest.mark.fault("D"))])
def test_cases(case): ...

# pytest.mark.fault("E") is said only
"""
    assert sorted(_faults(source)) == ["A", "B", "C", "D", "F"]


def test_tags_are_read_on_unit_tests_of_the_page() -> None:
    source = "it('says so', { tags: 'fault:P2' }, () => {\n  expect('fault:P3').toBe(1);"
    assert list(_tagged(source)) == ["P2"]


def _table() -> dict[str, str]:
    table: dict[str, str] = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return table


def _marked() -> dict[str, str]:
    """Each fault that a test names, and one file that does."""
    return {
        fault: str(path.relative_to(CHECKOUT))
        for path, read in _tests()
        for fault in read(path.read_text(encoding="utf-8"))
    }


def _tests() -> Iterator[tuple[Path, Callable[[str], Iterator[str]]]]:
    """Every file of tests, and what reads the faults that it names."""
    for suite in SUITES:
        for path in sorted((CHECKOUT / suite).rglob("test_*.py")):
            yield path, _faults
    for path in sorted((CHECKOUT / "frontend" / "tests").rglob("*.test.ts*")):
        yield path, _tagged


def _tagged(source: str) -> Iterator[str]:
    """The same of the page's unit tests: `it('…', { tags: 'fault:ID' }, …`."""
    return (found[1] for found in re.finditer(r"tags: 'fault:(\w+)'", source))


def _faults(source: str) -> Iterator[str]:
    """The argument of each `pytest.mark.fault("…")`, in the order of the source."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="fault", value=ast.Attribute(attr="mark")),
                args=[ast.Constant(value=str(fault))],
            ):
                yield fault
