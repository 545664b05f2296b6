# SPDX-License-Identifier: Apache-2.0
"""Tables as people have them: found in their files, and read by what their columns mean."""

import contextlib
import csv
import gzip
import io
import string
import sys
import zipfile
from decimal import Decimal

import pytest
from coalescope.errors import CoalescopeError
from coalescope.uploads.mapping.decimals import number, numbers_of
from coalescope.uploads.mapping.grid import open_grid
from coalescope.uploads.mapping.layout import SEPARATORS, Layout
from coalescope.uploads.mapping.looking import as_json, look
from coalescope.uploads.mapping.reading import MappedTable, read_mapped
from coalescope.uploads.mapping.records import TableMapping, mapping_of
from hypothesis import given
from hypothesis import strategies as st

LAB = """mtu;rx-usecs;cpu;Gbps;notes
1500;10;71,4;8,61;
1500;50;58,9;9,37;
9000;10;38,2;9,88;
9000;50;31,0;9,90;backup was running
"""
LAB_MAPPING = {
    "columns": [
        {"column": "mtu", "quantity": "mtu_bytes"},
        {"column": "rx-usecs", "quantity": "delay_us"},
        {"column": "cpu", "quantity": "system_cpu_percent"},
        {"column": "Gbps", "quantity": "throughput_mbps", "unit": "Gb/s"},
    ]
}


def read(content: bytes | str, said: object = LAB_MAPPING) -> MappedTable:
    content = content.encode() if isinstance(content, str) else content
    return read_mapped(io.BytesIO(content), mapping_of(said))


def values(found: MappedTable) -> list[tuple[object, ...]]:
    return [
        (*row.factors.values(), *(round(m.value, 9) for m in row.measures.values()))
        for row in found.table.rows
    ]


#: the same without the column of notes
BARE = "".join(f"{line.rpartition(';')[0]}\n" for line in LAB.splitlines())
EXPECTED = [
    (1500, 10, 71.4, 8610),
    (1500, 50, 58.9, 9370),
    (9000, 10, 38.2, 9880),
    (9000, 50, 31.0, 9900),
]


def test_values_come_in_the_units_of_their_quantities() -> None:
    """8,61 Gb/s are 8610 Mb/s to the last digit, not 8609.999…"""
    found = read(LAB)
    assert values(found) == EXPECTED
    assert found.table.rows[0].measures["throughput_mbps"].value == 8610.0
    assert found.mapping.layout == Layout("utf-8", ";", 1)
    assert [column.decimal for column in found.mapping.columns] == [","] * 4


def with_points(text: str) -> str:
    return text.replace(",", ".")


@pytest.mark.parametrize(
    "content",
    [
        LAB.replace(";", "\t"),
        LAB.replace(";", "|"),
        with_points(LAB).replace(";", ","),
        with_points(LAB).replace(";", " ").replace("backup was running", "backup"),
        LAB.replace("61;", "61").replace("37;", "37").replace("88;", "88"),
        "\ufeff" + LAB,
        LAB.replace("\n", "\r\n"),
        "# measured on lab-07\n# 2026-11-03\n" + LAB,
        "Measurements of November\n\n" + LAB,
        "Test bench;;results;;\n" + LAB,
        "Test bench;;results;;November\n" + LAB,
        "sep=;\n" + LAB,
        LAB.replace("8,61", "8,61 ").replace(";cpu", "; cpu"),
        LAB.replace("1500", "1.500,0").replace("9000", "9.000,0"),
        LAB.encode("utf-16"),
        gzip.compress(LAB.encode()),
        LAB.replace("backup was running", "Läuft für 5 µs").encode("windows-1252"),
        "# " + with_points(BARE).replace(";", " "),
    ],
    ids=[
        "tabs", "bars", "commas", "spaces", "short rows", "bom", "crlf", "remarks", "title",
        "titles with gaps", "titles to the end", "sep=", "blanks",
        "thousands", "utf-16", "gzip", "windows-1252", "a remark names the columns",
    ],
)  # fmt: skip
def test_the_same_table_however_it_is_written(content: bytes | str) -> None:
    assert values(read(content)) == EXPECTED


