# SPDX-License-Identifier: Apache-2.0
"""Fits over HTTP: the published numbers, replicates, and what is said when there is no fit."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest
from coalescope.fits import service

NFS = {"model": "cpu-overhead", "method": "paper-tls"}
COLUMNS = "mtu_bytes,delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s"
ALPHA, BETA, GAMMA = 2e-3, 3e-3, 5e-3


def table(replicates: int = 3, noise: float = 0.01, seed: int = 7) -> bytes:
    """Runs of a host that has those costs [s per MB, per kpacket, per kinterrupt]."""
    rng = np.random.default_rng(seed)
    lines = [COLUMNS]
    for mtu in (1500, 3000, 9000):
        for delay in (0, 50, 100):
            for replicate in range(1, replicates + 1):
                packets = 1e9 / (0.9 * mtu)
                interrupts = packets / (1 + delay / 15)
                cpu = ALPHA * 1000 + BETA * packets / 1e3 + GAMMA * interrupts / 1e3
                cpu *= 1 + noise * rng.standard_normal()
                lines.append(
                    f"{mtu},{delay},{replicate},1000000000,{packets:.0f},{interrupts:.0f},{cpu!r}"
                )
    return "\n".join(lines).encode()


def with_probes(content: bytes, cost_us: float = 2.0) -> bytes:
    """The same runs as seen by probes that cost that much at each interrupt, and nothing else."""
    head, *lines = content.decode().splitlines()
    wider = [f"{head},probe_cpu_s"]
    for line in lines:
        *others, interrupts, cpu = line.split(",")
        probes = 1e-6 * cost_us * float(interrupts)
        wider.append(",".join((*others, interrupts, repr(float(cpu) + probes), repr(probes))))
    return "\n".join(wider).encode()


def fit(client: Any, slug: str = "lab", **request: Any) -> Any:
    return client.post(f"/api/experiments/{slug}/fits", json=NFS | request)


@pytest.fixture
def published(make_client: Callable[..., Any], datasets: Any) -> Any:
    return make_client(datasets_dir=datasets)


def test_the_published_nfs_fit(published: Any) -> None:
    """Geist et al. 2005, table 2: 0.81, 0.27, 1.11, largest deviation 1.85 % as printed."""
    found = fit(published, "geist-2005-nfs").json()
    values = {name: round(e["value"], 3) for name, e in found["estimates"].items()}
    assert values == {"alpha": 0.813, "beta": 0.266, "gamma": 1.110}
    units = [estimate["unit"] for estimate in found["estimates"].values()]
    assert units == ["jiffies/MB", "jiffies/kpacket", "jiffies/kinterrupt"]
    assert found["diagnostics"]["max_abs_deviation_percent"] == pytest.approx(1.86, abs=0.005)
    assert (found["n"], found["left_out"], found["identifiable"]) == (27, 0, True)
    assert found["bootstrap"]["unit"] == "rows"
    assert found["bootstrap"]["strata"] == 3, "rows are drawn within each MTU"
    for estimate in found["estimates"].values():
        low, high = estimate["ci95"]
        assert low < estimate["value"] < high
    worst = max(found["residuals"], key=lambda residual: abs(residual["deviation_percent"]))
    assert worst["factors"] == {"mtu_bytes": 1500, "delay_ticks": 320, "workload": "nfs"}
    assert (found["experiment"], found["data_version"]) == ("geist-2005-nfs", 1)


def test_least_squares_on_the_same_rows(published: Any) -> None:
    found = fit(published, "geist-2005-nfs", method="ols", resamples=0).json()
    values = {name: round(e["value"], 6) for name, e in found["estimates"].items()}
    assert values == {"alpha": 0.813531, "beta": 0.266921, "gamma": 1.104689}
    assert all(estimate["ci95"] is None for estimate in found["estimates"].values())


def test_rows_can_be_selected(published: Any) -> None:
    where = {"workload": "nfs", "delay_ticks": 10}
    found = fit(published, "geist-2005-nfs", where=where, method="ols", resamples=0).json()
    assert (found["n"], found["where"]) == (3, where)
    assert {residual["factors"]["delay_ticks"] for residual in found["residuals"]} <= {10}


@pytest.mark.parametrize("method", ["ols", "paper-tls"])
def test_costs_are_told_with_the_probes_and_without_them(client: Any, method: str) -> None:
    client.upload(table(), "plain.csv")
    client.upload(with_probes(table()), "lab.csv")
    plain = fit(client, "plain", method=method).json()
    found = fit(client, method=method).json()
    assert plain["without_probes"] is None
    for name, estimate in plain["estimates"].items():
        without = found["without_probes"][name]
        assert without["value"] == pytest.approx(estimate["value"])
        assert without["ci95"] == pytest.approx(estimate["ci95"])
    gamma, without = (found[name]["gamma"]["value"] for name in ("estimates", "without_probes"))
    assert gamma - without == pytest.approx(2e-3, rel=0.01), "2 µs are 2 ms per 1000 interrupts"


def test_probes_of_some_runs_only_are_not_taken_off(client: Any) -> None:
    *most, last = with_probes(table()).decode().splitlines()
    client.upload("\n".join((*most, last.rpartition(",")[0] + ",")).encode(), "lab.csv")
    assert fit(client).json()["without_probes"] is None


def test_one_mtu_cannot_tell_bytes_from_packets(published: Any) -> None:
    found = fit(published, "geist-2005-nfs", where={"mtu_bytes": 1500}).json()
    assert not found["identifiable"]
    assert [estimate["value"] for estimate in found["estimates"].values()] == [None] * 3
    assert "MTU" in found["message"]
    two = fit(published, "geist-2005-nfs", method="ols").json()
    assert two["identifiable"], "control: all three MTUs can"


def test_a_cost_that_noise_leaves_unknown_is_named(client: Any) -> None:
    client.upload(table(noise=0.3, seed=1), "lab.csv")
    found = fit(client, method="ols").json()
    alpha = found["estimates"]["alpha"]
    share = 100 * alpha["standard_error"] / alpha["value"]
    assert found["identifiable"]
    assert share > 50
    assert f"Poorly determined: alpha (standard error {share:.3g} %" in found["message"]


def test_replicates_are_resampled_whole(client: Any) -> None:
    client.upload(table(), "lab.csv")
    found = fit(client, method="ols").json()
    assert found["n"] == 9
    assert found["bootstrap"]["unit"] == "replicates"
    assert found["bootstrap"]["strata"] == 9
    assert found["response"] == "system_cpu_s"
    assert found["estimates"]["alpha"]["unit"] == "s/MB"
    for name, truth in (("alpha", ALPHA), ("beta", BETA), ("gamma", GAMMA)):
        assert found["estimates"][name]["value"] == pytest.approx(truth, rel=0.1)
    assert len(found["residuals"]) == 9
    assert found["residuals"][0]["factors"] == {"mtu_bytes": 1500, "delay_us": 0}


def test_what_the_traffic_alone_cost_is_fitted_where_it_is_known(client: Any) -> None:
    """In jiffies of 10 ms, as the paper has it; the system's time where it is asked for."""
    head, *rows = table().decode().splitlines()
    lines = [f"{head},traffic_cpu_s,traffic_cpu_jiffies"]
    for row in rows:
        cost = float(row.rpartition(",")[2])
        lines.append(f"{row},{cost / 2!r},{cost * 50!r}")
    client.upload("\n".join(lines).encode(), "lab.csv")
    found = fit(client, method="ols", resamples=0).json()
    assert (found["response"], found["response_unit"]) == ("traffic_cpu_jiffies", "jiffies")
    assert found["estimates"]["alpha"]["value"] == pytest.approx(50 * ALPHA, rel=0.1)
    system = fit(client, method="ols", resamples=0, response="system_cpu_s").json()
    assert system["response"] == "system_cpu_s"
    assert system["estimates"]["alpha"]["value"] == pytest.approx(ALPHA, rel=0.1)


