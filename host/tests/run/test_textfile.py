# SPDX-License-Identifier: Apache-2.0
"""What Prometheus reads of a calibration, by its own parser."""

import stat
from pathlib import Path

import pytest
from coalescope_host.command_line import main
from coalescope_host.protocols import SweepError
from coalescope_host.run.calibration import Point
from coalescope_host.run.effective_delay import DelayEstimate
from coalescope_host.run.textfile import textfile, write_textfile
from prometheus_client.parser import text_string_to_metric_families

POINTS = [
    Point(50, 4, 48, DelayEstimate(90.0, 100.0), 9.5),
    Point(0, 4, 0, None, 1.0),
    Point(3, 4, 3, DelayEstimate(10.0, 20.0), 2.0, mode="adaptive"),
    Point(1000, 4, None, None, None, refused="out of range"),
]


def samples(text: str) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    return {
        family.name: {tuple(one.labels.items()): one.value for one in family.samples}
        for family in text_string_to_metric_families(text)
    }


def test_each_delay_has_what_is_known_of_it() -> None:
    found = samples(textfile("eth1", POINTS, 1_764_000_000.5))
    of_50, of_0 = (
        (("interface", "eth1"), ("rx_usecs", asked), ("rx_frames", "4")) for asked in ("50", "0")
    )
    assert found == {
        "coalescope_requested_delay_seconds": {of_50: 50e-6, of_0: 0.0},
        "coalescope_read_back_delay_seconds": {of_50: 48e-6, of_0: 0.0},
        "coalescope_effective_delay_seconds": {of_50: pytest.approx(95e-6)},
        "coalescope_effective_low_delay_seconds": {of_50: pytest.approx(90e-6)},
        "coalescope_effective_high_delay_seconds": {of_50: pytest.approx(100e-6)},
        "coalescope_calibration_timestamp_seconds": {(("interface", "eth1"),): 1_764_000_000.0},
    }


def test_without_frames_and_with_a_strange_name() -> None:
    text = textfile('a"\\b', [Point(8, None, 8, None, None)], 0.0)
    (labels,) = samples(text)["coalescope_requested_delay_seconds"]
    assert labels == (("interface", 'a"\\b'), ("rx_usecs", "8"))


def test_the_file_is_replaced_as_a_whole_and_readable_by_all(tmp_path: Path) -> None:
    path = tmp_path / "nic.prom"
    path.write_text("old")
    before = path.stat().st_ino
    write_textfile(path, "new\n")
    assert path.read_text() == "new\n"
    assert path.stat().st_ino != before
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [one.name for one in tmp_path.iterdir()] == ["nic.prom"]


def test_what_cannot_be_written_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "nic.prom").mkdir()
    with pytest.raises(SweepError, match=r"nic\.prom: cannot be written: Is a directory"):
        write_textfile(tmp_path / "nic.prom", "new\n")
    assert [one.name for one in tmp_path.iterdir()] == ["nic.prom"]


@pytest.mark.parametrize(
    ("name", "said"),
    [("delays.txt", "must end in .prom"), ("nowhere/delays.prom", "is its folder there")],
)
def test_a_file_that_nobody_would_collect_is_refused_first(
    name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["calibrate", "nosuch0", "--peer", "root@nowhere", "--textfile", str(tmp_path / name)])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
