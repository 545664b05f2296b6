// SPDX-License-Identifier: GPL-2.0
/*
 * The monitored interfaces: found by name, shared by the files that monitor the same one, gone when the device goes.
 *
 * Slots change under rtnl, which also keeps a device from going while it is being attached.
 */
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <net/rtnetlink.h>

#include "contexts.h"
#include "irq_map.h"
#include "monitor.h"
#include "monitored.h"

#include <uapi/coalescope.h>

/* A slot is taken until no probe can hold its monitor any more, and no CPU's counters know it. */
static DECLARE_BITMAP(slots_taken, MAX_MONITORS);

/* Receive and transmit may have NAPI instances of their own, and some are made anew when settings change. */
static unsigned int queue_capacity(const struct net_device *device)
{
	return clamp(2 * (device->num_rx_queues + device->num_tx_queues), 16U,
		     (unsigned int)COALESCOPE_MAX_QUEUES);
}

static struct monitor *allocate_monitor(const struct net_device *device)
{
	unsigned int capacity = queue_capacity(device);
	struct monitor *monitor = kvzalloc(struct_size(monitor, queues, capacity), GFP_KERNEL);

	if (!monitor)
		return NULL;
	monitor->counters = __alloc_percpu(struct_size(monitor->counters, queues, capacity),
					   SMP_CACHE_BYTES);
	if (!monitor->counters) {
		kvfree(monitor);
		return NULL;
	}
	monitor->queue_capacity = capacity;
	monitor->interface_index = device->ifindex;
	raw_spin_lock_init(&monitor->lock);
	return monitor;
}

static struct monitor *create_monitor(struct net_device *device)
{
	struct monitor *monitor;
	unsigned int slot;

	ASSERT_RTNL();
	slot = find_first_zero_bit(slots_taken, MAX_MONITORS);
	if (slot == MAX_MONITORS)
		return ERR_PTR(-ENOSPC);
	monitor = allocate_monitor(device);
	if (!monitor)
		return ERR_PTR(-ENOMEM);
	set_bit(slot, slots_taken);
	monitor->slot = slot;
	netdev_hold(device, &monitor->tracker, GFP_KERNEL);
	rcu_assign_pointer(monitor->device, device);
	rcu_assign_pointer(monitors[slot], monitor);
	WRITE_ONCE(monitored_nets[slot], dev_net(device));
	if (slot >= monitor_slots)
		WRITE_ONCE(monitor_slots, slot + 1);
	smp_store_release(&monitored_devices[slot], device); /* last: from here on probes find it */
	refresh_task_contexts();
	return monitor;
}

/* Its frames come by a virtual function or another standby device below it, under that one's name. */
static bool fails_over(const struct net_device *device)
{
	const struct device *parent = device->dev.parent;

	if (netif_is_failover(device))
		return true;
	return parent && !strcmp(dev_driver_string(parent), "hv_netvsc") &&
	       !list_empty(&device->adj_list.lower);
}

/*
 * VLANs, bonds and the like take their frames over from another interface inside the stack, after the point where
 * frames are counted: they would seem to receive nothing.
 */
static bool receives_through_another(const struct net_device *device)
{
	static const char *const kinds[] = { "vlan", "bond",   "team",   "macvlan",
					     "ipvlan", "macvtap", "ipvtap", "vrf" };
	unsigned int i;

	for (i = 0; device->rtnl_link_ops && i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(device->rtnl_link_ops->kind, kinds[i]))
			return true;
	return false;
}

static struct monitor *monitor_device(struct net_device *device)
{
	struct monitor *monitor;
	unsigned int slot;

	if (receives_through_another(device) || fails_over(device))
		return ERR_PTR(-EOPNOTSUPP);
	for (slot = 0; slot < MAX_MONITORS; slot++)
		if (monitored_devices[slot] == device)
			break;
	monitor = slot < MAX_MONITORS ? rtnl_dereference(monitors[slot]) : create_monitor(device);
	if (!IS_ERR(monitor))
		WRITE_ONCE(monitor->readers, monitor->readers + 1);
	return monitor;
}

/**
 * monitor_get() - monitor the interface that has this name in a network namespace
 * @net: the namespace
 * @name: the interface's name, with NUL
 *
 * Context: Process context; takes rtnl. Probes should already be on.
 * Return: the monitor, shared if the interface is monitored already; -ENODEV no such interface, -EOPNOTSUPP it receives
 * through another one, -ENOSPC too many are monitored, -ENOMEM.
 */
