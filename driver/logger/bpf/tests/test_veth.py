# SPDX-License-Identifier: Apache-2.0
"""What the eBPF source counts on a veth pair, against what the generator sent."""

import json
import re
import subprocess
import sys
import time

import pytest
from coalescope_host.run_log import check, read
from guest.programs import forgetful_logger, frame_skipping_logger
from manuals import fence
from timeouts import TIMEOUT_S, retried_if_disturbed, undisturbed

pytestmark = pytest.mark.network

LINK, FCS, IP, UDP, TCP = 14, 4, 20, 8, 20 + 12  # TCP with its time stamps
SYN_OPTIONS = 8  # that a SYN has beyond those
SHORTEST = 60
MOST_TIMES = 8

SEND = """
import socket, sys
count, size, address = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(count):
    out.sendto(bytes(size), (address, 9))
"""
# Both ends of one TCP connection print what their kernel says it sent: segments, and bytes in them.
SEGMENTS = """
import json, socket, struct, sys
def report(connection):
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 208)
    print(json.dumps({
        "segments": struct.unpack_from("=I", info, 136)[0],
        "bytes": struct.unpack_from("=Q", info, 200)[0],
    }), flush=True)
"""
SINK = (
    SEGMENTS
    + """
with socket.socket() as server:
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 200_000)  # so that no queue overflows
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("10.215.0.2", 5000))
    server.listen()
    print("ready", flush=True)
    connection = server.accept()[0]
    while connection.recv(1 << 18):
        pass
    connection.shutdown(socket.SHUT_WR)
    sys.stdin.read()
    report(connection)
"""
)
SOURCE = (
    SEGMENTS
    + """
connection = socket.create_connection(("10.215.0.2", 5000))
connection.sendall(bytes(int(sys.argv[1])))
connection.shutdown(socket.SHUT_WR)
connection.recv(1)
report(connection)
"""
)
SPUN_S = 0.5
SPIN = f"""
import time
begun = time.process_time()
while time.process_time() - begun < {SPUN_S}:
    pass
print(time.process_time() - begun)
"""


def send(machine, count, size, address="10.215.0.2"):
    machine.run(sys.executable, "-c", SEND, count, size, address)


def wire_bytes(payload, headers=LINK + IP + UDP):
    return max(headers + payload, SHORTEST) + FCS


def set_offloads(machines, state, mtu_bytes=1500):
    for machine in machines:
        machine.ip("link", "set", "probe0", "mtu", str(mtu_bytes))
        machine.run("ethtool", "-K", "probe0", "tso", state, "gso", state, "gro", state)


def disturbance(measured):
    """Of logs, and of what else was measured."""
    logs = [one for one in measured if hasattr(one, "disturbance")]
    return "; ".join(filter(None, (log.disturbance() for log in logs)))


def use_napi(machines):
    """The second's probe0 polls: it joins frames, and none come that are joined already."""
    machines[0].run("ethtool", "-K", "probe0", "tso", "off")
    machines[1].run("ethtool", "-K", "probe0", "gro", "on")


@pytest.mark.parametrize("offloads", ["on", "off"])
@pytest.mark.parametrize(
    ("size", "mtu_bytes"), [(1, 1500), (1000, 1500), (1472, 1500), (8972, 9000)]
)
def test_every_datagram_is_counted(machines, recording, offloads, size, mtu_bytes):
    set_offloads(machines, offloads, mtu_bytes)
    machines[1].ip(
        "route", "replace", "blackhole", "10.215.0.1/32"
    )  # nobody listens: no word of it

    def measure():
        with recording(machines[0]) as sent, recording(machines[1]) as received:
            send(machines[0], 2000, size)
        return sent, received

    sent, received = undisturbed(measure, disturbance, MOST_TIMES)
    expected = (2000, 2000 * wire_bytes(size))
    assert (received.difference("rx_packets"), received.difference("rx_bytes")) == expected
    assert (sent.difference("tx_packets"), sent.difference("tx_bytes")) == expected
    # the two interfaces have the same index in their namespaces
    assert (sent.difference("rx_packets"), received.difference("tx_packets")) == (0, 0)


