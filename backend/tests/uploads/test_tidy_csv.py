# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  one bad table a line
"""Tidy CSV: good tables are read as they are, bad ones refused with row and column."""

import csv
import io
import math
import time

import pytest
from coalescope.errors import CoalescopeError
from coalescope.runs.records import MeasuredValue
from coalescope.untrusted import bounds
from coalescope.uploads.csv_faults import MAX_PROBLEMS, Faults
from coalescope.uploads.csv_header import read_header
from coalescope.uploads.tidy_csv import Table, read_table
from hypothesis import given
from hypothesis import strategies as st

GOOD = (
    "mtu_bytes,delay_us,workload,replicate,throughput_mbps\n"
    "1500,10,udp,1,986.7\n"
    "1500,10,udp,2,986.5\n"
    "9000,10,udp,1,\n"
).replace("udp,1,\n", "udp,1,990\n")
GOOD_CELLS = (
    "mtu_bytes,delay_us,n,throughput_mbps,throughput_mbps_sd,drops\n"
    "1500,10,10,986.7,0.4,\n"
    "3000,10,10,993.1,,12\n"
)


def read(text: str | bytes) -> Table:
    return read_table(io.BytesIO(text.encode() if isinstance(text, str) else text))


def faults(text: str | bytes) -> list[tuple[str, object, object]]:
    with pytest.raises(CoalescopeError) as caught:
        read(text)
    error = caught.value
    assert error.status == 422
    assert error.advice
    problems = error.problems or [error]
    return [(p.code, p.where.get("row"), p.where.get("column")) for p in problems]


def test_one_row_per_run() -> None:
    table = read(GOOD)
    assert table.per == "run"
    first, second, third = table.rows
    assert first.row == 2
    assert first.factors == {"mtu_bytes": 1500, "delay_us": 10, "workload": "udp"}
    assert (first.replicate, second.replicate) == (1, 2)
    assert first.measures == {"throughput_mbps": MeasuredValue(986.7)}
    assert third.factors["mtu_bytes"] == 9000


@pytest.mark.fault("B5")
def test_where_each_cell_stands_once_nothing_has_to_number_it() -> None:
    """One run each; a repeated cell is refused with both ways out."""
    text = "mtu_bytes,delay_us,throughput_mbps\n1500,0,900\n9000,0,980\n"
    table = read(text)
    assert (table.per, table.numbered) == ("run", False)
    assert [row.replicate for row in table.rows] == [1, 1]
    with pytest.raises(CoalescopeError) as caught:
        read(text + "1500,0,905\n")
    assert caught.value.message == "Row 4 repeats the cell of row 2."
    assert "'replicate'" in str(caught.value.advice)
    assert "'n'" in str(caught.value.advice)


def test_one_row_per_cell() -> None:
    table = read(GOOD_CELLS)
    assert table.per == "cell"
    assert [row.replicate for row in table.rows] == [None, None]
    assert table.rows[0].measures == {"throughput_mbps": MeasuredValue(986.7, 0.4, 10)}
    assert table.rows[1].measures == {
        "throughput_mbps": MeasuredValue(993.1, None, 10),
        "drops": MeasuredValue(12, None, 10),
    }


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "\ufeff" + GOOD,
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\n", "\r"),
        GOOD.rstrip("\n"),
        GOOD.replace("\n", "\n\n"),
        GOOD.replace("udp", '"udp"'),
        GOOD.replace(",", " , "),
        GOOD.replace("1500", "1.5e3"),
        GOOD.replace("1500", "+1500.0"),
    ],
    ids=["plain", "bom", "crlf", "cr", "no end", "blank", "quoted", "spaces", "exponent", "sign"],
)
def test_the_same_table_however_it_is_written(text: str) -> None:
    plain = [(row.factors, row.replicate, row.measures) for row in read(GOOD).rows]
    assert [(row.factors, row.replicate, row.measures) for row in read(text).rows] == plain


def test_quoted_fields_keep_commas_quotes_and_free_factors() -> None:
    table = read('factor.cable,driver_version,replicate,drops\n"cat 6, ""blue""",e1000 7.3,1,0\n')
    assert table.rows[0].factors == {
        "factor.cable": 'cat 6, "blue"',
        "driver_version": "e1000 7.3",
    }


