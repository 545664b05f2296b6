# SPDX-License-Identifier: Apache-2.0
"""The order of a sweep: each cell once in each block, the same order for the same seed."""

import itertools
import tempfile
from collections.abc import Mapping
from pathlib import Path

from coalescope_host.plan.factors import Level
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.plan.schedule import pilot_runs, schedule
from hypothesis import given, settings
from hypothesis import strategies as st

SEEDS = st.integers(0, 2**53 - 1)
FACTORS = st.fixed_dictionaries(
    {
        "mtu_bytes": st.lists(st.integers(68, 9000), min_size=1, max_size=4, unique=True),
        "delay_us": st.lists(st.integers(0, 1000), min_size=1, max_size=4, unique=True),
        "offload.gro": st.sampled_from([[True], [False], [True, False]]),
    }
)


ORDER = [
    (1500, 10),
    (4500, 10),
    (3000, 0),
    (3000, 10),
    (6000, 0),
    (4500, 0),
    (1500, 0),
    (6000, 10),
]
FIRST_ID = "19d87edf-9b46-57f8-a2f8-ade3cf2f0ed9"


def plan_of(factors: Mapping[str, list[Level]], replicates: int) -> Plan:
    lines = [f'"{name}" = {str(levels).lower()}' for name, levels in factors.items()]
    text = f"""
experiment = "an-experiment"
interface = "eth1"
duration_s = 1
replicates = {replicates}
[workloads.udp]
kind = "udp-fan-in"
[factors]
""" + "\n".join(lines)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.toml"
        path.write_text(text, encoding="utf-8")
        return load_plan(path)


@settings(deadline=None)
@given(FACTORS, SEEDS, st.integers(1, 4))
def test_every_block_has_every_cell_once(factors, seed, replicates) -> None:
    runs = schedule(plan_of(factors, replicates), seed)
    cells = {tuple(cell) for cell in itertools.product(*factors.values())}
    for replicate in range(1, replicates + 1):
        block = [run for run in runs if run.replicate == replicate]
        levels = [tuple(run.levels[name] for name in factors) for run in block]
        assert len(levels) == len(cells)
        assert set(levels) == cells
    assert [run.order for run in runs] == list(range(1, len(runs) + 1))
    assert len({run.id for run in runs}) == len(runs)


@settings(deadline=None)
@given(FACTORS, SEEDS)
def test_the_same_plan_and_seed_give_the_same_runs(factors, seed) -> None:
    assert schedule(plan_of(factors, 2), seed) == schedule(plan_of(factors, 2), seed)


@settings(deadline=None)
@given(FACTORS, SEEDS, st.sets(st.integers(1, 4), min_size=1))
def test_some_replicates_alone_have_the_order_they_have_in_the_whole(factors, seed, some) -> None:
    plan = plan_of(factors, 4)
    whole = schedule(plan, seed)
    assert schedule(plan, seed, some) == tuple(run for run in whole if run.replicate in some)


@settings(deadline=None)
@given(FACTORS, SEEDS)
def test_more_replicates_begin_with_the_same_runs(factors, seed) -> None:
    few, more = schedule(plan_of(factors, 2), seed), schedule(plan_of(factors, 3), seed)
    assert more[: len(few)] == few


def test_blocks_and_seeds_differ_in_order_and_in_what_workloads_draw() -> None:
    plan = plan_of({"mtu_bytes": list(range(100, 120)), "delay_us": [0], "offload.gro": [True]}, 2)
    runs = schedule(plan, 1)
    first, second = [[r.levels["mtu_bytes"] for r in runs if r.replicate == n] for n in (1, 2)]
    assert first != second
    assert first != [run.levels["mtu_bytes"] for run in schedule(plan, 2, {1})]
    assert len({run.seed for run in runs}) == len(runs)
    assert not {run.id for run in runs} & {run.id for run in schedule(plan, 2)}


def test_the_order_is_the_same_on_every_machine_and_python() -> None:
    plan = plan_of({"mtu_bytes": [1500, 3000, 4500, 6000], "delay_us": [0, 10]}, 1)
    runs = schedule(plan, 1)
    assert [(run.levels["mtu_bytes"], run.levels["delay_us"]) for run in runs] == ORDER
    assert runs[0].id == FIRST_ID


@settings(deadline=None)
@given(FACTORS, SEEDS)
def test_a_pilot_tries_the_middle_first_and_then_everything_else(factors, seed) -> None:
    plan = plan_of(factors, 1)
    (tries,) = pilot_runs(plan, schedule(plan, seed))
    cells = [tuple(run.levels[name] for name in factors) for run in tries]
    assert sorted(cells) == sorted(itertools.product(*factors.values()))
    assert cells[0] == list(itertools.product(*factors.values()))[len(cells) // 2]
