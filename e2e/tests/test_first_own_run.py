# SPDX-License-Identifier: Apache-2.0
"""The README's run with a late client, two CPU hogs beside it: what the server says of it is true.

iperf3 over a veth pair, the logger, a server, an upload. The numbers are compared with iperf3's own
intervals, with mpstat's, and with what the kernel accounts to the host and to the hogs. So that
these are of one state, the client sends at a fixed rate, and logger and both ends of the traffic go
before the hogs by their priority.
"""

import json
import os
import shlex
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any
from urllib.request import urlopen

import pytest
from agreement import FCS, LINK_HEADER, NETWORK_AND_TRANSPORT
from coalescope_host.run_log import RunLog, read
from cpu_watch import TICK_NS, Hogs, Mpstat, Share, Usage
from manuals import fence
from timeouts import TIMEOUT_S, undisturbed, wait_until
from veth_pair import INTERFACE, RECEIVER_ADDRESS, VethPair

from .conftest import COALESCOPE, ROOT, Server, serving

pytestmark = [pytest.mark.network, pytest.mark.slow]

RECORD, UPLOAD = (
    shlex.split(line, comments=True)
    for line in fence("README.md", "run.runlog").replace("\\\n", "").splitlines()
)
LATE_S = 3
SECONDS = 5
HOGS = 2
MTU = 1500
DATAGRAM = 1000
SEGMENT = MTU - 20 - 20 - 12
RATES = 0.02
PERCENT_OF_A_CPU = 2.0
REST_PERCENT = 20.0
UNKNOWN_PERCENT = 1.0
OF_IPERF3 = 0.25
ACCOUNTED_PERCENT = 2.0
# of iperf3's seconds, most to least
STEADY = {"tcp": 1.05, "udp": 1.05, "udp-with-loss": 2.0}
STEADILY_SENT = 1.05
TAKEN_PERCENT = 0.5
# of their mean in a second; with less, those of the log's window are known to a tenth
UNEVENLY_LOST = 0.25
FEW_LOST_PERCENT = 0.05
# iperf3 before hogs: its rates are steady, and what it loses is lost by its own buffer
FIRST_IN_LINE = ("nice", "-n", "-10")
#: On one CPU the reader waits for the sender: each of its bursts overflows the buffer alike.
PLACED = {"udp-with-loss": ("taskset", "--cpu-list", "0")}
TRAFFIC = {
    "tcp": ("--bitrate", "200M"),
    "udp": ("--udp", "--length", str(DATAGRAM), "--bitrate", "40M"),
    "udp-with-loss": ("--udp", "--length", str(DATAGRAM), "--bitrate", "200M", "--window", "8K"),
}


@dataclass(frozen=True)
class Recorded:
    """One run: the log, what iperf3 and mpstat printed, and who had the CPUs in the log's window.

    `usage`: by mpstat, in its whole seconds within that window; `seconds`: by the kernel, in these.
    `rest`: what the log has as interrupts of others and as of no known owner, in percent of a CPU.
    """

    log: Path
    report: dict[str, Any]
    share: Share
    usage: Usage
    seconds: Share
    rest: float

    @property
    def intervals(self) -> list[dict[str, float]]:
        """iperf3's whole seconds."""
        sums = [interval["sum"] for interval in self.report["intervals"]]
        return [one for one in sums if one["seconds"] > 0.5]

    def total(self, name: str) -> float:
        return sum(interval[name] for interval in self.intervals)

    def rate_mbps(self, octets: float) -> float:
        return 8e-6 * octets / self.total("seconds")

    @property
    def loss_percent(self) -> float:
        return 100 * self.total("lost_packets") / self.total("packets")

    @property
    def octets_on_the_link(self) -> float:
        """Headers for each packet; datagrams that no socket took came over the link, too."""
        if "packets" in self.intervals[0]:
            headers = LINK_HEADER + NETWORK_AND_TRANSPORT["udp"] + FCS
            return self.total("packets") * (DATAGRAM + headers)
        headers = LINK_HEADER + NETWORK_AND_TRANSPORT["tcp"] + FCS
        return self.total("bytes") * (1 + headers / SEGMENT)


