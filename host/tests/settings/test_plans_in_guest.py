# SPDX-License-Identifier: Apache-2.0
"""What ethtool and netdev can set on real drivers, a plan sets too, and kills leave nothing of it.

What there is to set the kernel says, not the package: `kernel_says`. Each kernel of the tests runs
a driver that has nearly everything, netdevsim, beside two emulated cards.
"""

import io
import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.remote.bundle import bundle
from coalescope_host.settings.guard import PACKAGE_ROOT
from guest.machine import Guest, Result

pytestmark = [pytest.mark.guest, pytest.mark.slow, pytest.mark.timeout(1800)]

FOLDER = Path(__file__).parent
MACS = ("52:54:00:00:00:01", "52:54:00:00:00:02")
DRIVERS = ("igb", "virtio_net", "netdevsim")
FEWEST = {"igb": 25, "virtio_net": 8, "netdevsim": 30}
"""Settings that the kernel has more than so many of: else the test has lost them."""
NOT_SUPPORTED, NO_VALUE, NO_EFFECT = (
    "Operation not supported",
    "Invalid argument",
    "taken, and not in force",
)
PUSH = dict.fromkeys(("RINGS_TX_PUSH", "RINGS_RX_PUSH"), NOT_SUPPORTED)
LATER_COALESCING = (
    *("USE_CQE_MODE_TX", "USE_CQE_MODE_RX", "RX_CQE_FRAMES", "RX_CQE_NSECS"),
    *("TX_AGGR_MAX_BYTES", "TX_AGGR_MAX_FRAMES", "TX_AGGR_TIME_USECS"),
)
ONLY_SHOWN = {
    "igb": {**PUSH, "CHANNELS_OTHER_COUNT": NO_VALUE},
    "virtio_net": {  # QEMU's: one queue, no moderation, and neither checksums nor scatter-gather
        **PUSH,
        "CHANNELS_COMBINED_COUNT": NO_VALUE,
        "FEATURES_tx-generic-segmentation": NO_EFFECT,
        "COALESCE_RX_USECS": NOT_SUPPORTED,
        "COALESCE_TX_USECS": NOT_SUPPORTED,
        "COALESCE_RX_MAX_FRAMES": NO_VALUE,
        "COALESCE_TX_MAX_FRAMES": NO_VALUE,
        "COALESCE_USE_ADAPTIVE_RX": NO_EFFECT,
    },
    "netdevsim": {  # it keeps nothing of the coalescing that came later
        **PUSH,
        "PAUSE_AUTONEG": NO_VALUE,
        **{f"COALESCE_{name}": NO_EFFECT for name in LATER_COALESCING},
    },
}
"""What the kernel shows and does not let be changed, with what it says: all else a plan sets."""
FEW, MANY = 1, 17
"""Kills of each driver: 51 of all in the long form."""
KILLED_WHILE_SETTING = re.compile(
    r"kthread_run failed with err -4\n[^\n]*cut here[^\n]*\n"
    r"[^\n]*at napi_enable_locked.*?end trace[^\n]*",
    re.DOTALL,
)
"""A setter that is killed while the kernel makes NAPI threads gets none, and the kernel warns."""
PUTS_BACK = "self._put_back_group(group, settings.get(group.name, {}))"
FORGETS = '[] if group.name == "coalescing" else ' + PUTS_BACK


def mutant() -> dict[str, Path | bytes | str]:
    """The package, but its restore forgets coalescing."""
    from testbed.block import unzipped

    files = unzipped(io.BytesIO(bundle()), "/opt/mutant")
    text = (PACKAGE_ROOT / "coalescope_host/settings/host.py").read_text()
    assert text.count(PUTS_BACK) == 1
    place = "/opt/mutant/coalescope_host/settings/host.py"
    files.pop(f"{place}c", None)
    return {**files, place: text.replace(PUTS_BACK, FORGETS)}


def trouble_of_its_own(result: Result) -> list[str]:
    """Faults that the kernel's log tells of, but for those that a kill while it sets gives it."""
    log = KILLED_WHILE_SETTING.sub("", result.kernel_log)
    return replace(result, kernel_log=log).kernel_trouble()


