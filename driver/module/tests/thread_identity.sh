# SPDX-License-Identifier: GPL-2.0
# Two e1000e cards of one cable. A thread polls e1, which has another name then; a task takes the name of such a thread.
set -e

for slot in 4 5; do
	card=$(basename $(ls -d /sys/bus/pci/devices/0000:00:0$slot.0/net/*))
	[ $card = e$((slot - 4)) ] || ip link set $card name e$((slot - 4))
done
insmod /coalescope.ko
snapshots hold e1 100000 10000 & watcher=$!
until grep -q "^e1 " /sys/class/misc/coalescope/interfaces; do sleep 0.1; done
echo 1 >/sys/class/net/e1/threaded
ip link set e1 name renamed
for card in e0 renamed; do ip link set $card up; done
until [ "$(cat /sys/class/net/renamed/carrier)" = 1 ]; do sleep 0.1; done
cat /proc/[0-9]*/comm >/out/names
snapshots send e0 50 500 3000; sleep 0.1 # the thread becomes known
snapshots show renamed >/out/before-thread
snapshots send e0 200 500 3000; sleep 0.1
snapshots show renamed >/out/after-thread
snapshots show renamed >/out/before-task
python3 /named_like_a_thread.py "$(grep '^napi/' /out/names | head -1)" >/out/spent
snapshots show renamed >/out/after-task
kill $watcher
