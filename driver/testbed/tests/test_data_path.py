# SPDX-License-Identifier: Apache-2.0
"""From the far end of the cable through card, module and logger to the reader."""

import pytest
from coalescope_host.run_log import read, window_counters
from testbed.beside_the_paper import theory_packets_per_interrupt
from testbed.session import DILATION, testbed_guest

pytestmark = pytest.mark.guest

# record NAME SECONDS COMMAND…: a log of the command, window and all, as /out/NAME.runlog
LIBRARY = """
. /lib/testbed.sh
set -e
open_wire
record() {
	name=$1 seconds=$2
	shift 2
	log --output "/tmp/$name.runlog" --interval 100ms --start "$start" --warmup 0.3s \\
		--duration "${seconds}s" -- "$@"
	cp "/tmp/$name.runlog" /out/
}
log() {
	coalescope-logger --interface eth0 --source module --kind emulated \\
		--time-dilation "$DILATION" "$@"
}
wire_options="--dilation $DILATION"
start=traffic
"""

DELAYS = ((1500, 160), (1500, 960), (4500, 320))
TIMER = "".join(
    f"""
load_card {delay} {mtu}
record {mtu}-{delay} 2 testbed-workload udp eth0 7 2.5 $wire_options -- --port 5000
"""
    for mtu, delay in DELAYS
)
# A thousand frames are over before a window that waits for traffic ends.
EXACT = """
start=now
load_card 80 {mtu}
record udp 0.2 testbed-workload udp eth0 3 0.8 $wire_options --frames 1000 -- --port 5000
record tcp 0.5 testbed-workload tcp eth0 4 0.9 $wire_options --host-link-mbps 100 -- \\
	--port 5000 --connections 10 --receive-window 32768
record requests 0.5 testbed-workload request-response eth0 5 0.9 $wire_options --hosts 3 \\
	--service-us 350 -- --to 10.9.0.11 --servers-at-consecutive-addresses --port 5000 --clients 3 \\
	--response-bytes 4224
ethtool -K eth0 gro on
record merged 0.5 testbed-workload tcp eth0 6 0.9 $wire_options --host-link-mbps 100 -- \\
	--port 5000 --connections 10 --receive-window 32768
"""
CUT_OFF = """
load_card 960 1500
testbed-workload udp eth0 3 4 $wire_options -- --port 5000 >/dev/null & traffic=$!
coalescope-logger --interface eth0 --output /tmp/cut.runlog --interval 1ms & logger=$!
sleep 2.5
kill -KILL $logger
kill $traffic
wait $traffic
cp /tmp/cut.runlog /out/
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """The logs of all scripts, from one guest."""
    output = tmp_path_factory.mktemp("logs")
    script = LIBRARY + TIMER + EXACT.format(mtu=4500) + CUT_OFF
    testbed_guest().run(script, output, timeout_s=900)
    return output


@pytest.mark.parametrize(("mtu", "delay"), DELAYS)
def test_packets_per_interrupt_are_what_the_timer_allows(logs, mtu, delay):
    counters = window_counters(read(logs / f"{mtu}-{delay}.runlog"))
    here = counters["rx_packets"] / counters["rx_interrupts"]
    assert here == pytest.approx(theory_packets_per_interrupt(mtu, delay), rel=0.02)


def test_udp_comes_at_the_rate_of_the_link(logs):
    counters = window_counters(read(logs / "1500-160.runlog"))
    mbps = counters["rx_bytes"] * 8e-6 / (counters["elapsed_s"] / DILATION)
    assert mbps == pytest.approx(1000 * 1518 / 1538, rel=0.005)


@pytest.mark.parametrize("name", ["udp", "tcp", "requests", "merged"])
def test_every_frame_and_byte_of_the_peer_is_counted(logs, name):
    log = read(logs / f"{name}.runlog")
    wire = log.result.json()["wire"]
    assert log.complete
    assert log.problems == ()
    assert wire["sent_frames"] > 300
    assert _advance(log, "rx_packets") - wire["sent_frames"] == 0
    assert _advance(log, "rx_bytes") - wire["sent_bytes"] == 0
    assert wire["retransmissions"] == 0


def test_the_peer_does_what_the_receiver_sees(logs):
    udp = read(logs / "udp.runlog").result.json()
    assert udp["wire"]["sent_frames"] == udp["operations"] == 1000
    assert read(logs / "tcp.runlog").result.json()["wire"]["connections"] == 10
    requests = read(logs / "requests.runlog").result.json()
    assert requests["timeouts"] == 0
    assert requests["latency_us"]["min"] > 350 * DILATION
    assert 0 <= requests["wire"]["responses"] - requests["operations"] <= 3


def test_cycles_of_all_owners_are_all_cycles(logs):
    counters = window_counters(read(logs / "1500-960.runlog"))
    owners = ("idle", "task", "other_task", "irq", "softirq", "other_irq")
    total = sum(counters[f"{owner}_cycles"] for owner in owners)
    assert total == pytest.approx(counters["t_tsc"], rel=0.001)


def test_a_log_that_was_killed_reads_up_to_its_last_block(logs):
    log = read(logs / "cut.runlog")
    assert not log.complete
    assert log.records > 500
    assert log.size - log.read_bytes < 65536
    assert _advance(log, "rx_packets") > 5000


def _advance(log, name):
    column = log.streams[0].column(name)
    return column[-1] - column[0]
