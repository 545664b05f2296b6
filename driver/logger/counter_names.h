/* SPDX-License-Identifier: Apache-2.0 */
/* The interface counters that we record, as the glossary and the kernel both call them. */
#ifndef COUNTER_NAMES_H
#define COUNTER_NAMES_H

#include <linux/if_link.h>
#include <stddef.h>

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

#endif