def test_a_response_that_cannot_be_fitted_is_named(client: Any) -> None:
    client.upload(table(), "lab.csv")
    error = fit(client, response="drops").json()["error"]
    assert (error["code"], error["where"]) == ("no_such_response", {"field": "response"})
    assert "traffic_cpu_jiffies" in error["advice"]
    error = fit(client, response="traffic_cpu_s").json()["error"]
    assert (error["code"], error["where"]) == ("not_available", {"measure": "traffic_cpu_s"})


def test_single_runs_are_rows(client: Any) -> None:
    client.upload(table(replicates=1), "lab.csv")
    assert fit(client, method="ols").json()["bootstrap"]["unit"] == "rows"


def test_the_same_seed_gives_the_same_intervals(client: Any) -> None:
    client.upload(table(), "lab.csv")
    first = fit(client, resamples=500, seed=3).json()
    client.app.state.fits = type(client.app.state.fits)(1)  # nothing remembered
    assert fit(client, resamples=500, seed=3).json() == first
    assert fit(client, resamples=500, seed=4).json()["estimates"] != first["estimates"]


def test_a_fit_is_computed_once_per_data_version(client: Any) -> None:
    client.upload(table(), "lab.csv")
    with mock.patch.object(service, "fit_linear", wraps=service.fit_linear) as computed:
        first = fit(client, resamples=100).json()
        assert fit(client, resamples=100).json() == first
        assert computed.call_count == 1
        fit(client, resamples=101)
        assert computed.call_count == 2
        uid = client.get("/api/experiments/lab/runs").json()["runs"][0]["id"]
        client.post(f"/api/runs/{uid}/retraction", json={"reason": "cable was loose"})
        changed = fit(client, resamples=100).json()
        assert computed.call_count == 3
        assert changed["data_version"] > first["data_version"]
        assert changed["estimates"] != first["estimates"]


