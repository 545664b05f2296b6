# SPDX-License-Identifier: Apache-2.0
# For scripts in a testbed guest: `. /lib/testbed.sh`. DILATION is in the environment.

# The far end of the cable gets the first card, and the snapshot module is there.
open_wire() {
	echo wire >/sys/bus/pci/devices/0000:00:04.0/driver_override
	insmod /wire.ko
	insmod /coalescope.ko
	# Else polling stops after 8 ms of the guest, 0.6 ms of what it stands for.
	sysctl -qw net.core.netdev_budget_usecs=1000000
}

# load_card TICKS MTU: the card under test with the parameters of plan.toml. TICKS is RxAbsIntDelay, not yet dilated.
load_card() {
	rmmod e1000e 2>/dev/null || true
	modprobe e1000e IntMode=0 InterruptThrottleRate=0 RxIntDelay="$(dilated 1200)" RxAbsIntDelay="$(dilated "$1")" \
		TxIntDelay=65535 TxAbsIntDelay=65535
	ethtool -K eth0 gro off
	ip link set eth0 mtu "$2"
	ip address add 10.9.0.2/24 dev eth0
	ip link set eth0 up
	wait_for_link
}

wait_for_link() {
	tries=0
	while [ "$(cat /sys/class/net/eth0/carrier)" != 1 ]; do
		tries=$((tries + 1))
		[ $tries -lt 100 ] || { echo "eth0 got no link" >&2; return 1; }
		sleep 0.1
	done
}

dilated() { awk "BEGIN { printf \"%.0f\", $1 * $DILATION }"; }
