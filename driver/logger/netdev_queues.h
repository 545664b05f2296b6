/* SPDX-License-Identifier: Apache-2.0 */
/* What the interface's queues have counted, through the kernel's netdev family (Linux 6.10 or newer). */
#ifndef NETDEV_QUEUES_H
#define NETDEV_QUEUES_H

#include "text.h"

/*
 * Members such as "qstats.rx_packets.q0", by the number of the queue: a log's field "rx_packets.q0" is of a NAPI instance.
 * Nothing where the kernel or the driver does not say.
 */
void netdev_queue_statistics(const char *interface, struct text *json);

#endif
