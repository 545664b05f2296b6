# SPDX-License-Identifier: Apache-2.0
"""A sweep in the guest that reloads the driver: interrupted, resumed, killed, restored."""

import json
import random

import pytest
from coalescope_host.plan.plan_file import load_plan
from coalescope_host.plan.schedule import schedule
from coalescope_host.run_log import read
from testbed.block import PREPARE, sweeping_guest

pytestmark = pytest.mark.guest

PLAN = """
experiment = "in-the-guest"
kind = "emulated"
interface = "eth0"
replicates = 1
seed = 5
duration_s = 0.3
warmup_s = 0.3
settle_s = 0
pilot_s = 0
source = "module"

[factors]
mtu_bytes = [3000]
delay_ticks = [40, 80]
workload = ["udp"]

[driver]
module = "e1000e"
fixed = { IntMode = 0, InterruptThrottleRate = 0, RxIntDelay = 15000 }

[driver.parameters]
delay_ticks = { name = "RxAbsIntDelay", multiply = 12.5 }

[workloads.udp]
kind = "command"
user = "root"
command = [
  "testbed-workload", "udp", "{interface}", "{seed}", "1.2", "--dilation", "12.5",
  "--", "--port", "5000",
]

[logger]
time_dilation = 12.5
"""

SCRIPT = (
    PREPARE
    + """
wait_until() { until "$@"; do sleep 0.1; done; }
mtu_is() { [ "$(cat /sys/class/net/eth0/mtu 2>/dev/null)" = "$1" ]; }
processes() { grep -ls "^$1" /proc/[0-9]*/comm | cut -d / -f 3; }
are_gone() { [ -z "$(processes "$1")" ]; }

coalescope-host sweep /plan.toml --out /tmp/sweep & pid=$!
wait_until mtu_is 3000
sleep MOMENT_S
kill -TERM $pid
status=0
wait $pid || status=$?
echo $status >/out/interrupted
cat /sys/class/net/eth0/mtu >/out/mtu-after-interruption
coalescope-host sweep /plan.toml --out /tmp/sweep
cp -r /tmp/sweep /out/
cat /sys/class/net/eth0/mtu >/out/mtu-after-resumption

# Killed, and with it who would have restored in its place.
coalescope-host sweep /plan.toml --out /tmp/killed & pid=$!
wait_until mtu_is 3000
kill -KILL $(processes python3)
wait $pid || true
wait_until are_gone python3
wait_until are_gone coalescope-logg
wait_until mtu_is 3000
cat /sys/class/net/eth0/mtu >/out/mtu-after-kill
coalescope-host sweep --restore
cat /sys/class/net/eth0/mtu >/out/mtu-after-restore
ip -4 -o address show dev eth0 >/out/address-after-restore
"""
)


@pytest.fixture(scope="module")
def moment_s():
    """When it is interrupted, in seconds of the guest after its first change."""
    return random.uniform(0, 2)


@pytest.fixture(scope="module")
def output(tmp_path_factory, moment_s):
    folder = tmp_path_factory.mktemp("sweep")
    script = SCRIPT.replace("MOMENT_S", f"{moment_s:.3f}")
    sweeping_guest(PLAN).run(script, folder, timeout_s=900)
    return folder


def test_a_sweep_interrupted_at_any_moment_goes_on_with_the_same_plan(output, moment_s, tmp_path):
    (tmp_path / "plan.toml").write_text(PLAN)
    plan = load_plan(tmp_path / "plan.toml")
    planned = schedule(plan, plan.seed)
    lines = [json.loads(line) for line in (output / "sweep/journal.jsonl").read_text().splitlines()]
    done = [line for line in lines if line.get("status") == "done"]
    assert (output / "interrupted").read_text().strip() == "143", moment_s
    assert [(line["order"], line["id"]) for line in done] == [
        (run.order, run.id) for run in planned
    ], moment_s
    logs = [read(path) for path in sorted((output / "sweep/logs").glob("*.runlog"))]
    assert [log.header["run"]["id"] for log in logs] == [run.id for run in planned]
    assert all(log.complete for log in logs)


def test_the_card_is_as_it_was(output):
    for moment, mtu in (
        ("interruption", 1500),
        ("resumption", 1500),
        ("kill", 3000),
        ("restore", 1500),
    ):
        assert int((output / f"mtu-after-{moment}").read_text()) == mtu, moment
    assert "10.9.0.2/24" in (output / "address-after-restore").read_text()
