# SPDX-License-Identifier: Apache-2.0
"""JSON in a log is refused by what it would hold, before it is read into memory."""

import io
import tracemalloc

import pytest
from coalescope_host.run_log import (
    STANDARD_FIELDS,
    RunLogError,
    Writer,
    bounded_json,
    layout,
    make_header,
    read,
    standard_field,
)

MIB = 1 << 20
RESULT_VALUES = layout.DEFAULT_LIMITS.result_values
BOMBS = {
    "lists": b"[" + b"[]," * MIB + b"1]",
    "objects": b"[" + b"{}," * MIB + b"1]",
    "nested": b"[" + (b"[" * 28 + b"]" * 28 + b",") * 60_000 + b"1]",
    "numbers": b"[" + b"1," * MIB + b"1]",
    "texts": b"[" + b'"ab",' * MIB + b'""]',
    "names": b"{" + b'"a":{},' * MIB + b'"b":1}',
}


def log(*results: bytes, marks: tuple[dict[str, object], ...] = ()) -> bytes:
    fields = [standard_field(name) for name in STANDARD_FIELDS]
    header = make_header(
        run_id="00000000-0000-4000-8000-000000000001",
        experiment="bombs",
        factors={},
        fields=fields,
        sources=[{"name": "sysfs", "atomic": False}],
    )
    file = io.BytesIO()
    with Writer(file, header) as written:
        written.sample(*[0] * len(fields))
        for more in marks:
            written.mark("note", 0, 0, **more)
        for body in results:
            written.result(body)
    return file.getvalue()


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_a_result_that_would_fill_the_memory_is_refused_unread(bomb: bytes) -> None:
    result = read(log(bomb)).result
    assert result is not None
    tracemalloc.start()
    try:
        with pytest.raises(RunLogError, match=f"more than {RESULT_VALUES} values"):
            result.json()
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < 3 * len(bomb) + 32 * MIB


@pytest.mark.parametrize(
    "text",
    [
        b'["' + b",[{" * RESULT_VALUES + b'"]',
        b'["' + b'\\",' * RESULT_VALUES + b'"]',
        b'["' + b"\\\\" * (MIB - 1) + b'","' + b"," * RESULT_VALUES + b'"]',
        b'{"' + b"," * MIB + b'":"' + b"[" * MIB + b'"}',
    ],
    ids=["commas and brackets", "escaped quotation marks", "backslashes", "names"],
)
def test_what_stands_in_texts_is_no_value(text: bytes) -> None:
    assert bounded_json.values_in(text, RESULT_VALUES) <= 2
    result = read(log(text)).result
    assert result is not None
    assert result.json()


@pytest.mark.parametrize(("most", "counted"), [(100, 9), (9, 9), (8, 8)])
def test_values_are_counted_by_what_they_stand_behind(most: int, counted: int) -> None:
    """Seven values, of which an empty one counts twice; a comma in a text only where it decides."""
    text = b'{"a": [1, 2, "x,y"], "b": {"c": [], "d": 1.5}}'
    assert bounded_json.values_in(text, most) == counted


def test_marks_and_metadata_share_their_values() -> None:
    half = {"more": [1] * (layout.DEFAULT_LIMITS.json_values // 2)}
    assert len(read(log(marks=(half,))).marks) == 1
    with pytest.raises(RunLogError, match="with those before it") as caught:
        read(log(marks=(half, half)))
    assert caught.value.code == "block_content"
