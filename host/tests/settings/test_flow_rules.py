# SPDX-License-Identifier: Apache-2.0
"""A card's flow steering rules are not put back: what would delete them is refused beforehand.

No interface of a namespace has any, nor does a card of QEMU's (its igb is an 82576, for which the
driver takes none), so its answers are replaced: the ioctl's, and its features'.
"""

import errno
import struct
from typing import Any

import pytest
from coalescope_host.plan.plan import DriverSpec
from coalescope_host.settings import channels, offloads, rss
from coalescope_host.settings.channels import CHANNELS
from coalescope_host.settings.device import Device
from coalescope_host.settings.driver import Driver
from coalescope_host.settings.ethtool_group import EthtoolGroup
from coalescope_host.settings.flow_rules import rule_count, rule_queues
from coalescope_host.settings.group import Group
from coalescope_host.settings.offloads import OffloadGroup
from coalescope_host.settings.rss import RssGroup
from coalescope_host.settings.rss_table import Rss

COUNT_AT = 184
"""Where the number is in the 192 bytes of struct ethtool_rxnfc."""
COOKIE_AT, LOCATION_AT, LOCATIONS_AT = 168, 176, 188
"""And where a rule's queue and number are, and the numbers of all (linux/ethtool.h)."""


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Interfaces that can steer flows, with `count` rules; None: their driver knows of none."""
    card: dict[str, Any] = {"count": 3, "on": True}

    def ioctl(_: Device, content: bytes) -> bytes:
        if struct.unpack_from("=I", content) != (0x2E,) or card["count"] is None:
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")
        answer = bytearray(content)
        assert len(answer) == 192
        struct.pack_into("=I", answer, COUNT_AT, card["count"])
        return bytes(answer)

    def bits(_: Any, which: str) -> dict[str, bool]:
        if which == "NOCHANGE":
            return {}
        active = {"rx-ntuple-filter": True} if card["on"] else {}
        return {"rx-ntuple-filter": True, "rx-gro": True} if which == "HW" else active

    monkeypatch.setattr(Device, "ethtool_ioctl", ioctl)
    monkeypatch.setattr(offloads, "_bits", bits)
    monkeypatch.setattr(OffloadGroup, "_answer", lambda *_: None)
    return card


@pytest.mark.parametrize("setting", ["offload.ntuple", "offload.rx-ntuple-filter"])
def test_steering_that_has_rules_is_not_switched(rules: dict[str, Any], setting: str) -> None:
    def problem(level: bool) -> str | None:
        return OffloadGroup().problem(Device("eth1", "lab"), setting, level)

    assert problem(True) is None, "it is on"
    assert problem(False) == (
        f"switching {setting} can delete 3 flow steering rules of eth1 (namespace lab) "
        "(`ip netns exec lab ethtool -n eth1`), and could not put back what is deleted: note "
        "them, delete each with `ip netns exec lab ethtool -N eth1 delete N`, and add them again "
        "afterwards"
    )
    rules["on"] = False
    assert "3 flow steering rules" in (problem(True) or ""), "it is off again at the end"
    assert problem(False) is None
    rules.update(on=True, count=1)
    assert "can delete 1 flow steering rule of" in (problem(False) or "")
    for none in (0, None):
        rules["count"] = none
        assert problem(False) is None


def test_other_features_have_nothing_to_do_with_rules(rules: dict[str, Any]) -> None:
    assert rules["count"]
    assert OffloadGroup().problem(Device("eth1"), "offload.gro", True) is None


@pytest.mark.network
def test_the_dry_run_tells_it(rules: dict[str, Any], namespace: Any) -> None:
    (problem,) = namespace.host().problems({"offload.ntuple": False})
    assert problem.startswith(f"veth0 (namespace {namespace.name}): offload.ntuple = false: ")
    assert "can delete 3 flow steering rules" in problem
    rules["count"] = 0
    assert namespace.host().problems({"offload.ntuple": False}) == []


@pytest.mark.network
def test_a_driver_whose_card_has_rules_is_not_loaded_anew(
    rules: dict[str, Any], namespace: Any
) -> None:
    driver = Driver(DriverSpec("igb"), namespace.host().device)
    (lost,) = driver._lost()
    assert lost.startswith("reloading igb can delete 3 flow steering rules of veth0 (namespace ")
    rules["count"] = 0
    assert driver._lost() == []


@pytest.mark.network
@pytest.mark.parametrize(
    ("group", "setting", "level"), [(CHANNELS, "queues_rx", 2), (RssGroup(), "rss_queues", 1)]
)
def test_queues_of_a_driver_that_deletes_rules_with_them(
    rules: dict[str, Any],
    namespace: Any,
    monkeypatch: pytest.MonkeyPatch,
    group: Group,
    setting: str,
    level: int,
) -> None:
    device = namespace.host().device
    monkeypatch.setattr(rss, "read_rss", lambda _: Rss((0, 1) * 64, b"", 1, 0))
    now = int(group.read(device)[setting])
    assert group.problem(device, setting, level) is None, "a driver that keeps them"
    monkeypatch.setattr(Device, "sysfs_link", lambda *_: "bnxt_en")
    lost = group.problem(device, setting, level)
    assert lost is not None
    assert lost.startswith(f"changing {setting} can delete 3 flow steering rules of veth0")
    assert group.problem(device, setting, now) is None, "no change"
    rules["count"] = 0
    assert group.problem(device, setting, level) is None


@pytest.mark.network
def test_an_interface_whose_driver_knows_of_no_rules(namespace: Any) -> None:
    assert rule_count(namespace.host().device) == 0
    assert rule_count(Device("eth77", namespace.name)) == 0


DROPPED, WAKING, OF_A_VIRTUAL_FUNCTION = (1 << 64) - 1, (1 << 64) - 2, (3 << 32) | 7


@pytest.fixture
def led(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """A card of four queues and what its rules lead to, by their numbers."""
    card = {900: 0, 3: 2, 7: DROPPED, 8: WAKING, 9: OF_A_VIRTUAL_FUNCTION}

    def ioctl(_: Device, content: bytes) -> bytes:
        answer = bytearray(content)
        (command,) = struct.unpack_from("=I", content)
        if command == 0x2E:
            struct.pack_into("=I", answer, COUNT_AT, len(card))
        elif command == 0x30:
            (room,) = struct.unpack_from("=I", content, COUNT_AT)
            assert room >= len(card)
            struct.pack_into("=I", answer, COUNT_AT, len(card))
            struct.pack_into(f"={len(card)}I", answer, LOCATIONS_AT, *card)
        else:
            assert command == 0x2F
            (location,) = struct.unpack_from("=I", content, LOCATION_AT)
            struct.pack_into("=Q", answer, COOKIE_AT, card[location])
        return bytes(answer)

    monkeypatch.setattr(Device, "ethtool_ioctl", ioctl)
    monkeypatch.setattr(channels, "read_rss", lambda _: None)
    monkeypatch.setattr(channels, "receive_rings", lambda _: 4)
    monkeypatch.setattr(type(CHANNELS), "read", lambda *_: {"queues": 4})
    monkeypatch.setattr(EthtoolGroup, "problem", lambda *_: None)
    return card


def test_the_queues_that_rules_lead_to(led: dict[int, int]) -> None:
    device = Device("eth1", "lab")
    assert rule_queues(device) == {900: 0, 3: 2}
    led.clear()
    assert rule_queues(device) == {}


def test_queues_that_a_rule_leads_to_are_not_taken_away(led: dict[int, int]) -> None:
    def problem(queues: int, **cell: int) -> str | None:
        return CHANNELS.problem(Device("eth1", "lab"), "queues", queues, cell)

    assert problem(3) is None
    in_lab = "ip netns exec lab ethtool"
    assert (
        problem(2)
        == problem(1, rss_queues=1)
        == (
            f"its flow steering rule 3 leads to queue 2 (`{in_lab} -n eth1`): note it, delete it "
            f"first, `{in_lab} -N eth1 delete 3`, and add it again afterwards"
        )
    )
    led[3] = 0
    assert problem(1) is None
    led[5] = 1
    assert "rule 5 leads to queue 1" in (problem(1) or "")


def test_rules_that_the_driver_does_not_tell(
    led: dict[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = Device.ethtool_ioctl

    def counted_only(device: Device, content: bytes) -> bytes:
        if content[0] != 0x2E:
            raise OSError(errno.EOPNOTSUPP, "Operation not supported")
        return answers(device, content)

    monkeypatch.setattr(Device, "ethtool_ioctl", counted_only)
    assert rule_count(Device("eth1")) == len(led)
    assert rule_queues(Device("eth1")) == {}