HEADER = "mtu_bytes,delay_us,workload,replicate,throughput_mbps"
WITH_TIMES = """mtu_bytes,replicate,order,block,recorded_at,drops
1500,1,7,a,2026-01-31T12:00:00Z,0
"""
BAD = {
    # the header
    "unknown column": (GOOD.replace("throughput_mbps", "speediness"), ("unknown_column", 1, "speediness")),
    "near name": (GOOD.replace("throughput_mbps", "throughputt_mbps"), ("unknown_column", 1, "throughputt_mbps")),
    "wrong case": (GOOD.replace("mtu_bytes", "MTU_BYTES"), ("wrong_unit", 1, "MTU_BYTES")),
    "wrong unit of a factor": (GOOD.replace("delay_us", "delay_ms"), ("wrong_unit", 1, "delay_ms")),
    "wrong unit of a measure": (GOOD.replace("throughput_mbps", "throughput_gbps"), ("wrong_unit", 1, "throughput_gbps")),
    "no unit": (GOOD.replace("mtu_bytes", "mtu"), ("wrong_unit", 1, "mtu")),
    "wrong unit of a deviation": (GOOD_CELLS.replace("throughput_mbps_sd", "throughput_gbps_sd"), ("wrong_unit", 1, "throughput_gbps_sd")),
    "a parameter as column": (GOOD.replace("throughput_mbps", "alpha"), ("unknown_column", 1, "alpha")),
    "the same column twice": (GOOD.replace("delay_us", "mtu_bytes"), ("duplicate_column", 1, "mtu_bytes")),
    "a column without name": (GOOD.replace("workload", ""), ("unnamed_column", 1, 3)),
    "semicolons": (GOOD.replace(",", ";"), ("wrong_delimiter", 1, None)),
    "tabs": (GOOD.replace(",", "\t"), ("wrong_delimiter", 1, None)),
    "neither replicate nor n": (GOOD.replace("replicate", "n").replace(",n,", ",streams,").replace("udp,2", "udp,1"), ("duplicate_row", 3, None)),
    "replicate and n": (GOOD.replace("throughput_mbps", "n"), ("run_or_cell", 1, None)),
    "no factor": ("replicate,drops\n1,0\n", ("missing_column", 1, None)),
    "no measure": ("mtu_bytes,replicate\n1500,1\n", ("missing_column", 1, None)),
    "deviation of single runs": (GOOD.replace("throughput_mbps", "drops,drops_sd").replace("986", "9,986").replace("990", "9,990"), ("sd_without_n", 1, "drops_sd")),
    "deviation without mean": (GOOD_CELLS.replace("throughput_mbps_sd", "elapsed_s_sd"), ("sd_without_mean", 1, "elapsed_s_sd")),
    "header only": (HEADER + "\n", ("no_rows", 2, None)),
    # fields
    "text for a number": (GOOD.replace("986.5", "fast"), ("not_a_number", 3, "throughput_mbps")),
    "text for a factor": (GOOD.replace("9000", "jumbo"), ("not_a_number", 4, "mtu_bytes")),
    "underscores": (GOOD.replace("9000", "9_000"), ("not_a_number", 4, "mtu_bytes")),
    "hexadecimal": (GOOD.replace("9000", "0x2328"), ("not_a_number", 4, "mtu_bytes")),
    "a unit in the field": (GOOD.replace("986.5", "986.5 Mb/s"), ("not_a_number", 3, "throughput_mbps")),
    "quoted decimal comma": (GOOD.replace("986.5", '"986,5"'), ("decimal_comma", 3, "throughput_mbps")),
    "bare decimal comma": (GOOD.replace("986.5", "986,5"), ("row_length", 3, None)),
    "nan": (GOOD.replace("986.5", "nan"), ("not_finite", 3, "throughput_mbps")),
    "infinite": (GOOD.replace("986.5", "-Infinity"), ("not_finite", 3, "throughput_mbps")),
    "too large": (GOOD.replace("986.5", "1e400"), ("not_finite", 3, "throughput_mbps")),
    "negative measure": (GOOD.replace("986.5", "-986.5"), ("out_of_domain", 3, "throughput_mbps")),
    "negative bytes": (GOOD.replace("9000", "-9000"), ("out_of_domain", 4, "mtu_bytes")),
    "missing factor": (GOOD.replace("9000", ""), ("missing_factor", 4, "mtu_bytes")),
    "missing text factor": (GOOD.replace("9000,10,udp", "9000,10,"), ("missing_factor", 4, "workload")),
    "control character": (GOOD.replace("9000,10,udp", "9000,10,u\x07dp"), ("bad_text", 4, "workload")),
    "long text": (GOOD.replace("9000,10,udp", "9000,10," + "u" * 201), ("bad_text", 4, "workload")),
    "no measured value": (GOOD.replace("986.5", ""), ("no_value", 3, None)),
    "replicate not whole": (GOOD.replace("udp,2", "udp,1.5"), ("bad_count", 3, "replicate")),
    "replicate missing": (GOOD.replace("udp,2", "udp,"), ("bad_count", 3, "replicate")),
    "time of day without a date": (WITH_TIMES.replace("2026-01-31T12:00:00Z", "12:00"), ("bad_time", 2, "recorded_at")),
    "time without an offset": (WITH_TIMES.replace("00Z", "00"), ("bad_time", 2, "recorded_at")),
    "order not whole": (WITH_TIMES.replace("7,a", "7.5,a"), ("bad_count", 2, "order")),
    "block with a control character": (WITH_TIMES.replace("7,a", "7,a\x07"), ("bad_text", 2, "block")),
    "time of a mean": (WITH_TIMES.replace("replicate", "n"), ("run_or_cell", 1, "order")),
    "n of zero": (GOOD_CELLS.replace("3000,10,10", "3000,10,0"), ("bad_count", 3, "n")),
    "n negative": (GOOD_CELLS.replace("3000,10,10", "3000,10,-3"), ("bad_count", 3, "n")),
    "n missing": (GOOD_CELLS.replace("3000,10,10", "3000,10,"), ("bad_count", 3, "n")),
    "deviation of one": (GOOD_CELLS.replace("1500,10,10", "1500,10,1"), ("sd_without_n", 2, "throughput_mbps_sd")),
    "negative deviation": (GOOD_CELLS.replace("0.4", "-0.4"), ("out_of_domain", 2, "throughput_mbps_sd")),
    "deviation, mean empty": (GOOD_CELLS.replace("986.7,0.4,", ",0.4,1"), ("sd_without_mean", 2, "throughput_mbps_sd")),
    "row too short": (GOOD.replace(",986.5", ""), ("row_length", 3, None)),
    "row too long": (GOOD.replace("986.5", "986.5,1"), ("row_length", 3, None)),
    "duplicate run": (GOOD.replace("udp,2", "udp,1"), ("duplicate_row", 3, None)),
    "duplicate run, written otherwise": (GOOD.replace("1500,10,udp,2", "1.5e3,10.0,udp,1"), ("duplicate_row", 3, None)),
    "duplicate cell": (GOOD_CELLS.replace("3000", "1500"), ("duplicate_row", 3, None)),
    "open quotation mark": (GOOD.replace("986.5", '"986.5'), ("broken_quoting", 3, None)),
    "text after a quotation": (GOOD.replace("986.5", '"98"6.5'), ("broken_quoting", 3, None)),
    # bytes
    "empty": ("", ("empty_file", 1, None)),
    "blank": ("\n  \r\n\t\n", ("empty_file", 1, None)),
    "only a byte order mark": ("\ufeff", ("empty_file", 1, None)),
    "zero bytes": (GOOD.encode() + b"\0", ("not_text", None, None)),
    "binary junk": (bytes(range(128, 256)), ("not_text", None, None)),
    "latin-1": (GOOD.replace("udp", "ü").encode("latin-1"), ("not_text", None, None)),
    "utf-16": (GOOD.encode("utf-16"), ("not_text", None, None)),
    "ends inside a character": ((GOOD + "µ").encode()[:-1], ("not_text", None, None)),
}  # fmt: skip


