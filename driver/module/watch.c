// SPDX-License-Identifier: GPL-2.0
/*
 * The watched interfaces: found by name, shared by the files that watch the same one, gone when the device goes.
 *
 * Slots change under rtnl, which also keeps a device from going while it is being attached.
 */
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <net/rtnetlink.h>

#include "lines.h"
#include "owners.h"
#include "watch.h"
#include "watched.h"

#include <uapi/coalescope.h>

/* A slot is taken until no probe can hold its watch any more, and no CPU's counters know it. */
static DECLARE_BITMAP(slots_taken, MAX_WATCHES);

/* Receive and transmit may have NAPI instances of their own, and some are made anew when settings change. */
static unsigned int queue_capacity(const struct net_device *device)
{
	return clamp(2 * (device->num_rx_queues + device->num_tx_queues), 16U,
		     (unsigned int)COALESCOPE_MAX_QUEUES);
}

static struct watch *allocate_watch(const struct net_device *device)
{
	unsigned int capacity = queue_capacity(device);
	struct watch *watch = kvzalloc(struct_size(watch, queues, capacity), GFP_KERNEL);

	if (!watch)
		return NULL;
	watch->counters = __alloc_percpu(struct_size(watch->counters, queues, capacity),
					 SMP_CACHE_BYTES);
	if (!watch->counters) {
		kvfree(watch);
		return NULL;
	}
	watch->queue_capacity = capacity;
	watch->interface_index = device->ifindex;
	raw_spin_lock_init(&watch->lock);
	return watch;
}

static struct watch *create_watch(struct net_device *device)
{
	struct watch *watch;
	unsigned int slot;

	ASSERT_RTNL();
	slot = find_first_zero_bit(slots_taken, MAX_WATCHES);
	if (slot == MAX_WATCHES)
		return ERR_PTR(-ENOSPC);
	watch = allocate_watch(device);
	if (!watch)
		return ERR_PTR(-ENOMEM);
	set_bit(slot, slots_taken);
	watch->slot = slot;
	netdev_hold(device, &watch->tracker, GFP_KERNEL);
	rcu_assign_pointer(watch->device, device);
	rcu_assign_pointer(watches[slot], watch);
	WRITE_ONCE(watched_nets[slot], dev_net(device));
	if (slot >= watch_slots)
		WRITE_ONCE(watch_slots, slot + 1);
	smp_store_release(&watched_devices[slot], device); /* last: from here on probes find it */
	refresh_task_owners();
	return watch;
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

static struct watch *watch_device(struct net_device *device)
{
	struct watch *watch;
	unsigned int slot;

	if (receives_through_another(device) || fails_over(device))
		return ERR_PTR(-EOPNOTSUPP);
	for (slot = 0; slot < MAX_WATCHES; slot++)
		if (watched_devices[slot] == device)
			break;
	watch = slot < MAX_WATCHES ? rtnl_dereference(watches[slot]) : create_watch(device);
	if (!IS_ERR(watch))
		WRITE_ONCE(watch->readers, watch->readers + 1);
	return watch;
}

/**
 * watch_get() - watch the interface that has this name in a network namespace
 * @net: the namespace
 * @name: the interface's name, with NUL
 *
 * Context: Process context; takes rtnl. Probes should already be on.
 * Return: the watch, shared if the interface is watched already; -ENODEV no such interface, -EOPNOTSUPP it receives
 * through another one, -ENOSPC too many are watched, -ENOMEM.
 */
struct watch *watch_get(struct net *net, const char *name)
{
	struct net_device *device;
	struct watch *watch;

	rtnl_lock();
	device = __dev_get_by_name(net, name);
	watch = device ? watch_device(device) : ERR_PTR(-ENODEV);
	rtnl_unlock();
	return watch;
}

/**
 * watch_stand_in() - watch a device that was never registered, so that probes can be called for it
 * @device: no interface
 *
 * Context: Process context; takes rtnl.
 * Return: the watch, with one reader; -ENOSPC, -ENOMEM.
 */
struct watch *watch_stand_in(struct net_device *device)
{
	struct watch *watch;

	rtnl_lock();
	watch = create_watch(device);
	if (!IS_ERR(watch))
		watch->readers = 1;
	rtnl_unlock();
	return watch;
}

/* The probes no longer find the interface; files that watch it learn that it is gone. */
static void release_device(struct watch *watch)
{
	struct net_device *device = rtnl_dereference(watch->device);

	ASSERT_RTNL();
	if (!device)
		return;
	WRITE_ONCE(watched_devices[watch->slot], NULL);
	WRITE_ONCE(watched_nets[watch->slot], NULL);
	RCU_INIT_POINTER(watch->device, NULL);
	netdev_put(device, &watch->tracker);
}

/* Each slot that probes look through costs them some instructions. */
static void end_after_last_watch(void)
{
	while (watch_slots && !rtnl_dereference(watches[watch_slots - 1]))
		WRITE_ONCE(watch_slots, watch_slots - 1);
}

/* Probes of tracepoints run in an RCU read section, or since Linux 7 in one of SRCU; the others in one of RCU. */
static void wait_for_probes(void)
{
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

/**
 * watch_put() - give back what watch_get() returned
 * @watch: freed if this was its last reader
 *
 * Context: Process context; takes rtnl, waits for probes that may still hold the watch.
 */
void watch_put(struct watch *watch)
{
	bool last;

	rtnl_lock();
	WRITE_ONCE(watch->readers, watch->readers - 1);
	last = !watch->readers;
	if (last) {
		release_device(watch);
		RCU_INIT_POINTER(watches[watch->slot], NULL);
		end_after_last_watch();
	}
	rtnl_unlock();
	if (!last)
		return;
	/* an interrupt that found the watch may still learn a line for it, or count in it */
	wait_for_probes();
	forget_lines(watch->slot);
	forget_slot(watch->slot);
	smp_mb__before_atomic(); /* all of it is forgotten before the slot is taken anew */
	clear_bit(watch->slot, slots_taken);
	free_percpu(watch->counters);
	kvfree(watch);
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
	for (slot = 0; slot < MAX_WATCHES; slot++)
		if (watched_devices[slot] == device)
			break;
	if (slot == MAX_WATCHES)
		return NOTIFY_DONE;
	if (event == NETDEV_UNREGISTER && device->reg_state == NETREG_UNREGISTERING) {
		release_device(rtnl_dereference(watches[slot]));
		forget_lines(slot);
	} else if (event == NETDEV_REGISTER) {
		WRITE_ONCE(watched_nets[slot], dev_net(device));
		WRITE_ONCE(rtnl_dereference(watches[slot])->interface_index, device->ifindex);
		refresh_task_owners();
	}
	return NOTIFY_DONE;
}

static struct notifier_block device_notifier = { .notifier_call = on_device_event };

int watch_init(void)
{
	return register_netdevice_notifier(&device_notifier);
}

void watch_exit(void)
{
	unregister_netdevice_notifier(&device_notifier);
}
