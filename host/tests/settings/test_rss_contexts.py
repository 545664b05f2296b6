# SPDX-License-Identifier: Apache-2.0
"""A card's additional RSS contexts are not put back: what would delete them is refused beforehand.

No interface of a namespace has any, so the kernel's list is replaced.
"""

import struct
from typing import Any

import pytest
from coalescope_host.plan.plan import DriverSpec
from coalescope_host.settings.device import Device
from coalescope_host.settings.driver import Driver
from coalescope_host.settings.errors import UnsupportedError
from coalescope_host.settings.ethtool_messages import RSS_GET, RssMessage
from coalescope_host.settings.flow_rules import lost_with_queues
from coalescope_host.settings.rss_contexts import context_count, held_by_contexts


def table_of(number: int | None) -> bytes:
    """Context 1 leads to queues 0 and 1, 2 to these and 2; the card's own to 8."""
    last = 8 if number is None else number
    return struct.pack("=4I", 0, last, 0, last)


@pytest.fixture
def contexts(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """The numbers that the kernel lists; the card's own table has none."""
    numbers: list[int | None] = [None, 1, 2]

    def answers(_: Device, message: Any, command: int, what: str) -> list[Any]:
        assert (message, command, what) == (RssMessage, RSS_GET, "its RSS contexts")
        said = []
        for number in numbers:
            answer = RssMessage()
            answer["attrs"] = [("ETHTOOL_A_RSS_HFUNC", 1)]
            if number is not None:
                answer["attrs"].append(("ETHTOOL_A_RSS_CONTEXT", number))
            answer["attrs"].append(("ETHTOOL_A_RSS_INDIR", table_of(number)))
            said.append(answer)
        return said

    monkeypatch.setattr(Device, "ethtool_list", answers)
    return numbers


@pytest.mark.network
def test_a_driver_whose_card_has_contexts_is_not_loaded_anew(
    contexts: list[int | None], namespace: Any
) -> None:
    driver = Driver(DriverSpec("igb"), namespace.host().device)
    inside = f"ip netns exec {namespace.name}"
    assert driver._lost() == [
        f"reloading igb can delete 2 additional RSS contexts of veth0 (namespace {namespace.name}) "
        f"(`{inside} ethtool -x veth0 context N`), and could not put back what is deleted: note "
        f"them, delete each with `{inside} ethtool -X veth0 context N delete`, and add them again "
        "afterwards"
    ]
    del contexts[2]
    assert "can delete 1 additional RSS context of" in driver._lost()[0]
    del contexts[1]
    assert driver._lost() == []


def test_queues_of_a_driver_that_deletes_contexts_with_them(
    contexts: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which settings ask for it: test_flow_rules.py."""
    device = Device("eth1")
    monkeypatch.setattr(Device, "sysfs_link", lambda *_: "igb")
    assert lost_with_queues(device, "queues", 2, 4) is None, "a driver that keeps them"
    monkeypatch.setattr(Device, "sysfs_link", lambda *_: "bnxt_en")
    lost = lost_with_queues(device, "queues", 2, 4)
    assert lost is not None
    assert lost.startswith("changing queues can delete 2 additional RSS contexts of eth1 (")
    assert lost_with_queues(device, "queues", 4, 4) is None, "no change"
    del contexts[1:]
    assert lost_with_queues(device, "queues", 2, 4) is None


def test_queues_that_a_context_leads_to_are_not_taken_away(contexts: list[int | None]) -> None:
    device = Device("eth1")
    assert held_by_contexts(device, 3) is None
    assert held_by_contexts(device, 2) == (
        "its RSS context 2 leads to queue 2 (`ethtool -x eth1 context 2`): note it, delete it "
        "first, `ethtool -X eth1 context 2 delete`, and add it again afterwards"
    )
    del contexts[2]
    assert held_by_contexts(device, 2) is None
    assert "RSS context 1 leads to queue 1" in (held_by_contexts(device, 1) or "")
    del contexts[1]
    assert held_by_contexts(device, 1) is None


@pytest.mark.network
def test_an_interface_without_contexts(namespace: Any) -> None:
    assert context_count(namespace.host().device) == 0
    assert context_count(Device("eth77", namespace.name)) == 0


def test_a_kernel_that_lists_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any) -> None:
        raise UnsupportedError("eth1: its RSS contexts: Operation not supported")

    monkeypatch.setattr(Device, "ethtool_list", refused)
    assert context_count(Device("eth1")) == 0
    assert held_by_contexts(Device("eth1"), 0) is None
