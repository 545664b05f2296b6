# SPDX-License-Identifier: Apache-2.0
"""Each rule about headers, with a header that breaks only this one."""

import pytest
from coalescope_host.run_log import RunLogError, read


def set_field(number, **members):
    def change(header):
        header["fields"][number] |= members

    return change


def set_run(**members):
    return lambda header: header["run"].update(members)


def set_all(**members):
    return lambda header: header.update(members)


def of_an_emulator(time_dilation, kind="emulated"):
    def change(header):
        header["run"]["kind"] = kind
        header["time_dilation"] = time_dilation

    return change


def drop(*path):
    def change(header):
        for name in path[:-1]:
            header = header[name]
        del header[path[-1]]

    return change


BROKEN = [
    (drop("run"), "header_value"),
    (drop("run", "id"), "header_value"),
    (set_run(id="00000000-0000-4000-8000-00000000000G"), "header_value"),
    (set_run(id=5), "header_value"),
    (set_run(experiment="Not A Slug"), "header_value"),
    (set_run(experiment="a" * 81), "header_value"),
    (set_run(kind="guessed"), "header_value"),
    (set_run(kind=None), "header_value"),
    (set_run(kind=[]), "header_value"),
    (set_run(replicate=1.5), "header_value"),
    (set_run(replicate=-1), "header_value"),
    (set_run(seed=True), "header_value"),
    (set_run(order="first"), "header_value"),
    (set_run(plan=7), "header_value"),
    (set_run(experiment_title="x" * 5000), "header_value"),
    (drop("factors"), "header_value"),
    (set_all(factors=[]), "header_value"),
    (set_all(factors={"MTU": {"requested": 1}}), "header_factor"),
    (set_all(factors={"mtu_bytes": 1500}), "header_factor"),
    (set_all(factors={"mtu_bytes": {"read_back": 1500}}), "header_factor"),
    (set_all(factors={"mtu_bytes": {"requested": [1500]}}), "header_factor"),
    (set_all(factors={"mtu_bytes": {"requested": True}}), "header_factor"),
    (set_all(factors={"mtu_bytes": {"requested": 1, "effective": {}}}), "header_factor"),
    (drop("environment"), "header_value"),
    (set_all(interval_ns=0), "header_value"),
    (set_all(interval_ns="fast"), "header_value"),
    (of_an_emulator(0.999), "header_value"),
    (of_an_emulator(1_000_001), "header_value"),
    (of_an_emulator("12.5"), "header_value"),
    (of_an_emulator(None), "header_value"),
    (of_an_emulator(True), "header_value"),
    (of_an_emulator([12.5]), "header_value"),
    (of_an_emulator(12.5, kind="measured"), "header_value"),
    (of_an_emulator(1, kind="published"), "header_value"),
    (drop("sources"), "header_value"),
    (set_all(sources=[]), "header_value"),
    (set_all(sources=[1]), "header_value"),
    (set_all(sources=[{"name": "sysfs"}]), "header_source"),
    (set_all(sources=[{"name": "S", "atomic": True}]), "header_source"),
    (set_all(sources=[{"name": "sysfs", "atomic": True}] * 2), "header_source"),
    (drop("streams"), "header_value"),
    (set_all(streams=[{"name": "s", "record_bytes": 48}]), "header_stream"),
    (set_all(streams=[{"name": "s", "record_bytes": 41}]), "header_stream"),
    (set_all(streams=[{"name": "s", "record_bytes": 0}]), "header_stream"),
    (set_all(streams=[{"name": "s", "record_bytes": True}]), "header_stream"),
    (set_all(streams=[{"name": 3, "record_bytes": 40}]), "header_stream"),
    (set_all(streams=[{"name": "s", "record_bytes": 40}] * 2), "header_stream"),
    (set_all(streams=[{"name": "s", "record_bytes": 40}] * 17), "header_value"),
    (drop("fields"), "header_value"),
    (lambda header: header["fields"].reverse(), "header_stream"),
    (set_field(1, name="rx_bytes"), "header_field"),
    (set_field(1, name="Rx Bytes"), "header_field"),
    (set_field(1, name=None), "header_field"),
    (set_field(2, type="u128"), "header_field"),
    (set_field(2, type=[]), "header_field"),
    (set_field(1, type="u32"), "header_field"),
    (set_field(2, kind="guess"), "header_field"),
    (set_field(2, kind={}), "header_field"),
    (set_field(2, unit=8), "header_field"),
    (set_field(2, source="elsewhere"), "header_field"),
    (set_field(2, source=["sysfs"]), "header_field"),
    (set_field(2, wrap_bits=65), "header_field"),
    (set_field(2, wrap_bits=0), "header_field"),
    (set_field(2, wrap_bits=None), "header_field"),
    (set_field(2, wrap_bits=True), "header_field"),
    (set_field(2, type="i64"), "header_field"),
    (set_field(1, wrap_bits=64), "header_field"),
    (set_field(2, bytes_include=["everything"]), "header_field"),
    (set_field(2, bytes_include="fcs"), "header_field"),
    (set_field(2, bytes_include=[{}]), "header_field"),
    (set_field(2, stream=1), "header_field"),
    (set_field(2, stream=-1), "header_field"),
    (set_field(2, stream=True), "header_field"),
    (set_field(2, stream="0"), "header_field"),
    (set_field(0, unit="s"), "header_stream"),
]


