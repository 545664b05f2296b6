/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "counters.h"
#include "ebpf_interface.h"
#include "ebpf_programs.h"
#include "ebpf_totals.h"
#include "notes.h"
#include "threaded_interrupts.h"

static const uint64_t LOOK_EVERY_NS = 1000000000;

/* What a kernel, an interface or a recording may lack. */
enum need { ALWAYS = 0, LINES = 1, SCHEDULES = 2, TIMES = 4, WORKLOAD = 8 };

#define FIELD(name, unit, kind, needs) {#name, unit, kind, needs, offsetof(struct ebpf_totals, name)}
static const struct field {
	const char *name;
	const char *unit;
	enum column_kind kind;
	unsigned int needs;
	size_t offset;
} FIELDS[] = {
	FIELD(rx_bytes, "bytes", COLUMN_COUNTER, ALWAYS),
	FIELD(rx_packets, "packets", COLUMN_COUNTER, ALWAYS),
	FIELD(tx_bytes, "bytes", COLUMN_COUNTER, ALWAYS),
	FIELD(tx_packets, "packets", COLUMN_COUNTER, ALWAYS),
	FIELD(rx_skbs, "skbs", COLUMN_COUNTER, ALWAYS),
	FIELD(tx_skbs, "skbs", COLUMN_COUNTER, ALWAYS),
	FIELD(interrupts, "interrupts", COLUMN_COUNTER, LINES),
	FIELD(rx_interrupts, "interrupts", COLUMN_COUNTER, LINES | SCHEDULES),
	FIELD(schedules, "schedules", COLUMN_COUNTER, LINES | SCHEDULES),
	FIELD(polls, "polls", COLUMN_COUNTER, ALWAYS),
	FIELD(rx_polls, "polls", COLUMN_COUNTER, ALWAYS),
	FIELD(poll_work, "packets", COLUMN_COUNTER, ALWAYS),
	FIELD(idle_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(task_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(workload_ns, "ns", COLUMN_COUNTER, TIMES | WORKLOAD),
	FIELD(other_task_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(irq_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(softirq_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(other_irq_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(unknown_ns, "ns", COLUMN_COUNTER, TIMES),
	FIELD(missed_events, "events", COLUMN_COUNTER, ALWAYS),
	FIELD(missed_switches, "events", COLUMN_COUNTER, TIMES),
	FIELD(retries, "1", COLUMN_GAUGE, ALWAYS),
};
#undef FIELD
enum { FIELD_COUNT = sizeof(FIELDS) / sizeof(*FIELDS) };

struct state {
	struct ebpf_programs programs;
	struct ebpf_interface interface;
	unsigned int has; /* enum need */
	uint64_t torn;    /* copies that were used although the CPU had changed them meanwhile */
	uint64_t skipped; /* runs of programs */
	uint64_t looked_ns;
	struct ebpf_totals last;
};

/* --- sampling --- */

/* What takes system calls is asked seldom: each of them costs as much as reading the counters does. */
static int look_around(struct state *state, uint64_t now)
{
	if (now - state->looked_ns < LOOK_EVERY_NS)
		return 0;
	state->looked_ns = now;
	state->skipped = ebpf_programs_skipped_runs(&state->programs);
	return ebpf_interface_still_there(&state->interface);
}

static uint64_t value_of(const struct ebpf_totals *totals, const struct field *field)
{
	uint64_t value;

	memcpy(&value, (const char *)totals + field->offset, sizeof(value));
	return value;
}

/* The clocks of two CPUs may differ by nanoseconds: no counter runs backwards for that. */
static void keep_forward(struct ebpf_totals *totals, const struct ebpf_totals *last)
{
	size_t i;

	for (i = 0; i < FIELD_COUNT; i++)
		if (FIELDS[i].needs == TIMES && value_of(totals, &FIELDS[i]) < value_of(last, &FIELDS[i]))
			memcpy((char *)totals + FIELDS[i].offset, (const char *)last + FIELDS[i].offset,
			       sizeof(uint64_t));
}

static bool is_listed(const struct state *state, const struct field *field)
{
	return (field->needs & state->has) == field->needs;
}

static int sample(struct source *source, uint64_t *values)
{
	struct state *state = source->state;
	struct ebpf_totals totals = {0};
	int status;
	size_t i;

	values += source->first;
	*values = clock_ns(CLOCK_MONOTONIC_RAW);
	status = look_around(state, *values++);
	if (status)
		return status;
	for (i = 0; i < state->programs.cpu_count; i++)
		state->torn += !ebpf_totals_add(&totals, &state->programs.cpus[i]);
	totals.missed_events += state->torn + state->skipped;
	keep_forward(&totals, &state->last);
	state->last = totals;
	for (i = 0; i < FIELD_COUNT; i++)
		if (is_listed(state, &FIELDS[i]))
			*values++ = value_of(&totals, &FIELDS[i]);
	return 0;
}

/* --- opening and closing --- */

static void tell_missed(const struct ebpf_totals *totals)
{
	uint64_t others = totals->missed_events - totals->missed_switches;

	if (totals->missed_switches)
		note("ebpf: the kernel hid %llu task switches: %.3g ms of CPU time have no known owner",
		     (unsigned long long)totals->missed_switches, (double)totals->unknown_ns / 1e6);
	if (others)
		note("ebpf: events that were not seen: at least %llu; counts are too low", (unsigned long long)others);
}

static void close_source(struct source *source)
{
	struct state *state = source->state;

	tell_missed(&state->last);
	ebpf_programs_close(&state->programs);
	ebpf_interface_close(&state->interface);
	free(state);
}

static const char *scope_of(const char *name)
{
	if (!strcmp(name, "idle_ns") || !strcmp(name, "unknown_ns") || !strncmp(name, "other_", strlen("other_")))
		return "machine";
	return !strcmp(name, "task_ns") ? "namespace" : NULL;
}

static void describe(const struct source *source, struct record_layout *layout)
{
	const struct state *state = source->state;
	struct column *column;
	size_t i;

	column = record_layout_add(layout, "t_monotonic_ns", "ns", COLUMN_TIME, source->name);
	json_member_string(&column->attributes, "clock", "CLOCK_MONOTONIC_RAW");
	for (i = 0; i < FIELD_COUNT; i++) {
		if (!is_listed(state, &FIELDS[i]))
			continue;
		column = record_layout_add(layout, FIELDS[i].name, FIELDS[i].unit, FIELDS[i].kind, source->name);
		if (scope_of(FIELDS[i].name))
			json_member_string(&column->attributes, "scope", scope_of(FIELDS[i].name));
		if (!strcmp(FIELDS[i].unit, "bytes")) {
			json_name(&column->attributes, "bytes_include");
			json_open(&column->attributes, '[');
			json_string(&column->attributes, "link_header");
			json_string(&column->attributes, "fcs");
			json_close(&column->attributes, ']');
			json_member_string(&column->attributes, "bytes_include_basis",
					   "counted by the eBPF programs");
		}
	}
}

static unsigned int what_there_is(const struct state *state, bool follow)
{
	const unsigned int lines = state->interface.has_line ? LINES : 0, workload = follow ? WORKLOAD : 0;

	if (interrupts_are_threads())
		return lines | workload;
	return lines | (state->programs.see_schedules ? SCHEDULES : 0) | TIMES | workload;
}

static int open_state(struct state *state, const char *name, bool follow)
{
	const struct ebpf_interface *interface = &state->interface;
	int status = ebpf_interface_open(&state->interface, name);
	size_t i;

	if (!status)
		status = ebpf_programs_open(&state->programs, interface->index);
	for (i = 0; !status && i < interface->line_count; i++)
		status = ebpf_programs_own_line(&state->programs, interface->lines[i]);
	if (!status && follow)
		status = ebpf_programs_follow_children(&state->programs);
	state->has = what_there_is(state, follow);
	return status;
}

int ebpf_source_open(struct source *source, struct record_layout *layout, const char *interface, bool follow,
		     struct text *facts)
{
	struct state *state = calloc(1, sizeof(*state));
	int status;

	if (!state)
		return -ENOMEM;
	*source = (struct source){
		.name = "ebpf",
		.description = "eBPF programs at the kernel's tracepoints: each CPU's counters belong to one instant, "
			       "the CPUs are read one after the other",
		.first = layout->count,
		.sample = sample,
		.close = close_source,
		.state = state,
	};
	status = open_state(state, interface, follow);
	if (status) {
		close_source(source);
		return status;
	}
	ebpf_programs_measure_cost(&state->programs, facts);
	ebpf_programs_start_cpus(&state->programs);
	describe(source, layout);
	return 0;
}
