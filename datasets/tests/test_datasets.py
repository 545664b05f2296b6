# SPDX-License-Identifier: Apache-2.0
"""Each data set says where it came from, and its build script makes its data.csv from raw/."""

import csv
import runpy
import shutil
import tomllib
from pathlib import Path

import pytest

DATASETS = Path(__file__).parents[1]
SLUGS = sorted(path.parent.name for path in DATASETS.glob("*/source.toml"))
# the others are bundles of run logs, as they were recorded
TABLES = [slug for slug in SLUGS if (DATASETS / slug / "build.py").is_file()]


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as source:
        return list(csv.DictReader(source))


@pytest.mark.parametrize("slug", SLUGS)
def test_provenance_is_complete(slug: str) -> None:
    source = tomllib.loads((DATASETS / slug / "source.toml").read_text())
    for key in ("title", "subtitle", "kind", "citation", "licence", "how_made"):
        assert source[key].strip(), key
    assert source["kind"] in {"published", "measured", "emulated", "simulated"}


@pytest.mark.parametrize("slug", TABLES)
def test_data_is_what_the_build_script_makes(slug: str, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(DATASETS / slug, tmp_path / slug))
    (copy / "data.csv").unlink()
    runpy.run_path(str(copy / "build.py"), run_name="__main__")
    assert (copy / "data.csv").read_text() == (DATASETS / slug / "data.csv").read_text()


def test_nfs_has_the_published_figures() -> None:
    cells = {
        (int(row["mtu_bytes"]), int(row["delay_ticks"])): row
        for row in rows(DATASETS / "geist-2005-nfs/data.csv")
    }
    assert len(cells) == 27
    assert float(cells[1500, 10]["system_cpu_jiffies"]) == pytest.approx(7807, abs=0.5)
    assert float(cells[4500, 640]["system_cpu_jiffies"]) == pytest.approx(4928, abs=0.5)
    assert float(cells[1500, 10]["packets_per_interrupt"]) == pytest.approx(1.558, abs=5e-4)
    assert float(cells[4500, 640]["packets_per_interrupt"]) == pytest.approx(4.504, abs=5e-4)


def test_nfs_packets_are_not_full() -> None:
    filled: dict[int, list[float]] = {}
    for row in rows(DATASETS / "geist-2005-nfs/data.csv"):
        mtu_bytes = int(row["mtu_bytes"])
        filled.setdefault(mtu_bytes, []).append(float(row["mean_packet_bytes"]) / mtu_bytes)
    mean = {mtu_bytes: sum(shares) / len(shares) for mtu_bytes, shares in filled.items()}
    assert mean == pytest.approx({1500: 0.88, 3000: 0.77, 4500: 0.72}, abs=0.006)


def test_table_2_is_as_printed() -> None:
    """The model column and its deviation agree with each other, as they do in print."""
    table = rows(DATASETS / "geist-2005-nfs/raw/table-2.csv")
    deltas = {int(row["model_jiffies"]) - int(row["delta_jiffies"]) for row in table}
    assert deltas == {10_000}
    assert max(abs(int(row["delta_jiffies"])) for row in table) == 185


def test_points_are_those_of_the_text() -> None:
    points = rows(DATASETS / "geist-2005-points/data.csv")
    at_960 = [
        float(row["packets_per_interrupt"])
        for row in points
        if (row["workload"], row["delay_ticks"]) == ("udp", "960")
    ]
    assert at_960 == [80, 41, 27, 22]
    plateaus = [float(row["throughput_mbps"]) for row in points if row["workload"] == "tcp"]
    assert plateaus == [970.4, 991.4, 993.5, 994.5]


@pytest.mark.parametrize(
    "slug", ["napi-howto-2002", "threaded-busy-poll-2025", "aspm-c-states-2026"]
)
def test_what_was_compared_with_the_source_is_told(slug: str) -> None:
    source = tomllib.loads((DATASETS / slug / "source.toml").read_text())
    assert source["kind"] == "published"
    assert "compared with" in source["verified"]
    assert "24 November 2026" in source["verified"]


def test_sizes_of_the_napi_howto_are_without_the_frame_check_sequence() -> None:
    """The rows that fill the link fill it alike only if 4 bytes are added; 60 packets a poll."""
    table = rows(DATASETS / "napi-howto-2002/raw/table.csv")
    data = rows(DATASETS / "napi-howto-2002/data.csv")
    full = [8 * (int(row["frame_bytes"]) + 20) / float(row["elapsed_s"]) for row in data[2:]]
    assert (round(min(full), 1), round(max(full), 1)) == (997.7, 998.2)
    for row in table[:3]:
        assert int(row["tput"]) / int(row["ndone"]) == pytest.approx(60, abs=0.03)
    for printed, row in zip(table, data, strict=True):
        assert int(row["frame_bytes"]) == int(printed["psize"]) + 4
        lost = 1_000_000 - int(printed["tput"])
        assert int(row["drops"]) == max(lost, 0)


def test_threaded_busy_poll_is_the_fastest_at_every_load() -> None:
    loads: dict[tuple[str, str], dict[str, float]] = {}
    for row in rows(DATASETS / "threaded-busy-poll-2025/data.csv"):
        load = (row["packet_rate_hz"], row["factor.processing_us"])
        loads.setdefault(load, {})[row["factor.polling"]] = float(row["latency_p50_us"])
    assert {found["threaded-napi"] for found in loads.values()} == {13.0, 13.1, 12.9, 12.8}
    assert all(min(found.values()) == found["threaded-napi"] for found in loads.values())
    assert loads["25000", "38"]["interrupts"] == 21.0  # version 4 of the patch has 22.8


def test_aspm_moves_the_median_and_the_throttle_does_not() -> None:
    found: dict[tuple[str, str, str], list[float]] = {}
    for row in rows(DATASETS / "aspm-c-states-2026/data.csv"):
        setting = (row["factor.aspm"], row["factor.rx_usecs"], row["factor.c_states"])
        found.setdefault(setting, []).append(float(row["latency_p50_us"]))
    dynamic, off = "3 (dynamic conservative)", "0 (off)"
    assert found["L1", dynamic, "all"] == [118.0, 118.0]  # the default, before and after
    assert (found["off", dynamic, "all"], found["L1", off, "all"]) == ([32.7], [121.6])
    assert len(found) == 9


def test_data_sets_are_small() -> None:
    sizes = (path.stat().st_size for path in DATASETS.rglob("*") if path.is_file())
    assert sum(sizes) < 20e6
