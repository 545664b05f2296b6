# SPDX-License-Identifier: Apache-2.0
"""What a log says of cards with two queues, delays and frames, on a kernel that tells it."""

import json
import re

import pytest
from coalescope_host.plan.registry import MEANINGS
from coalescope_host.run_log import check, read
from guest.folders import alone
from guest.kernel import debian_kernel
from guest.machine import Guest
from guest.programs import build_programs

pytestmark = pytest.mark.guest
LOGGER = "/usr/local/bin/coalescope-logger"
FRAMES, FLOWS = 256, 64
SEND = f"""
import socket, time
out = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range({FLOWS})]
for number in range({FRAMES}):
    out[number % {FLOWS}].sendto(bytes(100), ("10.9.0.2", 9)); time.sleep(0.001)
time.sleep(0.5)
"""
SCRIPT = """
card=$(basename $(ls -d /sys/bus/pci/devices/0000:00:04.0/net/*))
ip link set $card up
ethtool -X $card weight 3 1
ls /sys/bus/pci/devices/0000:00:04.0/msi_irqs > /out/interrupts
coalescope-logger -i $card -o /tmp/none --preview --source proc > /out/header
ethtool -k $card > /out/features

record() { # NAME, options
	name=$1; shift
	set -- -o /tmp/$name.runlog -d 20ms -e levels --source proc "$@"
	coalescope-logger -i $card "$@" 2>/out/$name.said
	cp /tmp/$name.runlog /out
}
ethtool -G $card rx 512
of() { for level; do echo "-f factor.$level"; done; }
record settings $(of ring_rx=512 queues=2 pause_autoneg=on rss_hash=toeplitz)
record other-settings -f delay_us=3 \\
	$(of ring_rx=256 queues=1 pause_autoneg=off rss_hash=xor offload_rxvlan=off)
ethtool -C $card rx-usecs 40
ethtool -c $card >/out/coalescing
record other -f delay_us=80
record same -f delay_us=40
record other-timer -f delay_us=80 -f delay_control=rx-abs-int-delay
sender=$card
card=$(basename $(ls -d /sys/bus/pci/devices/0000:00:05.0/virtio*/net/*))
ip link set $card up
record frames -f factor.rx_frames=1 -f factor.tx_frames=1
record other-frames -f factor.rx_frames=8 -f factor.tx_frames=9

ip addr add 10.9.0.1/24 dev $sender
ip neigh add 10.9.0.2 lladdr 52:54:00:00:00:02 dev $sender
until [ "$(cat /sys/class/net/$sender/carrier)" = 1 ]; do sleep 0.1; done
echo 1 > /sys/class/net/$card/threaded
for comm in $(grep -l "^napi/$card" /proc/[0-9]*/comm); do
	pid=$(basename $(dirname $comm))
	python3 -c "import os; os.sched_setaffinity($pid, {1})"
done
record threads -f factor.napi_cpus=1 -f factor.napi_threaded=on
record other-threads -f factor.napi_cpus=0
echo 0 > /sys/class/net/$card/threaded

for slot in 06 07; do
	device=/sys/bus/pci/devices/0000:00:$slot.0
	line=$(basename $(ls -d $device/net/* $device/virtio*/net/* 2>/dev/null))
	ip link set $line up
	irq=$(cat $device/irq)
	echo 2 > /proc/irq/$irq/smp_affinity
	echo "$irq $(ls $device/msi_irqs 2>/dev/null | wc -w)" > /out/line-$slot
	coalescope-logger -i $line -o /tmp/none --preview --source proc > /out/header-$slot
done

packets() { (cd /sys/class/net/$card/statistics && cat rx_packets tx_packets); }
packets >/out/packets-before
coalescope-logger -i $card -o /tmp/queues.runlog -e queues --source proc \\
	-- python3 /send.py 2>/out/queues.said
packets >/out/packets-after
cp /tmp/queues.runlog /out
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    with alone():
        kernel = debian_kernel("7.2")
        programs = build_programs(kernel)
    guest = Guest(
        nics=("igb", "virtio-net-pci,mq=on", "e1000", "virtio-net-pci,vectors=0"),
        modules=("igb", "virtio_net", "e1000"),
        files={LOGGER: programs[LOGGER], "/send.py": SEND},
        kernel=kernel,
        cpus=2,
        icount_shift=None,
    )
    return guest.run(SCRIPT, tmp_path_factory.mktemp("environment"), timeout_s=600)


def recorded(run, name):
    return read(run.output / f"{name}.runlog"), run.text(f"{name}.said")


def test_spread_over_queues_and_napi_instances(run):
    environment = json.loads(run.text("header"))["environment"]
    assert environment["rss"] == {"entries": {"0": 96, "1": 32}, "hash_function": "toeplitz"}
    lines = set(map(int, run.text("interrupts").split()))
    assert {napi["irq"] for napi in environment["napi"]} <= lines
    assert {napi["threaded"] for napi in environment["napi"]} == {"disabled"}
    assert environment["network_namespace"] == "initial"


@pytest.mark.fault("A10")
def test_another_delay_is_said_and_read_back(run):
    log, said = recorded(run, "other")
    assert re.search(r"delay_us=80 was asked for, but the host has 40 now", said)
    assert log.header["factors"]["delay_us"] == {"requested": 80, "read_back": 40}


@pytest.mark.fault("A10")
def test_a_delay_that_is_in_force_is_read_back_without_a_word(run):
    log, said = recorded(run, "same")
    assert "asked for" not in said
    assert log.header["factors"]["delay_us"] == {"requested": 40, "read_back": 40}


def test_rx_usecs_says_nothing_of_another_timer(run):
    log, said = recorded(run, "other-timer")
    assert "delay_us" not in said
    assert log.header["factors"]["delay_us"]["read_back"] is None


def test_coalescing_is_what_ethtool_shows(run):
    """A setting that the driver does not have is left out, and not 0."""
    shown = run.text("coalescing")
    expected = {
        name.replace("-", "_"): int(value)
        for name, value in re.findall(r"^([\w-]+):\s+(\d+)$", shown, re.MULTILINE)
    }
    for way, value in re.findall(r"(RX|TX): (on|off)\b", shown.partition("\n\n")[0]):
        expected[f"adaptive_{way.lower()}"] = value == "on"
    assert expected["rx_usecs"] == 40
    log, _ = recorded(run, "same")
    assert log.header["environment"]["coalescing"] == expected


def doubted(run, name):
    doubts = check(run.output / f"{name}.runlog").doubts
    codes = {"not_as_requested", "not_in_force"}
    return {d.details["field"] for d in doubts if d.code in codes}


def test_other_frames_are_said_and_doubted(run):
    log, said = recorded(run, "other-frames")
    for name, asked in (("rx_frames", 8), ("tx_frames", 9)):
        assert re.search(rf"factor\.{name}={asked} was asked for, but the host has 1 now", said)
        assert log.header["factors"][f"factor.{name}"]["read_back"] == 1
    assert doubted(run, "other-frames") == {"factor.rx_frames", "factor.tx_frames"}


def test_frames_that_are_in_force_are_not(run):
    _, said = recorded(run, "frames")
    assert "asked for" not in said
    assert doubted(run, "frames") == set()


def test_other_settings_are_said_and_doubted(run):
    """igb's rx-usecs 3 is no delay but a mode."""
    wrong = {"factor.ring_rx", "factor.queues", "factor.pause_autoneg", "factor.rss_hash"}
    wrong |= {"delay_us", "factor.offload_rxvlan"}
    _, said = recorded(run, "other-settings")
    assert set(re.findall(r"([\w.]+)=\S+ was asked for", said)) == wrong
    assert doubted(run, "other-settings") == wrong


