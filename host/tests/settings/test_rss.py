# SPDX-License-Identifier: Apache-2.0
"""The table of RSS, put back on a card that fills its own in blocks, as igb does."""

import pytest
from coalescope_host.settings import rss
from coalescope_host.settings.channels import CHANNELS
from coalescope_host.settings.device import Device
from coalescope_host.settings.rss import RSS
from coalescope_host.settings.rss_table import Rss

IN_TURN, IN_BLOCKS = "0,1,0,1", "0,0,1,1"


class Card:
    """A table of four entries over two queues; `asked`: by somebody, as the kernel remembers."""

    def __init__(self, table: str, *, asked: bool = False) -> None:
        self.table, self.asked, self.renewed = table, asked, 0

    def read(self, _: Device) -> Rss:
        return Rss(tuple(map(int, self.table.split(","))), b"", 1, 0)

    def write(self, _: Device, __: Rss, table: tuple[int, ...] | None, *___: object) -> None:
        if table is not None:
            self.table, self.asked = ",".join(map(str, table)) or IN_TURN, bool(table)

    def renew(self, _: Device) -> None:
        self.table, self.renewed = IN_BLOCKS, self.renewed + 1


def card(monkeypatch: pytest.MonkeyPatch, table: str, *, asked: bool = False) -> Card:
    made = Card(table, asked=asked)
    monkeypatch.setattr(rss, "read_rss", made.read)
    monkeypatch.setattr(rss, "write_rss", made.write)
    monkeypatch.setattr(type(CHANNELS), "receiving", lambda *_: 2)
    monkeypatch.setattr(type(CHANNELS), "read", lambda *_: {"queues": 2})
    monkeypatch.setattr(type(CHANNELS), "renew", lambda _, device: made.renew(device))
    return made


@pytest.mark.parametrize(
    ("table", "asked"), [(IN_TURN, False), ("0,1,1,1", True), ("1,0,1,0", True)]
)
def test_only_the_kernels_default_is_asked_for_as_nobodys(
    monkeypatch: pytest.MonkeyPatch, table: str, asked: bool
) -> None:
    one = card(monkeypatch, IN_BLOCKS)
    RSS.write(Device("eth1"), {"rss_table": table})
    assert (one.table, one.asked) == (table, asked)


def test_the_queues_are_not_set_up_anew_for_somebodys_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The link of such a card goes down for it."""
    saved = {"rss_table": "0,1,1,1", "rss_default": False}
    one = card(monkeypatch, "0,0,0,0", asked=True)
    RSS.make_way(Device("eth1"), saved, {"queues": 2})
    assert (one.renewed, one.table) == (0, "0,0,0,0")


def test_they_are_for_a_table_that_only_the_driver_fills_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = card(monkeypatch, "0,0,0,0", asked=True)
    RSS.make_way(Device("eth1"), {"rss_table": IN_BLOCKS, "rss_default": True}, {"queues": 2})
    assert (one.renewed, one.table) == (1, IN_BLOCKS)