@pytest.mark.parametrize("mtu_bytes", [1500, 9000])
@pytest.mark.parametrize("offloads", ["on", "off"])
def test_every_segment_is_counted(machines, recording, offloads, mtu_bytes):
    """A TCP connection: frames as the sockets say, bytes as payload and headers add up to."""
    payload = 20_000_001
    set_offloads(machines, offloads, mtu_bytes)
    for machine in machines:  # else answers say in more headers what came out of order, or twice
        machine.run("sh", "-c", "echo 0 >/proc/sys/net/ipv4/tcp_sack")

    def measure():
        with recording(machines[0]) as left, recording(machines[1]) as right:
            sink = machines[1].start(
                sys.executable, "-c", SINK, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            assert sink.stdout.readline() == "ready\n"
            source = json.loads(machines[0].run(sys.executable, "-c", SOURCE, payload))
            said, _ = sink.communicate(input="", timeout=TIMEOUT_S)
        return left, right, source, json.loads(said)

    left, right, source, answer = undisturbed(measure, disturbance, MOST_TIMES)
    assert source["bytes"] >= payload
    there, back = (
        source["segments"],
        answer["segments"] + 1,
    )  # the listening socket answered the SYN
    headers = LINK + IP + TCP + FCS
    for log, way in ((left, "tx"), (right, "rx")):
        assert log.difference(f"{way}_packets") == there
        assert log.difference(f"{way}_bytes") == there * headers + SYN_OPTIONS + source["bytes"]
    for log, way in ((left, "rx"), (right, "tx")):
        assert log.difference(f"{way}_packets") == back
        assert log.difference(f"{way}_bytes") == back * headers + SYN_OPTIONS


UNAME = """
#define _GNU_SOURCE
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
int uname(struct utsname *name)
{
	long status = syscall(SYS_uname, name);
	strcpy(name->version, "#1 SMP PREEMPT_RT Debian 6.12.117-1 (2026-10-01)");
	return (int)status;
}
"""


@pytest.mark.fault("I5")
def test_no_times_where_soft_interrupts_are_threads(machines, logger, tmp_path):
    """As a kernel with PREEMPT_RT says of itself; there is none here."""
    (tmp_path / "uname.c").write_text(UNAME)
    library = tmp_path / "uname.so"
    build = ("cc", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "uname.c"))
    subprocess.run(build, check=True)
    log = ("-i", "probe0", "-o", tmp_path / "a.runlog", "--source", "ebpf", "-d", "50ms")
    machines[0].run("env", f"LD_PRELOAD={library}", logger, *log)
    names = [field.name for field in read(tmp_path / "a.runlog").streams[0].fields]
    assert "rx_packets" in names
    assert [n for n in names if n.endswith("_ns") and not n.startswith(("t_", "cpu_"))] == []


def test_it_records_as_the_manual_says(machines, logger, tmp_path):
    typed = fence("driver/logger/bpf/README.md", "--source ebpf")
    for shown, own in (
        ("sudo driver/logger/coalescope-logger", str(logger)),
        *(("eth0", "probe0"), ("10s", "50ms"), ("run.runlog", f"{tmp_path}/run.runlog")),
    ):
        assert shown in typed
        typed = typed.replace(shown, own)
    machines[0].run("sh", "-ec", typed)
    log = read(tmp_path / "run.runlog")
    assert log.complete
    assert log.field("rx_packets").source == "ebpf"


def test_what_receives_through_another_is_refused(machines, logger):
    machines[0].ip("link", "add", "link", "probe0", "name", "upper0", "type", "macvlan")
    log = ("-i", "upper0", "-o", "/dev/null", "--source", "ebpf", "-d", "20ms", "--force")
    refused = machines[0].start(logger, *log, stderr=subprocess.PIPE)
    assert "--source ebpf: " in refused.communicate(timeout=TIMEOUT_S)[1]
    assert refused.returncode == 1