def test_settings_that_are_in_force_are_not(run):
    _, said = recorded(run, "settings")
    assert "asked for" not in said
    assert doubted(run, "settings") == set()


def test_where_napi_threads_run_is_recorded_and_compared(run):
    log, said = recorded(run, "threads")
    assert {napi["cpus"] for napi in log.header["environment"]["napi"]} == {"1"}
    assert "asked for" not in said
    assert doubted(run, "threads") == set()
    _, said = recorded(run, "other-threads")
    assert "factor.napi_cpus=0 was asked for, but the host has 1 now" in said
    assert doubted(run, "other-threads") == {"factor.napi_cpus"}


def test_without_threads_there_is_no_affinity_of_theirs(run):
    assert all("cpus" not in napi for napi in json.loads(run.text("header"))["environment"]["napi"])


@pytest.mark.parametrize("slot", ["06", "07"])
def test_an_interrupt_that_is_no_message_has_its_affinity_recorded(run, slot):
    """INTx, of a card that has no other and of virtio without vectors."""
    irq, messages = run.text(f"line-{slot}").split()
    assert messages == "0"
    environment = json.loads(run.text(f"header-{slot}"))["environment"]
    assert environment["interrupt_affinity"] == {irq: "1"}


TITLES = {
    "rx-checksumming": "rx_checksum",
    "tx-checksumming": "tx_checksum",
    "scatter-gather": "scatter_gather",
    "tcp-segmentation-offload": "tso",
    "generic-segmentation-offload": "gso",
    "generic-receive-offload": "gro",
    "large-receive-offload": "lro",
    "rx-vlan-offload": "rxvlan",
    "tx-vlan-offload": "txvlan",
    "ntuple-filters": "ntuple",
    "receive-hashing": "rxhash",
}