@pytest.fixture(scope="module")
def logger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    build = tmp_path_factory.mktemp("logger")
    command = ["make", "-s", "-C", ROOT / "driver" / "logger", f"BUILD={build}"]
    subprocess.run(command, check=True, timeout=TIMEOUT_S)
    return build / "coalescope-logger"


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with nothing in it."""
    base = tmp_path_factory.mktemp("own")
    (base / "empty").mkdir()
    nothing = {"COALESCOPE_DATASETS_DIR": str(base / "empty")}
    with serving(base / "empty", base / "data", **nothing) as server:
        yield server


@pytest.fixture(scope="module")
def lab() -> Iterator[VethPair]:
    """GRO lets the receiving end poll by NAPI, as a card does: its CPU time can be seen."""
    with VethPair() as pair:
        gro = pair.inside(pair.receiver, ["ethtool", "-K", INTERFACE, "gro", "on"])
        subprocess.run(gro, check=True)
        yield pair


def recorded(logger: Path, lab: VethPair, path: Path, traffic: str) -> Recorded:
    """The README's command, with a priority above the hogs'; its client comes late."""
    first = (*FIRST_IN_LINE, *PLACED.get(traffic, ()))
    own = {"driver/logger/coalescope-logger": str(logger), "eth0": INTERFACE}
    own |= {"run.runlog": str(path), "delay_us=40": "delay_us=0"}
    sudo, *typed = [own.get(word, word) for word in RECORD]
    assert sudo == "sudo"
    here = typed.index("-o")
    run = (*first, *typed[:here], "--workload", traffic, "--force", *typed[here:])
    client = (
        *first,
        "iperf3",
        "--client",
        RECEIVER_ADDRESS,
        "--time",
        str(SECONDS),
        *TRAFFIC[traffic],
    )
    with (
        Hogs(HOGS) as hogs,
        Mpstat() as mpstat,
        subprocess.Popen(
            lab.inside(lab.receiver, run), stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        question = lab.inside(lab.receiver, ["ss", "-Hltn", "sport = :5201"])
        wait_until(lambda: subprocess.check_output(question).strip(), "iperf3 does not listen")
        time.sleep(LATE_S)
        subprocess.run(lab.inside(lab.sender, client), check=True, stdout=subprocess.DEVNULL)
        _, said = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, said
    log = read(path)
    assert log.result
    start, end = log.window
    assert start
    assert end
    share = hogs.between(start, end)
    usage = mpstat.between(start, end)
    seconds = hogs.between(usage.start_ns, usage.end_ns)
    rest = in_window(log, "other_irq_ns", "unknown_ns")
    return Recorded(path, log.result.json(), share, usage, seconds, rest)


def in_window(log: RunLog, *names: str) -> float:
    """Times that the log counts, in percent of its window."""
    start, end = log.window
    assert start
    assert end
    times = log.streams[0].column("t_monotonic_ns")
    first, last = times.index(start), times.index(end)
    columns = [log.streams[0].column(name) for name in names if log.field(name)]
    return 100 * sum(column[last] - column[first] for column in columns) / (end - start)


def disturbance(traffic: str, run: Recorded) -> str:
    """Rates of spans that do not quite coincide are compared, and hosts have other work, too.

    What the kernel and iperf3 say, never what the log or the server does.
    """
    accounted, cpus = run.share.accounted, 100 * (os.cpu_count() or 1)
    if abs(accounted - cpus) > ACCOUNTED_PERCENT:
        return f"the kernel accounted {accounted:.1f} % of {cpus} % of CPU time to some class"
    if run.share.busy <= 100 * min(HOGS, os.cpu_count() or 1) - 5:
        return f"beside {HOGS} hogs the CPUs were busy for {run.share.busy:.1f} % only"
    rates = [interval["bits_per_second"] for interval in run.intervals]
    if max(rates) > STEADY[traffic] * min(rates):
        return f"iperf3's own rates went from {min(rates):,.0f} to {max(rates):,.0f} b/s"
    sent = [interval.get("packets", 1) / interval["seconds"] for interval in run.intervals]
    if max(sent) > STEADILY_SENT * min(sent):
        return f"iperf3 sent from {min(sent):,.0f} to {max(sent):,.0f} datagrams in a second"
    if traffic != "tcp" and run.loss_percent > FEW_LOST_PERCENT:
        losses = [interval["lost_packets"] for interval in run.intervals]
        if stdev(losses) > UNEVENLY_LOST * mean(losses):
            return f"iperf3's own losses were {losses} datagrams, second by second"
    if traffic == "udp" and run.loss_percent > TAKEN_PERCENT:
        return f"iperf3 had no CPU in time and lost {run.loss_percent:.2g} % of the datagrams"
    return ""


def test_what_disturbs_is_told_without_the_product() -> None:
    """No log is there to be read."""
    cpus = 100.0 * (os.cpu_count() or 1)
    share = Share(busy=cpus, system=50.0, accounted=cpus, hogs=cpus - 50)
    second = {"bits_per_second": 2e8, "seconds": 1.0}
    report = {"intervals": [{"sum": second}] * SECONDS}
    usage = Usage(0, SECONDS * 10**9, cpus, 50.0)
    quiet = Recorded(Path("/nonexistent.runlog"), report, share, usage, share, rest=0.0)
    assert disturbance("tcp", quiet) == ""
    lost = replace(quiet, share=replace(share, accounted=cpus - 10))
    assert disturbance("tcp", lost).startswith("the kernel accounted ")


def stored(server: Server, log: Path) -> dict[str, Any]:
    """What the server says of the run, after an upload."""
    own = {"run.runlog": str(log), "http://127.0.0.1:8000": server.url}
    program, *typed = [own.get(word, word) for word in UPLOAD]
    assert program == ".venv/bin/coalescope"
    command = [COALESCOPE, *typed, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    identity = read(log).header["run"]["id"]
    with urlopen(f"{server.url}/api/runs/{identity}") as answer:
        run: dict[str, Any] = json.load(answer)
    return run


@pytest.fixture(scope="module", params=list(TRAFFIC))
def run(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    logger: Path,
    lab: VethPair,
    own_server: Server,
) -> tuple[Recorded, dict[str, Any]]:
    traffic: str = request.param
    log = tmp_path_factory.mktemp("run") / f"{traffic}.runlog"
    found = undisturbed(
        lambda: recorded(logger, lab, log, traffic), lambda one: disturbance(traffic, one)
    )
    return found, stored(own_server, found.log)


def value(run: dict[str, Any], measure: str) -> float:
    found: float = run["measures"][measure]["value"]
    return found


@pytest.mark.fault("A2")
def test_rates_are_those_of_iperf3(run: tuple[Recorded, dict[str, Any]]) -> None:
    """The wait for the client is no part of them."""
    one, said = run
    link_mbps = one.rate_mbps(one.octets_on_the_link)
    assert value(said, "throughput_mbps") == pytest.approx(link_mbps, rel=RATES)
    assert value(said, "goodput_mbps") == pytest.approx(
        one.rate_mbps(one.total("bytes")), rel=RATES
    )
    assert SECONDS - 0.5 < value(said, "elapsed_s") < SECONDS + 0.1
    assert "not_of_window" not in {warning["code"] for warning in said["warnings"]}


@pytest.mark.fault("A4")
def test_losses_are_those_of_iperf3(run: tuple[Recorded, dict[str, Any]]) -> None:
    one, said = run
    if "packets" not in one.intervals[0]:
        assert "datagram_loss_percent" not in said["measures"]
        return
    lost, percent = one.total("lost_packets"), one.loss_percent
    # the log's window may lack some tenths of iperf3's seconds, and what was lost in them, at once
    lacking_s = max(one.total("seconds") - value(said, "elapsed_s"), 0)
    at_ends = max(one.intervals[end]["lost_packets"] for end in (0, -1))
    least = (lost - lacking_s * at_ends) / lost if lost else 1
    most = one.total("seconds") / (one.total("seconds") - lacking_s)
    assert least * (1 - RATES) * lost - 2 <= value(said, "datagrams_lost") <= (1 + RATES) * lost + 2
    assert (
        least * (1 - RATES) * percent - 0.01
        <= value(said, "datagram_loss_percent")
        <= most * (1 + RATES) * percent + 0.01
    )
    codes = {warning["code"] for warning in said["warnings"]}
    if said["factors"]["workload"] == "udp-with-loss":
        assert percent > 1
        assert value(said, "socket_drops") > 0.9 * least * lost
        assert {"datagrams_lost", "socket_drops"} <= codes
    else:
        assert percent <= TAKEN_PERCENT


@pytest.mark.fault("A1")
def test_system_time_is_that_of_mpstat(run: tuple[Recorded, dict[str, Any]]) -> None:
    """Each over its own span, by the kernel's count of that span: it changes from second to second.

    With clock ticks a second has a few of it, and mpstat's whole seconds are not the whole window.
    """
    one, said = run
    span_ns = one.usage.end_ns - one.usage.start_ns
    tick_percent = 100 * TICK_NS / span_ns
    assert span_ns > 1e9 * (SECONDS - 3)
    assert value(said, "system_cpu_percent") == pytest.approx(
        one.share.system, rel=RATES, abs=tick_percent
    )
    # it counts a moment before its line comes: a tick may fall in between, at both ends
    assert one.usage.system == pytest.approx(one.seconds.system, rel=RATES, abs=2 * tick_percent)


@pytest.mark.fault("A1")
def test_system_time_has_that_of_soft_interrupts(
    run: tuple[Recorded, dict[str, Any]],
) -> None:
    """With clock ticks, a run may have none of it."""
    one, said = run
    log = read(one.log)
    without = in_window(log, "cpu_system_ns", "cpu_irq_ns")
    soft = in_window(log, "cpu_softirq_ns")
    assert value(said, "system_cpu_percent") == pytest.approx(without + soft, abs=1e-6)


@pytest.mark.fault("A1")
def test_cpu_time_is_told_apart(run: tuple[Recorded, dict[str, Any]]) -> None:
    """Hogs are others, and all together is what the kernel says that the host used."""
    one, said = run
    interface, workload, others, host = (
        value(said, f"{who}_cpu_percent") for who in ("interface", "workload", "other", "host")
    )
    assert host == pytest.approx(one.share.busy, abs=PERCENT_OF_A_CPU)
    # over other seconds of the run, in which the host may have had less of its CPUs
    assert one.usage.busy == pytest.approx(one.seconds.busy, rel=RATES)
    own = interface + workload
    assert own + others + one.rest == pytest.approx(one.share.busy, abs=PERCENT_OF_A_CPU)
    assert one.rest < REST_PERCENT
    # a task's time, as the kernel accounts it, holds the interrupts that came while it ran
    assert others > one.share.hogs - interface - PERCENT_OF_A_CPU
    by_iperf3 = one.report["end"]["cpu_utilization_percent"]["host_total"]
    # what iperf3 says of itself holds the interrupts and polls that came while it ran
    assert by_iperf3 - interface - one.rest - PERCENT_OF_A_CPU < workload
    assert OF_IPERF3 * by_iperf3 < workload < by_iperf3 + PERCENT_OF_A_CPU
    assert interface > 0
    assert "others_were_busy" in {warning["code"] for warning in said["warnings"]}
    assert not [name for name in said["measures"] if name.startswith("receiver_cpu")]


def test_it_is_warned_of_what_was_and_of_nothing_else(run: tuple[Recorded, dict[str, Any]]) -> None:
    """Hogs; losses, by second where iperf3 lost any; what a kernel hid, where the log says so."""
    one, said = run
    codes = {warning["code"] for warning in said["warnings"]}
    expected, possible = {"others_were_busy"}, set()
    if said["factors"]["workload"] == "udp-with-loss":
        expected |= {"datagrams_lost", "socket_drops"}
    if "packets" in one.intervals[0] and one.total("lost_packets"):
        possible.add("losses_roughly_of_window")
    if in_window(read(one.log), "unknown_ns") > UNKNOWN_PERCENT:
        possible |= {"time_of_unknown_owner", "frames_disagree"}
    assert expected <= codes <= expected | possible, said["warnings"]
