# SPDX-License-Identifier: GPL-2.0
# One CPU whose clock counts instructions. Cards: e0 e1 (e1000e), e2 e3 e4 (e1000); e4 shares its line with e0.
set -e

# each card by its PCI slot; names that udev would not give and the kernel does not either
name_cards() {
	for slot in 4 5 6 7 8; do
		card=$(basename $(ls -d /sys/bus/pci/devices/0000:00:0$slot.0/net/*))
		[ $card = e$((slot - 4)) ] || ip link set $card name e$((slot - 4))
	done
}
up() { # MTU CARD...
	mtu=$1; shift
	for card in "$@"; do ip link set $card mtu $mtu up; done
	for card in "$@"; do
		tries=0
		while [ "$(cat /sys/class/net/$card/carrier)" != 1 ]; do
			sleep 0.1; tries=$((tries + 1)); [ $tries -lt 100 ]
		done
	done
	sleep 1.2 # the emulated e1000 receives nothing for a second after it is set up
}
watch() { # CARD...: a reader each, so that counts stand from one `show` to the next
	for card in "$@"; do snapshots hold $card 100000 10000 & watchers="$watchers $!"; done
	for card in "$@"; do until grep -q "^$card " /sys/class/misc/coalescope/interfaces; do sleep 0.1; done; done
}
unwatch() { kill $watchers; wait $watchers || true; watchers=; }
pktgen() { # CARD FRAMES BYTES GAP_NS
	echo "rem_device_all" >/proc/net/pktgen/kpktgend_0
	echo "add_device $1" >/proc/net/pktgen/kpktgend_0
	for setting in "count $2" "pkt_size $3" "delay $4" "dst_mac 52:54:00:00:00:02" "clone_skb 0"; do
		echo "$setting" >/proc/net/pktgen/$1
	done
	echo start >/proc/net/pktgen/pgctrl
	sleep 0.05
}
send() { snapshots send "$@"; sleep 0.02; }

name_cards
insmod /coalescope.ko
modprobe pktgen

# ---- frames of known number and size
watch e0 e1
up 9000 e0 e1
for bytes in 42 60 61 1514 9014; do
	snapshots show e1 >/out/before-$bytes-rx; snapshots show e0 >/out/before-$bytes-tx
	send e0 500 $bytes 50
	snapshots show e1 >/out/after-$bytes-rx; snapshots show e0 >/out/after-$bytes-tx
done

head -1 /proc/stat >/out/stat-before
snapshots show e1 >/out/stat
head -1 /proc/stat >/out/stat-after

# ---- TCP both with the card's segmentation and merged receive, at two MTUs; a namespace for each end
ip netns add near; ip netns add far
ip link set e0 netns near; ip link set e1 netns far
for mtu in 1500 9000; do
	ip netns exec near ip addr flush dev e0; ip netns exec far ip addr flush dev e1
	ip netns exec near ip addr add 10.9.0.1/24 dev e0; ip netns exec far ip addr add 10.9.0.2/24 dev e1
	ip netns exec near ip link set e0 mtu $mtu up; ip netns exec far ip link set e1 mtu $mtu up
	until ip netns exec near ping -c 1 -W 1 10.9.0.2 >/dev/null; do sleep 0.2; done
	ip netns exec far python3 /transfer.py receive >/out/tcp-$mtu-received &
	receiver=$!
	sleep 0.3
	for state in before after; do
		for end in near:e0 far:e1; do
			ip netns exec ${end%:*} snapshots show ${end#*:} >/out/$state-tcp-$mtu-${end#*:}
			ip netns exec ${end%:*} ethtool -S ${end#*:} | sed 's/^ *//; s/: /=/' >/out/$state-tcp-$mtu-${end#*:}-card
		done
		[ $state = after ] || ip netns exec near python3 /transfer.py send >/out/tcp-$mtu-sent
		[ $state = after ] || { wait $receiver; sleep 0.3; }
	done
done
ip netns exec near ethtool -k e0 >/out/offloads-near; ip netns exec far ethtool -k e1 >/out/offloads-far
ip netns exec near ip link set e0 netns 1; ip netns exec far ip link set e1 netns 1
unwatch

# ---- receive interrupts by the card's absolute delay: one frame each 1000 us
for delay in 0 1500 2500 4500 9500; do
	modprobe -r e1000e
	modprobe e1000e IntMode=0,0 InterruptThrottleRate=0,0 RxIntDelay=0,$((delay ? 60000 : 0)) RxAbsIntDelay=0,$((delay * 1000 / 1024))
	name_cards
	up 1500 e0 e1
	watch e1
	pktgen e0 50 1000 1000000
	snapshots show e1 >/out/before-delay-$delay
	pktgen e0 1000 1000 1000000
	snapshots show e1 >/out/after-delay-$delay
	unwatch
done

# ---- a line that two cards share
up 1500 e2 e3 e4
watch e0 e4
snapshots show e0 >/out/before-shared-e0; snapshots show e4 >/out/before-shared-e4
TO=5 send e2 200 500 1000
snapshots show e0 >/out/after-shared-e0; snapshots show e4 >/out/after-shared-e4
cat /proc/interrupts >/out/shared-interrupts
unwatch

# ---- polls in a thread, polls by a timer, polls by a busy task: e3
watch e3
snapshots show e3 >/out/before-thread
echo 1 >/sys/class/net/e3/threaded
TO=4 send e2 50 500 3000 # the thread becomes known
snapshots show e3 >/out/middle-thread
TO=4 send e2 200 500 3000
snapshots show e3 >/out/after-thread
echo 0 >/sys/class/net/e3/threaded

echo 1000000 >/sys/class/net/e3/gro_flush_timeout
echo 1000000000 >/sys/class/net/e3/napi_defer_hard_irqs
TO=4 send e2 5 500 3000
snapshots show e3 >/out/before-timer
TO=4 send e2 300 500 3000
snapshots show e3 >/out/after-timer
echo 0 >/sys/class/net/e3/napi_defer_hard_irqs
echo 0 >/sys/class/net/e3/gro_flush_timeout
TO=4 send e2 2 500 3000

ip addr add 10.3.0.1/24 dev e3
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter; echo 0 >/proc/sys/net/ipv4/conf/e3/rp_filter
for prefer in 0 1; do
	echo $((prefer * 1000000000)) >/sys/class/net/e3/gro_flush_timeout
	echo $((prefer * 1000000000)) >/sys/class/net/e3/napi_defer_hard_irqs
	python3 /busy_poll.py $prefer 5 >/dev/null
	snapshots show e3 >/out/before-busy-$prefer
	python3 /busy_poll.py $prefer 200 >/out/busy-$prefer
	snapshots show e3 >/out/after-busy-$prefer
done
unwatch

snapshots refuse e3 >/out/refused
rmmod coalescope
insmod /coalescope.ko
snapshots move e2 e3 >/out/moved
rmmod coalescope
