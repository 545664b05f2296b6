# SPDX-License-Identifier: Apache-2.0
"""Frames with a VLAN tag, which a card keeps beside the frame or leaves in it: the tag counts."""

from pathlib import Path

import pytest
from coalescope_host.run_log import read
from guest.folders import alone
from guest.kernel import debian_kernel
from guest.machine import Guest
from guest.programs import SNAPSHOT_MODULE, build_programs
from guest.versions import VERSIONS

pytestmark = pytest.mark.guest

HERE = Path(__file__).parent
FRAMES, FRAME_BYTES = 60, 1000 + 8 + 20 + 14 + 4 + 4
SCRIPT = f"""
FRAMES={FRAMES}
. /cards.sh
modprobe 8021q
near=$(card 04) far=$(card 05)
ip netns add far
ip link set $far netns far
tagged() {{ # ADDRESS CARD IP...
	address=$1 card=$2; shift 2
	"$@" link set $card up
	"$@" link add link $card name tagged0 type vlan id 7
	"$@" link set tagged0 up
	"$@" address add $address/24 dev tagged0
}}
tagged 10.0.0.1 $near ip
tagged 10.0.0.2 $far ip -n far
mac=$(cat /sys/class/net/$near/address)
ip -n far neigh replace 10.0.0.1 lladdr $mac dev tagged0 nud permanent
ip route add blackhole 10.0.0.2/32 # nothing is answered
for state in on off; do
	ethtool -K $near rxvlan $state
	sleep 4
	ethtool -k $near >/out/$state.offloads
	in_silence $state /logger
done
"""


@pytest.fixture(scope="module", params=VERSIONS)
def run(request, tmp_path_factory):
    with alone():
        kernel = debian_kernel(request.param)
        programs = build_programs(kernel)
    guest = Guest(
        kernel=kernel,
        nics=("e1000e", "e1000e"),
        modules=("e1000e",),
        on_board=("8021q",),
        files={
            "/logger": programs["/usr/local/bin/coalescope-logger"],
            SNAPSHOT_MODULE: programs[SNAPSHOT_MODULE],
            "/cards.sh": HERE / "cards.sh",
            "/traffic.py": HERE / "traffic.py",
        },
    )
    return guest.run(SCRIPT, tmp_path_factory.mktemp("vlan"), timeout_s=600)


@pytest.mark.parametrize("source", ["module", "ebpf"])
@pytest.mark.parametrize("beside", ["on", "off"])
def test_a_tag_counts_wherever_it_is(run, beside, source):
    assert f"rx-vlan-offload: {beside}" in run.text(f"{beside}.offloads")
    stream = read(run.output / f"{beside}.{source}.runlog").streams[0]
    packets, octets = (stream.column(name) for name in ("rx_packets", "rx_bytes"))
    assert packets[-1] - packets[0] == FRAMES
    assert octets[-1] - octets[0] == FRAMES * FRAME_BYTES
