# SPDX-License-Identifier: Apache-2.0
"""The table of drivers: its form, what is known to be true, and that nothing of it is guessed."""

import importlib.util
import json
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from coalescope_host.drivers import DRIVERS, RELEASES, driver_named
from coalescope_host.plan.registry import SETTINGS

REPOSITORY = Path(__file__).parents[3]
GENERATOR = REPOSITORY / "host/drivers"
ASKED_FOR = {
    "e1000",
    "e1000e",
    "igb",
    "igc",
    "ixgbe",
    "i40e",
    "ice",
    "iavf",
    "idpf",
    "mlx4_en",
    "mlx5_core",
    "bnxt_en",
    "tg3",
    "r8169",
    "r8152",
    "ena",
    "gve",
    "mana",
    "virtio_net",
    "vmxnet3",
    "sfc",
    "cxgb4",
    "hns3",
    "stmmac",
    "qede",
    "atlantic",
}
WORDS = {row.word for row in SETTINGS if row.group == "coalescing"}
ALL = [
    driver
    for name in DRIVERS
    for release in RELEASES
    if (driver := driver_named(name, release)) is not None and driver.release == release
]


def test_the_drivers_that_people_have_are_there() -> None:
    assert set(DRIVERS) == ASKED_FOR
    assert {"6.1", "6.12"} <= set(RELEASES)
    assert len(ALL) > 70


def test_the_table_has_each_driver_and_each_fact_that_is_looked_up() -> None:
    """What stands in facts.toml and in no release was not read: read_kernel.py has yet to run."""
    told = tomllib.loads((GENERATOR / "facts.toml").read_text(encoding="utf-8"))
    assert told.keys() == DRIVERS.keys()
    for name, rows in told.items():
        looked_up = {fact for fact, row in rows.items() if isinstance(row, dict)}
        known = {fact for driver in ALL if driver.name == name for fact in driver.facts}
        assert looked_up == known - {"parameters"}, name


def test_every_fact_says_where_it_was_read_and_by_whom() -> None:
    told = tomllib.loads((GENERATOR / "facts.toml").read_text(encoding="utf-8"))
    comments = (GENERATOR / "facts.toml").read_text(encoding="utf-8").partition("[e1000]")[0]
    for driver in ALL:
        assert set(driver.parameters) <= WORDS, driver
        assert driver.facts["parameters"].by == "script"
        for name, fact in driver.facts.items():
            path, _, line = fact.at.partition(":")
            assert path.endswith((".c", ".h"))
            assert line.isdigit() or (name == "parameters" and not driver.parameters)
            if name != "parameters":
                assert fact.by == ("hand" if "find" in told[driver.name][name] else "script")
                assert f"# {name} " in comments, "facts.toml explains each"


def test_bounds_are_consistent() -> None:
    for driver in ALL:
        if not driver.supports("rx-usecs"):
            continue
        assert driver.longest is None or driver.shortest <= driver.longest
        default = driver.value("usecs_default")
        modes = {int(mode) for mode in driver.value("usecs_modes", {})}
        assert default in modes | {None} or driver.refuses(default) is None, (driver, default)
        frames = driver.value("frames_for_delay", 0)
        assert frames <= driver.value("frames_most", frames)
        for usecs in (1, 2, 7, 50, 119, 640, 5120, 10_000, 100_000):
            for near in driver.nearest(usecs):
                assert driver.refuses(near) is None
                assert driver.reads_back(near) == near == driver.delays(near)


KNOWN = [  # driver, rx-usecs, whether it is a delay that it takes exactly, the nearest that are
    ("igb", 2, False, (0, 10)),
    ("igb", 3, False, (0, 10)),
    ("igb", 9, False, (0, 10)),
    ("igb", 10, True, (10,)),
    ("igb", 8191, True, (8191,)),
    ("igb", 10_000, False, (8191,)),  # taken, but the register holds 13 bits
    ("igc", 8192, False, (8191,)),
    ("e1000e", 4, False, (0, 10)),
    ("e1000e", 10_000, True, (10_000,)),
    ("e1000e", 9000, False, (8928, 9259)),  # 111 interrupts a second, and the driver keeps 108
    ("ixgbe", 1, False, (0, 2)),
    ("ixgbe", 1022, True, (1022,)),
    ("ixgbe", 1311, False, (1022,)),
    ("i40e", 655, False, (654, 656)),
    ("ice", 8160, True, (8160,)),
    ("ice", 8162, False, (8160,)),
    ("mlx5_core", 4095, True, (4095,)),
    ("mlx5_core", 5120, False, (4095,)),
    ("mlx4_en", 65_535, False, (65_534,)),  # stands for “automatic”, which is 16
    ("tg3", 0, False, (1,)),
    ("tg3", 1024, False, (1023,)),
    ("r8169", 41, False, (40, 45)),
    ("r8169", 80, True, (80,)),
    ("r8169", 100, False, (80, 120)),
    ("r8169", 5120, False, (2400,)),
    ("gve", 8191, False, (8190,)),
    ("mana", 1024, False, (1023,)),
    ("vmxnet3", 9, False, (0, 10)),
    ("qede", 130, True, (130,)),
    ("qede", 131, False, (130, 132)),
    ("qede", 512, False, (508,)),
    ("atlantic", 1023, False, (1022,)),
    ("ena", 40_000, False, (32_767,)),
    ("bnxt_en", 6000, False, (5242,)),
]


@pytest.mark.parametrize(("name", "usecs", "taken", "nearest"), KNOWN)
def test_what_is_known_of_drivers(
    name: str, usecs: int, taken: bool, nearest: tuple[int, ...]
) -> None:
    driver = driver_named(name)
    assert driver is not None
    assert (driver.refuses(usecs) is None) == taken
    assert driver.nearest(usecs) == nearest