def test_a_number_that_is_too_large_is_refused_with_the_largest_there_is() -> None:
    with pytest.raises(CoalescopeError) as caught:
        read(GOOD.replace("986.5", "1e308"))
    assert caught.value.advice == "Numbers go up to 1e+30; check value and unit."


def test_a_table_without_a_header_is_told_so() -> None:
    with pytest.raises(CoalescopeError) as caught:
        read("1500,10,986.7\n1500,20,986.5\n")
    said = [(p.where["column"], p.message, p.advice) for p in caught.value.problems]
    assert [column for column, _, _ in said] == ["1500", "10", "986.7"]
    assert all("looks like a row of data" in message for _, message, _ in said)
    assert all("Put a header above it" in advice for _, _, advice in said)


@pytest.mark.parametrize(("text", "fault"), BAD.values(), ids=BAD.keys())
def test_a_bad_table_is_refused_where_it_is_bad(
    text: str | bytes, fault: tuple[str, object, object]
) -> None:
    assert faults(text)[0] == fault


def test_the_good_twins_pass() -> None:
    """The negative control of all bad tables, which differ from these in one place."""
    assert len(read(GOOD).rows) == 3
    assert len(read(GOOD_CELLS).rows) == 2
    (row,) = read(WITH_TIMES).rows
    assert (row.order, row.block, row.recorded_at) == (7, "a", "2026-01-31T12:00:00.000Z")


