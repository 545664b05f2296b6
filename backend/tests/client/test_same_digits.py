# SPDX-License-Identifier: Apache-2.0
"""Folder, server and command line give the same digits, for published and emulated data."""

from collections.abc import Callable
from typing import Any

import coalescope as cs
import numpy as np
import pytest

from .conftest import EMULATED, PUBLISHED

pytestmark = [pytest.mark.folder_stack, pytest.mark.slow]

Command = Callable[..., Any]
Everywhere = Callable[[str], list[cs.Experiment]]
NFS, POINTS = PUBLISHED


@pytest.mark.parametrize(
    ("slug", "methods", "workload"),
    [(NFS, ("paper-tls", "ols", "robust"), "nfs"), (EMULATED, ("ols", "wls"), "tcp")],
)
def test_fits(
    command: Command, everywhere: Everywhere, slug: str, methods: tuple[str, ...], workload: str
) -> None:
    typed = (
        "fit",
        slug,
        "cpu-overhead",
        "--where",
        f"workload={workload}",
        "--resamples",
        500,
        "--json",
    )
    for method in methods:
        printed = command(*typed, "--method", method)
        assert printed["residuals"]
        for x in everywhere(slug):
            fit = x.where(workload=workload).fit("cpu-overhead", method, resamples=500)
            assert fit.document == printed
            points = fit.residuals.to_pylist()
            assert [p["predicted"] for p in points] == [
                one["predicted"] for one in printed["residuals"]
            ]


def test_the_method_is_by_default_that_of_the_data_set(
    command: Command, everywhere: Everywhere
) -> None:
    printed = command("fit", NFS, "cpu-overhead", "--resamples", 0, "--json")
    assert printed["method"] == "paper-tls"
    for x in everywhere(NFS):
        assert x.fit("cpu-overhead", resamples=0).document == printed


def test_nonlinear_fits_and_what_they_predict(command: Command, everywhere: Everywhere) -> None:
    typed = [
        "fit",
        EMULATED,
        "receive-windowed",
        "--where",
        "workload=tcp",
        "--output",
        "throughput_mbps",
    ]
    typed += ["--free", "link_rate_mbps", "--hold", "connections=1"]
    printed = command(*typed, "--resamples", 20, "--json")
    levels = {"mtu_bytes": 1500.0, "delay_us": [10.0, 100.0]}
    predicted = []
    for x in everywhere(EMULATED):
        fit = x.where(workload="tcp").fit_nonlinear(
            "receive-windowed",
            "throughput_mbps",
            ["link_rate_mbps"],
            held={"connections": 1},
            resamples=20,
        )
        assert fit.document == printed
        assert fit.identifiable, fit.message
        predicted.append(fit.predict(**levels))
    assert predicted[0].identical(predicted[1])


@pytest.mark.parametrize(
    ("slug", "where", "aims", "options"),
    [
        (NFS, {}, {"minimise": "system_cpu_jiffies_per_gb"}, {"at_most": {"delay_ticks": 320}}),
        (POINTS, {"workload": "udp"}, {"maximise": "throughput_mbps"}, {}),
        (
            EMULATED,
            {"workload": "tcp"},
            {"maximise": ["throughput_mbps"], "minimise": ["system_cpu_s_per_gb"]},
            {"interface": "eth0", "driver": "e1000e", "weight": {"throughput_mbps": 2.0}},
        ),
    ],
)
def test_recommendations(
    command: Command,
    everywhere: Everywhere,
    slug: str,
    where: dict[str, str],
    aims: dict[str, Any],
    options: dict[str, Any],
) -> None:
    typed: list[object] = ["recommend", slug, *(f"--where={n}={v}" for n, v in where.items())]
    for name, measures in aims.items():
        for measure in [measures] if isinstance(measures, str) else measures:
            typed += [f"--{name}", measure]
    for name, value in options.items():
        pairs = value if isinstance(value, dict) else {None: value}
        for key, one in pairs.items():
            typed += [f"--{name.replace('_', '-')}", one if key is None else f"{key}={one}"]
    printed = command(*typed, "--json")
    for x in everywhere(slug):
        found = x.where(where).recommend(**aims, **options)
        assert found.document == printed
        losses = found.candidates["loss_percent"].to_pylist()
        assert losses == [one["loss_percent"] for one in printed["candidates"]]


@pytest.mark.parametrize("workload", ["udp", "tcp", "request_response"])
def test_where_replicates_reject_the_model_the_answer_is_of_the_cells(
    command: Command, everywhere: Everywhere, workload: str
) -> None:
    where, measure = f"--where=workload={workload}", "traffic_cpu_jiffies_per_gb"
    fit = command("fit", EMULATED, "cpu-overhead", where, "--resamples", 0, "--json")
    assert fit["diagnostics"]["lack_of_fit"]["rejected"]
    printed = command("recommend", EMULATED, where, "--minimise", measure, "--json")
    surface = command("surface", EMULATED, measure, where, "--json")
    means = {(cell["x"], cell["y"]): cell["mean"] for cell in surface["cells"]}
    axes = [surface[axis]["name"] for axis in ("x", "y")]
    assert printed["model"] is None
    assert len(printed["candidates"]) == len(means)
    for one in printed["candidates"]:
        cell = tuple(one["factors"][axis] for axis in axes)
        assert one["means"][measure] == pytest.approx(means[cell], rel=1e-12)
    for x in everywhere(EMULATED):
        found = x.where(workload=workload).recommend(minimise=measure)
        assert found.document == printed
        assert printed["answer"] is None or "no model is in it" in str(found)