struct monitor *monitor_get(struct net *net, const char *name)
{
	struct net_device *device;
	struct monitor *monitor;

	rtnl_lock();
	device = __dev_get_by_name(net, name);
	monitor = device ? monitor_device(device) : ERR_PTR(-ENODEV);
	rtnl_unlock();
	return monitor;
}

/**
 * monitor_stand_in() - monitor a device that was never registered, so that probes can be called for it
 * @device: no interface
 *
 * Context: Process context; takes rtnl.
 * Return: the monitor, with one reader; -ENOSPC, -ENOMEM.
 */
struct monitor *monitor_stand_in(struct net_device *device)
{
	struct monitor *monitor;

	rtnl_lock();
	monitor = create_monitor(device);
	if (!IS_ERR(monitor))
		monitor->readers = 1;
	rtnl_unlock();
	return monitor;
}

/* The probes no longer find the interface; files that monitor it learn that it is gone. */
static void release_device(struct monitor *monitor)
{
	struct net_device *device = rtnl_dereference(monitor->device);

	ASSERT_RTNL();
	if (!device)
		return;
	WRITE_ONCE(monitored_devices[monitor->slot], NULL);
	WRITE_ONCE(monitored_nets[monitor->slot], NULL);
	RCU_INIT_POINTER(monitor->device, NULL);
	netdev_put(device, &monitor->tracker);
}

/* Each slot that probes look through costs them some instructions. */
static void end_after_last_monitor(void)
{
	while (monitor_slots && !rtnl_dereference(monitors[monitor_slots - 1]))
		WRITE_ONCE(monitor_slots, monitor_slots - 1);
}

/* Probes of tracepoints run in an RCU read section, or since Linux 7 in one of SRCU; the others in one of RCU. */
static void wait_for_probes(void)
{
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

/**
 * monitor_put() - give back what monitor_get() returned
 * @monitor: freed if this was its last reader
 *
 * Context: Process context; takes rtnl, waits for probes that may still hold the monitor.
 */
void monitor_put(struct monitor *monitor)
{
	bool last;

	rtnl_lock();
	WRITE_ONCE(monitor->readers, monitor->readers - 1);
	last = !monitor->readers;
	if (last) {
		release_device(monitor);
		RCU_INIT_POINTER(monitors[monitor->slot], NULL);
		end_after_last_monitor();
	}
	rtnl_unlock();
	if (!last)
		return;
	/* an interrupt that found the monitor may still learn a line for it, or count in it */
	wait_for_probes();
	irq_map_forget(monitor->slot);
	forget_slot(monitor->slot);
	smp_mb__before_atomic(); /* all of it is forgotten before the slot is taken anew */
	clear_bit(monitor->slot, slots_taken);
	free_percpu(monitor->counters);
	kvfree(monitor);
}

/*
 * A device that moves to another namespace is reported as unregistered, too: only one that is really being removed has
 * the state. The core waits for RCU readers after the notification and before it frees the device.
 */
static int on_device_event(struct notifier_block *block, unsigned long event, void *info)
{
	struct net_device *device = netdev_notifier_info_to_dev(info);
	unsigned int slot;

	if (event != NETDEV_UNREGISTER && event != NETDEV_REGISTER)
		return NOTIFY_DONE;
	for (slot = 0; slot < MAX_MONITORS; slot++)
		if (monitored_devices[slot] == device)
			break;
	if (slot == MAX_MONITORS)
		return NOTIFY_DONE;
	if (event == NETDEV_UNREGISTER && device->reg_state == NETREG_UNREGISTERING) {
		release_device(rtnl_dereference(monitors[slot]));
		irq_map_forget(slot);
	} else if (event == NETDEV_REGISTER) {
		WRITE_ONCE(monitored_nets[slot], dev_net(device));
		WRITE_ONCE(rtnl_dereference(monitors[slot])->interface_index, device->ifindex);
		refresh_task_contexts();
	}
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = { .notifier_call = on_device_event };

int monitor_init(void)
{
	return register_netdevice_notifier(&device_notifier);
}

void monitor_exit(void)
{
	unregister_netdevice_notifier(&device_notifier);
}