def advice(text: str) -> str:
    with pytest.raises(CoalescopeError) as caught:
        read(text)
    return f"{caught.value.message} {caught.value.advice}"


def test_advice_names_what_was_meant() -> None:
    assert "throughput_mbps" in advice(GOOD.replace("throughput_mbps", "throughputt_mbps"))
    assert "factor.cable" in advice(GOOD.replace("workload", "cable"))
    milliseconds = advice(GOOD.replace("delay_us", "delay_ms"))
    assert "delay_us" in milliseconds
    assert "µs" in milliseconds
    assert "Multiply by 1000" in milliseconds
    assert "Divide by 1000" in advice(GOOD.replace("throughput_mbps", "throughput_kbps"))


def test_a_time_by_another_name_is_told_its_name_here() -> None:
    assert "name it recorded_at" in advice(WITH_TIMES.replace("recorded_at", "started_at"))


def test_bytes_that_are_not_text_have_their_offset() -> None:
    with pytest.raises(CoalescopeError) as caught:
        read(b"a" * 70000 + b"\xff" + b"a" * 10)
    assert caught.value.where == {"offset": 70000}
    with pytest.raises(CoalescopeError) as caught:
        read(b"a" * 70000 + b"\0")
    assert caught.value.where == {"offset": 70000}


def test_a_character_across_two_reads_is_a_character() -> None:
    pad = GOOD.replace("udp", "u" * 150 + "µ" * 40)
    for shift in range(4):
        text = (
            HEADER
            + "\n"
            + "".join(f"1500,10,{'µ' * 99},{i},1\n" for i in range(700))
            + "\n" * shift
        )
        assert len(read(text).rows) == 700
    assert len(read(pad).rows) == 3


def test_all_faults_are_listed_up_to_twenty() -> None:
    text = GOOD.replace("986.7", "fast").replace("986.5", "slow").replace("9000", "")
    assert faults(text) == [
        ("not_a_number", 2, "throughput_mbps"),
        ("not_a_number", 3, "throughput_mbps"),
        ("missing_factor", 4, "mtu_bytes"),
    ]
    many = HEADER + "\n" + "1500,10,udp,1,fast\n" * 30
    assert len(faults(many)) == MAX_PROBLEMS


FACTORS = ("mtu_bytes", "delay_us", "workload")

levels = st.fixed_dictionaries(
    {
        "mtu_bytes": st.integers(68, 65536),
        "delay_us": st.floats(0, 1e6),
        "workload": st.text(
            st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=20
        ),
    }
)


@given(
    rows=st.lists(
        st.tuples(levels, st.integers(0, 9), st.one_of(st.none(), st.floats(0, 1e12))),
        min_size=1,
        max_size=12,
        unique_by=lambda row: (tuple(sorted(row[0].items())), row[1]),
    ),
    crlf=st.booleans(),
)
def test_what_is_written_is_read(
    rows: list[tuple[dict[str, object], int, float | None]], crlf: bool
) -> None:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n" if crlf else "\n")
    writer.writerow([*FACTORS, "replicate", "drops", "elapsed_s"])
    for factors, replicate, drops in rows:
        writer.writerow(
            [
                *(factors[name] for name in FACTORS),
                replicate,
                "" if drops is None else repr(drops),
                1,
            ]
        )
    table = read(file.getvalue())
    for (factors, replicate, drops), row in zip(rows, table.rows, strict=True):
        assert row.factors == factors
        assert row.replicate == replicate
        expected = {"elapsed_s": 1.0} if drops is None else {"drops": drops, "elapsed_s": 1.0}
        assert {name: m.value for name, m in row.measures.items()} == expected


@given(st.binary(max_size=400))
def test_any_bytes_give_a_table_or_the_one_error(content: bytes) -> None:
    try:
        table = read(content)
    except CoalescopeError as error:
        assert error.code
        assert error.advice
    else:
        assert table.rows


@given(st.text(max_size=300), st.integers(0, len(GOOD)))
def test_any_text_inside_a_table_gives_a_table_or_the_one_error(text: str, at: int) -> None:
    try:
        table = read((GOOD[:at] + text + GOOD[at:]).encode("utf-8", "surrogatepass"))
    except CoalescopeError as error:
        assert error.code
    else:
        for row in table.rows:
            assert all(math.isfinite(m.value) for m in row.measures.values())