@pytest.mark.parametrize(("change", "code"), BROKEN)
def test_header_that_cannot_be_used_is_refused(tools, change, code):
    with pytest.raises(RunLogError) as caught:
        read(tools.with_header(change))
    assert caught.value.code == code, caught.value
    assert caught.value.offset == 24


@pytest.mark.parametrize(
    "change",
    [
        lambda header: None,
        set_run(experiment=None, replicate=None, seed=2**63 - 1),
        set_all(factors={}),
        set_all(factors={"factor.colour": {"requested": "red", "effective": 1.5}}),
        set_all(interval_ns=None),
        of_an_emulator(1),
        of_an_emulator(12.5),
        of_an_emulator(1_000_000, kind="simulated"),
        set_all(something_new={"of": ["a", "later", "version"]}),
        set_field(2, bytes_include=[]),
        set_field(2, bytes_include=["link_header", "fcs", "preamble_and_gap"]),
        set_field(2, wrap_bits=32, queue=3),
        set_field(4, name="cpu_system_ns.cpu0"),
    ],
)
def test_good_twins_are_read(tools, change):
    assert read(tools.with_header(change)).records == 6


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"null",
        b"{",
        b'{"a":1,"a":1}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":1e999}',
        b'{"a":99999999999999999999}',
        b'{"a":-9999999999999999999}',
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":"\\u0000"}',
        b'{"a":"\\ud800"}',
        b'{"\\udc00":1}',
        b'{"a":"\xff"}',
        b"\xef\xbb\xbf{}",
        b'{"a":' + b"[" * 17 + b"]" * 17 + b"}",
        b"[" * 100_000,
        b'{"a":[' + b"0," * 250_000 + b"0]}",
    ],
)
def test_json_that_the_format_does_not_allow(tools, text):
    with pytest.raises(RunLogError) as caught:
        read(tools.with_header_text(text))
    assert caught.value.code == "header_json"


def test_nesting_of_16_levels_is_the_limit(tools):
    def nested(levels):
        def change(header):
            header["deep"] = 0
            for _ in range(levels - 1):  # the header is the first
                header["deep"] = [header["deep"]]

        return tools.with_header(change)

    assert read(nested(16)).records == 6
    with pytest.raises(RunLogError, match="16 levels"):
        read(nested(17))


@pytest.mark.parametrize(
    "extra",
    [
        rb'"b" :1,"a":2',
        b'"b":1,"b"\n:2',
        rb'"b":"\":","b":2',
        rb'"b":{"c" :1,"c":2}',
        rb'"b":1,"\u0062":2',
    ],
)
def test_names_given_twice_are_found_however_they_are_written(tools, extra):
    text = tools.split(tools.log())[0][24:].rstrip()
    refused = text[:-1] + b',"a":1,' + extra + b"}"
    with pytest.raises(RunLogError, match="same name twice"):
        read(tools.with_header_text(refused))
    other = text[:-1] + b',"z" :1,"y":" :"}'
    assert read(tools.with_header_text(other)).records == 6


def test_queues_and_further_streams_need_no_new_version(tools):
    """What a kernel module will bring: another source, atomic, with queues, cycles and retries."""

    def change(header):
        header["sources"].append({"name": "module", "atomic": True})
        header["streams"].append({"name": "queues", "record_bytes": 32})
        header["fields"] += [
            {
                "name": name,
                "type": code,
                "unit": unit,
                "kind": kind,
                "source": "module",
                "stream": 1,
            }
            | ({"wrap_bits": 64} if kind == "counter" else {})
            for name, code, unit, kind in [
                ("t_monotonic_ns", "u64", "ns", "time"),
                ("rx_packets.q0", "u64", "packets", "counter"),
                ("irq_cycles", "u64", "cycles", "counter"),
                ("retries", "u32", "1", "gauge"),
            ]
        ]

    log = tools.with_header(change)
    found = read(log[: log.rindex(b"CBLK")])  # the footer knows of one stream only
    assert found.streams[1].field("retries").atomic
    assert found.streams[1].records == 0
    assert found.records == 6
