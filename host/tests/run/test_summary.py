# SPDX-License-Identifier: Apache-2.0
"""The end of a sweep says what is worth a look: each kind of warning and each reason once."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from coalescope_host.plan.schedule import Run
from coalescope_host.run.summary import failures, summary


def said(warnings: Sequence[Sequence[str]]) -> list[str]:
    return summary_of([{"status": "done", "warnings": list(texts)} for texts in warnings])


def summary_of(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    runs = [Run(f"id-{n}", n, 1, n, {"mtu_bytes": 1500}) for n in range(1, len(lines) + 1)]
    entries = [
        {
            "type": "run",
            "id": run.id,
            "attempt": 1,
            "requested": dict(run.levels),
            "read_back": {"mtu_bytes": 1500},
            "effective": {},
            **line,
        }
        for run, line in zip(runs, lines, strict=True)
    ]
    return [*summary(runs, entries), *failures(runs, entries)]


def test_warnings_are_counted_and_each_is_said_once() -> None:
    assert said([["late"], ["late", "lossy"], []]) == [
        "3 of 3 runs done, 0 failed.",
        "Warnings:",
        "  2 runs: late",
        "  1 run: lossy",
    ]


@pytest.mark.fault("B9")
def test_warnings_that_differ_in_their_numbers_are_one_kind() -> None:
    lines = said([["250 of 9000 segments lost"], ["17 of 9000 segments lost"]])
    assert lines[1:] == ["Warnings:", "  all 2 runs: 17 to 250 of 9000 segments lost"]


def test_a_reason_for_which_many_runs_failed_is_said_once() -> None:
    failed = {"status": "failed", "reason": "the cable is out"}
    assert summary_of([failed] * 3)[-2:] == [
        "Why runs failed:",
        "  the cable is out: run 1 (replicate 1): mtu_bytes=1500 and 2 more",
    ]


def test_what_failed_before_it_began_is_said_too() -> None:
    failed = {"status": "failed", "reason": "no such peer", "attempt": 0}
    assert summary_of([failed] * 2)[-1] == "  no such peer: 2 runs failed before they began"


def test_without_warnings_it_says_so() -> None:
    assert said([[]]) == ["1 of 1 runs done, 0 failed.", "No warnings."]


def test_of_many_different_warnings_ten_are_said() -> None:
    lines = said([[f"warning {letter}" for letter in "abcdefghijkl"]])
    assert sum("1 run: " in line for line in lines) == 10
    assert "  … and 2 others; the journal has all of them" in lines
