# SPDX-License-Identifier: Apache-2.0
"""The guide to tidy CSV says what the reader does."""

import ast
import csv
import re
from pathlib import Path
from typing import Any

import coalescope.uploads
import pytest
from coalescope.untrusted import bounds
from coalescope.uploads import csv_faults

GUIDE = (Path(__file__).parents[3] / "docs" / "tidy-csv.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```csv\n(.*?)```", GUIDE, re.DOTALL)
SOURCES = Path(coalescope.uploads.__file__).parent


def codes_in_source() -> set[str]:
    """Every code that the CSV reader and the upload of tables can give."""
    found: set[str] = set()
    for name in (
        "tidy_csv.py",
        "columns.py",
        "csv_header.py",
        "csv_row.py",
        "csv_source.py",
        "provenance.py",
        "foreign_files.py",
        "plain_text.py",
        "mapping/grid.py",
        "mapping/layout.py",
        "mapping/reading.py",
        "mapping/records.py",
        "mapping/workbook.py",
    ):
        tree = ast.parse((SOURCES / name).read_text(encoding="utf-8"))
        texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)]
        found |= {t for t in texts if isinstance(t, str) and re.fullmatch(r"[a-z]+(_[a-z]+)+", t)}
    return found - {"measure_names"}


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_accepted(client: Any, example: str) -> None:
    assert client.upload(example.encode(), "example.csv").status_code == 201


def test_there_is_an_example_of_each_form() -> None:
    assert [("replicate" in text, ",n," in text) for text in EXAMPLES] == [
        (True, False),
        (False, True),
    ]


def test_codes_of_the_guide_exist() -> None:
    table = GUIDE.partition("| code |")[2]
    listed = set(re.findall(r"^\| (.*?) \|", table, re.MULTILINE))
    codes = set(re.findall(r"`([a-z_]+)`", " ".join(listed)))
    elsewhere = {"too_large", "replicate_exists", "cell_exists", "kinds_never_mix", "bad_export"}
    elsewhere |= {"kind_differs", "citation_differs"}  # made of the name
    elsewhere |= {"experiment_too_large"}
    assert codes - elsewhere <= codes_in_source()
    faults = {"wrong_unit", "unknown_column", "duplicate_row", "decimal_comma", "bad_text"}
    assert faults <= codes


def test_limits_of_the_guide_are_those_of_the_reader() -> None:
    table = dict(re.findall(r"^\| ([^|]+?) \| ([\d,]+ [^|]+?) \|$", GUIDE, re.MULTILINE))
    assert table == {
        "a table": f"{bounds.TABLE_BYTES // 2**20} MiB",
        "a workbook, unpacked": f"{bounds.WORKBOOK_BYTES // 2**20} MiB",
        "its styles, names and properties": f"{bounds.WORKBOOK_DESCRIPTION_BYTES // 2**10} KiB",
        "a sheet of it, empty ones included": f"{bounds.WORKBOOK_CELLS:,} cells",
        "its rows, blank ones included": f"{bounds.ROWS:,} rows",
        "its columns": f"{bounds.COLUMNS:,} columns",
        "rows × columns": f"{bounds.FIELDS:,} fields",
        "a row, quoted line breaks included": f"{bounds.ROW_CHARACTERS // 2**10} Ki characters",
        "a field": f"{bounds.FIELD_CHARACTERS // 2**10} Ki characters",
        "the name of a column": f"{bounds.NAME_CHARACTERS} characters",
        "factors": f"{bounds.FACTORS} factors",
        "levels of a factor": f"{bounds.LEVELS:,} levels",
        "a level that is a text": f"{bounds.LEVEL_CHARACTERS} characters",
    }
    assert csv.field_size_limit() == bounds.FIELD_CHARACTERS, "the csv module's own bound"
    assert f"Up to {csv_faults.MAX_PROBLEMS} faults" in GUIDE
