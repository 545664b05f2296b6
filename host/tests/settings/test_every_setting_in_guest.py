# SPDX-License-Identifier: Apache-2.0
"""Settings of real drivers: each is set, read back and put back, also after a sudden end.

All that the registry has, whoever's it is. What ethtool and netdev can set by the kernel's own
account, and whole sweeps that are killed, are tried in test_plans_in_guest.
"""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from coalescope_host.remote.bundle import bundle

pytestmark = [pytest.mark.guest, pytest.mark.slow]

FOLDER = Path(__file__).parent
MACS = ("52:54:00:00:00:01", "52:54:00:00:00:02")
KILLS = 2

#: What these drivers show and refuse to change, in the kernel's words; all else must be set.
REFUSED = {
    "queues": "no RX or TX channel",  # of one queue, none is left
    "queues_other": "the driver refuses this value",
    "adaptive_rx": "was taken as False",  # QEMU's virtio-net has no moderation by queue,
    "rx_frames": "the driver refuses this value",  # nor any but 1 frame
    "tx_frames": "the driver refuses this value",
    "delay_us": "not supported by this driver",
    "tx_delay_us": "not supported by this driver",
    "rss_hash": "not supported by this driver",
    "irqbalance": "irqbalance does not run",
}
OFFLOADS_REFUSED = ("the driver fixes it", "was taken as False")
EXPECTED = {
    "igb": {
        *("queues", "ring_rx", "ring_tx", "mtu_bytes", "offload.gro", "offload.tso"),
        *("pause_rx", "pause_tx", "delay_us", "tx_delay_us", "{'rss_queues': 1}"),
        *("napi_defer_hard_irqs", "gro_flush_timeout_ns", "irq_suspend_timeout_ns"),
        *("napi_threaded", "{'napi_threaded': 'busy-poll'}"),
        "{'napi_threaded': True, 'napi_cpus': '0'}",
        *("rps_cpus", "xps_cpus", "irq_cpus", "busy_poll_us", "netdev_budget"),
    },
    "virtio_net": {
        *("ring_rx", "ring_tx", "mtu_bytes", "offload.gro"),
        *("napi_defer_hard_irqs", "gro_flush_timeout_ns"),
        *("irq_suspend_timeout_ns", "napi_threaded", "{'napi_threaded': 'busy-poll'}"),
        "{'napi_threaded': True, 'napi_cpus': '0'}",
        *("rps_cpus", "irq_cpus"),
    },
}


def run_in_guest(output: Path) -> dict[str, Any]:
    """What the program saw."""
    from guest.kernel import NEWEST, debian_kernel
    from guest.machine import Guest
    from testbed.block import unzipped

    guest = Guest(
        kernel=debian_kernel(NEWEST),
        nics=("igb", "virtio-net-pci"),
        modules=("igb", "virtio_net"),
        cpus=2,
        icount_shift=None,
        files={
            **unzipped(io.BytesIO(bundle()), "/opt/host"),
            "/opt/every_setting.py": FOLDER / "every_setting_in_guest.py",
            "/opt/other_levels.py": FOLDER / "other_levels.py",
        },
    )
    script = f"""
    cd /opt
    PYTHONPATH=/opt/host:/opt python3 every_setting.py {KILLS} {" ".join(MACS)} >/out/said 2>&1
    """
    result = guest.run(script, output, timeout_s=1200)
    return dict(json.loads(result.text("seen.json")))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_in_guest(tmp_path_factory.mktemp("guest"))


@pytest.mark.fault("I3")
@pytest.mark.parametrize("driver", EXPECTED)
def test_every_setting_is_set_and_read_back(seen: dict[str, Any], driver: str) -> None:
    outcome = seen[driver]["outcome"]
    missing = {name: outcome.get(name) for name in EXPECTED[driver] if outcome.get(name) != "set"}
    assert not missing, missing
    for name, said in outcome.items():
        known = OFFLOADS_REFUSED if name.startswith("offload.") else (REFUSED.get(name, "set"),)
        assert said == "set" or any(words in said for words in known), f"{name}: {said}"


@pytest.mark.parametrize("driver", EXPECTED)
def test_what_ethtool_shows_is_known(seen: dict[str, Any], driver: str) -> None:
    """A number that ethtool has and the registry lacks would be a setting that no plan can name."""
    from coalescope_host.plan.registry import SETTINGS

    words = {row.word.replace("-", " ").lower() for row in SETTINGS}
    for title, value in seen[driver]["ethtool"].items():
        word = title.split(" ", 1)[1].replace("-", " ").lower()
        if value.isdigit():
            assert word in words, title


@pytest.mark.fault("I2")
@pytest.mark.parametrize("driver", EXPECTED)
def test_all_of_it_is_put_back(seen: dict[str, Any], driver: str) -> None:
    assert seen[driver]["changed"] > 10
    assert seen[driver]["left"] == []


@pytest.mark.parametrize("driver", EXPECTED)
def test_all_of_it_is_put_back_after_a_kill(seen: dict[str, Any], driver: str) -> None:
    assert seen[driver]["killed"] == ["as before"] * KILLS
