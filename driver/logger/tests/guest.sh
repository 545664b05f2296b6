# SPDX-License-Identifier: Apache-2.0
# The logger with the kernel module, on two e1000e cards of one cable.
name_cards() {
	for slot in 4 5; do
		card=$(basename $(ls -d /sys/bus/pci/devices/0000:00:0$slot.0/net/*))
		[ $card = e$((slot - 4)) ] || ip link set $card name e$((slot - 4))
	done
}
log() { # NAME ARGUMENT...
	name=$1; shift
	coalescope-logger -o /tmp/$name.runlog "$@" 2>/tmp/$name.said
	echo $? >>/tmp/$name.said
	cp /tmp/$name.* /out/
}

name_cards
for card in e0 e1; do ip link set $card up; done
ip addr add 10.9.0.1/24 dev e0
ip neigh add 10.9.0.2 lladdr 52:54:00:00:00:02 dev e0

log without-module -i e1 -d 100ms --source module
insmod /coalescope.ko
sleep 1.5 # the cards have their link

log counted -i e1 -t 20ms --live -e guest --kind emulated --time-dilation 12.5 \
	--environment virtual_machine.icount_shift=3 -- python3 /send.py
received() { cat /sys/class/net/e1/statistics/rx_packets; }
before=$(received)
python3 /send.py &
until [ "$(received)" != "$before" ]; do sleep 0.05; done
log queues -i e1 -t 20ms -d 200ms
wait
log best -i e1 -t 20ms -d 100ms
log quiet -i e1 -t 20ms -d 100ms --source module
modprobe veth; ip link add v0 type veth peer name v1
ip link set v0 up; ip link set v1 up
log virtual -i v0 -t 20ms -d 100ms --source module
log proc -i e1 -t 20ms -d 100ms --source proc

cat >/tmp/as-nobody <<'END'
exec coalescope-logger -i e1 -o /tmp/nobody/a.runlog -d 100ms --source module
END
mkdir -m 777 /tmp/nobody
python3 -c 'import os; os.setgid(65534); os.setuid(65534); os.execv("/bin/sh", ["sh", "/tmp/as-nobody"])' 2>/out/nobody.said

coalescope-logger -i e1 -o /tmp/cost.runlog --source module 2>/dev/null &
logger=$!
sleep 1; cat /proc/$logger/schedstat >/tmp/cost-before
sleep 2; cat /proc/$logger/schedstat >/tmp/cost-after
kill -INT $logger; wait $logger
cp /tmp/cost-* /out/

log removed -i e1 -t 20ms -d 30s --source module &
sleep 0.5; echo 1 >/sys/bus/pci/devices/0000:00:05.0/remove
wait
true
