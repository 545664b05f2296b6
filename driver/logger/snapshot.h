/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot of the kernel module means as columns and values. Only fields that lie within the size that the
 * kernel states exist: an older module has fewer of them, a newer one more than we know. What the kernel says it cannot
 * see of this interface, though the field is there, does not exist either.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"

struct snapshot_shape {
	size_t size;       /* bytes of the snapshot's own part */
	size_t queue_size; /* bytes of each queue's part */
	size_t queues;     /* that the snapshot holds */
	bool interrupts;   /* the interface's are seen: else their fields are absent */
};

/* 0; -EPROTO: the bytes are no snapshot, or not a whole one. */
int snapshot_shape(const void *bytes, size_t count, struct snapshot_shape *shape);

/* Columns of the source "module", t_monotonic_ns first; then those of the first `queues` queues. */
void snapshot_columns(struct record_layout *layout, const char *source, const void *bytes,
		      const struct snapshot_shape *shape, size_t queues);
/* Columns of the driver's own statistics; bytes_include: what its byte counters count, as JSON members. */
void snapshot_driver_columns(struct record_layout *layout, const char *source,
			     const struct snapshot_shape *shape, const char *bytes_include);

/* Values in the order of these columns; where they end. A queue that has not worked yet has counted nothing. */
uint64_t *snapshot_values(uint64_t *values, const void *bytes, const struct snapshot_shape *shape,
			  size_t queues);
uint64_t *snapshot_driver_values(uint64_t *values, const void *bytes, const struct snapshot_shape *shape);

#endif