def test_too_many_rows_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coalescope.uploads.tidy_csv.ROWS", 2)
    assert faults(GOOD) == [("too_many_rows", 4, None)]
    monkeypatch.setattr("coalescope.uploads.tidy_csv.ROWS", 3)
    assert len(read(GOOD).rows) == 3


def test_blank_rows_are_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coalescope.uploads.tidy_csv.ROWS", 4)
    assert len(read(GOOD + "\n").rows) == 3
    assert faults(GOOD + "\n\n") == [("too_many_rows", 6, None)]


def columns(*names: str) -> str:
    return f"{','.join(names)}\n{','.join('1' for _ in names)}\n"


def free(count: int) -> list[str]:
    return [f"factor.c{number}" for number in range(count)]


def own(count: int) -> list[str]:
    return [f"measure.c{number}" for number in range(count)]


RUN = ("replicate", "drops")
# of each: at its bound, and one too many of it
BOUNDED = {
    "columns": (
        columns("delay_us", *RUN, *own(bounds.COLUMNS - 3)),
        columns("delay_us", *RUN, *own(bounds.COLUMNS - 2)),
        ("too_many_columns", 1, None),
    ),
    "deviations": (
        columns("delay_us", "n", *own(400), *(f"{name}_sd" for name in own(400))).replace(
            "1,1", "1,2", 1
        ),
        columns("delay_us", "n", *own(500), *(f"{name}_sd" for name in own(500))),
        ("too_many_columns", 1, None),
    ),
    "factors": (
        columns(*free(bounds.FACTORS), *RUN),
        columns(*free(bounds.FACTORS + 1), *RUN),
        ("too_many_factors", 1, None),
    ),
    "levels": (
        "delay_us,drops\n" + "".join(f"{n},0\n" for n in range(bounds.LEVELS)),
        "delay_us,drops\n" + "".join(f"{n},0\n" for n in range(bounds.LEVELS + 1)),
        ("too_many_levels", bounds.LEVELS + 2, "delay_us"),
    ),
    "name": (
        columns("delay_us", "measure." + "m" * 100 + " [" + "u" * 40 + "]", *RUN),
        columns("delay_us", "m" * (bounds.NAME_CHARACTERS + 1), *RUN),
        ("long_name", 1, "m" * bounds.NAME_CHARACTERS),
    ),
    "field": (
        f'delay_us,drops,source.notes\n1,1,"[""{"x" * 10_000}""]"\n',
        f"delay_us,drops,source.notes\n1,1,{'x' * (bounds.FIELD_CHARACTERS + 1)}\n",
        ("long_field", 2, None),
    ),
    "row": (
        f"delay_us,drops\n1,1{' ' * (bounds.ROW_CHARACTERS // 4)}\n",
        "delay_us,drops\n1,1" + f",{'x' * 1000}" * 300 + "\n",
        ("long_row", 2, None),
    ),
    "row in quotes": (
        'delay_us,factor.a,drops\n1,"a b",1\n',
        'delay_us,drops\n1,"' + "a,b\n" * 100_000,
        ("long_field", 2, None),
    ),
    "header": (GOOD, "c," * 10_000_000, ("long_row", 1, None)),
    "name of millions": (GOOD, "x" * 20_000_000 + ",drops\n", ("long_row", 1, None)),
}


@pytest.mark.parametrize(("most", "more", "fault"), BOUNDED.values(), ids=BOUNDED)
def test_what_a_table_holds_is_bounded(most: str, more: str, fault: tuple[str, int, str]) -> None:
    assert read(most).rows
    began = time.process_time()
    assert faults(more) == [fault]
    assert time.process_time() - began < 2, "nothing was done with what is too much"


def test_rows_of_many_columns_are_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coalescope.uploads.tidy_csv.FIELDS", 15)
    assert len(read(GOOD).rows) == 3
    monkeypatch.setattr("coalescope.uploads.tidy_csv.FIELDS", 14)
    assert faults(GOOD) == [("too_many_rows", 4, None)]


def test_a_header_costs_what_its_length_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not its square: names are looked up, and so are the means of deviations."""
    for name in ("COLUMNS", "FACTORS"):
        monkeypatch.setattr(f"coalescope.uploads.csv_header.{name}", 10**9)

    def cost_s(count: int) -> float:
        names = ["n", *free(count), *own(count), *(f"{name}_sd" for name in own(count))]
        collected = Faults()
        began = time.process_time()
        assert len(read_header(names, collected)) == 3 * count + 1
        return time.process_time() - began

    assert cost_s(20_000) < 40 * max(cost_s(2_000), 0.02)  # squares would be 100
