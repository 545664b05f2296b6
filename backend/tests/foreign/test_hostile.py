# SPDX-License-Identifier: Apache-2.0
"""Files that are cut off, changed or made to hurt: read or refused in words, within bounds."""

import gzip
import json
import random
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from coalescope.errors import CoalescopeError, Problem
from coalescope.foreign.bundle import write_bundle
from coalescope.foreign.json_text import documents
from coalescope.foreign.parsing import parse_foreign
from coalescope.foreign.registry import MOST_BYTES, ReadFile, read_file
from coalescope.untrusted.bounds import JSON_VALUES
from coalescope.untrusted.confined import Bounds
from coalescope.untrusted.confinement import confined
from coalescope.uploads.parsed_upload import UploadRequest

from .conftest import CORPUS, corpus_file

FILES = sorted(str(path.relative_to(CORPUS)) for path in CORPUS.glob("*/*"))
CLIENT = "iperf3/3.12-tcp.json"
# of CPU time, and MiB: the slowest here takes one second, on a machine of its own
BOUNDS = Bounds(20.0, 256, clock=30.0)


class NothingTakesMore:
    def too_long(self, bounds: Bounds) -> CoalescopeError:
        raise AssertionError(f"it took more than {bounds.seconds} s of CPU time")

    def too_much_memory(self, bounds: Bounds) -> CoalescopeError:
        raise AssertionError(f"it took more than {bounds.mib} MiB")


def within_bounds(content: bytes) -> ReadFile | Problem | None:
    found: ReadFile | Problem | None = confined(BOUNDS, NothingTakesMore(), read_file, "a", content)
    return found


def read_here(content: bytes) -> ReadFile | Problem | None:
    return read_file("a", content)


def refused(content: bytes, read: Callable[[bytes], object] = read_here) -> Problem:
    found = read(content)
    assert isinstance(found, Problem), found
    assert found.message
    assert found.advice
    return found


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_was_cut_off_or_changed_is_read_or_refused(name: str) -> None:
    """No exception, whatever is missing or wrong; the seed is fixed."""
    content = corpus_file(name)
    chance = random.Random(7)
    for _ in range(12):
        cut = content[: chance.randrange(len(content))]
        changed = bytearray(content)
        for _ in range(5):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        for one in (cut, bytes(changed)):
            assert isinstance(read_file("a", one), ReadFile | Problem | None)


@pytest.mark.parametrize(
    "value", ['"a"', "null", "[]", "{}", "true", "1e999", "-1", "NaN", "9" * 400]
)
@pytest.mark.parametrize(
    "name",
    [
        "iperf3/3.12-udp.json",
        "sysstat/12.6.1-sadf-all.json",
        "k8s-netperf/fb9a2ec-tcp-stream.json",
        "perfkit/946ea31-tcp-rr.json",
        "pcp/6.0.3-exact.json",
    ],
)
def test_any_number_may_be_of_a_wrong_type(name: str, value: str) -> None:
    """Every number of the file, one after the other."""
    text = corpus_file(name).decode()
    for found in list(re.finditer(r":\s*(-?\d[\d.e+-]*)", text))[::3]:
        changed = text[: found.start(1)] + value + text[found.end(1) :]
        assert isinstance(read_file("a", changed.encode()), ReadFile | Problem | None)


JSON_FILES = [name for name in FILES if name.endswith((".json", ".gz"))]
GIVEN = (
    *("mtu_bytes=9000", "delay_us=10", "workload=tcp", "host=sink", "interface=eth0"),
    *("utc_offset=+00:00", "started_at=2026-11-24T18:11:26Z"),
)
ODD: Sequence[Any] = (
    *(None, True, 0, -1, 0.5, 1e15, 1e308, 10**400, "", "nan", "²", "\ud800", "\x1b]0;x\x07"),
    *("x" * 1000, [], {}, [[]], [{}], {"a": 1}, [1, 2], "9999-12-31 23:59:59.9Z"),
)


