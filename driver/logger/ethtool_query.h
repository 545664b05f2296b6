/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver says about itself through ethtool. Whatever it does not answer is left out. */
#ifndef ETHTOOL_QUERY_H
#define ETHTOOL_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

/* The driver's name, and the address on its bus of the device that it drives: empty where there is none. */
bool ethtool_driver(const char *interface, char *name, size_t size);
bool ethtool_bus(const char *interface, char *address, size_t size);
/* Whether the driver says that there is a link; false, too, where it says nothing. */
bool ethtool_link(const char *interface);
/* Members "driver", "driver_version", "firmware_version", "bus", "offloads", "ring", "pause", "queues". */
void ethtool_describe(const char *interface, struct text *json);
/* Members: all counters of the driver's own (ethtool -S). */
void ethtool_statistics(const char *interface, struct text *json);
/* The member "coalescing": an object of the settings, or null. */
void ethtool_coalescing(const char *interface, struct text *json);

#endif
