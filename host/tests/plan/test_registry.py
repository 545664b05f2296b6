# SPDX-License-Identifier: Apache-2.0
"""All that can be set is a factor, under the names that the field uses."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from coalescope_host.plan.factor_rule import SWITCH
from coalescope_host.plan.factors import FACTORS, IN_GLOSSARY, factor_name, log_name, rule_of
from coalescope_host.plan.plan import PlanError
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.plan.registry import MEANINGS, SETTINGS, Setting
from coalescope_models.vocabulary.quantity import QUANTITIES

PROFILE = "_".join(5 * ["8,64,n"])
HEAD = """
experiment = "own"
interface = "eth1"
duration_s = 1
[workloads.udp]
kind = "command"
command = ["true"]
[factors]
"""


def levels(tmp_path: Path, factors: str) -> dict[str, tuple[object, ...]]:
    path = tmp_path / "plan.toml"
    path.write_text(HEAD + factors)
    return dict(load_plan(path).factors)


@pytest.mark.fault("I3")
@pytest.mark.parametrize(
    ("line", "name", "level"),
    [
        ("rx_frames = [16]", "rx_frames", 16),
        ("adaptive_rx = [true]", "adaptive_rx", True),
        ("queues = [2]", "queues", 2),
        ("napi_threaded = [true]", "napi_threaded", True),
        ('napi_threaded = ["busy-poll"]', "napi_threaded", "busy-poll"),
        ("rx-usecs = [25]", "delay_us", 25),
        ("rx_usecs = [25]", "delay_us", 25),
        ("mtu = [9000]", "mtu_bytes", 9000),
        ('gro = ["on"]', "offload.gro", True),
        ("adaptive-rx = ['off']", "adaptive_rx", False),
        ("rx-frames = [3]", "rx_frames", 3),
        ("ring-rx = [512]", "ring_rx", 512),
        ("combined = [4]", "queues", 4),
        ("defer-hard-irqs = [2]", "napi_defer_hard_irqs", 2),
        ("'net.core.busy_poll' = [50]", "busy_poll_us", 50),
        ("tcp-data-split = ['on']", "tcp_data_split", "on"),
        (f"rx-profile = ['{PROFILE}']", "dim_profile_rx", PROFILE),
    ],
)
def test_the_fields_names_are_factors(tmp_path: Path, line: str, name: str, level: object) -> None:
    assert levels(tmp_path, line) == {name: (level,)}


@pytest.mark.parametrize("cpus", ["3-1", "0,3-1", "0-99999999999"])
@pytest.mark.parametrize("factor", ["rps_cpus", "irq_cpus", "workload_cpus"])
def test_a_range_of_cpus_that_means_none_is_no_level(
    tmp_path: Path, factor: str, cpus: str
) -> None:
    """The kernel would be told to use no CPU, or all memory go to a list of them."""
    with pytest.raises(PlanError, match="CPUs as the kernel lists them"):
        levels(tmp_path, f'{factor} = ["{cpus}"]')


def test_a_name_that_ethtool_has_twice_is_asked_about(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"factors.rx: may mean ring_rx, .* or offload.rx"):
        levels(tmp_path, "rx = [512]")


def test_one_factor_by_two_names_is_told(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="is delay_us, which is given already"):
        levels(tmp_path, "delay_us = [1]\nrx-usecs = [2]")


def test_excluded_cells_know_the_names_too(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        HEAD + 'mtu = [1500, 9000]\ngro = ["on", "off"]\n[[exclude]]\nmtu = 9000\ngro = "off"\n'
    )
    assert load_plan(path).excluded == ({"mtu_bytes": 9000, "offload.gro": False},)


def test_the_glossary_knows_the_factors_that_say_so() -> None:
    factors = {name for name, quantity in QUANTITIES.items() if quantity.role == "factor"}
    assert factors == IN_GLOSSARY


@pytest.mark.parametrize("name", ["speed_mbps", "cpus"])
def test_what_is_only_recorded_has_one_level(tmp_path: Path, name: str) -> None:
    assert levels(tmp_path, f"{name} = [4]")[name] == (4,)
    with pytest.raises(PlanError, match="it can have one level only"):
        levels(tmp_path, f"{name} = [4, 8]")


def test_no_other_factor_is_named_like_a_quantity() -> None:
    """It would stand in a log as factor.NAME beside the glossary's NAME."""
    parameters = {"queues", "rx_frames", "napi_defer_hard_irqs"}  # of models, and no measures
    assert set(FACTORS) & set(QUANTITIES) - IN_GLOSSARY <= parameters


def test_each_row_is_understood_by_its_own_name() -> None:
    names = [row.name for row in SETTINGS]
    assert len(set(names)) == len(names)
    for name in names:
        assert MEANINGS[name] == (name,)
        assert factor_name(name) == name
        assert not isinstance(rule_of(name), str)
        key = log_name(name) if name in IN_GLOSSARY else log_name(name).removeprefix("factor.")
        assert tomllib.loads(f"{key} = 1")


@pytest.mark.parametrize(
    ("word", "means"),
    [
        ("rx-gro-list", "offload.rx-gro-list"),
        ("tx-nocache-copy", "offload.tx-nocache-copy"),
        ("hw_tc_offload", "offload.hw-tc-offload"),
        ("rx-udp_tunnel-port-offload", "offload.rx-udp_tunnel-port-offload"),
        ("rx-gro", "offload.gro"),
    ],
)
def test_a_feature_is_understood_by_its_own_name(word: str, means: str) -> None:
    assert factor_name(word) == means
    assert not isinstance(rule_of(word), str)


def test_the_page_of_settings_is_of_this_registry() -> None:
    """`make client` writes it."""
    docs = Path(__file__).parents[3] / "docs"
    written = subprocess.run(
        [sys.executable, docs / "settings_table.py"], capture_output=True, text=True, check=True
    ).stdout
    assert (docs / "settings.md").read_text() == written
    for row in SETTINGS:
        assert f"| `{row.name}` |" in written


def test_a_setting_must_say_whether_packets_wait_for_an_interrupt_by_it() -> None:
    with pytest.raises(TypeError, match="delays_interrupts"):
        Setting("rx_pace", "rx-pace", "RX_PACE", SWITCH, "coalescing")  # type: ignore[call-arg]
