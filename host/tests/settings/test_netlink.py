# SPDX-License-Identifier: Apache-2.0
"""Sockets of netlink, also those that cannot be opened."""

import gc
import os
import subprocess
import warnings
from pathlib import Path

import pytest
from coalescope_host.settings.device import Device
from coalescope_host.settings.netlink import GenericNetlinkSocket, IPRoute


@pytest.mark.parametrize("kind", [IPRoute, GenericNetlinkSocket])
@pytest.mark.parametrize("place", ["absent", "file"], ids=str)
def test_a_socket_that_cannot_be_opened_leaves_nothing_open(
    kind: type, place: str, tmp_path: Path
) -> None:
    netns = tmp_path / place
    (tmp_path / "file").touch()
    gc.collect()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", ResourceWarning)
        with pytest.raises(OSError, match=r"netns|No such file"):
            kind(netns=str(netns), flags=0)
        gc.collect()
    assert [str(warning.message) for warning in said] == []


def test_a_namespace_made_anew_under_a_name_is_not_asked_over_a_socket_of_the_former() -> None:
    name = f"coalescope-anew-{os.getpid()}"
    for interface in ("veth1", "veth2"):
        subprocess.run(["ip", "netns", "add", name], check=True)
        try:
            made = ("add", interface, "type", "veth", "peer", "name", "other")
            subprocess.run(["ip", "-n", name, "link", *made], check=True)
            assert Device(interface, name).exists()
        finally:
            subprocess.run(["ip", "netns", "del", name], check=True)
