# SPDX-License-Identifier: Apache-2.0
"""The plan of a sweep: what to vary, how often, on which hosts, with which traffic."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from coalescope_host.terminal import LinesError

from .factors import Level, Levels
from .toml_table import Fault

Document = Mapping[str, Any]

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SHORTEST_S, DAY_S = 0.01, 86_400.0
#: Keys above the first table; no factor has such a name.
OF_THE_PLAN = frozenset(
    {"title", "kind", "interface", "replicates", "seed", "duration_s", "warmup_s", "settle_s"}
    | {"experiment", "interval_ms", "source", "pilot_s", "idle_s", "retries"}
)
LARGEST_SEED = (1 << 53) - 1

#: Patterns of keys that change nothing about what a run is: they may differ when a sweep goes on.
RESUMABLE_KEYS = (
    "title",
    "replicates",
    "pilot_s",
    "idle_s",
    "retries",
    "workloads.*.timeout_s",
    "environment.*",
    "logger.path",
    "upload.*",
)


class PlanError(LinesError):
    """A plan cannot be used. `faults` says each reason: key, value, what to do."""

    def __init__(self, path: Path, faults: tuple[Fault, ...]) -> None:
        self.path = path
        self.faults = faults
        super().__init__(*(f"{path}: {fault}" for fault in faults))


@dataclass(frozen=True)
class DriverParameter:
    """The module parameter that stands for a factor: value = level × multiply, rounded."""

    name: str
    multiply: float = 1.0


@dataclass(frozen=True)
class DriverSpec:
    """A driver that takes settings only while it is loaded.

    Attributes:
        module: name, or path of a .ko file.
        fixed: parameters that are always given.
        parameters: factor → parameter. Factors `driver.NAME` are parameters as they stand.
        after: commands to run, as given, each time it has been loaded for a cell.
    """

    module: str
    fixed: Mapping[str, Level] = field(default_factory=lambda: MappingProxyType({}))
    parameters: Mapping[str, DriverParameter] = field(default_factory=lambda: MappingProxyType({}))
    after: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class PeerSpec:
    """A host at the other end, driven over ssh.

    Attributes:
        ssh: destination, as ssh takes it.
        ssh_options: further arguments of ssh.
        interface: its interface on the link, which gets the same MTU; None: nothing is set there.
        address: its address on the link, which traffic goes to.
        python: its Python, 3.9 or newer.
    """

    ssh: str
    address: str
    interface: str | None = None
    ssh_options: tuple[str, ...] = ()
    python: str = "python3"


@dataclass(frozen=True)
class WorkloadSpec:
    """A workload by name: its kind and that kind's options (`workload_options`).

    Attributes:
        user: who runs it; None: who called sudo, else nobody.
        cpus: on which of this host its command runs, as the kernel lists them; None: on any.
        timeout_s: how long a run may take beyond warm-up and duration before it is ended.
    """

    name: str
    kind: str
    options: Mapping[str, Any]
    user: str | None = None
    timeout_s: float = 30.0
    cpus: str | None = None


@dataclass(frozen=True)
class LoggerSpec:
    """The logger: its program, what it adds, and the dilation of time if there is one."""

    path: str = "coalescope-logger"
    options: tuple[str, ...] = ()
    time_dilation: float | None = None


@dataclass(frozen=True)
class UploadSpec:
    """Where logs go as they come, and the file that holds the server's token."""

    server: str
    token_file: Path | None = None


@dataclass(frozen=True)
class Plan:
    """A whole plan, checked. Times are of the host's clock.

    Attributes:
        seed: None: drawn when the sweep begins.
        factors: every factor with its levels, in the order of the file.
        constants: levels that are the same in every cell (the only workload, for instance).
        idle_s: what is recorded without a workload before each block.
        excluded: cells that are left out, each given by some of their levels.
        document: the file's own content, from which `plan_hash` is computed.
    """

    path: Path
    experiment: str
    title: str | None
    kind: str
    interface: str
    replicates: int
    seed: int | None
    duration_s: float
    warmup_s: float
    settle_s: float
    interval_ms: int
    source: str
    pilot_s: float
    idle_s: float
    retries: int
    factors: Mapping[str, tuple[Level, ...]]
    constants: Levels
    excluded: tuple[Levels, ...]
    workloads: Mapping[str, WorkloadSpec]
    driver: DriverSpec | None
    peers: tuple[PeerSpec, ...]
    environment: Mapping[str, str]
    logger: LoggerSpec
    upload: UploadSpec | None
    document: Document

    @cached_property
    def plan_hash(self) -> str:
        """SHA-256 of what a run depends on, in hexadecimal: the plan without `RESUMABLE_KEYS`."""
        return hashlib.sha256(_canonical(essential(self.document))).hexdigest()

    def workload_of(self, levels: Levels) -> WorkloadSpec:
        """The workload of a cell."""
        return self.workloads[str(levels["workload"])]


def essential(document: Document) -> dict[str, Any]:
    """A plan's content without the keys that may change, flattened to key paths."""
    flat: dict[str, Any] = {}
    _flatten("", document, flat)
    return {
        key: value
        for key, value in flat.items()
        if not any(fnmatch.fnmatchcase(key, pattern) for pattern in RESUMABLE_KEYS)
    }


def differences(before: Document, now: Document) -> list[str]:
    """What is essential and differs between two plans, a line for each key."""
    old, new = essential(before), essential(now)
    lines = []
    for key in dict.fromkeys([*old, *new]):
        if key not in new:
            lines.append(f"{key} was {_text(old[key])}, now it is not there")
        elif key not in old:
            lines.append(f"{key} was not there, now it is {_text(new[key])}")
        elif _canonical(old[key]) != _canonical(new[key]):
            lines.append(f"{key} was {_text(old[key])}, now it is {_text(new[key])}")
    return lines


def _flatten(path: str, value: Any, flat: dict[str, Any]) -> None:
    if isinstance(value, Mapping):
        for name, below in value.items():
            _flatten(f"{path}.{name}" if path else name, below, flat)
    else:
        flat[path] = value


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
