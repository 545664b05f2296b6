# SPDX-License-Identifier: Apache-2.0
"""Runs, cells, fits and recommendations of an experiment, as Python has them."""

import json
from collections.abc import Iterator
from pathlib import Path

import coalescope as cs
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

pytestmark = pytest.mark.folder_stack

TABLE = """mtu_bytes,factor.cable,replicate,throughput_mbps,measure.misses [1/s]
1500,long,1,939.5,4
1500,long,2,940.5,5
9000,short,1,985,
9000,short,2,986,
"""


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[cs.Experiment]:
    (tmp_path / "lab.csv").write_text(TABLE)
    with cs.open(tmp_path / "lab.csv") as x:
        yield x


@pytest.fixture(scope="module")
def nfs() -> Iterator[cs.Experiment]:
    with cs.load("geist-2005-nfs") as x:
        yield x


@pytest.mark.fault("C5")
def test_runs_go_through_the_arrow_c_stream(lab: cs.Experiment) -> None:
    frame = pd.DataFrame.from_arrow(lab.runs)
    assert frame["throughput_mbps"].tolist() == [939.5, 940.5, 985, 986]
    assert frame["factor.cable"].tolist() == ["long", "long", "short", "short"]
    assert frame["measure.misses"].isna().tolist() == [False, False, True, True]
    assert pa.table(lab.runs).schema.field("measure.misses").metadata == {
        b"unit": b"1/s",
        b"label": b"misses",
    }


def test_runs_say_where_they_are_from(nfs: cs.Experiment) -> None:
    about = json.loads(nfs.runs.schema.metadata[b"coalescope"])
    assert (about["slug"], about["kind"]) == ("geist-2005-nfs", "published")
    assert about["source"]["citation"].startswith("R. Geist")


def test_runs_of_some_levels_say_which(nfs: cs.Experiment) -> None:
    table = nfs.where(mtu_bytes=[1500, 4500]).runs
    assert set(table["mtu_bytes"].to_pylist()) == {1500.0, 4500.0}
    about = json.loads(table.schema.metadata[b"coalescope"])
    assert about["where"] == {"mtu_bytes": [1500, 4500]}
    assert "mtu_bytes 1500, 4500." in about["source"]["notes"][-1]


def test_columns_are_those_of_an_export_as_parquet(nfs: cs.Experiment, tmp_path: Path) -> None:
    from coalescope.cli import main
    from pyarrow import parquet

    data = tmp_path / "data"
    assert main(["migrate", "--data", str(data)]) == 0
    file = tmp_path / "runs.parquet"
    typed = ["export", "geist-2005-nfs", "--data", str(data), "--what", "runs"]
    assert main([*typed, "--format", "parquet", "--output", str(file)]) == 0
    exported, ours = parquet.read_table(file), nfs.runs
    assert ours.schema.equals(exported.schema, check_metadata=False)
    assert len(set(ours["cell"].to_pylist())) == 27
    own = ["run", "cell"]  # numbers of the store
    assert ours.drop_columns(own).to_pylist() == exported.drop_columns(own).to_pylist()


def test_cells_are_labelled_and_empty_where_nothing_was_measured(lab: cs.Experiment) -> None:
    cells = lab.cells
    assert dict(cells.sizes) == {"mtu_bytes": 2, "factor.cable": 2}
    long = cells.sel({"factor.cable": "long"})
    assert long["throughput_mbps"].values.tolist()[0] == 940.0
    assert np.isnan(long["throughput_mbps"].values[1])
    assert long["throughput_mbps_n"].values.tolist() == [2, 0]
    assert long["runs"].values.tolist() == [2, 0]
    low, high = (float(long[f"throughput_mbps_ci95_{end}"][0]) for end in ("low", "high"))
    assert (low + high) / 2 == pytest.approx(940.0)
    assert high - low == pytest.approx(2 * 12.706 * 0.5, rel=1e-4)  # Student's t, two runs
    assert cells["measure.misses"].attrs["units"] == "1/s"
    assert cells["mtu_bytes"].attrs == {"long_name": "MTU", "units": "bytes"}
    assert (cells.attrs["kind"], cells.attrs["data_version"]) == ("measured", 1)