def members(document: Any) -> list[tuple[Any, Any]]:
    """Each place of a document that holds something, as what it is in and its name there."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    own = [(document, name) for name, _ in items]
    inner = [document[name] for _, name in own if isinstance(document[name], dict | list)]
    return own + [found for each in inner for found in members(each)]


def imported(content: bytes, path: Path) -> None:
    path.write_bytes(write_bundle(GIVEN, {"a.json": content}))
    with suppress(CoalescopeError):
        parse_foreign(path, UploadRequest(filename="a.tar", experiment="lab"))


@pytest.mark.parametrize("name", JSON_FILES)
def test_any_member_may_be_anything(name: str, tmp_path: Path) -> None:
    """Up to what would be stored; the seed is fixed."""
    content = corpus_file(name)
    text = (gzip.decompress(content) if name.endswith(".gz") else content).decode()
    head, body = re.fullmatch(r"((?:#.*\n|\s)*)([\s\S]*)", text).groups()  # type: ignore[union-attr]
    chance = random.Random(21)
    for _ in range(40):
        read = list(documents(body.encode()))
        for within, member in chance.sample(places := members(read), min(2, len(places))):
            within[member] = chance.choice(ODD)
        imported((head + "\n".join(map(json.dumps, read))).encode(), tmp_path / "sent")


@pytest.mark.parametrize(
    ("name", "places", "value"),
    [
        ("iperf3/3.12-tcp.json", ("start", "cookie"), "\ud800"),
        ("iperf3/3.12-tcp.json", ("start", "timestamp", "timesecs"), 10**15),
        ("flent/2.1.1-tcp_nup.flent.gz", ("raw_values", "TCP upload::1"), True),
    ],
)
def test_what_once_failed_is_read_or_refused(
    name: str, places: Sequence[str], value: Any, tmp_path: Path
) -> None:
    content = corpus_file(name)
    document = json.loads(gzip.decompress(content) if name.endswith(".gz") else content)
    within = document
    for place in places[:-1]:
        within = within[place]
    assert places[-1] in within
    within[places[-1]] = value
    imported(json.dumps(document).encode(), tmp_path / "sent")


TEXTS = [name for name in FILES if not name.endswith((".json", ".gz", ".md", ".0"))]
NUMBERS = ("", "1.2.3", ".", "-1", "²", "9" * 400, "9" * 5000, "f" * 5000, "x" * 200_000)


@pytest.mark.parametrize("name", TEXTS)
def test_any_number_of_a_text_may_be_anything(name: str) -> None:
    """Every fifth of the file, one after the other."""
    text = corpus_file(name).decode()
    for place, found in enumerate(list(re.finditer(r"\d[\d.]*", text))[::5]):
        value = NUMBERS[place % len(NUMBERS)]
        changed = text[: found.start()] + value + text[found.end() :]
        assert isinstance(read_file("a", changed.encode()), ReadFile | Problem | None)


HURTING = {
    "a count that is none": ("ethtool/6.1-S.txt", ": ", ": ²"),
    "a setting that is none": ("ethtool/6.1-c.txt", ": ", ": ²"),
    "a number of thousands of digits": ("ethtool/6.1-g.txt", "256", "9" * 5000),
    "two points": ("sockperf/3.7-pp-tcp.txt", "avg-latency=", "avg-latency=1.2.3"),
    "a field without end": ("netperf/2.7.0-omni-csv.txt", ",", "," + "x" * 200_000),
    "a count beyond floats": (
        "proc/after-net_softnet_stat.txt",
        "04adfe73 ",
        "04adfe73 " + "f" * 5000,
    ),
}


@pytest.mark.parametrize(("name", "old", "new"), HURTING.values(), ids=HURTING)
def test_what_is_no_number_is_no_fault_of_ours(name: str, old: str, new: str) -> None:
    text = corpus_file(name).decode()
    assert old in text
    before, _, after = text.rpartition(old)
    for changed in (text.replace(old, new), before + new + after):
        assert isinstance(read_file("a", changed.encode()), ReadFile | Problem | None)


def test_a_wrong_number_is_not_known_and_the_rest_is() -> None:
    document = json.loads(corpus_file(CLIENT))
    document["end"]["sum_received"]["bits_per_second"] = "fast"
    found = read_file("a", json.dumps(document).encode())
    assert isinstance(found, ReadFile)
    quantities = {record.quantity for record in found.reading.runs[0].records}
    assert "goodput_mbps" not in quantities
    assert "retransmitted_segments" in quantities


def test_a_cut_off_file_says_where() -> None:
    content = corpus_file(CLIENT)
    fault = refused(content[:2000])
    assert "cut off" in fault.message
    assert fault.where["offset"]


def test_brackets_nested_deeply_are_refused() -> None:
    start = b'{"start": {"version": "iperf 3.12"}, "end": '
    assert "nested" in refused(start + b"[" * 100_000 + b"]" * 100_000 + b"}").message


@pytest.mark.parametrize("empty", [b"{}", b"[]", b'{"a":{}}', b"0"])
def test_more_values_than_it_takes_to_read_are_refused_before(empty: bytes) -> None:
    start = b'{"start": {"version": "iperf 3.12"}, "end": ['
    fault = refused(start + (empty + b",") * JSON_VALUES + b"0]}", within_bounds)
    assert f"more than {JSON_VALUES:,} JSON values" in fault.message


def test_as_many_values_as_a_file_may_hold_are_read_within_bounds() -> None:
    document = corpus_file(CLIENT).rstrip().removesuffix(b"}")
    values = b'{"b":{}},' * (JSON_VALUES // 3 - 2_000)  # of each, both brackets and the comma count
    content = document + b', "more": [' + values + b"0]}"
    assert isinstance(within_bounds(content), ReadFile)


def test_a_bomb_behind_gzip_is_refused_before_it_is_unpacked() -> None:
    start = b'{"metadata": {"FLENT_VERSION": "2"}, "raw_values": "'
    bomb = gzip.compress(start + b" " * (4 * MOST_BYTES) + b'"}', 9)
    assert "unpacks to more" in refused(bomb, within_bounds).message


def test_a_packed_file_that_was_cut_off_says_so() -> None:
    (name,) = [one for one in FILES if "flent/2.1.1-ping" in one]
    assert "cut off" in refused(corpus_file(name)[:-20]).message


def test_many_samples_are_read_within_bounds() -> None:
    document = json.loads(corpus_file("sysstat/12.6.1-sadf-all.json"))
    host = document["sysstat"]["hosts"][0]
    host["statistics"] = host["statistics"][:1] * 5_000
    assert isinstance(within_bounds(json.dumps(document).encode()), ReadFile)


def test_a_device_s_name_is_no_path_into_the_host(tmp_path: Path) -> None:
    text = corpus_file("ethtool/6.1-c.txt").replace(b"eth0", b"../../etc")
    assert isinstance(read_file("a", text), ReadFile)
