# SPDX-License-Identifier: Apache-2.0
# The logger records what the far card sends to the near one; what the kernel itself says stands beside each log.
set -e
sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
card() { # PCI slot
	basename $(find -L /sys/bus/pci/devices/0000:00:$1.0/ -maxdepth 3 -path '*/net/*' | head -1)
}
near=$(card 04) far=$(card 05)
ip netns add far
ip link set $far netns far
ip -n far address add 10.0.0.2/24 dev $far
ip -n far link set $far up
ip address add 10.0.0.1/24 dev $near
ip link set $near up
ip neigh replace 10.0.0.2 lladdr $(ip netns exec far cat /sys/class/net/$far/address) dev $near nud permanent
ip -n far neigh replace 10.0.0.1 lladdr $(cat /sys/class/net/$near/address) dev $far nud permanent
sleep 2
cat >/tmp/traffic <<TRAFFIC
said() { # WHEN
	cp /proc/interrupts /tmp/said/\$1.interrupts
	(cd /sys/class/net/$near/statistics && grep . [rt]x_packets [rt]x_bytes) >/tmp/said/\$1.statistics
}
sleep 1
said before
ip netns exec far ping -q -c $PINGS -i 0.01 -s $PING_BYTES 10.0.0.1 >/dev/null
sleep 1
said after
TRAFFIC
for source in ebpf proc; do
	mkdir -p /tmp/said
	/logger -q -i $near -t 50ms --source $source -o /tmp/said/runlog -- sh /tmp/traffic
	mv /tmp/said /out/$source
done
