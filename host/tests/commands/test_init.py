# SPDX-License-Identifier: Apache-2.0
"""The plan that init writes: what it offers can be used by taking away the comment sign."""

import tomllib
from argparse import Namespace
from pathlib import Path
from typing import Any

from coalescope_host.commands import init
from coalescope_host.commands.init import _plan
from coalescope_host.plan.factors import rule_of

SETTINGS = {"mtu_bytes": 1500, "rps_cpus[0]": "0", "rps_cpus[1]": "0-1", "irqbalance[0]": True}


class Bare:
    """A host that says nothing of its interface."""

    def facts(self) -> dict[str, Any]:
        return {}


def test_what_it_offers_names_factors(monkeypatch):
    monkeypatch.setattr("coalescope_host.commands.init._can", lambda *_: False)
    lines = list(_plan("eth1", Bare(), SETTINGS, [], []))
    first = next(n for n, line in enumerate(lines) if line.startswith("# What can be varied"))
    offered = lines[first + 1 : lines.index("", first)]
    found = tomllib.loads("\n".join(line.removeprefix("# ") for line in offered))
    assert found == {"mtu_bytes": [1500], "rps_cpus": ["0"], "irqbalance": [True]}
    assert not [name for name in found if isinstance(rule_of(name), str)]


def test_it_says_what_a_sweep_would_refuse_of_the_way_to_the_peer(
    monkeypatch, capsys, tmp_path: Path
) -> None:
    def refusals(interface: str, netns: str | None = None, peers: Any = ()) -> list[str]:
        return [f"ssh to {peer.ssh} goes through {interface}" for peer in peers]

    monkeypatch.setattr("coalescope_host.settings.safety.refusals", refusals)
    monkeypatch.setattr(init, "peer_on", lambda *_: {"ssh": "root@far", "address": "10.0.0.2"})
    typed = {"interface": "lo", "peer": ["root@far"], "ssh_options": "", "force": False}
    init.run(Namespace(**typed, out=tmp_path / "plan.toml", json=False))
    assert "Note: ssh to root@far goes through lo: a sweep of it is refused." in (
        capsys.readouterr().err
    )
    assert "# Refused as it is: ssh to root@far goes" in (tmp_path / "plan.toml").read_text()