def test_a_tag_that_is_kept_beside_the_frame_counts(machines, recording):
    for number, machine in enumerate(machines, 1):
        try:
            machine.ip(
                "link", "add", "link", "probe0", "name", "tagged0", "type", "vlan", "id", "7"
            )
        except subprocess.CalledProcessError:
            pytest.skip("no VLANs here; a guest has: test_vlan.py")
        machine.ip("link", "set", "tagged0", "up")
        machine.ip("address", "add", f"10.215.7.{number}/24", "dev", "tagged0")
    to = ("10.215.7.2", "lladdr", "02:00:00:00:00:02", "dev", "tagged0", "nud", "permanent")
    machines[0].ip("neigh", "replace", *to)
    with recording(machines[0]) as sent, recording(machines[1]) as received:
        send(machines[0], 300, 500, "10.215.7.2")
    for log, way in ((sent, "tx"), (received, "rx")):
        assert log.difference(f"{way}_packets") == 300
        assert log.difference(f"{way}_bytes") == 300 * (wire_bytes(500) + 4)


@pytest.mark.fault("I4")
def test_what_is_not_seen_shows_in_the_log(machines, recording):
    """Beside the programs' counts stand the interface's own, skbs that a veth counts as packets."""
    set_offloads(machines, "on")

    def measure():
        with recording(machines[0]) as log:
            send(machines[0], 500, 1000)
        return (log,)

    (log,) = undisturbed(measure, disturbance, MOST_TIMES)
    seen = read(log.path)
    for name in ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes"):
        assert seen.field(name).source == "ebpf"
        assert seen.field(f"driver_{name}").source == "netlink"
    assert seen.field("rx_dropped").source == "netlink"
    assert log.difference("driver_tx_packets") == log.difference("tx_skbs") == 500
    assert seen.field("missed_events").kind == "counter"


@pytest.mark.fault("I4")
@pytest.mark.fault("F2")
def test_frames_that_a_program_misses_are_doubted(machines, recording, tmp_path_factory):
    """One in five is hidden from it: the interface's own count is in the log, and tells `check`."""
    mutant = frame_skipping_logger(tmp_path_factory.mktemp("skipping"))
    for machine, way in zip(machines, ("tx", "rx"), strict=True):
        with recording(machine, program=mutant) as log:
            send(machines[0], 2000, 500)
        hidden = log.difference(f"driver_{way}_packets") - log.difference(f"{way}_skbs")
        assert 300 < hidden < 600
        (doubt,) = (d for d in check(log.path).doubts if d.code == "frames_disagree")
        assert "frames were counted, but the driver counted 2,000" in doubt.message


@pytest.mark.fault("F2")
def test_switches_that_are_not_seen_belong_to_nobody_known(machines, recording):
    """A kernel that runs no programs while process 1 does: what is missed is in the log."""
    with recording(machines[1], interval="100ms") as log:
        time.sleep(1)
    hidden = log.difference("missed_switches")
    assert (log.difference("unknown_ns") > 0) == (hidden > 0)
    assert ("the kernel hid" in log.said) == (hidden > 0)
    assert log.difference("missed_events") == hidden
    assert "events_missed" not in {doubt.code for doubt in check(log.path).doubts}


@pytest.mark.fault("F2")
def test_a_program_that_misses_switches_says_so(machines, recording, tmp_path_factory):
    """One switch in a hundred is hidden from it: what it lost is in the log and in its words."""
    mutant = forgetful_logger(tmp_path_factory.mktemp("forgetful"))
    with recording(machines[1], interval="100ms", program=mutant) as log:
        send(machines[0], 2000, 500)
        time.sleep(1)
    assert log.difference("unknown_ns") > 0
    assert log.difference("missed_switches") > 0
    assert "task switches: " in log.said


