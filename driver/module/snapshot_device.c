// SPDX-License-Identifier: GPL-2.0
/* What a snapshot has from the network device itself. */
#include <linux/netdevice.h>

#include "monitored.h"
#include "snapshot_device.h"

#include <uapi/coalescope.h>

static void add_driver_statistics(struct coalescope_snapshot *s, struct net_device *device)
{
	struct rtnl_link_stats64 statistics;

	dev_get_stats(device, &statistics);
	s->driver_rx_packets = statistics.rx_packets;
	s->driver_rx_bytes = statistics.rx_bytes;
	s->driver_tx_packets = statistics.tx_packets;
	s->driver_tx_bytes = statistics.tx_bytes;
	s->rx_dropped = statistics.rx_dropped;
	s->tx_dropped = statistics.tx_dropped;
	s->rx_errors = statistics.rx_errors;
	s->tx_errors = statistics.tx_errors;
	s->rx_missed_errors = statistics.rx_missed_errors;
	s->rx_fifo_errors = statistics.rx_fifo_errors;
}

/*
 * On these buses interrupts reach their handlers by way of a line. Those of USB and of Hyper-V's VMBus are the host
 * controller's or a vector of its own, virtual devices have none.
 */
static bool has_interrupt_line(const struct net_device *device)
{
	static const char *const buses[] = { "pci", "virtio", "platform", "xen",
					     "auxiliary", "pnp", "pcmcia" };
	const struct device *parent = device->dev.parent;
	unsigned int i;

	for (i = 0; parent && parent->bus && i < ARRAY_SIZE(buses); i++)
		if (!strcmp(parent->bus->name, buses[i]))
			return true;
	return false;
}

/* Scheduling NAPI tells whose an interrupt is: some drivers' NAPI belongs to another device, or they have none. */
static bool polls_its_own_napi(const struct net_device *device)
{
	return !netif_running(device) || !list_empty(&device->napi_list);
}

/**
 * add_what_the_device_says() - the driver's own statistics, and whether interrupts can be counted
 * @s: snapshot that gets them
 * @monitor: of which interface; of one that is gone, nothing is added
 */
void add_what_the_device_says(struct coalescope_snapshot *s, const struct monitor *monitor)
{
	struct net_device *device;

	rcu_read_lock();
	device = rcu_dereference(monitor->device);
	if (device) {
		add_driver_statistics(s, device);
		if (!has_interrupt_line(device) || !polls_its_own_napi(device))
			s->flags |= COALESCOPE_NO_INTERRUPTS;
	}
	rcu_read_unlock();
}