def workbook(rows: list[list[object]], *more: list[list[object]]) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for sheet_rows in (rows, *more):
        for row in sheet_rows:
            sheet.append(row)
        sheet = book.create_sheet()
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


LAB_ROWS: list[list[object]] = [
    ["mtu", "rx-usecs", "cpu", "Gbps", "notes"],
    [1500, 10, 71.4, 8.61, None],
    [1500, 50, 58.9, 9.37, None],
    [9000, 10, 38.2, 9.88, None],
    [9000, 50, 31, 9.9, "backup was running"],
]


def test_a_workbook_is_the_same_table() -> None:
    assert values(read(workbook(LAB_ROWS))) == EXPECTED
    found = read(workbook([["About"], ["lab-07"]], LAB_ROWS))
    assert values(found) == EXPECTED
    assert found.mapping.layout is not None
    assert found.mapping.layout.sheet == "Sheet1"


def refusal(content: bytes | str, said: object = LAB_MAPPING) -> CoalescopeError:
    with pytest.raises(CoalescopeError) as caught:
        read(content, said)
    assert caught.value.advice
    return caught.value


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (b"", "empty_file", "empty"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "not_text", ".xls"),
        (b"PK\x03\x04" + bytes(600), "broken_workbook", "workbook"),
        (b"\x1f\x8b" + bytes(60), "bad_bundle", "gzip"),
        (bytes(range(256)), "not_text", "table"),
        ("just words\nand more of them\n", "no_columns", "columns"),
        ('[{"mtu":1500}]', "foreign_file", "JSON"),
    ],
)
def test_what_is_no_table_is_refused_by_name(content: bytes | str, code: str, says: str) -> None:
    error = refusal(content)
    assert error.code == code
    assert says in error.message


@pytest.mark.parametrize(
    ("layout", "code"),
    [
        ({"header_row": 8}, "wrong_layout"),
        ({"header_row": 10_000}, "wrong_layout"),
        ({"encoding": "utf-16"}, "not_text"),
        ({"separator": "", "sheet": "Sheet"}, "wrong_layout"),
    ],
)
def test_a_layout_that_is_not_the_file_s_is_refused(layout: dict[str, object], code: str) -> None:
    known = {"separator": ";", **layout}
    assert refusal(LAB, {**LAB_MAPPING, "layout": known}).code == code
    assert values(read(LAB, {**LAB_MAPPING, "layout": {"separator": ";"}})) == EXPECTED