@pytest.mark.parametrize(
    "how", ["itself", "a child", "a thread", "a child of a child that is gone"]
)
def test_the_time_of_the_command_is_its_own(machines, logger, tmp_path, how):
    """Its whole process tree, and nothing else in the namespace."""
    words = {
        "itself": ("-c", SPIN),
        "a child": (
            "-c",
            f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SPIN!r}])",
        ),
        "a thread": (
            "-c",
            f"import threading; t = threading.Thread(target=exec, args=({SPIN!r}, {{}}));"
            "t.start(); t.join()",
        ),
        "a child of a child that is gone": (
            "-c",
            "import os\nends = os.pipe()\n"
            f"if not os.fork():\n if not os.fork():\n  exec({SPIN!r})\n os._exit(0)\n"
            "os.close(ends[1]); os.wait(); os.read(ends[0], 1)",  # until it is gone, too
        ),
    }
    path = tmp_path / "command.runlog"
    options = ("-i", "probe0", "-o", path, "-t", "50ms", "--source", "ebpf", "--force", "--")

    def measure():
        """Seconds of the command, and of nobody who is known."""
        hog = machines[1].start(sys.executable, "-c", "while True: pass")
        try:
            machines[1].run(logger, *options, sys.executable, *words[how])
        finally:
            hog.kill()
            hog.wait()
        columns = map(read(path).streams[0].column, ("workload_ns", "unknown_ns"))
        return [int(values[-1] - values[0]) / 1e9 for values in columns]

    def hidden(measured):
        workload, unknown = measured
        is_why = SPUN_S - unknown <= workload < SPUN_S
        return f"the kernel hid task switches: {unknown} s have no owner" if is_why else ""

    workload, _ = undisturbed(measure, hidden, MOST_TIMES)
    assert SPUN_S <= workload < SPUN_S + 0.4  # Python's start twice


def test_what_counting_costs_is_measured_when_it_begins(machines, recording):
    with recording(machines[1]) as log:
        pass
    cost = read(log.path).header["environment"]["probe_cost"]
    assert list(cost) == ["irq_ns", "poll_ns", "frame_ns"]
    assert all(5 < each < 20_000 for each in cost.values())
    assert cost["frame_ns"] < cost["poll_ns"]  # one program against three


def test_other_interfaces_are_not_counted(machines, recording):
    for number, machine in enumerate(machines, 1):
        if number == 1:
            peer = ("peer", "name", "other0", "netns", machines[1].namespace)
            machine.ip("link", "add", "name", "other0", "type", "veth", *peer)
        machine.ip("link", "set", "other0", "up")
        machine.ip("address", "add", f"10.215.8.{number}/24", "dev", "other0")

    def measure():
        with (
            recording(machines[0]) as sent,
            recording(machines[1], "probe0") as one,
            recording(machines[1], "other0") as two,
        ):
            send(machines[0], 300, 500, "10.215.8.2")
            send(machines[0], 200, 500)
            send(machines[1], 50, 500, "127.0.0.1")
        return sent, one, two

    _, one, two = undisturbed(measure, disturbance, MOST_TIMES)
    arp = 2  # asked and answered on the other interface, and asked back at times
    assert one.difference("rx_packets") == 200
    assert 300 <= two.difference("rx_packets") <= 300 + arp


def received_of(machines, recording, act):
    """The log of the second while something is done, with every frame of the first's."""

    def measure():
        with recording(machines[0]) as sent, recording(machines[1]) as log:
            act()
        return sent, log

    return undisturbed(measure, disturbance, MOST_TIMES)[1]


def test_polls_but_no_interrupts_where_there_are_none(machines, recording):
    use_napi(machines)
    log = received_of(machines, recording, lambda: send(machines[0], 500, 1000))
    fields = {field["name"] for field in read(log.path).header["fields"]}
    assert not fields & {"interrupts", "rx_interrupts", "schedules"}
    assert 0 < log.difference("rx_polls") <= log.difference("polls")
    assert log.difference("poll_work") == 500
    assert log.difference("softirq_ns") > 0
    assert log.difference("irq_ns") == 0
    assert read(log.path).field("rx_bytes").bytes_include == ("link_header", "fcs")


def test_threaded_polling_is_the_interfaces_time(machines, recording):
    use_napi(machines)
    machines[1].run("sh", "-c", "echo 1 > /sys/class/net/probe0/threaded")
    log = received_of(machines, recording, lambda: send(machines[0], 3000, 1000))
    assert log.difference("rx_packets") == 3000
    assert log.difference("poll_work") == 3000
    threads = subprocess.run(
        ["ps", "-e", "-o", "comm"], capture_output=True, text=True, check=True
    ).stdout
    assert "napi/probe0" in threads
    assert log.difference("softirq_ns") > 3000 * 100