def test_cells_without_a_factor_stand_at_no_level(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("mtu_bytes,replicate,throughput_mbps\n1500,1,900\n")
    (tmp_path / "b.csv").write_text("mtu_bytes,delay_us,replicate,throughput_mbps\n1500,9,1,800\n")
    cells = cs.open([tmp_path / "a.csv", tmp_path / "b.csv"], "lab").cells
    np.testing.assert_array_equal(cells["delay_us"], [np.nan, 9.0])
    assert cells["throughput_mbps"].values.tolist() == [[900.0, 800.0]]


def test_settings_that_were_hardly_measured_are_no_grid(tmp_path: Path) -> None:
    names = ("mtu_bytes", "delay_us", "factor.a", "factor.b")
    rows = "\n".join(",".join([str(100 + i)] * 4 + ["1", "1"]) for i in range(60))
    (tmp_path / "lab.csv").write_text(f"{','.join(names)},replicate,throughput_mbps\n{rows}\n")
    x = cs.open(tmp_path / "lab.csv")
    with pytest.raises(cs.CoalescopeError, match="12960000 settings, of which 60"):
        _ = x.cells
    assert x.where(mtu_bytes=[101, 102]).cells.sizes["factor.b"] == 2


def test_levels_and_runs_are_chosen_for_all_that_follows(lab: cs.Experiment) -> None:
    assert lab.where({"factor.cable": "long"}).runs.num_rows == 2
    assert lab.where(mtu_bytes=np.array([1500, 9000])).runs.num_rows == 4
    first = lab.runs["run"][0].as_py()
    fewer = lab.without(first)
    assert fewer.runs.num_rows == 3
    assert fewer.cells["throughput_mbps"].values[0, 0] == 940.5
    assert "without " + first in repr(fewer)
    with pytest.raises(cs.CoalescopeError, match="no factor 'mtu'"):
        _ = lab.where(mtu=1500).runs
    with pytest.raises(cs.CoalescopeError, match="No run has these levels"):
        _ = lab.where(mtu_bytes=4000).cells
    with pytest.raises(cs.CoalescopeError, match="of all runs"):
        fewer.surface("throughput_mbps")


@pytest.mark.parametrize("levels", [[], (), np.array([]), None, [None], [[1500]], {}], ids=repr)
def test_an_empty_choice_is_not_all_of_them(lab: cs.Experiment, levels: object) -> None:
    with pytest.raises(cs.CoalescopeError, match="mtu_bytes is neither a level nor") as refused:
        lab.where(mtu_bytes=levels)  # type: ignore[arg-type]
    assert refused.value.where == {"field": "mtu_bytes"}


def test_what_is_no_identity_is_not_left_out(lab: cs.Experiment) -> None:
    for given in ("", "1", ",".join(lab.runs["run"].to_pylist())):
        with pytest.raises(cs.CoalescopeError, match="is no run's identity"):
            lab.without(given)


def test_runs_that_come_in_meanwhile_count(lab: cs.Experiment, tmp_path: Path) -> None:
    from coalescope.client.files.given import GivenFile
    from coalescope.client.files.importing import import_file
    from coalescope.uploads.parsed_upload import UploadRequest
    from coalescope.uploads.reading import Reading

    more = tmp_path / "more.csv"
    more.write_text("mtu_bytes,factor.cable,replicate,throughput_mbps\n1500,long,3,941\n")
    outcome = import_file(
        lab.source._store, GivenFile(more, "more"), UploadRequest("more.csv", "lab"), Reading()
    )
    assert outcome.outcome == "stored"
    assert lab.runs.num_rows == 5
    assert lab.cells.attrs["data_version"] == 2


def test_a_fit_predicts_what_it_fitted(nfs: cs.Experiment) -> None:
    fit = nfs.fit("cpu-overhead", "ols", resamples=0)
    points, runs = fit.residuals.to_pylist(), nfs.runs.to_pylist()
    for point, run in list(zip(points, runs, strict=True))[:3]:
        counts = {
            "rx_megabytes": run["rx_bytes"] / 1e6,
            "rx_kilopackets": run["rx_packets"] / 1e3,
            "rx_kilointerrupts": run["rx_interrupts"] / 1e3,
        }
        predicted = fit.predict(**counts)["system_cpu"]
        assert float(predicted) == pytest.approx(point["predicted"], rel=1e-12)
    surface = fit.predict(
        "cpu-overhead-surface",
        packets_per_interrupt=range(1, 5),
        mtu_bytes=[1500, 4000, 9000],
        packet_fill=1,
    )
    assert dict(surface.sizes) == {"packets_per_interrupt": 4, "mtu_bytes": 3}
    alpha, beta, gamma = (fit.parameters[name] for name in ("alpha", "beta", "gamma"))
    expected = 1000 * alpha + 1e6 / 4000 * (beta + gamma / 2)
    found = surface["system_cpu_per_gb"].sel(packets_per_interrupt=2, mtu_bytes=4000)
    assert float(found) == pytest.approx(expected, rel=1e-12)


def test_a_fit_with_a_base_predicts_nothing(
    nfs: cs.Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    estimates = {name: {"value": 1.0} for name in ("alpha", "beta", "gamma", "base")}
    monkeypatch.setattr(
        nfs.source, "fit", lambda *_: {"estimates": estimates, "identifiable": True}
    )
    fit = nfs.fit("cpu-overhead", base=True)
    with pytest.raises(cs.CoalescopeError, match="base=True predicts nothing") as refused:
        fit.predict(rx_megabytes=1, rx_kilopackets=1, rx_kilointerrupts=1)
    assert "alpha, beta, gamma" in refused.value.__notes__[0]


def test_what_was_held_and_not_measured_is_shown_beside_the_estimates(tmp_path: Path) -> None:
    rows = [
        f"{mtu},{delay},{replicate},{800 - delay + 7 * replicate}"
        for mtu in (1500, 3000, 9000)
        for delay in (0, 20, 50, 100, 200)
        for replicate in (1, 2)
    ]
    (tmp_path / "lab.csv").write_text(
        "\n".join(["mtu_bytes,delay_us,replicate,throughput_mbps", *rows])
    )
    with cs.open(tmp_path / "lab.csv") as x:
        found = x.fit_nonlinear(
            "request-response",
            "throughput_mbps",
            ["idle_us", "delay_waits"],
            held={"clients": 5},
            resamples=0,
        )
    shown = repr(found)
    assert "held, not measured: " in shown
    assert "clients 5" in shown
    assert "reply_bytes 8296" in shown
    assert "what is fitted holds if these are right" in shown


def test_a_fit_that_tells_nothing_predicts_nothing(nfs: cs.Experiment) -> None:
    fit = nfs.where(mtu_bytes=1500, delay_ticks=10).fit("cpu-overhead", "ols")
    assert not fit.identifiable
    assert fit.parameters == {"alpha": None, "beta": None, "gamma": None}
    assert fit.message is not None and fit.message in repr(fit)
    with pytest.raises(cs.CoalescopeError, match="no values to predict with"):
        fit.predict(rx_megabytes=1, rx_kilopackets=1, rx_kilointerrupts=1)


@pytest.mark.parametrize("levels", [[], "many", [[1, 2]], [1, float("nan")]])
def test_levels_that_are_none(levels: object) -> None:
    with pytest.raises(cs.CoalescopeError, match="delay_us is neither a number nor a list"):
        cs.predict("timer-packets-per-interrupt", delay_us=levels)


def test_too_many_levels_that_are_not_evenly_spaced() -> None:
    with pytest.raises(cs.CoalescopeError, match="not evenly spaced"):
        cs.predict("timer-packets-per-interrupt", delay_us=np.geomspace(1, 100, 300))


def test_what_is_asked_wrongly_is_told_by_its_name(nfs: cs.Experiment) -> None:
    with pytest.raises(cs.CoalescopeError, match="method: Input should be 'ols'") as refused:
        nfs.fit("cpu-overhead", "olss")
    assert refused.value.where == {"field": "method"}
    with pytest.raises(cs.CoalescopeError, match="at least one measure"):
        nfs.recommend()
    with pytest.raises(cs.CoalescopeError, match="latency_us has a weight"):
        nfs.recommend(minimise="system_cpu_jiffies", weight={"latency_us": 2})


def test_an_answer_comes_with_its_commands(lab: cs.Experiment) -> None:
    found = lab.where({"factor.cable": "long"})
    with pytest.raises(cs.CoalescopeError):
        found.recommend(maximise="throughput_mbps")  # one setting leaves no choice
    with cs.load("geist-2005-nfs") as nfs:
        aim = {"minimise": "system_cpu_jiffies_per_gb", "at_most": {"delay_ticks": 320}}
        found = nfs.recommend(**aim, interface="eth0", driver="e1000e")
    assert found.answer == {"mtu_bytes": 4500, "delay_ticks": 240, "workload": "nfs"}
    assert found.commands is not None and found.commands["apply"]
    assert repr(found).startswith("Set: mtu_bytes 4500, delay_ticks 240")
    assert found.effects[0]["change_percent"] < 0
    assert found.cautions and f"Caution: {found.cautions[0]}" in repr(found)


def test_a_fit_that_was_made_is_kept_after_the_end() -> None:
    with cs.load("geist-2005-nfs") as x:
        fit = x.fit("cpu-overhead")
        before = fit.predict(rx_megabytes=1e3, rx_kilopackets=7e2, rx_kilointerrupts=1e2)
    assert fit.residuals.num_rows == 27
    assert fit.predict(rx_megabytes=1e3, rx_kilopackets=7e2, rx_kilointerrupts=1e2).equals(before)
    with pytest.raises(cs.CoalescopeError, match="was closed"):
        x.fit("cpu-overhead")


def test_without_a_latency_a_limit_of_the_delay_is_asked_for(nfs: cs.Experiment) -> None:
    found = nfs.recommend(minimise="system_cpu_jiffies_per_gb")
    assert found.answer is None
    assert {each["factor"] for each in found.ask} == {"delay_ticks"}
    assert "a longer wait costs what was not" in repr(found)
    first = found.ask[0]
    assert f"  at_most={{'delay_ticks': {first['at_most']:g}}}: mtu_bytes" in repr(found)
    limited = nfs.recommend(
        minimise="system_cpu_jiffies_per_gb", at_most={"delay_ticks": first["at_most"]}
    )
    assert limited.answer == first["factors"]
    assert limited.ask == []
