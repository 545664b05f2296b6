# SPDX-License-Identifier: Apache-2.0
"""Interfaces whose frames enter the stack as another's, in a guest that has one: eBPF, module."""

import pytest
from coalescope_host.run_log import read
from guest.folders import alone
from guest.kernel import debian_kernel
from guest.machine import Guest
from guest.programs import SNAPSHOT_MODULE, build_programs
from guest.versions import VERSIONS

pytestmark = pytest.mark.guest

SCRIPT = """
for near in $(ls /sys/class/net); do
	! ethtool -i $near 2>/dev/null | grep -q 'driver: net_failover' || failover=$near
	! ethtool -i $near 2>/dev/null | grep -q 'driver: virtio_net' || below=$near
done
ip link set $failover up
record() { # NAME, options
	name=$1; shift
	set -- -o /tmp/$name.runlog -d 50ms -t 10ms --force "$@"
	/logger -i ${interface:-$failover} "$@" 2>/out/$name.said
	echo "status $?" >>/out/$name.said
	[ ! -e /tmp/$name.runlog ] || cp /tmp/$name.runlog /out
}
record asked --source ebpf
record auto
insmod /coalescope.ko
record module --source module
interface=$below record below --source module
"""


@pytest.fixture(scope="module", params=VERSIONS)
def left(request, tmp_path_factory):
    with alone():
        kernel = debian_kernel(request.param)
        programs = build_programs(kernel)
    logger = programs["/usr/local/bin/coalescope-logger"]
    guest = Guest(
        kernel=kernel,
        nics=("virtio-net-pci,failover=on",),
        modules=("virtio_net",),
        files={"/logger": logger, SNAPSHOT_MODULE: programs[SNAPSHOT_MODULE]},
    )
    return guest.run(SCRIPT, tmp_path_factory.mktemp("failover"), timeout_s=300)


@pytest.mark.fault("I7")
def test_it_is_refused_with_advice(left):
    said = left.text("asked.said")
    assert "receives through a virtual function" in said
    assert "record the function's own interface" in said
    assert said.endswith("status 1\n")
    assert not (left.output / "asked.runlog").exists()


@pytest.mark.fault("I7")
def test_by_itself_the_logger_counts_elsewhere_and_says_why(left):
    assert "not from ebpf: this interface receives through a virtual" in left.text("auto.said")
    log = read(left.output / "auto.runlog")
    assert log.header["environment"]["counter_source"] == "proc"
    assert "virtual function" in log.header["environment"]["counter_sources_refused"]["ebpf"]


@pytest.mark.fault("I7")
def test_the_module_refuses_it_with_advice(left):
    said = left.text("module.said")
    assert "this interface receives through another one below it" in said
    assert "virtual function): record that one" in said
    assert said.endswith("status 1\n")
    assert not (left.output / "module.runlog").exists()


def test_the_module_takes_the_interface_below(left):
    assert left.text("below.said").endswith("status 0\n")
    log = read(left.output / "below.runlog")
    assert log.header["environment"]["counter_source"] == "module"