def test_a_thread_that_polls_may_have_an_older_name_of_its_interface(machines, recording, meet):
    use_napi(machines)
    machines[1].run("sh", "-c", "echo 1 > /sys/class/net/probe0/threaded")
    machines[1].ip("link", "set", "probe0", "down")
    machines[1].ip("link", "set", "probe0", "name", "renamed0")
    machines[1].ip("link", "set", "renamed0", "up")
    meet(machines[1], 2, "renamed0")

    def measure():
        with recording(machines[0]) as sent, recording(machines[1], "renamed0") as log:
            send(machines[0], 1000, 1000)
        return sent, log

    log = undisturbed(measure, disturbance, MOST_TIMES)[1]
    assert log.difference("rx_packets") == 1000
    assert log.difference("softirq_ns") > 1000 * 100


def test_a_task_that_has_the_name_of_a_thread_that_polls_is_a_task(machines, recording):
    renamed = f"open('/proc/self/comm', 'w').write('napi/probe0-1')\n{SPIN}"
    with recording(machines[1], interval="100ms") as log:
        spent = float(machines[1].run(sys.executable, "-c", renamed))
    assert log.difference("task_ns") / 1e9 > 0.5 * spent
    assert log.difference("softirq_ns") / 1e9 < 0.1 * spent


OWNERS = [
    f"{name}_ns"
    for name in ("idle", "task", "other_task", "irq", "softirq", "other_irq", "unknown")
]


def test_no_ones_time_runs_back(machines, recording):
    with recording(machines[1], interval="100ms") as log:
        machines[1].run(sys.executable, "-c", SPIN)
    stream = read(log.path).streams[0]
    for name in OWNERS:
        values = [int(value) for value in stream.column(name)]
        assert values == sorted(values)


@retried_if_disturbed
def test_every_nanosecond_has_one_owner(machines, recording):
    with recording(machines[1], interval="100ms") as log:
        spent = float(machines[1].run(sys.executable, "-c", SPIN))
    stream = read(log.path).streams[0]
    owned = sum(log.difference(name) for name in OWNERS)
    times = stream.column("t_monotonic_ns")
    cpus = read(log.path).header["environment"]["cpus"]
    assert owned == pytest.approx(cpus * int(times[-1] - times[0]), rel=1e-3)
    # the kernel's clock of a process goes on while an interrupt is handled on top of it
    interrupts = sum(log.difference(name) for name in OWNERS if "irq" in name)
    assert 0.5 * spent < log.difference("task_ns") / 1e9
    assert spent < (log.difference("task_ns") + interrupts) / 1e9
    # the logger and the start of the spinning program live there, too
    assert log.difference("task_ns") / 1e9 < spent + 0.3


def test_time_of_other_namespaces_is_other_time(machines, recording):
    with recording(machines[1], interval="100ms") as log:
        spent = float(machines[0].run(sys.executable, "-c", SPIN))
    assert log.difference("other_task_ns") / 1e9 > 0.98 * spent
    assert log.difference("task_ns") / 1e9 < 0.5 * spent


def test_a_renamed_interface_is_followed(machines, recording, meet):
    def rename(before, after):
        machines[1].ip("link", "set", before, "down")
        machines[1].ip("link", "set", before, "name", after)
        machines[1].ip("link", "set", after, "up")
        meet(machines[1], 2, after)

    def act():
        send(machines[0], 100, 500)
        rename("probe0", "renamed0")
        time.sleep(0.1)
        send(machines[0], 100, 500)
        rename("renamed0", "probe0")

    log = received_of(machines, recording, act)
    assert log.process.returncode == 1  # ended by the test
    assert log.difference("rx_packets") == 200


@pytest.mark.parametrize("what", ["removed", "moved"])
def test_an_interface_that_goes_away_ends_the_log(machines, recording, what):
    with recording(machines[1]) as log:
        if what == "removed":
            machines[0].ip("link", "del", "probe0")
        else:
            machines[1].ip(
                "link", "set", "probe0", "netns", machines[0].namespace, "name", "moved0"
            )
        log.end()
    assert log.process.returncode == 1
    # the sources are asked one after the other: it may go away between the first and the second
    assert re.search(r"can no longer be observed: (ebpf|netlink): No such device", log.said)
    ended = read(log.path)
    assert ended.complete
    assert ended.footer["ended"] == "source lost"