def test_frames_delay_as_well() -> None:
    frames = {name: driver_named(name).value("frames_for_delay") for name in DRIVERS}  # type: ignore[union-attr]
    assert frames["mlx5_core"] == 65_535
    assert frames["mlx4_en"] == 65_534
    assert frames["bnxt_en"] == 64, "more count as 64"
    assert frames["r8169"] == frames["cxgb4"] == frames["stmmac"] == 0
    assert frames["virtio_net"] is None, "what the virtual machine's host does is not known"


def test_a_request_that_switches_adaptive_off_ignores_the_rest_with_some() -> None:
    alone = {d.name for d in ALL if d.value("adaptive_alone")}
    assert alone == {"mlx5_core", "bnxt_en"}


def test_the_release_is_the_newest_that_is_not_newer() -> None:
    def release(kernel: str | None, name: str = "virtio_net") -> str:
        driver = driver_named(name, kernel)
        assert driver is not None
        return driver.release

    assert release("6.1.0-50-amd64") == "6.1"
    assert release("6.6.9") == "6.1"
    assert release("6.12.117+deb13") == "6.12"
    assert release("5.10.0") == "6.1", "nothing older was read"
    assert release("6.1.0", "idpf") == "6.12", "it came later"
    assert release(None) == list(RELEASES)[-1]
    assert driver_named("e100") is None
    assert driver_named(None) is None
    assert driver_named("mlx4_core") is driver_named("mlx4_en")


def test_what_changed_between_releases() -> None:
    old, new = driver_named("virtio_net", "6.1"), driver_named("virtio_net", "6.12")
    assert old is not None
    assert new is not None
    assert not old.supports("adaptive-rx")
    assert new.supports("adaptive-rx")
    silent = driver_named("mana", "6.12")
    assert silent is not None
    assert "cannot set" in str(silent.refuses(20))


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("read_kernel", GENERATOR / "read_kernel.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["read_kernel"] = module
    spec.loader.exec_module(module)
    return module


HEADER = """
#define ETHTOOL_COALESCE_RX_USECS  BIT(0)
#define ETHTOOL_COALESCE_TX_USECS  BIT(4)
#define ETHTOOL_COALESCE_USE_ADAPTIVE_RX BIT(9)
#define ETHTOOL_COALESCE_USECS      \\
 (ETHTOOL_COALESCE_RX_USECS | ETHTOOL_COALESCE_TX_USECS)
"""
OPERATIONS = """
#define MOST 0x00000FF8U /* of the register */
 if (limit > MOST)
 .supported_coalesce_params = ETHTOOL_COALESCE_USECS |
    ETHTOOL_COALESCE_USE_ADAPTIVE_RX,
"""


def read(facts: dict[str, object], operations: str = OPERATIONS) -> dict[str, dict[str, object]]:
    module = generator()
    source = module.Source(
        "9.9", "9.9-1", {"include/linux/ethtool.h": HEADER, "drivers/x/x.c": operations}
    )
    about = {"about": "X", "folder": "drivers/x", "operations": "x.c"}
    found: dict[str, dict[str, object]] = module.facts_of(source, {**about, **facts})
    return found


def test_the_generator_reads_masks_macros_and_places() -> None:
    found = read(
        {
            "usecs_most": {"value": "MOST >> 2", "in": "x.c"},
            "usecs_zero": {"value": True, "in": "x.c", "find": "limit > MOST"},
            "usecs_least": {"value": "LEAST", "in": "x.c"},
            "meaning": {"value": "delay", "in": "x.c", "find": "nobody wrote this"},
        }
    )
    words = ["rx-usecs", "tx-usecs", "adaptive-rx"]
    assert found["parameters"] == {"value": words, "at": "drivers/x/x.c:4", "by": "script"}
    assert found["usecs_most"] == {"value": 1022, "at": "drivers/x/x.c:2", "by": "script"}
    assert found["usecs_zero"] == {"value": True, "at": "drivers/x/x.c:3", "by": "hand"}
    assert set(found) == {"parameters", "usecs_most", "usecs_zero"}, "the others are not known"


def test_a_driver_that_cannot_set_coalescing_says_so() -> None:
    found = read({"usecs_most": {"value": "MOST", "in": "x.c"}}, "#define MOST 3\n")
    assert found == {"parameters": {"value": [], "at": "drivers/x/x.c", "by": "script"}}


@pytest.mark.soak
def test_it_is_what_the_kernel_sources_of_today_give(tmp_path: Path) -> None:
    """Downloads 300 MB. Fails where Debian has a later package that says more: regenerate then."""
    module = generator()
    committed = (REPOSITORY / "host/src/coalescope_host/drivers/drivers.json").read_text()
    facts = tomllib.loads((GENERATOR / "facts.toml").read_text(encoding="utf-8"))
    names = [f"linux-source-{release}" for release in ("6.1", "6.12")]
    subprocess.run(["apt-get", "-qq", "download", *names], cwd=tmp_path, check=True)
    sources = [
        module.read_package(package, module.wanted_files(facts))
        for package in sorted(tmp_path.glob("*.deb"))
    ]
    kept = json.loads(committed)["drivers"]
    for name, driver in module.table(sources, facts)["drivers"].items():
        for release, told in driver["kernels"].items():
            values = {fact: row["value"] for fact, row in told.items()}
            assert json.loads(json.dumps(values)) == {
                fact: row["value"] for fact, row in kept[name]["kernels"][release].items()
            }, (name, release)