@pytest.mark.parametrize(
    ("slug", "where", "measure"),
    [
        (NFS, {}, "system_cpu_jiffies_per_gb"),
        (POINTS, {"workload": "udp"}, "throughput_mbps"),
        (EMULATED, {"workload": "tcp"}, "throughput_mbps"),
    ],
)
def test_surfaces_and_cells(
    command: Command, everywhere: Everywhere, slug: str, where: dict[str, str], measure: str
) -> None:
    printed = command(
        "surface", slug, measure, *(f"--where={n}={v}" for n, v in where.items()), "--json"
    )
    x_name, y_name = printed["x"]["name"], printed["y"]["name"]
    for x in everywhere(slug):
        surface, cells = x.where(where).surface(measure), x.where(where).cells
        assert surface[measure].attrs["units"] == printed["measure"]["unit"]
        assert int((surface[f"{measure}_n"] > 0).sum()) == len(printed["cells"])
        for cell in printed["cells"]:
            low, high = cell["ci95"] or (np.nan, np.nan)
            sd = np.nan if cell["sd"] is None else cell["sd"]
            expected = [cell["mean"], sd, low, high, cell["n"]]
            for dataset in (surface, cells):
                at = dataset.sel({x_name: cell["x"], y_name: cell["y"]})
                names = (measure, *(f"{measure}_{s}" for s in ("sd", "ci95_low", "ci95_high", "n")))
                found = [at[name].values.item() for name in names]
                np.testing.assert_array_equal(found, expected)


def test_comparisons(command: Command, everywhere: Everywhere) -> None:
    typed = ("--where", "workload=tcp", "--split", "delay_ticks=10:320", "--json")
    printed = command("compare", EMULATED, *typed, "--measure", "throughput_mbps")
    for x in everywhere(EMULATED):
        split = {"delay_ticks": (10, 320)}
        found = x.where(workload="tcp").compare("throughput_mbps", split)
        assert found.document == printed
        assert (found.ratio, list(found.ci95 or ())) == (
            printed["overall_ratio"],
            printed["overall_ci95"],
        )
        rows = found.cells.to_pylist()
        assert [row["ratio"] for row in rows] == [cell["ratio"] for cell in printed["cells"]]
        assert [row["ci95_high"] for row in rows] == [cell["ci95"][1] for cell in printed["cells"]]
        assert {row["mtu_bytes"] for row in rows} == {1500, 3000, 4500, 6000}
        turned = x.where(workload="tcp").compare("throughput_mbps", split, better="less")
        assert {turned.verdict, found.verdict} in ({"better", "worse"}, {"unresolved"})


def test_two_experiments_are_compared(command: Command, everywhere: Everywhere) -> None:
    typed = (POINTS, EMULATED, "--where", "workload=tcp", "--measure", "throughput_mbps", "--json")
    printed = command("compare", *typed)
    for x in everywhere(POINTS):
        found = x.where(workload="tcp").compare("throughput_mbps", other=EMULATED)
        assert found.document == printed
        assert found.ci95 is None and found.message in " ".join(repr(found).split())
        with pytest.raises(cs.CoalescopeError, match="Both sides are the same"):
            x.compare("throughput_mbps")
        with pytest.raises(cs.CoalescopeError, match="none can be left out"):
            x.without(x.runs["run"][0].as_py()).compare("throughput_mbps", other=EMULATED)


@pytest.mark.parametrize("slug", [NFS, POINTS, EMULATED])
def test_runs(command: Command, everywhere: Everywhere, slug: str) -> None:
    exported = command("export", slug, "--what", "runs", "--format", "json")
    assert exported["runs"]
    for x in everywhere(slug):
        rows = x.runs.to_pylist()
        assert [row["run"] for row in rows] == [run["id"] for run in exported["runs"]]
        for row, run in zip(rows, exported["runs"], strict=True):
            for name, found in run["measures"].items():
                assert [row[name], row[f"{name}_sd"], row[f"{name}_n"]] == [
                    found["value"],
                    found["sd"],
                    found["n"],
                ]
            assert {name: row[name] for name in run["factors"]} == run["factors"]


def test_predictions(command: Command) -> None:
    typed = ["--over", "delay_us=0:100:5", "--set", "mtu_bytes=1500", "--json"]
    printed = command("predict", "timer-packets-per-interrupt", *typed)
    found = cs.predict(
        "timer-packets-per-interrupt", delay_us=np.linspace(0, 100, 5), mtu_bytes=1500
    )
    for name, values in printed["outputs"].items():
        assert found[name].values.tolist() == values
        assert found[name].attrs["units"] == printed["units"][name]
    uneven = cs.predict("timer-packets-per-interrupt", mtu_bytes=1500, delay_us=[100, 0, 75])
    even = found.sel(delay_us=[100, 0, 75])
    assert uneven.equals(even)
