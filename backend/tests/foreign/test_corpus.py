# SPDX-License-Identifier: Apache-2.0
"""What the readers find in real files is what the files say."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from coalescope.foreign.registry import FORMATS, ReadFile, read_file
from coalescope_models.vocabulary.quantity import QUANTITIES

from .conftest import CORPUS, UNKNOWN, Runs

HERE = Path(__file__).parent
CASES = tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))["case"]
#: Files without a run: what is wrong with them is said.
REFUSED = {
    "iperf3/3.12-refused.json": "unable to connect to server",
    # iperf 3.2 says so at the end of every test that a server saw
    "iperf3/3.2-tcp.server.json": "the client has unexpectedly closed the connection",
    "iperf3/3.2-udp.server.json": "the client has unexpectedly closed the connection",
    "netperf/2.7.0-tcp-rr-noheader.txt": "neither its first line nor PROTOCOL",
    "pcp/6.0.3-archive.0": "an archive of pmlogger",
    "pcp/6.0.3-raw.json": "each with its unit",
    "perfkit/946ea31-cluster-boot.json": "its tests are cluster_boot",
    "sysstat/12.6.1-mpstat-interrupts.json": "no sample of all CPUs",
    "sysstat/12.6.1-sadf-edev.json": "neither CPU shares nor rates",
}
#: Forms of output that are not read, and are no other format either.
NOT_READ = (
    "netperf/2.7.0-refused.txt",
    "netperf/2.7.0-tcp-stream-plain.txt",
    "perf/6.1-plain.txt",
)
FILES = sorted(str(path.relative_to(CORPUS)) for path in CORPUS.glob("*/*"))


def named(case: dict[str, Any]) -> str:
    return " ".join(case["files"])


@pytest.mark.fault("C1")
@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_run_says_what_its_files_say(case: dict[str, Any], runs: Runs) -> None:
    (run,) = runs(*case["files"], given=case.get("set", UNKNOWN))
    values = {name: record.value for name, record in run.values.items()}
    assert run.factors == case["factors"]
    for name, value in case["measures"].items():
        assert values[name] == pytest.approx(value, rel=1e-6, abs=1e-9), name
    in_glossary = {name for name in values if name in QUANTITIES}
    assert in_glossary == {name for name in case["measures"] if name in QUANTITIES}


@pytest.mark.parametrize("case", CASES, ids=named)
def test_each_value_says_its_file_field_and_unit(case: dict[str, Any], runs: Runs) -> None:
    (run,) = runs(*case["files"], given=case.get("set", UNKNOWN))
    names = {Path(name).name for name in case["files"]}
    for record in run.values.values():
        assert set(record.file.split(", ")) <= names
        assert record.field
        if record.quantity in QUANTITIES:
            assert record.unit == QUANTITIES[record.quantity].unit


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_recognised_and_read_or_refused_in_words(name: str) -> None:
    found = read_file(name, (CORPUS / name).read_bytes())
    if name in NOT_READ:
        assert found is None
        return
    assert found is not None
    if name in REFUSED:
        assert not isinstance(found, ReadFile)
        assert REFUSED[name] in found.message
        assert found.where.get("field") or "offset" in found.where
        assert found.advice
    else:
        assert isinstance(found, ReadFile), found


def test_the_documents_name_every_quantity_that_a_reader_gives() -> None:
    """Only what `gives` lists is given: the page of formats is made of it."""
    for name in FILES:
        found = read_file(name, (CORPUS / name).read_bytes())
        if not isinstance(found, ReadFile):
            continue
        records = [*found.reading.beside, *(r for run in found.reading.runs for r in run.records)]
        given = {r.quantity for r in records if not r.quantity.startswith("environment.")}
        named = {quantity for _, quantity, _ in found.format.gives}
        families = tuple(one.removesuffix("…") for one in named if one.endswith("…"))
        assert {one for one in given if not one.startswith(families)} <= named, name


def test_each_format_has_files() -> None:
    found = {
        read.format.name
        for name in FILES
        if isinstance(read := read_file(name, (CORPUS / name).read_bytes()), ReadFile)
    }
    assert found == {form.name for form in FORMATS}