def test_missing_interrupts_are_not_available(client: Any) -> None:
    lines = table().decode().splitlines()
    without = [",".join(line.split(",")[:5] + line.split(",")[6:]) for line in lines]
    client.upload("\n".join(without).encode(), "veth.csv")
    answer = fit(client, "veth")
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["code"] == "not_available"
    assert error["where"] == {"measure": "rx_interrupts"}
    assert "not available" in error["message"]
    assert "veth" in error["advice"]


def test_every_missing_measure_is_named(client: Any) -> None:
    client.upload(b"mtu_bytes,replicate,rx_bytes\n1500,1,1000\n", "lab.csv")
    where = fit(client).json()["error"]["where"]
    for name in ("rx_packets", "rx_interrupts", "system_cpu_jiffies", "system_cpu_s"):
        assert name in where["measure"]
    assert "rx_bytes" not in where["measure"]


def test_runs_without_a_measure_are_left_out_and_counted(client: Any) -> None:
    lines = table().decode().splitlines()
    cut = lines[1].split(",")
    cut[5] = ""
    client.upload("\n".join([lines[0], ",".join(cut), *lines[2:]]).encode(), "lab.csv")
    assert fit(client, resamples=0).json()["left_out"] == 1


@pytest.mark.parametrize(
    ("request_", "status", "code"),
    [
        ({"model": "link-bound"}, 422, "no_linear_fit"),
        ({"model": "perpetual-motion"}, 422, "unknown_model"),
        ({"where": {"mtu": 1500}}, 422, "unknown_factor"),
        ({"where": {"mtu_bytes": "big"}}, 422, "not_a_number"),
        ({"where": {"mtu_bytes": 1492}}, 422, "no_such_cells"),
        ({"method": "guess"}, 422, "invalid_request"),
        ({"resamples": -1}, 422, "invalid_request"),
        ({"resamples": 100_001}, 422, "invalid_request"),
        ({"seed": -1}, 422, "invalid_request"),
        ({"resample": 10}, 422, "invalid_request"),
    ],
)
def test_wrong_requests(client: Any, request_: dict[str, Any], status: int, code: str) -> None:
    client.upload(table(replicates=1), "lab.csv")
    answer = fit(client, **request_)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert answer.json()["error"]["advice"]


def test_too_much_work_is_refused_with_a_way_out(client: Any) -> None:
    client.upload(table(replicates=1), "lab.csv")
    with mock.patch.object(service, "_MAX_DRAWS", 900):
        answer = fit(client, resamples=101).json()["error"]
        assert (answer["code"], "at most 100" in answer["advice"]) == ("too_many_draws", True)
        assert fit(client, resamples=100).status_code == 200, "control"


