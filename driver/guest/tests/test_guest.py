# SPDX-License-Identifier: Apache-2.0
"""The guest runner itself: what goes in, what comes out, and what it says when that fails."""

import re

import pytest
from guest.errors import GuestError
from guest.folders import alone
from guest.kernel import KERNELS, debian_kernel
from guest.machine import Guest

pytestmark = pytest.mark.guest


def test_files_go_in_and_out_and_cards_are_where_the_docstring_says(tmp_path):
    (tmp_path / "tool").write_text("#!/bin/sh\necho ran $1\n")
    (tmp_path / "tool").chmod(0o755)
    guest = Guest(
        nics=("e1000", "e1000e"),
        modules=("e1000e",),
        on_board=("e1000",),
        files={"/opt/tool": tmp_path / "tool", "/opt/text": "hello", "/opt/data": b"\0\xff"},
        command_line="WHO=world",
    )
    result = guest.run(
        """
        uname -r >/out/kernel
        /opt/tool "$WHO" >/out/said
        cat /opt/text /opt/data >/out/both
        modprobe e1000
        cat /sys/bus/pci/devices/0000:00:0[45].0/net/*/address >/out/cards
        python3 -c 'print(6 * 7)' >/out/python
        """,
        tmp_path / "out",
    )
    assert result.exit_status == 0
    assert result.kernel_trouble() == []
    assert result.text("kernel").startswith("6.1.")
    assert result.text("said") == "ran world\n"
    assert (result.output / "both").read_bytes() == b"hello\0\xff"
    assert result.text("cards").split() == ["52:54:00:00:00:01", "52:54:00:00:00:02"]
    assert result.text("python") == "42\n"


def test_a_fault_in_the_kernel_and_a_failing_script_are_errors(tmp_path):
    with pytest.raises(GuestError) as error:
        Guest().run("echo '<4>WARNING: made up' >/dev/kmsg; echo last words; exit 3", tmp_path)
    of_the_kernel, of_the_script = str(error.value).split("The guest's script ended with")
    assert "WARNING: made up" in of_the_kernel
    assert re.match(r" status 3\.(.|\n)*last words", of_the_script)


def test_what_a_guest_wrote_before_it_died_is_kept(tmp_path):
    with pytest.raises(GuestError, match="died before its script ended"):
        Guest().run("echo first >/out/kept; echo c >/proc/sysrq-trigger", tmp_path)
    assert (tmp_path / "kept").read_text() == "first\n"


CARDS = {"e1000e": "e1000e", "igb": "igb", "virtio-net-pci": "virtio_net", "vmxnet3": "vmxnet3"}


@pytest.mark.parametrize("version", KERNELS)
def test_each_kernel_boots_with_each_card(version, tmp_path):
    with alone():
        kernel = debian_kernel(version)
    assert kernel.abi.startswith(f"{version}.")
    guest = Guest(
        nics=tuple(CARDS),
        modules=tuple(CARDS.values()),
        on_board=("8021q", "bridge", "macvlan", "bonding", "pktgen", "veth"),
        kernel=kernel,
    )
    result = guest.run(
        """
        uname -r >/out/kernel
        for slot in 4 5 6 7; do
            device=/sys/bus/pci/devices/0000:00:0$slot.0
            card=$(basename $(ls -d $device/net/* $device/virtio*/net/* 2>/dev/null))
            ip link set $card up && ethtool -i $card | sed -n 's/^driver: //p'
        done >/out/drivers
        for module in 8021q bridge macvlan bonding pktgen veth; do modprobe $module || exit 1; done
        """,
        tmp_path,
    )
    assert result.text("kernel").strip() == kernel.abi
    assert result.text("drivers").split() == list(CARDS.values())
