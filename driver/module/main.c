// SPDX-License-Identifier: GPL-2.0
/*
 * coalescope: atomic snapshots of a network interface's frames, interrupts, polls and CPU cycles.
 */
#include <linux/module.h>

#include "compat.h"
#include "contexts.h"
#include "counters.h"
#include "device.h"
#include "monitor.h"
#include "probes.h"

DEFINE_PER_CPU_ALIGNED(struct cpu_state, coalescope_cpu_state);

static int __init coalescope_init(void)
{
	int error;

	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		pr_err("softirqs that are preempted, as with PREEMPT_RT, cannot be counted\n");
		return -EOPNOTSUPP;
	}
	if (check_tsc_unstable()) {
		pr_err("the time stamp counter of this machine is not stable: cycles cannot be counted\n");
		return -EOPNOTSUPP;
	}
	error = probes_init();
	if (error)
		return error;
	error = contexts_init();
	if (error)
		goto no_owners;
	error = monitor_init();
	if (error)
		goto no_monitor;
	error = device_init();
	if (error)
		goto no_device;
	return 0;

no_device:
	monitor_exit();
no_monitor:
	contexts_exit();
no_owners:
	probes_exit();
	return error;
}

/* Open files hold the module: nothing is monitored any more. */
static void __exit coalescope_exit(void)
{
	device_exit();
	monitor_exit();
	contexts_exit();
	probes_exit();
	rcu_barrier(); /* lines that are still to be freed */
}

module_init(coalescope_init);
module_exit(coalescope_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Atomic snapshots of a network interface's frames, interrupts and CPU cycles");
MODULE_VERSION("0.1.0");
