# SPDX-License-Identifier: Apache-2.0
"""The end of a sweep says what is worth a look, and where the logs are."""

from collections.abc import Sequence
from pathlib import Path

from coalescope_host.plan.schedule import Run
from coalescope_host.run.summary import summary

LOGS = Path("lab/logs")


def said(warnings: Sequence[Sequence[str]]) -> list[str]:
    runs = [Run(f"id-{n}", n, 1, n, {"mtu_bytes": 1500}) for n in range(1, len(warnings) + 1)]
    entries = [
        {
            "type": "run",
            "id": run.id,
            "status": "done",
            "requested": dict(run.levels),
            "read_back": {"mtu_bytes": 1500},
            "effective": {},
            "warnings": list(texts),
        }
        for run, texts in zip(runs, warnings, strict=True)
    ]
    return summary(runs, entries, LOGS).splitlines()


def test_warnings_are_counted_and_each_is_said_once() -> None:
    assert said([["late"], ["late", "lossy"], []]) == [
        "3 of 3 runs done, 0 failed.",
        "3 warnings:",
        "  2 × late",
        "  1 × lossy",
        "The logs are in lab/logs.",
    ]


def test_without_warnings_it_says_so() -> None:
    assert said([[]]) == [
        "1 of 1 runs done, 0 failed.",
        "No warnings.",
        "The logs are in lab/logs.",
    ]


def test_of_many_different_warnings_ten_are_said() -> None:
    lines = said([[f"warning {n}" for n in range(12)]])
    assert lines[1] == "12 warnings:"
    assert sum(" × " in line for line in lines) == 10
    assert "  … and 2 others; the journal has all of them" in lines
