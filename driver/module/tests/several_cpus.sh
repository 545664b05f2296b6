# SPDX-License-Identifier: GPL-2.0
# Two CPUs. Cards: e0 (e1000e), which sends, and e1 (igb, several queues).
set -e

name_cards() {
	for slot in 4 5; do
		card=$(basename $(ls -d /sys/bus/pci/devices/0000:00:0$slot.0/net/*))
		[ $card = e$((slot - 4)) ] || ip link set $card name e$((slot - 4))
	done
}
wait_for_carrier() { # COMMAND-PREFIX CARD
	tries=0
	while [ "$($1 cat /sys/class/net/$2/carrier)" != 1 ]; do
		sleep 0.1; tries=$((tries + 1)); [ $tries -lt 150 ]
	done
}
wait_for_reader() { # FILE that says it
	tries=0
	until grep -q read=1 $1; do sleep 0.1; tries=$((tries + 1)); [ $tries -lt 600 ]; done
}
stop() { kill "$@" 2>/dev/null || true; wait "$@" || true; }

name_cards
ip link set e0 up; ip link set e1 up
wait_for_carrier "" e0; wait_for_carrier "" e1

# ---- torn snapshots, under load: the mutant until some are seen, then the module, of which no fewer are read
echo "now: torn snapshots, under load: the mutant until some are seen, then the module, of which no fewer are read"
torn_under_load() { # SNAPSHOTS TORN MOST
	taskset 1 snapshots send e0 1000000000 1000 0 >/dev/null & load=$!
	sleep 0.3
	taskset 2 snapshots torn e1 $1 1004 1001 $2 $3
	stop $load
}
insmod /mutant.ko
torn_under_load 1 10 300000 >/out/torn-mutant
rmmod coalescope
read_of_mutant=$(sed -n 's/^snapshots=//p' /out/torn-mutant)
insmod /coalescope.ko
torn_under_load $((read_of_mutant > 15000 ? read_of_mutant : 15000)) 0 0 >/out/torn-coalescope

# ---- two interfaces, two readers of one
echo "now: two interfaces, two readers of one"
snapshots hold e0 1000 100 & a=$!
snapshots hold e1 1000 100 & b=$!
snapshots hold e1 1000 70 & c=$!
interfaces=/sys/class/misc/coalescope/interfaces tries=0
until grep -q '^e0 .*readers=1' $interfaces && grep -q '^e1 .*readers=2' $interfaces; do
	sleep 0.1; tries=$((tries + 1)); [ $tries -lt 600 ]
done
cat $interfaces >/out/interfaces
rmmod coalescope 2>/dev/null && touch /out/unloaded-in-use
snapshots show e0 >/out/before-two-e0; snapshots show e1 >/out/before-two-e1
snapshots send e0 1000 700 100; sleep 0.3
snapshots show e0 >/out/after-two-e0; snapshots show e1 >/out/after-two-e1
snapshots show e1 >/out/queues
stop $c

# ---- frames of many flows, which the card spreads over its queues
echo "now: frames of many flows, which the card spreads over its queues"
snapshots show e1 >/out/before-flows
FLOWS=64 snapshots send e0 3200 700 100; sleep 0.3
snapshots show e1 >/out/after-flows
grep e1 /proc/interrupts >/out/lines

# ---- a thread polls, on another CPU than the interrupt's
echo "now: a thread polls, on another CPU than the interrupt's"
echo 1 >/sys/class/net/e1/threaded
for thread in $(ps | sed -n 's/^ *\([0-9]*\) .*\[napi\/e1-.*/\1/p'); do taskset -p 2 $thread >/dev/null; done
for line in /proc/irq/*/e1-*; do echo 1 >$(dirname $line)/smp_affinity; done
snapshots send e0 100 700 100
snapshots show e1 >/out/before-thread
taskset 1 snapshots send e0 2000 700 300; sleep 0.3
snapshots show e1 >/out/after-thread
echo 0 >/sys/class/net/e1/threaded

# ---- a CPU goes and comes
echo "now: a CPU goes and comes"
snapshots torn e1 2000 1004 >/out/hotplug & torn=$!
for i in 1 2 3; do
	echo 0 >/sys/devices/system/cpu/cpu1/online; sleep 0.05
	echo 1 >/sys/devices/system/cpu/cpu1/online; sleep 0.05
done
wait $torn

# ---- into another namespace, and another name
echo "now: into another namespace, and another name"
ip netns add other
ip link set e1 netns other
ip netns exec other ip link set e1 name moved
ip netns exec other ip link set moved up
wait_for_carrier "ip netns exec other" moved
cat /sys/class/misc/coalescope/interfaces >/out/interfaces-moved
stat -L -c %i /run/netns/other >/out/inode
snapshots show e1 >/out/not-here || true
ip netns exec other snapshots show moved >/out/before-moved
snapshots send e0 500 700 100; sleep 0.3
ip netns exec other snapshots show moved >/out/after-moved
ip netns exec other ip link set moved down
ip netns exec other ip link set moved netns 1 name e1
ip link set e1 up; wait_for_carrier "" e1

# ---- the device is removed under traffic and a busy reader; attached again without reloading
echo "now: the device is removed under traffic and a busy reader; attached again without reloading"
snapshots send e0 1000000000 500 0 >/dev/null & load=$!
sleep 0.2
snapshots until-gone e1 >/tmp/gone & busy=$!
wait_for_reader /tmp/gone
echo 1 >/sys/bus/pci/devices/0000:00:05.0/remove
wait $busy
cp /tmp/gone /out/gone
cat /sys/class/misc/coalescope/interfaces >/out/interfaces-gone
stop $b
echo 1 >/sys/bus/pci/rescan; sleep 0.5
name_cards; ip link set e1 up; wait_for_carrier "" e1
snapshots torn e1 500 504 1 >/out/again

# ---- attach and detach under traffic; the driver goes and comes; unload
echo "now: attach and detach under traffic; the driver goes and comes; unload"
for i in 1 2 3 4 5 6 7 8; do snapshots show e1 >/dev/null; done
snapshots hold lo 1000 20 & quiet=$! # in the place where e1 was
until grep -q "^lo " $interfaces; do sleep 0.1; done
snapshots show lo >/out/quiet
stop $quiet
snapshots until-gone e1 >/tmp/driver-gone & busy=$!
wait_for_reader /tmp/driver-gone
modprobe -r igb
wait $busy
cp /tmp/driver-gone /out/driver-gone
modprobe igb; name_cards
stop $load $a
modprobe macvlan
ip link add upper link e0 type macvlan
snapshots show upper >/out/upper || true
rmmod coalescope
echo done >/out/end
