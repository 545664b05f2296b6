# SPDX-License-Identifier: Apache-2.0
"""`coalescope-host demo`: a surface of this machine, without a second host or a card.

Two network namespaces, joined by a veth pair, and UDP between them. Nothing else is touched.
"""

from __future__ import annotations

import shutil
import socket
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from coalescope_host.as_typed import as_typed
from coalescope_host.exit_statuses import FAILED
from coalescope_host.plan.factors import Levels
from coalescope_host.plan.plan import Plan
from coalescope_host.plan.plan_file import plan_of
from coalescope_host.protocols import RestoreState, SweepError
from coalescope_host.remote import connect
from coalescope_host.run import factory
from coalescope_host.run.bench import Bench
from coalescope_host.run.cable import FAR_ADDRESS, NEAR, Cable, cable
from coalescope_host.run.closing import USUAL_SERVER, Cell, page_of
from coalescope_host.run.invocation import Invocation
from coalescope_host.run.quietness import quietness
from coalescope_host.run.signals import Interrupted
from coalescope_host.run.sweeping import LOGS
from coalescope_host.run_log import RunLog, read, run_values
from coalescope_host.settings.host import open_host
from coalescope_host.terminal import say
from coalescope_host.workloads import prepare

from .answer import Answer
from .ending import check_server, ended
from .measured import measured_in

LARGEST_MTU_BYTES = 9000
RATE_MBPS = 100
POLLS: Levels = {"offload.gro": True, "napi_defer_hard_irqs": 1}
"""With these a veth polls as a card's driver does, and waits for gro_flush_timeout in between."""
CPU_TIMES = ("interface_cpu_percent", "workload_cpu_percent")
"""What tells most of the surface comes first; without eBPF, a veth's own time is not known."""
MEASURED = f"""\
Two network namespaces on this machine, a veth pair, and UDP at {RATE_MBPS} Mb/s between them.
Varied: the MTU, and how long the kernel lets frames gather before it polls (gro_flush_timeout).
Nothing outside of the namespaces is touched, and nothing of them stays.""".splitlines()
LIMITS = """
What this cannot show: a card. There are no interrupts, no DMA, no wire, and no rx-usecs to set; the
sender shares the processors with the receiver.
""".splitlines()


def run(options: Namespace) -> int:
    """Measure and show."""
    return ended("demo", options, lambda answer: _demo(options, answer))


def _demo(options: Namespace, answer: Answer) -> int:
    server = _server(options)
    plan = plan_of(Path("demo"), demo_document(options, server))
    say(*MEASURED)
    with cable(LARGEST_MTU_BYTES) as joined:
        folder = options.out or joined.memory / "demo"
        open_bench = partial(_bench, joined)
        show = partial(_show, folder, answer)
        try:
            done = Invocation(plan, folder, open_bench, show, network=joined.at_home).carry_out()
        except Interrupted:
            _say_where(options, answer, plan, server, folder)
            raise
        say(*LIMITS, f"For a card: {as_typed('init INTERFACE')}")
        _say_where(options, answer, plan, server, folder)
    return 0 if done else FAILED


def _say_where(
    options: Namespace, answer: Answer, plan: Plan, server: str | None, folder: Path
) -> None:
    """Where page and logs are, also of a demo that was ended."""
    page = None if server is None else f"{page_of(server, plan)}{_shown(folder)}"
    kept = None if options.out is None else str(folder)
    answer.tell((), experiment=plan.experiment, folder=kept, page=page)
    if page is not None:
        say(f"The page: {page}")
    else:
        say(f"No server answers at {USUAL_SERVER}: with `make serve`, the same command draws this.")
    if kept is not None:
        say(f"The logs: {folder / LOGS}")
    elif page is None:
        say("The logs are not kept: --out DIR keeps them.")


def _show(folder: Path, answer: Answer, plan: Plan, cells: Sequence[Cell]) -> None:
    """Whether it was quiet, before the numbers."""
    say("", *quietness(_logs(folder)))
    measured_in(answer)(plan, cells)


def _logs(folder: Path) -> list[RunLog]:
    return [read(path) for path in sorted((folder / LOGS).glob("*.runlog"))]


def _shown(folder: Path) -> str:
    """What the page's address asks for: a CPU time that the logs have."""
    measured = {name for log in _logs(folder) for name in run_values(log)}
    known = [name for name in CPU_TIMES if name in measured]
    return f"?measure={known[0]}" if known else ""


def _server(options: Namespace) -> str | None:
    """The server that logs go to; the usual one if it is up."""
    if options.server is None:
        return USUAL_SERVER if _answers(USUAL_SERVER) else None
    server = check_server(options.server)
    if options.out is None and not _answers(server):
        raise SweepError(f"No server answers at {server}; --out DIR keeps the logs.")
    return server


def _answers(server: str) -> bool:
    parts = urlsplit(server)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname, port), timeout=2):
            return True
    except OSError:
        return False


def demo_document(options: Namespace, server: str | None) -> Mapping[str, Any]:
    """The plan; its logs go to `server`."""
    tool = _tool()
    upload = {} if server is None else {"upload": {"server": server}}
    if upload and options.token_file is not None:
        upload["upload"]["token_file"] = str(options.token_file.absolute())
    return {
        "experiment": "demo",
        "title": "A veth pair between two namespaces of one machine",
        "interface": NEAR,
        "replicates": options.replicates,
        "duration_s": options.duration,
        "warmup_s": 0.2,
        "settle_s": 0.05,
        "interval_ms": 50,
        "pilot_s": 0,
        "idle_s": 1,
        "factors": {
            "mtu_bytes": [1500, 3000, LARGEST_MTU_BYTES],
            "gro_flush_timeout_ns": [0, 200_000, 500_000, 1_000_000],
        },
        "workloads": {"udp": {"kind": "udp-fan-in", "rate_mbps": RATE_MBPS, "tool": tool}},
        "peers": [{"ssh": "far end", "address": FAR_ADDRESS, "python": sys.executable}],
        **upload,
    }


def _tool() -> str:
    for program in ("iperf3", "coalescope-traffic"):
        if shutil.which(program) is not None:
            return program
    raise SweepError("There is no traffic: install iperf3, or build coalescope-traffic.")


@contextmanager
def _bench(joined: Cable, plan: Plan, check: Callable[[], None]) -> Iterator[Bench]:
    (spec,) = plan.peers
    near = open_host(plan.interface)
    near.apply(POLLS)
    far = connect(spec, joined.shell)
    try:
        yield Bench(
            host=near,
            peers=[far],
            guard=_NoGuard(),
            prepare=prepare,
            verify_mtu=_passes,
            effective_delay_us=lambda counters, kind: None,
            logger=plan.logger.path,
            recover=lambda error: None,
            check=check,
            failures=factory.FAILURES,
        )
    finally:
        far.close()


def _passes(_peer: object, _mtu_bytes: int) -> list[str]:
    """No switch lies between, and the far end takes the largest."""
    return []


class _NoGuard:
    """Nothing has to be put back: the interface ends with this process."""

    def arm(self, state: RestoreState) -> None:
        """Nothing is kept."""

    def feed(self) -> None:
        """Nobody waits."""

    def disarm(self) -> None:
        """Nothing was kept."""