def run_in_guest(output: Path, kills: int, seed: int, timeout_s: float) -> dict[str, Any]:
    """What the program saw."""
    from guest.folders import alone
    from guest.kernel import NEWEST, debian_kernel
    from guest.kernel_numbers import kernel_numbers
    from guest.netdevsim import NEEDS, netdevsim
    from guest.programs import build_programs
    from testbed.block import unzipped

    with alone():
        kernel, simulator = debian_kernel(NEWEST), netdevsim(NEWEST)
        logger = build_programs(kernel)["/usr/local/bin/coalescope-logger"]
    programs = ("plans_in_guest.py", "kernel_says.py", "simulated_interface.py")
    guest = Guest(
        kernel=kernel,
        nics=("igb", "virtio-net-pci"),
        modules=("igb", "virtio_net", *NEEDS),
        cpus=2,
        icount_shift=None,
        files={
            **unzipped(io.BytesIO(bundle()), "/opt/host"),
            **mutant(),
            **{f"/opt/{name}": FOLDER / name for name in programs},
            "/opt/kernel-numbers.json": json.dumps(kernel_numbers(kernel.headers)),
            "/usr/local/bin/coalescope-logger": logger,
            "/netdevsim.ko": simulator,
        },
    )
    script = f"""
    insmod /netdevsim.ko
    # its own frames would begin a window before the workload does
    for which in all default; do echo 1 >/proc/sys/net/ipv6/conf/$which/disable_ipv6; done
    cd /opt
    PYTHONPATH=/opt/host:/opt python3 plans_in_guest.py {kills} {seed} {" ".join(MACS)} \
        >/out/said 2>&1
    """
    result = guest.run(script, output, timeout_s=timeout_s, check=False)
    assert result.exit_status == 0, result.console[-4000:]
    assert trouble_of_its_own(result) == []
    return dict(json.loads(result.text("seen.json")))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_in_guest(tmp_path_factory.mktemp("guest"), FEW, 1, 1200)


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_plan_has_a_name_for_all_that_can_be_set(seen: dict[str, Any], driver: str) -> None:
    assert len(seen[driver]["asked"]) > FEWEST[driver]
    assert seen[driver]["nameless"] == []


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_no_plan_sets_the_kernel_only_shows(seen: dict[str, Any], driver: str) -> None:
    """Each attribute that ethtool and netdev have is set, or refused in words that are known."""
    before, asked = seen[driver]["before"], seen[driver]["asked"]
    refused = {s: said for s, said in seen[driver]["refused"].items() if not s.endswith("_MAX")}
    assert {s for s in before if not s.endswith("_MAX")} == asked.keys() | refused.keys()
    assert refused == ONLY_SHOWN[driver]


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_plan_sets_all_of_it_and_puts_it_back(seen: dict[str, Any], driver: str) -> None:
    assert seen[driver]["left_by_hand"] == []
    for plan in seen[driver]["plans"]:
        assert plan["missed"] == {}, plan["said"]
        assert plan["left"] == [], plan["said"]
        if driver == "netdevsim" and plan["status"]:  # without interrupts nothing shows a delay
            assert re.search(r"no interrupts of \w+ can be found", plan["said"]), plan["said"]
        else:
            assert plan["status"] == 0, plan["said"]


def faults(killed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [kill for kill in killed if kill["left"]]


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_killed_sweep_leaves_nothing(seen: dict[str, Any], driver: str) -> None:
    assert len(seen[driver]["killed"]) == FEW
    assert faults(seen[driver]["killed"]) == []


def test_only_a_kill_while_threads_are_made_excuses_the_kernel() -> None:
    warning = "[1] ---[ cut here ]---\n[1] WARNING: dev.c:7591 at {}\n[1] ---[ end trace 0 ]---\n"
    killed = "[1] kthread_run failed with err -4\n"
    threads = warning.format("napi_enable_locked+0x1dd/0x1f0")

    def trouble(log: str) -> list[str]:
        return trouble_of_its_own(Result("", Path(), 0, log, 0.0, 0.0))

    assert trouble(killed + threads) == []
    assert len(trouble(threads)) == 1
    assert len(trouble(killed + warning.format("igb_open+0x1/0x2"))) == 1
    assert len(trouble(killed + threads + threads)) == 1


@pytest.mark.parametrize("driver", ["igb", "netdevsim"])  # QEMU's virtio-net has no coalescing
def test_a_restore_that_forgets_a_group_is_caught(seen: dict[str, Any], driver: str) -> None:
    left = seen[driver]["forgetful"]
    assert left
    assert all(line.startswith("COALESCE_") for line in left), left


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_fifty_kills(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    seen = run_in_guest(tmp_path, MANY, seed, 4 * 3600)
    kills = [kill for driver in DRIVERS for kill in seen[driver]["killed"]]
    assert faults(kills) == [], f"seed {seed}"
    assert sum(kill["changed"] > 0 for kill in kills) > len(kills) / 5, f"seed {seed}"
    assert {"watchdog", "hand"} <= {kill["by"] for kill in kills}, f"seed {seed}"
