# SPDX-License-Identifier: Apache-2.0
import io
import struct

import pytest
from coalescope_host.run_log import Writer, layout, make_header, read, standard_field
from hypothesis import given
from hypothesis import strategies as st

RANGES = {
    "u8": st.integers(0, 2**8 - 1),
    "u16": st.integers(0, 2**16 - 1),
    "u32": st.integers(0, 2**32 - 1),
    "u64": st.integers(0, 2**64 - 1),
    "i8": st.integers(-(2**7), 2**7 - 1),
    "i16": st.integers(-(2**15), 2**15 - 1),
    "i32": st.integers(-(2**31), 2**31 - 1),
    "i64": st.integers(-(2**63), 2**63 - 1),
    "f32": st.floats(width=32, allow_nan=False),
    "f64": st.floats(allow_nan=False),
}
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40)


@st.composite
def contents(draw):
    types = sorted(
        draw(st.lists(st.sampled_from(sorted(RANGES)), max_size=8)), key=size, reverse=True
    )
    times = sorted(draw(st.sets(st.integers(0, 2**64 - 1), max_size=30)))
    rows = [(moment, *[draw(RANGES[code]) for code in types]) for moment in times]
    flushes = draw(st.sets(st.integers(0, 30)))
    return types, rows, flushes


def size(code):
    return layout.TYPES[code][1]


def columns(types):
    described = [standard_field("t_monotonic_ns", source="a")]
    for number, code in enumerate(types):
        column = {
            "name": f"value.{number}",
            "type": code,
            "unit": "1",
            "kind": "gauge",
            "source": "a",
        }
        if code[0] == "u":
            column |= {"kind": "counter", "wrap_bits": size(code) * 8}
        described.append(column)
    return described


@given(contents(), TEXT, st.binary(max_size=100), TEXT)
def test_what_was_written_is_read(content, title, body, note):
    types, rows, flushes = content
    header = make_header(
        run_id="00000000-0000-4000-8000-000000000001",
        experiment=None,
        experiment_title=title,
        factors={"factor.note": {"requested": note}},
        fields=columns(types),
        sources=[{"name": "a", "atomic": True}],
    )
    file = io.BytesIO()
    with Writer(file, header) as log:
        for number, row in enumerate(rows):
            log.sample(*row)
            if number in flushes:
                log.flush()
        log.result(body, media_type="application/octet-stream", note=note)
    found = read(file.getvalue())
    assert found.complete
    assert not found.problems
    assert found.header == header
    assert found.records == len(rows)
    for index, column in enumerate(found.fields):
        assert found.streams[0].column(column.name) == [row[index] for row in rows]
    assert found.result is not None
    assert bytes(found.result.body) == body
    assert found.result.metadata["note"] == note
    assert found.footer is not None
    assert found.footer["streams"][0]["records"] == len(rows)


@given(
    st.sampled_from(["emulated", "simulated"]),
    st.none() | st.floats(1, layout.LARGEST_TIME_DILATION) | st.integers(1, 1000),
)
def test_time_dilation_is_read_as_it_was_written(kind, dilation):
    header = make_header(
        run_id="00000000-0000-4000-8000-000000000001",
        experiment=None,
        kind=kind,
        factors={},
        fields=columns([]),
        sources=[{"name": "a", "atomic": True}],
        time_dilation=dilation,
    )
    file = io.BytesIO()
    Writer(file, header).finish()
    found = read(file.getvalue())
    assert found.time_dilation == (1.0 if dilation is None else dilation)
    assert ("time_dilation" in found.header) == (dilation is not None)


def test_blocks_are_views_of_the_given_bytes(tools):
    log = tools.log()
    found = read(log)
    assert all(view.obj is log and view.readonly for view in found.blocks)
    assert sum(map(len, found.blocks)) == 6 * 40
    assert [len(view) for view in found.blocks[:2]] == [
        len(view) for view in list(found.blocks)[:2]
    ]
    assert found.blocks[-1] == list(found.blocks)[-1]


def test_numpy_views_records_without_copying(tools):
    numpy = pytest.importorskip("numpy")
    found = read(tools.log())
    rows = numpy.frombuffer(found.blocks[1], numpy.dtype(found.streams[0].dtype))
    assert rows["t_monotonic_ns"].tolist() == found.streams[0].column("t_monotonic_ns")[1:4]
    assert not rows.flags.owndata


def test_path_file_and_memory_give_the_same(tools, tmp_path):
    import mmap

    path = tmp_path / "a.runlog"
    path.write_bytes(tools.log())
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        from_file = read(file)
    sources = [path, str(path), bytearray(tools.log()), memoryview(tools.log()), mapped]
    headers = [read(source).header for source in sources] + [from_file.header]
    assert all(header == headers[0] for header in headers)


def test_absent_field_is_none_and_unknown_column_a_key_error(tools):
    found = read(tools.log())
    assert found.field("rx_interrupts") is None
    with pytest.raises(KeyError):
        found.streams[0].column("rx_interrupts")


def test_bytes_include_is_told(tools):
    field = read(tools.log()).field("rx_bytes")
    assert field is not None
    assert field.bytes_include == ("link_header",)
    assert field.format == "<u8"
    packets = read(tools.log()).field("rx_packets")
    assert packets is not None
    assert packets.bytes_include is None


def test_window_is_taken_from_the_marks(tools):
    assert read(tools.log()).window == (1000, 1050)


def test_records_are_gathered_to_blocks_of_64_kib_and_a_second():
    header = make_header(
        run_id="00000000-0000-4000-8000-000000000001",
        experiment=None,
        factors={},
        fields=[standard_field("t_monotonic_ns", source="a")],
        sources=[{"name": "a", "atomic": True}],
    )
    file = io.BytesIO()
    with Writer(file, header) as log:
        for k in range(20_000):
            log.sample(k)
        log.sample(2_000_000_000)
        log.sample(2_000_000_001)
    sizes = [len(view) // 8 for view in read(file.getvalue()).blocks]
    assert sizes == [8192, 8192, 20_001 - 2 * 8192, 1]


def test_unknown_optional_block_and_newer_minor_version_are_accepted(tools):
    log = tools.log()
    head, blocks = tools.split(log)
    extra = tools.block(log, layout.OPTIONAL | 9, len(blocks) - 1, b"whatever")
    footer = blocks[-1]
    payload = footer[32:].replace(b'"blocks":6', b'"blocks":7')
    last = tools.block(log, layout.FOOTER, len(blocks), payload)
    changed = bytearray(head + b"".join(blocks[:-1]) + extra + last)
    struct.pack_into("<H", changed, 10, 7)
    found = read(tools.repaired(bytes(changed)))
    assert found.complete
    assert found.version == (1, 7)
