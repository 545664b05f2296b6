# SPDX-License-Identifier: Apache-2.0
"""The kernel's pktgen, in a guest: two hosts on a veth pair."""

import json
import re
import shlex

import pytest
from coalescope_host.plan.plan import PeerSpec, WorkloadSpec
from coalescope_host.protocols import RunContext
from coalescope_host.workloads import prepare
from guest.folders import alone
from guest.kernel import debian_kernel
from guest.machine import Guest
from guest.programs import build_programs
from guest.versions import VERSIONS

pytestmark = pytest.mark.guest

HARDWARE = "02:00:00:00:00:01"
RATE_HZ = 500
FEW = 5  # what the kernels say to each other; half a second of pktgen is 250
HOSTS = f"""
export PATH=$PATH:/opt
ip netns add here; ip netns add there
ip link add work0 netns here address {HARDWARE} type veth peer name work0 netns there
ip -n here address add 10.215.0.1/24 dev work0; ip -n here link set work0 up
ip -n there address add 10.215.0.2/24 dev work0; ip -n there link set work0 up
ip -n here address add fd00:215::1/64 dev work0 nodad
ip -n there address add fd00:215::2/64 dev work0 nodad
"""


@pytest.fixture(scope="module", params=VERSIONS)
def kernel(request):
    with alone():
        return debian_kernel(request.param)


@pytest.fixture(scope="module")
def static_tool(kernel):
    with alone():
        return build_programs(kernel)["/usr/local/bin/coalescope-traffic"]


@pytest.fixture
def traffic(monkeypatch):
    """Prepared as on the guest's first host."""
    monkeypatch.setattr(
        "coalescope_host.workloads.pktgen.address_towards", lambda peer: f"{peer[:-1]}1"
    )
    monkeypatch.setattr("coalescope_host.workloads.pktgen.hardware_address", lambda _: HARDWARE)

    def prepared(address):
        peers = (PeerSpec("root@there", address, "work0"),)
        levels = {"frame_bytes": 200, "packet_rate_hz": RATE_HZ, "streams": 3}
        context = RunContext("work0", levels, 1, 1, 0.5, 1.5, peers, None)
        return prepare(WorkloadSpec("rates", "pktgen", {}), context)

    return prepared


def test_frames_have_size_and_rate_and_end_with_the_script(kernel, static_tool, traffic, tmp_path):
    """And before: without the module, and with an interface that is not there."""
    over_ipv6, traffic = traffic("fd00:215::2"), traffic("10.215.0.2")
    ((_, server),) = traffic.servers
    ((_, sender),) = over_ipv6.servers
    absent = [{"work0": "absent0"}.get(part, part) for part in server]
    guest = Guest(
        kernel=kernel,
        modules=("veth",),
        on_board=("pktgen",),
        files={"/opt/coalescope-traffic": static_tool},
    )
    script = f"""
    {HOSTS}
    (PATH=/nowhere; /bin/{shlex.join(server)} 2>/out/without) && exit 9
    ip netns exec there {shlex.join(absent)} 2>/out/refused && exit 9
    ip netns exec there {shlex.join(server)} >/tmp/report & server=$!
    sleep 0.3
    ip netns exec here {shlex.join(traffic.command)} >/tmp/result
    kill $server; wait $server
    received() {{ ip netns exec here cat /sys/class/net/work0/statistics/rx_packets; }}
    received >/tmp/before; sleep 0.5
    received >/tmp/after
    earlier=$(received) tries=0
    ip netns exec there {shlex.join(server)} >/dev/null & server=$!
    until [ $(received) -gt $((earlier + 20)) ]; do
        sleep 0.1; tries=$((tries + 1)); [ $tries -lt 100 ] || exit 9
    done
    kill -KILL $server; wait $server  # as where the agent that started it was killed
    sleep 0.2
    received >/tmp/killed; sleep 0.5
    received >/tmp/later
    ip netns exec there {shlex.join(sender)} >/dev/null & server=$!
    sleep 0.3
    ip netns exec here {shlex.join(over_ipv6.command)} >/out/over_ipv6
    kill $server; wait $server
    cp /tmp/report /tmp/result /tmp/before /tmp/after /tmp/killed /tmp/later /out
    """
    result = guest.run(script, tmp_path)
    assert "this kernel has no module pktgen" in result.text("without")
    assert "pktgen refuses: kpktgend_0: add_device absent0" in result.text("refused")
    body = (result.output / "result").read_bytes()
    assert traffic.result(body) == []
    found = json.loads(body)
    assert found["operations"] / found["seconds"] == pytest.approx(RATE_HZ, rel=0.01)
    assert found["bytes"] == found["operations"] * (200 - 46)
    for ended, later in (("before", "after"), ("killed", "later")):  # it has stopped
        more = int(result.text(later)) - int(result.text(ended))
        assert more < FEW, f"{ended}: {more} more frames"
    assert (found["lost"], len(found["flows"])) == (0, 1)
    wide = json.loads(result.text("over_ipv6"))
    assert wide["bytes"] == wide["operations"] * (200 - 66)
    assert wide["operations"] / wide["seconds"] == pytest.approx(RATE_HZ, rel=0.01)
    assert wide["lost"] == 0
    report = result.text("report")
    assert int(re.search(r"pkts-sofar: (\d+)", report)[1]) >= found["operations"]
    assert "errors: 0" in report
