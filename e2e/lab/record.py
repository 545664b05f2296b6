# SPDX-License-Identifier: Apache-2.0
"""Records real traffic: iperf3 over a veth pair, a log for each MTU × workload × replicate.

    python e2e/lab/record.py OUT [--replicates 3] [--seconds 2]

Needs root, iperf3, iproute2 and ethtool. Each log is compared with iperf3's own report; the exit
status is 1 if any differs by more than 1 %.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType

from agreement import Agreement, compare, uncounted
from coalescope_host.run_log import RunLogError, read
from disturbance import Watch
from veth_pair import INTERFACE, RECEIVER_ADDRESS, LabError, VethPair, run

ROOT = Path(__file__).resolve().parents[2]
MTUS = (1500, 3000, 4500, 6000, 9000)
WORKLOADS = ("tcp", "udp")
EXPERIMENT = "veth-iperf3"
TITLE = "iperf3 over a veth pair"
LEAD_S = 0.3  # of traffic before the window opens
TAIL_S = 0.4  # of traffic after it has closed
ATTEMPTS = 6
UNCOUNTED_ACCEPTED = 0.002
FIRST_IN_LINE = ("nice", "-n", "-10")  # so that a busy machine does not fill socket buffers
PORT = 5201


@dataclass(frozen=True)
class Run:
    """One replicate of one cell, at its place in the random order."""

    mtu: int
    workload: str
    replicate: int
    order: int

    @property
    def name(self) -> str:
        """Stem of its files."""
        return f"{EXPERIMENT}-{self.workload}-mtu{self.mtu}-r{self.replicate}"


@dataclass(frozen=True)
class Settings:
    """What is the same for all runs."""

    out: Path
    logger: Path
    seconds: float
    rate_mbps: float
    interval_ms: int
    seed: int


def plan(replicates: int, mtus: Sequence[int], workloads: Sequence[str], seed: int) -> list[Run]:
    """All runs, blocked by replicate, in random order within each block."""
    shuffle = random.Random(seed)
    runs: list[Run] = []
    for replicate in range(1, replicates + 1):
        cells = [(mtu, workload) for mtu in mtus for workload in workloads]
        shuffle.shuffle(cells)
        runs += [
            Run(mtu, workload, replicate, len(runs) + number)
            for number, (mtu, workload) in enumerate(cells, 1)
        ]
    return runs


def logger_command(settings: Settings, one: Run) -> list[str]:
    """The logger around the receiving iperf3."""
    identity = uuid.uuid5(uuid.NAMESPACE_OID, f"{settings.seed} {one.name} {time.time_ns()}")
    return [
        *FIRST_IN_LINE,
        str(settings.logger),
        *("--interface", INTERFACE, "--output", str(settings.out / f"{one.name}.runlog")),
        *("--interval", f"{settings.interval_ms}ms", "--duration", f"{settings.seconds}s"),
        *("--start-on-traffic", "20", "--warmup", f"{LEAD_S}s", "--force"),
        *("--experiment", EXPERIMENT, "--title", TITLE, "--run-id", str(identity)),
        *("--factor", f"mtu_bytes={one.mtu}", "--workload", one.workload),
        *("--replicate", str(one.replicate), "--order", str(one.order)),
        *("--seed", str(settings.seed), "--redact", "host"),
        "--",
        *("iperf3", "--server", "--one-off", "--json", "--port", str(PORT)),
    ]


def client_command(settings: Settings, one: Run) -> list[str]:
    """The sending iperf3: a steady rate that leaves the machine calm."""
    seconds = LEAD_S + settings.seconds + TAIL_S
    if one.workload == "udp":
        shape = ["--udp", "--length", str(one.mtu - 28)]
    else:
        shape = ["--length", "8K"]
    return [
        *FIRST_IN_LINE,
        *("iperf3", "--client", RECEIVER_ADDRESS, "--port", str(PORT), "--json"),
        *("--time", f"{seconds + 0.5:.0f}", "--bitrate", f"{settings.rate_mbps}M", *shape),
    ]


def wait_until_listening(lab: VethPair, logger: subprocess.Popen[str]) -> None:
    """Return once iperf3 listens; LabError if it does not come up."""
    deadline = time.monotonic() + 10
    question = ["ss", "-Hltn", f"sport = :{PORT}"]
    while not run(lab.inside(lab.receiver, question)).strip():
        if logger.poll() is not None or time.monotonic() > deadline:
            raise LabError("iperf3 did not start listening")
        time.sleep(0.02)


def record(lab: VethPair, settings: Settings, one: Run) -> Agreement:
    """Make one run and compare its two reports; again if the machine was too busy for it.

    The bytes of a whole log must agree at once. Rates are over spans that do not quite coincide, so
    they can be compared only where traffic was steady: a run beside which others used the CPUs is
    made once more.
    """
    lab.set_mtu(one.mtu)
    for _ in range(ATTEMPTS):
        watch = Watch()
        report, sender = attempt(lab, settings, one)
        agreement = compare(read(settings.out / f"{one.name}.runlog"), report, one.workload)
        missed = uncounted(report, sender)
        if missed > UNCOUNTED_ACCEPTED:
            print(f"{one.name}: iperf3 did not count {missed:.1%} of the payload; once more")
        elif agreement.holds or not agreement.bytes_agree or not (said := watch.said()):
            return agreement
        else:
            print(
                f"{one.name}: rates differ {agreement.rate_difference:+.1%}; once more, as {said}"
            )
    raise LabError(f"{one.name}: no steady traffic in {ATTEMPTS} runs; is the machine busy?")


def attempt(
    lab: VethPair, settings: Settings, one: Run
) -> tuple[dict[str, object], dict[str, object]]:
    """Make one run and return the reports of the receiving and of the sending iperf3."""
    timeout_s = settings.seconds + 20
    with subprocess.Popen(
        lab.inside(lab.receiver, logger_command(settings, one)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as logger:
        try:
            wait_until_listening(lab, logger)
            client = run(lab.inside(lab.sender, client_command(settings, one)), seconds=timeout_s)
            _, said = logger.communicate(timeout=timeout_s)
        except (LabError, subprocess.TimeoutExpired) as error:
            logger.terminate()
            raise LabError(f"{one.name}: {error} {logger.communicate()[1].strip()}") from error
    if logger.returncode:
        raise LabError(f"{one.name}: the logger failed: {said.strip()}")
    log = read(settings.out / f"{one.name}.runlog")
    report = log.result.json() if log.result else None
    if not isinstance(report, dict):
        raise LabError(f"{one.name}: the log holds no report of iperf3")
    sender = json.loads(client)
    both = {"receiver": report, "sender": sender}
    text = json.dumps(both, indent=1)
    (settings.out / f"{one.name}.iperf3.json").write_text(text, encoding="utf-8")
    return report, sender


def line(one: Run, agreement: Agreement) -> str:
    """One run for the terminal."""
    return (
        f"{one.name:<34} {agreement.log_mbps:9.3f} {agreement.iperf_mbps:9.3f} "
        f"{agreement.rate_difference:+9.3%} {agreement.log_bytes:12,} "
        f"{agreement.bytes_difference:+9.3%}  {'ok' if agreement.holds else 'DIFFERS'}"
    )


@contextmanager
def built_logger(given: Path | None) -> Iterator[Path]:
    """The logger that was given, or one built for this occasion."""
    if given is not None:
        yield given.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="coalescope-lab-") as build:
        run(["make", "-s", "-C", str(ROOT / "driver" / "logger"), f"BUILD={build}"], seconds=120)
        yield Path(build) / "coalescope-logger"


def stop(number: int, _frame: FrameType | None) -> None:
    """Turn SIGTERM into an exception, so that the lab is taken down."""
    raise SystemExit(128 + number)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="directory for the logs")
    parser.add_argument("--replicates", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each window")
    parser.add_argument("--mtus", default=",".join(map(str, MTUS)))
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--rate-mbps", type=float, default=40.0, help="what iperf3 sends")
    parser.add_argument("--interval-ms", type=int, default=20, help="between samples")
    parser.add_argument("--seed", type=int, default=1, help="of the random order")
    parser.add_argument("--logger", type=Path, help="use this logger instead of building it")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    """Record everything; 0 if every log agrees with iperf3."""
    options = parse(arguments)
    signal.signal(signal.SIGTERM, stop)
    options.out.mkdir(parents=True, exist_ok=True)
    mtus = [int(mtu) for mtu in options.mtus.split(",")]
    runs = plan(options.replicates, mtus, options.workloads.split(","), options.seed)
    agreements: dict[str, Agreement] = {}
    try:
        with built_logger(options.logger) as logger, VethPair() as lab:
            settings = Settings(
                options.out.resolve(),
                logger,
                options.seconds,
                options.rate_mbps,
                options.interval_ms,
                options.seed,
            )
            print(f"{'run':<34} {'log Mb/s':>9} {'iperf3':>9} {'':>9} {'log bytes':>12}")
            for one in runs:
                agreements[one.name] = record(lab, settings, one)
                print(line(one, agreements[one.name]), flush=True)
    except (LabError, RunLogError, ValueError) as error:
        print(f"record: {error}", file=sys.stderr)
        return 1
    summary = {
        name: asdict(agreement)
        | {
            "bytes_difference": agreement.bytes_difference,
            "rate_difference": agreement.rate_difference,
            "holds": agreement.holds,
        }
        for name, agreement in agreements.items()
    }
    text = json.dumps(summary, indent=1)
    (options.out / "summary.json").write_text(text, encoding="utf-8")
    differing = [name for name, agreement in agreements.items() if not agreement.holds]
    print(f"{len(runs)} runs, {len(differing)} of them differ from iperf3 by more than 1 %")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
