# SPDX-License-Identifier: Apache-2.0
"""The table at the end of a sweep: means over replicates with their intervals, from the logs."""

import io
from collections.abc import Sequence

import pytest
from coalescope.measures.run_log_measures import measure_run
from coalescope_host.plan.factors import level_text
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.run.closing import lines
from coalescope_host.run.interval import interval_of
from coalescope_host.run_log import Writer, make_header, read, run_values, standard_field

from .conftest import ROOT, Files


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([941.5], "941.5"),
        ([941.47, 941.49, 941.48], "941.48 ±0.02"),
        ([199.999971, 199.999974, 199.999977], "199.999974 ±0.000007"),
        ([941.475, 941.489, 941.482], "941.482 ±0.017"),
        ([10_000, 12_000, 14_000], "12000 ±5000"),
        ([1.0, 100.0], "50 unresolved"),
        ([5, 5, 5], "5.000 ±0.000"),
        ([0.0], "0"),
    ],
)
def test_an_interval_shows_the_digits_that_it_leaves(values: Sequence[float], shown: str) -> None:
    assert str(interval_of(values)) == shown


@pytest.mark.parametrize(
    ("ticks", "shown"),
    [
        ([2000, 2000, 2000], "200.00 ±0.10"),  # as busy as they can be, tick by tick
        ([1000, 1200, 1400], "120 ±50"),
        ([1999.7, 1999.6, 1999.8], "199.97 ±0.02"),  # control: counted in something finer
    ],
)
def test_cpu_time_of_ticks_says_no_more_than_a_tick(
    files: Files, ticks: Sequence[float], shown: str
) -> None:
    files.plan("mtu_bytes = [9000, 1500]")
    plan = load_plan(files.folder / "plan.toml")
    cell = {name: levels[0] for name, levels in plan.factors.items()}
    lasted_s = (9.9999995, 10.0000004, 9.9999992)
    runs = [
        {"elapsed_s": s, "host_cpu_percent": each / s}
        for s, each in zip(lasted_s, ticks, strict=True)
    ]
    row = list(lines(plan, [(cell, runs)]))[2]
    assert row.endswith(f"  {shown}")


def test_the_interval_is_students_with_one_degree_less_than_replicates() -> None:
    """1, 2, 3, 4: deviation 1.290994, standard error 0.645497, t(3) = 3.182446."""
    assert interval_of([1, 2, 3, 4]).half == pytest.approx(0.645497 * 3.182446, rel=1e-3)
    many = interval_of([0, 1] * 50).half
    assert many == pytest.approx(1.984217 * 0.0502519, rel=1e-3)


@pytest.mark.parametrize("name", ["module", "several-sources", "small"])
def test_a_measure_of_the_table_is_the_store_s(name: str) -> None:
    log = read(ROOT / "driver" / "testdata" / f"{name}.runlog")
    stored = measure_run(log).values
    shown = run_values(log)
    both = shown.keys() & stored.keys()
    assert {"throughput_mbps", "elapsed_s"} <= both
    assert {n: shown[n] for n in both} == pytest.approx({n: stored[n] for n in both})
    assert shown.keys() - both <= {"poll_rate_hz"}


def test_sums_of_lines_of_an_old_log_are_no_receive_interrupts() -> None:
    """Before they had a name of their own they had that of receive interrupts."""
    file = io.BytesIO()
    fields = [
        standard_field(name, source="proc_interrupts")
        for name in ("t_monotonic_ns", "rx_interrupts")
    ]
    header = make_header(
        run_id="3b7a0c14-b370-5099-8c24-22342d0fcf75",
        experiment=None,
        factors={},
        fields=fields,
        sources=[{"name": "proc_interrupts", "atomic": False, "description": ""}],
    )
    with Writer(file, header) as writer:
        for second in (1, 2):
            writer.sample(second * 10**9, 50 * second)
    log = read(file.getvalue())
    shown = run_values(log)
    assert shown == {"elapsed_s": 1.0, "rx_line_interrupt_rate_hz": 50.0}
    assert shown.items() <= measure_run(log).values.items()


@pytest.mark.parametrize(("second_mbps", "explained"), [(990.0, 0), (1.0, 1)])
def test_a_mean_that_is_unresolved_is_explained(
    files: Files, second_mbps: float, explained: int
) -> None:
    files.plan("mtu_bytes = [9000, 1500]")
    plan = load_plan(files.folder / "plan.toml")
    first = {name: levels[0] for name, levels in plan.factors.items()}
    runs = [{"throughput_mbps": 991.0}, {"throughput_mbps": second_mbps}]
    shown = "\n".join(lines(plan, [(first, runs)]))
    assert shown.count("unresolved: half of the interval is more than the mean") == explained


def test_that_nothing_was_lost_is_said_of_this_host_alone(files: Files) -> None:
    """What the workload says of the other end stands among the warnings."""
    files.plan("mtu_bytes = [9000, 1500]")
    plan = load_plan(files.folder / "plan.toml")
    cell = {name: levels[0] for name, levels in plan.factors.items()}

    def said(drops: float) -> list[str]:
        runs = [{"throughput_mbps": 991.0, "socket_drops": drops}]
        return [line for line in lines(plan, [(cell, runs)]) if line.startswith("No loss")]

    assert said(0) == ["No loss was counted on this host (socket_drops)."]
    assert said(3) == []


@pytest.mark.fault("B8")
def test_a_sweep_ends_with_a_row_for_each_cell_and_says_what_is_next(files: Files) -> None:
    files.plan("mtu_bytes = [9000, 1500]\nring_rx = [128]")
    done = files.sweep()
    assert done.returncode == 0, done.stderr
    head, names, *rows = done.stdout.strip().splitlines()
    assert head == "on-files: means of 2 replicates, ± half of their 95 % intervals"
    assert names.split()[:2] == ["mtu_bytes", "throughput_mbps"]
    assert [row.split()[0] for row in rows if row.split()[0].isdigit()] == ["9000", "1500"]
    plan = load_plan(files.folder / "plan.toml")
    of_large = [
        run_values(read(files.folder / "out" / entry["log"]))["throughput_mbps"]
        for entry in files.entries()
        if entry["requested"]["mtu_bytes"] == 9000
    ]
    assert str(interval_of(of_large)) in rows[0]
    assert level_text(plan.factors["mtu_bytes"][0]) == "9000"
    assert f"coalescope-host upload {files.folder / 'out'} --server" in done.stderr
    assert "block 1 of 2: 2 runs; throughput_mbps" in done.stderr
