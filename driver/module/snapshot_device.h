/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_SNAPSHOT_DEVICE_H
#define COALESCOPE_SNAPSHOT_DEVICE_H

struct coalescope_snapshot;
struct monitor;

void add_what_the_device_says(struct coalescope_snapshot *s, const struct monitor *monitor);

#endif
