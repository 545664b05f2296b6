# SPDX-License-Identifier: Apache-2.0
"""What a log is told of the peers is what they tell, without what may name a host if asked so."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from coalescope_host.plan.plan import LoggerSpec, PeerSpec, Plan
from coalescope_host.plan.plan_file import plan_of
from coalescope_host.protocols import SweepError
from coalescope_host.run.surroundings import surroundings

TOLD = {"kernel_version": "7.2", "kernel_command_line": "root=/dev/secret", "preemption": "full"}


def plan(*options: str) -> Plan:
    document = {
        "experiment": "told",
        "interface": "eth1",
        "duration_s": 1.0,
        "idle_s": 0,
        "factors": {"mtu_bytes": [1500]},
        "workloads": {"ping": {"kind": "command", "command": ["ping"]}},
    }
    return replace(plan_of(Path("plan.toml"), document), logger=LoggerSpec(options=options))


def bench() -> Any:
    def lost() -> dict[str, str]:
        raise SweepError("it is gone")

    spec = PeerSpec("root@peer", "10.0.0.2")
    told = SimpleNamespace(spec=spec, environment=lambda: TOLD)
    silent = SimpleNamespace(spec=spec, environment=lost)
    return SimpleNamespace(
        peers=[told, silent, told], unreachable={2: "no route"}, failures=(SweepError,)
    )


def test_peers_that_tell_are_told_of(tmp_path: Path) -> None:
    path = surroundings(plan(), bench(), tmp_path, 1, print)
    assert json.loads(path.read_text()) == {"peers": [{"address": "10.0.0.2", **TOLD}]}


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        (("--redact", "host"), True),
        (("--redact=command,host",), True),
        (("--redact", "command"), False),
        ((), False),
    ],
)
def test_what_may_name_a_host(tmp_path: Path, options: tuple[str, ...], left_out: bool) -> None:
    told = json.loads(surroundings(plan(*options), bench(), tmp_path, 1, print).read_text())
    assert ("kernel_command_line" not in told["peers"][0]) is left_out
