/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "uapi/coalescope.h"

struct field {
	const char *name;
	const char *unit;
	enum column_kind kind;
	size_t offset, bytes;
	const char *attributes; /* further JSON members, or NULL */
	bool of_interrupts;     /* means something only where they are seen */
};

#define MEMBER(type, member) offsetof(struct type, member), sizeof(((struct type *)0)->member)
#define COUNTER(member, unit, attributes) \
	{#member, unit, COLUMN_COUNTER, MEMBER(coalescope_snapshot, member), attributes, false}
#define OF_INTERRUPTS(member, unit, attributes) \
	{#member, unit, COLUMN_COUNTER, MEMBER(coalescope_snapshot, member), attributes, true}
#define GAUGE(member, unit) {#member, unit, COLUMN_GAUGE, MEMBER(coalescope_snapshot, member), NULL, false}
#define OF_QUEUE(member, unit, attributes) \
	{#member, unit, COLUMN_COUNTER, MEMBER(coalescope_queue, member), attributes, false}

#define LINK_LEVEL \
	"\"bytes_include\":[\"link_header\",\"fcs\"],\"bytes_include_basis\":\"counted by the module\""
#define RECEIVE "\"direction\":\"receive\""
#define MACHINE "\"scope\":\"machine\""

static const struct field FIELDS[] = {
	{"t_monotonic_ns", "ns", COLUMN_TIME, MEMBER(coalescope_snapshot, t_monotonic_raw_ns),
	 "\"clock\":\"CLOCK_MONOTONIC_RAW\"", false},
	{"t_tsc", "cycles", COLUMN_COUNTER, MEMBER(coalescope_snapshot, tsc), NULL, false},
	COUNTER(rx_bytes, "bytes", LINK_LEVEL),
	COUNTER(rx_packets, "packets", NULL),
	COUNTER(tx_bytes, "bytes", LINK_LEVEL),
	COUNTER(tx_packets, "packets", NULL),
	OF_INTERRUPTS(interrupts, "interrupts", NULL),
	OF_INTERRUPTS(rx_interrupts, "interrupts", RECEIVE),
	COUNTER(polls, "polls", NULL),
	COUNTER(rx_polls, "polls", NULL),
	COUNTER(poll_work, "packets", NULL),
	OF_INTERRUPTS(schedules, "schedules", NULL),
	COUNTER(idle_cycles, "cycles", MACHINE),
	COUNTER(task_cycles, "cycles", "\"scope\":\"namespace\""),
	COUNTER(other_task_cycles, "cycles", MACHINE),
	OF_INTERRUPTS(irq_cycles, "cycles", NULL),
	COUNTER(softirq_cycles, "cycles", NULL),
	COUNTER(other_irq_cycles, "cycles", MACHINE),
	COUNTER(cpu_user_ns, "ns", MACHINE),
	COUNTER(cpu_nice_ns, "ns", MACHINE),
	COUNTER(cpu_system_ns, "ns", MACHINE),
	COUNTER(cpu_idle_ns, "ns", MACHINE),
	COUNTER(cpu_iowait_ns, "ns", MACHINE),
	COUNTER(cpu_irq_ns, "ns", MACHINE),
	COUNTER(cpu_softirq_ns, "ns", MACHINE),
	COUNTER(cpu_steal_ns, "ns", MACHINE),
	GAUGE(retries, "1"),
	GAUGE(flags, "1"),
	GAUGE(skew_ns, "ns"),
};
static const struct field DRIVER_FIELDS[] = {
	COUNTER(driver_rx_packets, "packets", NULL), COUNTER(driver_rx_bytes, "bytes", NULL),
	COUNTER(driver_tx_packets, "packets", NULL), COUNTER(driver_tx_bytes, "bytes", NULL),
	COUNTER(rx_dropped, "packets", NULL),        COUNTER(tx_dropped, "packets", NULL),
	COUNTER(rx_errors, "packets", NULL),         COUNTER(tx_errors, "packets", NULL),
	COUNTER(rx_missed_errors, "packets", NULL),  COUNTER(rx_fifo_errors, "packets", NULL),
};
static const struct field QUEUE_FIELDS[] = {
	OF_QUEUE(rx_packets, "packets", NULL),
	OF_QUEUE(rx_bytes, "bytes", LINK_LEVEL),
	{"rx_interrupts", "interrupts", COLUMN_COUNTER, MEMBER(coalescope_queue, rx_interrupts), RECEIVE, true},
	OF_QUEUE(polls, "polls", NULL),
	OF_QUEUE(rx_polls, "polls", NULL),
};
enum {
	FIELD_COUNT = sizeof(FIELDS) / sizeof(*FIELDS),
	DRIVER_FIELD_COUNT = sizeof(DRIVER_FIELDS) / sizeof(*DRIVER_FIELDS),
	QUEUE_FIELD_COUNT = sizeof(QUEUE_FIELDS) / sizeof(*QUEUE_FIELDS),
	/* what every version has: the sizes, both times, the link-level counters */
	LEAST_SIZE = offsetof(struct coalescope_snapshot, interrupts),
	LEAST_QUEUE_SIZE = offsetof(struct coalescope_queue, rx_packets),
};

/* size: of the struct that the field is of */
static bool exists(const struct field *field, const struct snapshot_shape *shape, size_t size)
{
	return field->offset + field->bytes <= size && (shape->interrupts || !field->of_interrupts);
}

static uint64_t value_of(const struct field *field, const unsigned char *bytes)
{
	uint32_t narrow;
	uint64_t wide;

	if (field->bytes == sizeof(narrow)) {
		memcpy(&narrow, bytes + field->offset, sizeof(narrow));
		return narrow;
	}
	memcpy(&wide, bytes + field->offset, sizeof(wide));
	return wide;
}

/* A snapshot's first members, the only ones that we read by name: they never move. */
static void read_head(struct coalescope_snapshot *head, const void *bytes)
{
	memset(head, 0, sizeof(*head));
	memcpy(head, bytes, LEAST_SIZE);
}

int snapshot_shape(const void *bytes, size_t count, struct snapshot_shape *shape)
{
	struct coalescope_snapshot head;

	if (count < LEAST_SIZE)
		return -EPROTO;
	read_head(&head, bytes);
	*shape = (struct snapshot_shape){
		.size = head.size,
		.queue_size = head.queue_size,
		.queues = head.queue_count,
		.interrupts = !(head.flags & COALESCOPE_NO_INTERRUPTS),
	};
	if (head.magic != COALESCOPE_MAGIC || head.size < LEAST_SIZE || head.size > count)
		return -EPROTO;
	if (head.queue_count && head.queue_size < LEAST_QUEUE_SIZE)
		return -EPROTO;
	return (count - head.size) / (head.queue_size ? head.queue_size : 1) >= head.queue_count ? 0 : -EPROTO;
}

static struct column *add_column(struct record_layout *layout, const struct field *field, const char *name,
				 const char *source)
{
	struct column *column = record_layout_add(layout, name, field->unit, field->kind, source);

	if (field->attributes)
		json_raw(&column->attributes, field->attributes);
	return column;
}

static void queue_columns(struct record_layout *layout, const char *source, const unsigned char *bytes,
			  const struct snapshot_shape *shape, size_t number)
{
	struct coalescope_queue queue = {0};
	size_t i;

	if (number < shape->queues)
		memcpy(&queue, bytes + shape->size + number * shape->queue_size, LEAST_QUEUE_SIZE);
	for (i = 0; i < QUEUE_FIELD_COUNT; i++) {
		struct column *column;
		char name[80];

		if (!exists(&QUEUE_FIELDS[i], shape, shape->queue_size))
			continue;
		snprintf(name, sizeof(name), "%s.q%zu", QUEUE_FIELDS[i].name, number);
		column = add_column(layout, &QUEUE_FIELDS[i], name, source);
		json_member_integer(&column->attributes, "queue", (int64_t)number);
		if (number < shape->queues && queue.napi_id)
			json_member_integer(&column->attributes, "napi_id", queue.napi_id);
		if (number < shape->queues && queue.irq >= 0)
			json_member_integer(&column->attributes, "irq", queue.irq);
	}
}

void snapshot_columns(struct record_layout *layout, const char *source, const void *bytes,
		      const struct snapshot_shape *shape, size_t queues)
{
	struct coalescope_snapshot head;
	size_t i;

	read_head(&head, bytes);
	for (i = 0; i < FIELD_COUNT; i++) {
		struct column *column;

		if (!exists(&FIELDS[i], shape, shape->size))
			continue;
		column = add_column(layout, &FIELDS[i], FIELDS[i].name, source);
		if (FIELDS[i].offset == offsetof(struct coalescope_snapshot, tsc) && head.tsc_khz)
			json_member_integer(&column->attributes, "frequency_khz", head.tsc_khz);
	}
	for (i = 0; i < queues; i++)
		queue_columns(layout, source, bytes, shape, i);
}

void snapshot_driver_columns(struct record_layout *layout, const char *source,
			     const struct snapshot_shape *shape, const char *bytes_include)
{
	size_t i;

	for (i = 0; i < DRIVER_FIELD_COUNT; i++) {
		struct column *column;

		if (!exists(&DRIVER_FIELDS[i], shape, shape->size))
			continue;
		column = add_column(layout, &DRIVER_FIELDS[i], DRIVER_FIELDS[i].name, source);
		if (!strcmp(column->unit, "bytes"))
			json_raw(&column->attributes, bytes_include);
	}
}

static uint64_t *fill(uint64_t *values, const struct field *fields, size_t count,
		      const struct snapshot_shape *shape, size_t size, const unsigned char *bytes)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (exists(&fields[i], shape, size))
			*values++ = bytes ? value_of(&fields[i], bytes) : 0;
	return values;
}

uint64_t *snapshot_values(uint64_t *values, const void *bytes, const struct snapshot_shape *shape,
			  size_t queues)
{
	const unsigned char *queue = (const unsigned char *)bytes + shape->size;
	size_t i;

	values = fill(values, FIELDS, FIELD_COUNT, shape, shape->size, bytes);
	for (i = 0; i < queues; i++, queue += shape->queue_size)
		values = fill(values, QUEUE_FIELDS, QUEUE_FIELD_COUNT, shape, shape->queue_size,
			      i < shape->queues ? queue : NULL);
	return values;
}

uint64_t *snapshot_driver_values(uint64_t *values, const void *bytes, const struct snapshot_shape *shape)
{
	return fill(values, DRIVER_FIELDS, DRIVER_FIELD_COUNT, shape, shape->size, bytes);
}