def test_an_empty_experiment(client: Any) -> None:
    client.post("/api/experiments", json={"slug": "empty", "title": "Empty", "kind": "measured"})
    assert fit(client, "empty").json()["error"]["message"] == "The experiment has no runs yet."
    assert fit(client, "nowhere").status_code == 404


def test_what_is_missing_is_named_once(published: Any) -> None:
    answer = fit(published, "geist-2005-points")
    message = answer.json()["error"]["message"]
    assert "system CPU time" in message
    assert "system CPU time or system CPU time" not in message


def test_the_whitened_fit_needs_replicates_and_says_so(published: Any, client: Any) -> None:
    found = fit(published, "geist-2005-nfs", method="whitened").json()
    assert not found["identifiable"]
    assert "replicate" in found["message"]
    client.upload(table(replicates=6), "lab.csv")
    found = fit(client, method="whitened").json()
    assert (found["identifiable"], found["method"], found["n"]) == (True, "whitened", 9)
    for name, truth in (("alpha", ALPHA), ("beta", BETA), ("gamma", GAMMA)):
        assert found["estimates"][name]["value"] == pytest.approx(truth, rel=0.1)


def test_pooled_cells_are_one(client: Any) -> None:
    head, *rows = table(replicates=2).decode().splitlines()
    lines = [f"{head},driver_version", *(f"{row},{v}" for v in ("1.0", "1.1") for row in rows)]
    client.upload("\n".join(lines).encode(), "lab.csv")
    assert fit(client, method="ols").json()["n"] == 18
    assert fit(client, method="ols", pooled=["driver_version"]).json()["n"] == 9
    assert fit(client, pooled=["colour"]).json()["error"]["code"] == "unknown_factor"


def test_a_data_set_names_the_method_of_its_paper(published: Any) -> None:
    asked = {"model": "cpu-overhead", "resamples": 0}
    own = published.post("/api/experiments/geist-2005-nfs/fits", json=asked).json()
    assert own["method"] == "paper-tls"
    assert own["diagnostics"]["max_abs_deviation_percent"] == pytest.approx(1.861, abs=5e-4)
    values = [round(own["estimates"][name]["value"], 3) for name in ("alpha", "beta", "gamma")]
    assert values == [0.813, 0.266, 1.110]


def test_without_a_papers_method_all_runs_are_fitted_by_least_squares(client: Any) -> None:
    client.upload(table(), "lab.csv")
    asked = {"model": "cpu-overhead", "resamples": 0}
    assert client.post("/api/experiments/lab/fits", json=asked).json()["method"] == "ols"


def test_what_passes_without_traffic_is_fitted_on_request(client: Any) -> None:
    """Half of the runs take ten times as long for the same traffic, with 0.02 s/s of idle work."""
    rng = np.random.default_rng(3)
    lines = [f"{COLUMNS},elapsed_s"]
    for line in table(replicates=4, noise=0.002).decode().splitlines()[1:]:
        *first, cpu = line.split(",")
        elapsed = 10.0 if int(first[1]) == 50 else 100.0
        lines.append(",".join([*first, repr(float(cpu) + 0.02 * elapsed), repr(elapsed)]))
    rng.shuffle(lines[1:])
    client.upload("\n".join(lines).encode(), "lab.csv")
    found = fit(client, method="ols", base=True, resamples=200).json()
    base = found["estimates"]["base"]
    assert base["unit"] == "s/s"
    assert base["ci95"][0] < 0.02 < base["ci95"][1]
    assert base["value"] == pytest.approx(0.02, rel=0.05)


def test_a_base_needs_the_time_that_a_run_took(published: Any) -> None:
    answer = fit(published, "geist-2005-nfs", base=True)
    assert answer.status_code == 422
    assert "elapsed" in answer.json()["error"]["message"]


def test_what_only_fits_and_recommendations_need_is_imported_by_them() -> None:
    """scipy and statsmodels take seconds: neither the shell nor the server waits for them."""
    code = (
        "import sys, coalescope.cli, coalescope.app\n"
        "known = {name.split('.')[0] for name in sys.modules}\n"
        "heavy = {'scipy', 'statsmodels', 'pandas'} & known\n"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[]\n", "")
