# SPDX-License-Identifier: GPL-2.0
# Snapshots of one interface are read, and it is given back: the kernel's function tracer sees who waits for what.
set -e

insmod /coalescope.ko
ip link add e0 type veth peer name e1
ip link set e0 up
ip link set e1 up
cd /sys/kernel/tracing
echo synchronize_srcu >set_ftrace_filter
echo synchronize_rcu >>set_ftrace_filter
echo function >current_tracer
snapshots show e0 >/out/shown
cat trace >/out/trace
echo nop >current_tracer