def with_member(book: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """The workbook, one member of it changed."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as whole, zipfile.ZipFile(changed, "w") as packed:
        for member in whole.namelist():
            content = whole.read(member)
            packed.writestr(member, content.replace(old, new) if member == name else content)
    return changed.getvalue()


@pytest.mark.parametrize(
    ("member", "old", "new"),
    [
        ("xl/worksheets/sheet1.xml", b"<sheetView ", b'<sheetView unheardOf="1" '),
        ("xl/worksheets/sheet1.xml", b"</row>", b"</rows>"),
        ("xl/workbook.xml", b"<sheets>", b"<sheet>"),
    ],
)
def test_a_damaged_sheet_is_refused(member: str, old: bytes, new: bytes) -> None:
    book = workbook(LAB_ROWS)
    assert refusal(with_member(book, member, old, new)).code == "broken_workbook"
    assert values(read(with_member(book, member, old, old))) == EXPECTED


def test_a_sheet_that_is_a_chart_is_refused() -> None:
    from openpyxl import load_workbook
    from openpyxl.chart import BarChart

    book = load_workbook(io.BytesIO(workbook(LAB_ROWS)))
    book.create_chartsheet("Chart").add_chart(BarChart())
    file = io.BytesIO()
    book.save(file)
    assert values(read(file.getvalue())) == EXPECTED
    layout = {"separator": "", "sheet": "Chart"}
    said = {**LAB_MAPPING, "layout": layout}
    assert refusal(file.getvalue(), said).code == "broken_workbook"


def test_a_workbook_that_unpacks_to_too_much_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", bytes(80 * 2**20))
    error = refusal(file.getvalue())
    assert (error.code, error.status) == ("too_large", 413)
    assert "CSV" in str(error.advice)


def with_part(content: bytes, name: str, part: bytes) -> bytes:
    """A workbook with another part of that name."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        for member in {*old.namelist(), name}:
            new.writestr(member, part if member == name else old.read(member))
    return file.getvalue()


@pytest.mark.parametrize(
    "name", ["xl/styles.xml", "docProps/core.xml", "docProps/custom.xml", "xl/_rels/x.rels"]
)
def test_what_describes_a_workbook_is_bounded(name: str) -> None:
    """It is made into a tree, whose cost for each byte is many times that of a cell."""
    error = refusal(with_part(workbook(LAB_ROWS), name, b"<a>" + b"<b/>" * 2**17 + b"</a>"))
    assert (error.code, error.status) == ("too_large", 413)
    assert "styles, names and properties" in error.message


def test_other_parts_of_a_workbook_may_be_large() -> None:
    """Negative control."""
    content = with_part(workbook(LAB_ROWS), "xl/media/image1.png", bytes(2**21))
    assert values(read(content)) == EXPECTED


def work(columns: int) -> int:
    """How many functions are called to look at a table of so many columns of remarks."""
    names = ";".join(f"note {n}" for n in range(columns))
    rows = "".join(f"1500;{n}{';' * columns}\n" for n in range(8)) + "9000;1" + ";seen" * columns
    content = io.BytesIO(f"mtu;Gbps;{names}\n{rows}\n".encode())
    called = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal called
        called += "call" in event

    sys.setprofile(count)
    try:
        look(content, "many.csv")
    finally:
        sys.setprofile(None)
    return called


def test_the_work_of_a_look_grows_with_the_columns_and_not_with_their_square() -> None:
    work(10)  # what is kept after the first time
    fewer, more = work(100), work(400)
    assert more < 5 * fewer


def test_too_much_behind_gzip_is_refused() -> None:
    error = refusal(gzip.compress(b"a;b\n" + b"1;2\n" * 9_000_000))
    assert (error.code, error.status) == ("too_large", 413)


@pytest.mark.parametrize("content", [LAB.encode(), workbook(LAB_ROWS)])
def test_too_many_rows_are_refused(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coalescope.uploads.mapping.grid.ROWS", 4)
    assert values(read(content)) == EXPECTED
    monkeypatch.setattr("coalescope.uploads.mapping.grid.ROWS", 3)
    error = refusal(content)
    assert (error.code, error.where) == ("too_many_rows", {"row": 5})
    assert "Split it" in str(error.advice)


def test_blank_rows_are_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coalescope.uploads.mapping.grid.ROWS", 5)
    assert values(read(LAB + "\n")) == EXPECTED
    assert refusal(LAB + "\n\n").code == "too_many_rows"


def test_a_row_of_empty_fields_is_bounded() -> None:
    assert values(read(LAB + ";" * 999 + "\n")) == EXPECTED
    assert refusal(LAB + ";" * 1000 + "\n").code == "row_length"


def test_the_cells_of_a_workbook_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coalescope.uploads.mapping.workbook.WORKBOOK_CELLS", 22)
    assert values(read(workbook(LAB_ROWS))) == EXPECTED
    monkeypatch.setattr("coalescope.uploads.mapping.workbook.WORKBOOK_CELLS", 21)
    error = refusal(workbook(LAB_ROWS))
    assert (error.code, error.status) == ("too_large", 413)


def test_a_row_that_is_no_number_is_named_by_the_file_and_its_column() -> None:
    error = refusal(LAB.replace("58,9", "58.9x"))
    assert (error.code, error.where["row"], error.where["column"]) == ("not_a_number", 3, "cpu")
    assert values(read(LAB)) == EXPECTED  # its good twin


def test_an_impossible_value_is_told_by_the_column_of_the_file() -> None:
    error = refusal(LAB.replace("1500;10", "12;10"))
    assert (error.code, error.where["row"], error.where["column"]) == ("out_of_domain", 2, "mtu")
    assert error.message.startswith("mtu = 12 is not possible")


def measured(columns: int) -> tuple[str, dict[str, object]]:
    """The header of a table of so many columns, and what they mean."""
    names = ["MTU", *(f"x{n}" for n in range(columns - 1))]
    meant = ["mtu_bytes", *(f"measure.{name}" for name in names[1:])]
    said = [
        {"column": name, "quantity": quantity, "decimal": "."}
        for name, quantity in zip(names, meant, strict=True)
    ]
    return ";".join(names), {"columns": said}


def test_as_many_columns_are_mapped_as_a_file_may_have() -> None:
    """The numbers of the runs, which are added, are none of them."""
    header, said = measured(1000)
    assert len(read(f"{header}\n1500{';1' * 999}\n", said).table.rows) == 1


def test_rows_that_are_too_many_are_told_by_the_columns_of_the_file() -> None:
    header, said = measured(10)
    error = refusal(f"{header}\n" + f"1500{';1' * 9}\n" * 13_637, said)
    assert error.code == "too_many_rows"
    assert "With 10 columns and a number for each run, up to 150,000 fields" in error.message


def test_decimals_or_thousands_is_asked() -> None:
    table = "mtu;drops\n1500;1,234\n9000;2,345\n"
    columns = [
        {"column": "mtu", "quantity": "mtu_bytes"},
        {"column": "drops", "quantity": "drops"},
    ]
    assert refusal(table, {"columns": columns}).code == "decimal_sign"
    for decimal, first in ((",", 1.234), (".", 1234)):
        said = {"columns": [columns[0], {**columns[1], "decimal": decimal}]}
        assert read(table, said).table.rows[0].measures["drops"].value == first


@pytest.mark.parametrize(
    ("column", "code"),
    [
        ({"column": "mtu", "quantity": "speed"}, "unknown_quantity"),
        ({"column": "mtu", "quantity": "kind"}, "unknown_quantity"),
        ({"column": "mtu", "quantity": "mtu_bytes", "unit": "ms"}, "bad_unit"),
        ({"column": "Gbps", "quantity": "throughput_mbps", "unit": "gb/s"}, "bad_unit"),
        ({"column": "mtu", "quantity": "workload", "unit": "ms"}, "bad_unit"),
        ({"column": "other", "quantity": "delay_us"}, "no_column"),
        ({"column": "mtu"}, "bad_mapping"),
        ({"column": "mtu", "quantity": "mtu_bytes", "decimal": ";"}, "bad_mapping"),
        ({"column": 7, "quantity": "mtu_bytes"}, "bad_mapping"),
    ],
)
def test_a_mapping_that_cannot_be_is_refused(column: dict[str, object], code: str) -> None:
    assert refusal(LAB, {"columns": [column]}).code == code


def test_rows_of_one_setting_are_its_runs() -> None:
    found = read(LAB + "1500;10;70,0;8,60;\n")
    assert found.repeated
    assert [row.replicate for row in found.table.rows] == [1, 1, 1, 1, 2]
    assert not read(LAB).repeated


def test_percent_of_all_cpus_is_made_into_percent_of_one() -> None:
    columns = [*LAB_MAPPING["columns"][:2]]
    columns.append({"column": "cpu", "quantity": "host_cpu_percent", "unit": "% of 4 CPUs"})
    measures = read(LAB, {"columns": columns}).table.rows[0].measures
    assert measures["host_cpu_percent"].value == pytest.approx(285.6)


# --- what is written comes back

words = st.text(string.ascii_letters + " äµ%", min_size=1, max_size=12).filter(
    lambda text: bool(text.strip()) and text.strip()[0] not in "#%"
)
decimals = st.decimals(min_value=-(10**9), max_value=10**9, places=3, allow_nan=False)


@given(
    separator=st.sampled_from([s for s in SEPARATORS if s != " "]),
    decimal=st.sampled_from([".", ","]),
    end=st.sampled_from(["\n", "\r\n"]),
    remarks=st.lists(words, max_size=2),
    rows=st.lists(st.tuples(decimals, decimals, words), min_size=2, max_size=12),
)
def test_what_is_written_comes_back(
    separator: str,
    decimal: str,
    end: str,
    remarks: list[str],
    rows: list[tuple[Decimal, Decimal, str]],
) -> None:
    """Whatever separates columns and decimals; what has the separator in it stands in quotes."""
    file = io.StringIO()
    file.writelines(f"# {remark}{end}" for remark in remarks)
    writer = csv.writer(file, delimiter=separator, lineterminator=end)
    writer.writerow(["first", "second", "word"])
    for first, second, word in rows:
        texts = [f"{value:f}".replace(".", decimal) for value in (first, second)]
        writer.writerow([*texts, word.strip()])
    grid = open_grid(io.BytesIO(file.getvalue().encode()))
    assert (grid.layout.separator, list(grid.names)) == (separator, ["first", "second", "word"])
    found = [fields for _, fields in grid.rows()]
    assert [row[2].strip() for row in found] == [word.strip() for _, _, word in rows]
    for place in (0, 1):
        column = [row[place] for row in found]
        numbers = numbers_of(column)
        if numbers.sure:
            back = [number(text, numbers.decimal) for text in column]
            assert back == [row[place] for row in rows]


@given(value=st.decimals(min_value=-(10**12), max_value=10**12, places=4, allow_nan=False))
@pytest.mark.parametrize(
    ("decimal", "group"), [(".", ","), (",", "."), (",", "\u00a0"), (".", "'")]
)
def test_groups_of_three_are_read(decimal: str, group: str, value: Decimal) -> None:
    text = f"{value:,f}".replace(",", "_").replace(".", decimal).replace("_", group)
    assert number(text, decimal) == value  # type: ignore[arg-type]


def test_what_is_no_number_is_none() -> None:
    for text in ("", "12 34", "1,2,3", "0x10", "inf", "1.2.3", "1,23.4", "--1", "1e9999"):
        assert number(text, ".") is None, text


def test_the_mapping_that_was_used_reads_the_same_again() -> None:
    """Its canonical text holds all that was found: layout and decimal signs."""
    found = read(LAB)
    again = read(LAB, found.mapping.as_json())
    assert again.mapping == found.mapping
    assert isinstance(again.mapping, TableMapping)
    assert again.mapping.text() == found.mapping.text()
    assert values(again) == values(found)


def test_one_text_in_many_cells_of_a_workbook_is_bounded() -> None:
    """It stands once in the file, however often it is shown."""
    long = "x" * 30_000
    error = refusal(workbook([["a", "b"], *([long, 1] for _ in range(1500))]))
    assert (error.code, error.status) == ("too_large", 413)


starts = st.sampled_from(
    [b"", b"PK\x03\x04", b"\x1f\x8b", b"\xff\xfe", b"mtu;cpu\n1;2\n", b"# a b\n1 2\n"]
)


@given(start=starts, rest=st.binary(max_size=400) | st.text('1,;.\n\t |#"ab\r-e', max_size=200))
def test_whatever_is_looked_at_is_a_table_or_a_refusal(start: bytes, rest: bytes | str) -> None:
    content = start + (rest if isinstance(rest, bytes) else rest.encode())
    with contextlib.suppress(CoalescopeError):
        seen = look(io.BytesIO(content), "file.csv")
        assert len(seen.columns) > 0
        again = mapping_of(as_json(seen)["mapping"]) if seen.mapping else None
        assert again == seen.mapping
