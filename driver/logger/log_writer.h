/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a run log: the header, records gathered to blocks, marks, results, the footer. */
#ifndef LOG_WRITER_H
#define LOG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

struct log_writer {
	int fd;
	int error; /* errno of the first write that failed; nothing is written after it */
	uint32_t log_id;
	uint32_t sequence;
	size_t record_bytes;
	unsigned char *pending;
	size_t pending_bytes;
	uint64_t flushed_at; /* time of the record that caused the last flush */
	uint64_t records;
	uint64_t t_first, t_last;
	unsigned int marks, results;
};

/* All return 0, or an errno with a minus sign. */
int log_writer_start(struct log_writer *writer, int fd, const struct text *header, size_t record_bytes);
/*
 * One record: 64-bit values, the first being the monotonic time in ns. Records are written after a second at most; those
 * that are `waiting` for traffic, and say that none came, after five.
 */
int log_writer_sample(struct log_writer *writer, const uint64_t *values, bool waiting);
int log_writer_mark(struct log_writer *writer, const char *name, uint64_t t_monotonic_ns,
		    uint64_t t_realtime_ns);
/* metadata: a JSON object. */
int log_writer_result(struct log_writer *writer, const struct text *metadata, const void *body,
		      size_t body_bytes);
/* more: further members of the footer's object (",name:value" without the comma), may be empty. */
int log_writer_finish(struct log_writer *writer, const char *ended, const struct text *more);
int log_writer_flush(struct log_writer *writer);
void log_writer_free(struct log_writer *writer);

#endif
