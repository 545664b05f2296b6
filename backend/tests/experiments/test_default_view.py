# SPDX-License-Identifier: Apache-2.0
"""What is drawn first where nobody says what."""

from coalescope.experiments.description import default_view, describe_experiment
from coalescope.experiments.records import CellRecord, ExperimentRecord, SummaryRecord

SUMMARY = SummaryRecord(1, 1.0, None, None)


def record(**view: object) -> ExperimentRecord:
    source = {"default_view": view} if view else {}
    return ExperimentRecord(1, "x", "X", "", "measured", source, 1, "", "")


def cell(number: int, names: str, **factors: float) -> CellRecord:
    return CellRecord(number, factors, 1, 0, dict.fromkeys(names.split(), SUMMARY))


def test_the_first_of_the_menu_is_drawn() -> None:
    cells = [cell(1, "elapsed_s latency_us goodput_mbps", mtu_bytes=1500)]
    drawn = default_view(record(), cells)
    listed = describe_experiment(record(), cells)["measures"]
    assert drawn is not None
    assert drawn.measure == "goodput_mbps"
    assert [(each["name"], each["raw"]) for each in listed] == [
        ("goodput_mbps", False),
        ("latency_us", False),
        ("elapsed_s", True),
    ]


def test_a_measure_without_any_setting_is_not_drawn() -> None:
    cells = [cell(1, "throughput_mbps"), cell(2, "latency_us", mtu_bytes=1500)]
    drawn = default_view(record(measure="throughput_mbps"), cells)
    assert drawn is not None
    assert (drawn.measure, drawn.x) == ("latency_us", "mtu_bytes")
    assert default_view(record(), cells[:1]) is None
