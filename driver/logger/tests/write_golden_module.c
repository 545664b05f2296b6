/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes driver/testdata/module.runlog once more, from snapshots as the kernel module hands them out, with the logger's
 * own decoding and writer: it must give the same bytes.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "golden_header.h"
#include "log_writer.h"
#include "snapshot.h"
#include "uapi/coalescope.h"

enum { RECORDS = 25, QUEUES = 2, OTHERS = 2, MOST_COLUMNS = 80 };

struct answer {
	struct coalescope_snapshot snapshot;
	struct coalescope_queue queues[QUEUES];
};

/* Counter number n of the structs, from rx_packets on, stands at 1000·(n + 1)·k in record k. */
static void count_up(void *first, void *end, uint64_t number, uint64_t k)
{
	uint64_t *counter;

	for (counter = first; counter < (uint64_t *)end; counter++)
		*counter = 1000 * ++number * k;
}

static void answer_at(struct answer *answer, uint64_t k)
{
	struct coalescope_snapshot *snapshot = &answer->snapshot;
	uint32_t i;

	memset(answer, 0, sizeof(*answer));
	snapshot->magic = COALESCOPE_MAGIC;
	snapshot->abi_version = COALESCOPE_ABI_VERSION;
	snapshot->size = offsetof(struct coalescope_snapshot, skew_ns); /* a module of before that */
	snapshot->queue_size = sizeof(*answer->queues);
	snapshot->queue_count = QUEUES;
	snapshot->flags = k == 7 ? COALESCOPE_NOT_ATOMIC : 0;
	snapshot->retries = k % 3;
	snapshot->tsc = 3 * (GOLDEN_START + k * GOLDEN_INTERVAL);
	snapshot->t_monotonic_raw_ns = GOLDEN_START + k * GOLDEN_INTERVAL;
	snapshot->tsc_khz = 3000000;
	count_up(&snapshot->rx_packets, snapshot + 1, 0, k);
	for (i = 0; i < QUEUES; i++) {
		answer->queues[i].queue = i;
		answer->queues[i].napi_id = i ? 0 : 8193;
		answer->queues[i].irq = i ? -1 : 24;
		count_up(&answer->queues[i].rx_packets, &answer->queues[i] + 1, 100 * (i + 1), k);
	}
	memmove((char *)answer + snapshot->size, answer->queues, sizeof(answer->queues));
}

static void columns(struct record_layout *layout)
{
	struct snapshot_shape shape;
	struct answer answer;
	struct column *line;

	answer_at(&answer, 0);
	snapshot_shape(&answer, sizeof(answer), &shape);
	snapshot_columns(layout, "module", &answer, &shape, QUEUES);
	snapshot_driver_columns(layout, "module_driver", &shape, "\"bytes_include\":[\"link_header\"]");
	record_layout_add(layout, "t_realtime_ns", "ns", COLUMN_TIME, "clock");
	line = record_layout_add(layout, "interrupts.24", "interrupts", COLUMN_COUNTER, "proc_interrupts");
	json_member_integer(&line->attributes, "irq", 24);
}

static int write_samples(struct log_writer *writer, size_t columns)
{
	uint64_t values[MOST_COLUMNS], k;
	struct snapshot_shape shape;
	struct answer answer;
	int status = 0;

	for (k = 0; k < RECORDS && !status; k++) {
		uint64_t *next;

		answer_at(&answer, k);
		status = snapshot_shape(&answer, sizeof(answer), &shape);
		next = snapshot_values(values, &answer, &shape, QUEUES);
		next = snapshot_driver_values(next, &answer, &shape);
		*next++ = GOLDEN_WALL + k * GOLDEN_INTERVAL;
		*next++ = 7 * k;
		if (next != values + columns)
			return 3;
		if (!status)
			status = log_writer_sample(writer, values, false);
		if (k == 2 || k == RECORDS - 2)
			log_writer_mark(writer, k == 2 ? "window_start" : "window_end", values[0], next[-2]);
	}
	return status;
}

static int write_log(struct log_writer *writer, size_t columns)
{
	static const char counters[] = "{\"rx_no_buffer_count\":12}";
	struct text metadata = {0}, more = {0};
	int status = write_samples(writer, columns);

	json_open(&metadata, '{');
	json_member_string(&metadata, "name", "ethtool_statistics_end");
	json_member_string(&metadata, "media_type", "application/json");
	json_close(&metadata, '}');
	if (!status)
		status = log_writer_result(writer, &metadata, counters, sizeof(counters) - 1);
	if (!status)
		status = log_writer_finish(writer, "duration", &more);
	text_free(&metadata);
	return status;
}

int main(int count, char **arguments)
{
	static const struct golden_source sources[] = {
		{"module", true}, {"module_driver", false}, {"clock", false}, {"proc_interrupts", false}};
	int fd = count == 2 ? open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
	struct record_layout layout = {0};
	struct log_writer writer;
	struct text json = {0};
	int status;

	if (fd < 0)
		return 2;
	columns(&layout);
	if (layout.count > MOST_COLUMNS)
		return 3;
	golden_header("{\"host\":null,\"cpus\":2,\"counter_source\":\"module\",\"module_version\":\"0.1.0\"}",
		      sources, 4, &layout, &json);
	status = log_writer_start(&writer, fd, &json, layout.count * sizeof(uint64_t));
	if (!status)
		status = write_log(&writer, layout.count);
	log_writer_free(&writer);
	text_free(&json);
	record_layout_free(&layout);
	return status || close(fd);
}