def test_every_feature_that_can_be_set_is_recorded(run):
    """All that ethtool -k shows without [fixed], with what it says of it."""
    shown = re.findall(r"^\t?([\w-]+): (on|off)( \[fixed\])?", run.text("features"), re.MULTILINE)
    recorded_ones = json.loads(run.text("header"))["environment"]["offloads"]
    can = {
        TITLES.get(name, name.replace("-", "_")): at == "on"
        for name, at, fixed in shown
        if not fixed
    }
    assert len(can) > 25
    assert {name: recorded_ones.get(name) for name in can} == can


def test_a_plan_understands_the_name_of_every_feature(run):
    shown = re.findall(r"^\t?([\w-]+): (?:on|off)\b", run.text("features"), re.MULTILINE)
    assert len(shown) > 50
    assert [name for name in shown if name not in MEANINGS] == []


def of_queues(log, result_name, counter):
    """What each queue has counted, by netdev's qstats-get: virtio_net has it from Linux 6.12 on."""
    (result,) = (result for result in log.results if result.name == result_name)
    name = re.compile(rf"qstats\.{counter}\.q\d+")
    return {key: value for key, value in result.json().items() if name.fullmatch(key)}


@pytest.mark.parametrize(("line", "way"), [(0, "rx"), (1, "tx")])
def test_the_queues_counters_add_up_to_the_interfaces(run, line, way):
    log, said = recorded(run, "queues")
    start, end = (
        of_queues(log, f"ethtool_statistics_{when}", f"{way}_packets") for when in ("start", "end")
    )
    assert set(start) == set(end) == {f"qstats.{way}_packets.q{queue}" for queue in range(2)}, said
    before, after = (int(run.text(f"packets-{when}").split()[line]) for when in ("before", "after"))
    assert before <= sum(start.values()) <= sum(end.values()) <= after


def test_both_queues_of_a_card_have_counted_what_came(run):
    log, _ = recorded(run, "queues")
    start, end = (
        of_queues(log, f"ethtool_statistics_{when}", "rx_packets") for when in ("start", "end")
    )
    assert sum(end.values()) - sum(start.values()) >= FRAMES
    assert all(end[name] > start[name] for name in start)
