# SPDX-License-Identifier: GPL-2.0
# An e1000e (e0) and an igb card (e1) of one cable. A thread polls e1 without end; its interrupts come all the same.
set -e

for slot in 4 5; do
	card=$(basename $(ls -d /sys/bus/pci/devices/0000:00:0$slot.0/net/*))
	[ $card = e$((slot - 4)) ] || ip link set $card name e$((slot - 4))
	ip link set e$((slot - 4)) up
done
ethtool -L e1 combined 1
until [ "$(cat /sys/class/net/e1/carrier)" = 1 ]; do sleep 0.1; done
insmod /coalescope.ko
snapshots hold e1 100000 10000 & watcher=$!
until grep -q "^e1 " /sys/class/misc/coalescope/interfaces; do sleep 0.1; done
snapshots send e0 50 500 3000; sleep 0.1 # its NAPI becomes known
snapshots show e1 >/out/ordinary
python3 /poll_busily.py $(sed -n 's/^napi_id.0=//p' /out/ordinary)
snapshots send e0 50 500 3000; sleep 0.1 # the thread becomes known
snapshots show e1 >/out/before
snapshots send e0 300 500 3000; sleep 0.1
snapshots show e1 >/out/after
kill $watcher
