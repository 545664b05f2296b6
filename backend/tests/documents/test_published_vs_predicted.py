# SPDX-License-Identifier: Apache-2.0
"""docs/published_vs_predicted.py: what is not printed, not predicted or tuned does not look so."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pvp", DOCS / "published_vs_predicted.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules["pvp"] = found
    spec.loader.exec_module(found)
    return found


@pytest.fixture(scope="module")
def rows(module: ModuleType) -> list[Any]:
    return [row for _, groups in module.SECTIONS for group in groups for row in group()]


def about(rows: list[Any], words: str) -> list[Any]:
    found = [row for row in rows if words in row.what]
    assert found, words
    return found


def test_numbers_that_no_document_prints_are_not_published(rows: list[Any]) -> None:
    derived = ("7807", "1.558", "4928", "4.504", "90.8", "14,885", "987.0", "993.4", "995.6")
    assert not [row.published for row in rows if any(n in row.published for n in derived)]


def test_where_plateaus_begin_is_compared_and_not_only_their_level(rows: list[Any]) -> None:
    delays = about(rows, "TCP ceases to grow at MTU")[::2]
    assert [row.published for row in delays] == ["960", "800", "480", "480"]
    assert [row.ours for row in delays] == ["20", "10", "10", "10"]
    assert {row.how for row in delays} == {"not predicted"}


@pytest.mark.parametrize(
    ("words", "how"),
    [
        ("TCP, MTU 6000: throughput decays", "tuned"),
        ("largest at MTU 1500", "tuned"),
        ("livelock of the", "tuned"),
        ("440BX: 88 %", "input"),
        ("Monet: CPU", "input"),
        ("ping without moderation", "input"),
        ("idle CPU at 20,000", "input"),
        ("idle CPU at 10,000", "predicted"),
        ("NAPI weight 64", "not predicted"),
        ("NFS fit, γ", "fitted"),
        ("PCI bus", "given"),
    ],
)
def test_what_was_tuned_or_put_in_is_not_called_predicted(
    rows: list[Any], words: str, how: str
) -> None:
    assert about(rows, words)[0].how == how


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        ("interrupt rates of the three MTUs at delay 240", "8 % apart, of 97 % at delay 10"),
        ("time to receive a frame of 6018", "48.14 µs"),
        ("UDP payload of a packet", "1472 bytes"),
        ("… at two hosts", "250 µs"),
        ("ping of a large packet", "80 µs"),
        ("frequency to be sure", "122 of 256 descriptors"),
        ("frequency that reaps", "60 % of what"),
        ("frequency for routing", "0 % idle"),
        ("procedures A to C hardly", "5.6 %"),
        ("largest packet that is sent", "2,315 bytes"),
        ("entries of the table's column", "all within 1.2"),
        ("NAPI weight 16", "0 % drops, 987 Mb/s"),
        ("sum of the ten streams", "889.5 Mb/s"),
        ("interrupt rate: knee", "120, 160, 160"),
        ("system CPU time falls by", "3.7 %"),
        ("NFS at MTU 1500: largest", "40"),
        ("NFS at MTU 3000: largest", "10"),
        ("NFS at MTU 4500: largest", "10"),
        ("NFS at MTU 1500, delay 640: throughput", "48.3 %, 864 /s"),
        ("NFS at MTU 3000, delay 640: throughput", "45.4 %, 876 /s"),
        ("NFS at MTU 4500, delay 640: throughput", "44.2 %, 845 /s"),
    ],
)
def test_what_was_missing_has_a_row(rows: list[Any], words: str, ours: str) -> None:
    assert ours in about(rows, words)[0].ours


def test_the_document_is_what_the_script_writes_and_explains_its_words(module: ModuleType) -> None:
    text = (DOCS / "published-vs-predicted.md").read_text()
    assert text == "\n".join(module.lines()) + "\n"
    used = set(re.findall(r"^(?:\|[^|]*){3}\| ([^|]+?) \|", text, re.MULTILINE)) - {"how", "---"}
    assert used == set(module.HOW)
