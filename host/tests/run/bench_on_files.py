# SPDX-License-Identifier: Apache-2.0
"""A sweep as a process of its own, on a host whose settings are a file and with the real logger.

    python bench_on_files.py SETTINGS.json LOGGER -- [tune] arguments of `coalescope-host sweep`

What is real: plan, schedule, journal, logger, workload processes, signals, exit status. What is
not: the settings, so that these tests need neither root nor an interface that may be changed; and
the guard, which writes its state beside the settings, so that a test can see what a kill leaves.
"""

import itertools
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from coalescope_host.command_line import parsers
from coalescope_host.commands import sweep, tune
from coalescope_host.plan.factors import Level, Levels, level_text
from coalescope_host.plan.plan import PeerSpec, Plan, WorkloadSpec
from coalescope_host.protocols import RestoreState, RunContext, SweepError
from coalescope_host.run.bench import Bench
from coalescope_host.run.invocation import OpenBench

REFUSED_MTU = 6000
IMPOSSIBLE_MTU = 16000
ROUNDED_RING_RX = 501
ROUNDED_TO = 504
UNREADABLE = "ring_tx"
OVERRIDES = {"tx_delay_us": "adaptive_tx"}


class FileHost:
    """Its settings are a JSON file; it refuses one MTU, knows of another that it would, rounds one
    ring, does not say how another is set, and switches off what would override a delay, as devices
    do."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.history = path.with_suffix(".history")

    def _now(self) -> dict[str, Level]:
        return json.loads(self.path.read_text())

    def _write(self, settings: Mapping[str, Level]) -> None:
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(settings))
        temporary.replace(self.path)
        with self.history.open("a") as file:
            file.write(json.dumps(settings) + "\n")

    def problems(self, levels: Levels) -> list[str]:
        if not self.path.exists():
            return ["there is no interface"]
        refused = levels.get("mtu_bytes") == IMPOSSIBLE_MTU
        return [f"mtu_bytes = {IMPOSSIBLE_MTU} is beyond the device"] if refused else []

    def changes(self, levels: Levels) -> list[str]:
        now = self._now()
        return [f"set {n} {level_text(v)}" for n, v in levels.items() if n in now and now[n] != v]

    def save(self) -> RestoreState:
        return self._now()

    def apply(self, levels: Levels) -> Mapping[str, Level | None]:
        now = self._now()
        if levels.get("mtu_bytes") == REFUSED_MTU:
            raise SweepError(f"the device refuses mtu_bytes = {REFUSED_MTU}")
        asked = {name: level for name, level in levels.items() if name in now}
        if asked.get("ring_rx") == ROUNDED_RING_RX:
            asked["ring_rx"] = ROUNDED_TO
        off = {OVERRIDES[name]: False for name in asked if OVERRIDES.get(name) in now}
        if {**now, **off, **asked} != now:
            self._write({**now, **off, **asked})
        return asked

    def restore(self, state: RestoreState) -> None:
        self._write(state)

    def facts(self) -> Mapping[str, str]:
        return {"bench": "files"}

    def now(self, factors: Iterable[str]) -> Levels:
        now = self._now()
        return {name: now[name] for name in factors if name in now and name != UNREADABLE}


class FilePeer(FileHost):
    """A peer whose settings are a JSON file; it runs nothing."""

    def __init__(self, path: Path, spec: PeerSpec) -> None:
        super().__init__(path)
        self.spec = spec

    def environment(self) -> Mapping[str, object]:
        return {}

    def missing(self, programs: Sequence[str]) -> list[str]:
        return []

    def probe(self, address: str, mtu_bytes: int) -> str | None:
        return None


class FileGuard:
    def __init__(self, path: Path) -> None:
        self.path = path

    def arm(self, state: RestoreState) -> None:
        if self.path.with_suffix(".saved.refused").exists():
            raise SweepError("another sweep is at it")
        self.path.write_text(json.dumps(dict(state)))

    def feed(self) -> None:
        if not self.path.exists():
            raise AssertionError("settings may have changed without a way back")

    def disarm(self) -> None:
        self.path.unlink()


class Command:
    """The plan's own command with its {factors} filled in."""

    servers: Sequence[tuple[str, Sequence[str]]] = ()

    def __init__(self, spec: WorkloadSpec, context: RunContext) -> None:
        values = {**context.levels, "seed": context.seed, "replicate": context.replicate}
        self.command = [
            word.format_map({**values, "duration_s": context.duration_s})
            for word in spec.options["command"]
        ]
        self.user = context.user

    @property
    def cpus(self) -> str | None:
        return None

    def needs(self) -> list[str]:
        return [self.command[0]]

    def remarks(self, body: bytes) -> list[str]:
        return []

    def result(self, body: bytes) -> list[str]:
        return ["the workload says that it failed"] if b"FAILED" in body else []


def bench_of(settings: Path, logger: str) -> OpenBench:
    @contextmanager
    def open_bench(plan: Plan, check: Callable[[], None]) -> Iterator[Bench]:
        host, guard = FileHost(settings), FileGuard(settings.with_suffix(".saved"))
        if guard.path.exists():  # an earlier sweep was killed
            host.restore(json.loads(guard.path.read_text()))
        places = (settings.with_name(f"peer-{place}.json") for place in itertools.count())
        peers = [FilePeer(path, spec) for path, spec in zip(places, plan.peers, strict=False)]
        found = [peer.save() if peer.spec.interface else {} for peer in peers]
        yield Bench(
            host=host,
            peers=peers,
            guard=guard,
            prepare=Command,
            verify_mtu=lambda peer, mtu: [],
            effective_delay_us=lambda counters, kind: None,
            logger=logger,
            recover=lambda error: None,
            check=check,
            failures=(SweepError,),
        )
        for peer, state in zip(peers, found, strict=True):
            if state:
                peer.restore(state)

    return open_bench


def main() -> int:
    settings, logger, _, *arguments = sys.argv[1:]
    if arguments[0] != "tune":
        arguments.insert(0, "sweep")
    options, unknown = parsers()[0].parse_known_args(arguments)
    options.unknown = unknown
    command = tune.run if options.command == "tune" else sweep.run
    return command(options, bench_of(Path(settings), logger))


if __name__ == "__main__":
    sys.exit(main())
