# SPDX-License-Identifier: Apache-2.0
# Sourced: `record CARD NEAR FAR` has module and eBPF record the same frames from the card in PCI slot FAR to that in NEAR.
set -e
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
insmod /coalescope.ko

card() { # PCI slot
	device=/sys/bus/pci/devices/0000:00:$1.0
	basename $(find -L $device/ -maxdepth 3 -path '*/net/*' | head -1)
}
connect() { # NEAR FAR
	near=$(card $1) far=$(card $2)
	ip netns add far
	ip link set $far netns far
	ip -n far link set $far up
	ip -n far address add 10.0.0.2/24 dev $far
	ip -n far neigh replace 10.0.0.1 lladdr $(cat /sys/class/net/$near/address) dev $far nud permanent
	ethtool -L $near combined 2 2>/dev/null || true # of those that have as many
	ip link set $near up
	ip address add 10.0.0.1/24 dev $near
	ip route add blackhole 10.0.0.2/32 # nothing is answered
	sleep 4
}
disconnect() {
	ip route del blackhole 10.0.0.2/32
	ip address flush dev $near
	ip link set $near down
	ip -n far link set $far down
	ip netns del far
}
# Each recorder starts the next one: all are at it before the last command runs, and until it has ended.
both() { # NAME LOGGER WHAT...
	name=$1 logger=$2; shift 2
	options="-i $near -t 20ms --force"
	/logger $options -o /tmp/$name.module.runlog --source module -- \
		$logger $options -o /tmp/$name.ebpf.runlog --source ebpf -- "$@" 2>/tmp/$name.said
	cp /tmp/$name.* /out
}
in_silence() { # NAME LOGGER
	both $1 $2 sh -c "ip netns exec far python3 /traffic.py $FRAMES >/tmp/$1.quiet"
}
under_traffic() { # NAME LOGGER
	rm -f /tmp/enough
	received=/sys/class/net/$near/statistics/rx_packets
	before=$(cat $received)
	ip netns exec far python3 /traffic.py $FRAMES /tmp/enough >/tmp/$1.quiet & traffic=$!
	until [ $(cat $received) -gt $((before + 20)) ]; do sleep 0.05; done
	both $1 $2 sh -c "sleep 0.3; touch /tmp/enough; while kill -0 $traffic 2>/dev/null; do sleep 0.05; done"
	wait $traffic
}
record() { # CARD NEAR FAR
	connect $2 $3
	in_silence $1-silence /logger
	under_traffic $1-traffic /logger
	[ $1 != $MUTANT_ON ] || in_silence mutant /mutant
	disconnect
}
