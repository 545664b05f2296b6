/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver says about its settings, through ethtool's netlink family. What the driver does not support is not in the
 * answer, where the older ioctl says 0.
 */
#ifndef ETHTOOL_NETLINK_H
#define ETHTOOL_NETLINK_H

#include <stddef.h>

#include "text.h"

/*
 * Each appends an object of the settings. 0, or a negative errno: -ENOENT and -EOPNOTSUPP of a kernel without this, or of a
 * driver without such settings; then nothing was appended.
 */
int ethtool_netlink_coalescing(const char *interface, struct text *json);
int ethtool_netlink_ring(const char *interface, struct text *json);
int ethtool_netlink_pause(const char *interface, struct text *json);
int ethtool_netlink_queues(const char *interface, struct text *json);
int ethtool_netlink_offloads(const char *interface, struct text *json);
/* How many queues the driver says it receives on, 0 if it does not say. */
size_t ethtool_netlink_receive_queues(const char *interface);
/* How received packets are spread over the queues. */
int ethtool_netlink_rss(const char *interface, struct text *json);

#endif
