/* SPDX-License-Identifier: Apache-2.0 */
/* The interface counters that we record, as the glossary and the kernel both call them. */
#ifndef COUNTER_NAMES_H
#define COUNTER_NAMES_H

#include <linux/if_link.h>
#include <stddef.h>
#include <stdio.h>

#include "source.h"

struct counter_name {
	const char *name;
	const char *unit;
	size_t offset; /* in struct rtnl_link_stats64 */
};

#define COUNTER(name, unit) {#name, unit, offsetof(struct rtnl_link_stats64, name)}
static const struct counter_name COUNTERS[] = {
	COUNTER(rx_bytes, "bytes"),          COUNTER(rx_packets, "packets"),
	COUNTER(tx_bytes, "bytes"),          COUNTER(tx_packets, "packets"),
	COUNTER(rx_dropped, "packets"),      COUNTER(tx_dropped, "packets"),
	COUNTER(rx_errors, "packets"),       COUNTER(tx_errors, "packets"),
	COUNTER(rx_missed_errors, "packets"), COUNTER(rx_fifo_errors, "packets"),
};
#undef COUNTER
enum { COUNTER_COUNT = sizeof(COUNTERS) / sizeof(*COUNTERS) };

/* Beside a better count of the same, driver_…: the interface's own count shows what that one may have missed. */
static inline void counter_name_for(char *name, size_t size, const struct record_layout *layout,
				    const struct counter_name *counter)
{
	snprintf(name, size, "%s%s", record_layout_has(layout, counter->name) ? "driver_" : "", counter->name);
}

#endif
