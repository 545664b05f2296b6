/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver says about itself through ethtool. Whatever it does not answer is left out. */
#ifndef ETHTOOL_QUERY_H
#define ETHTOOL_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "text.h"

bool ethtool_driver(const char *interface, char *name, size_t size);
/* Members "driver", "driver_version", "firmware_version", "bus", "offloads", "ring", "pause", "queues". */
void ethtool_describe(const char *interface, struct text *json);
/* Members: all counters of the driver's own (ethtool -S). */
void ethtool_statistics(const char *interface, struct text *json);
/* The member "coalescing": an object of the settings, or null. */
void ethtool_coalescing(const char *interface, struct text *json);

#endif
