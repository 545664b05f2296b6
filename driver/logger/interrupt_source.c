/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface's interrupts: one column for each of its lines, and sums of those that serve receiving and of those that
 * serve transmitting only. The lines that serve receiving are one source, all others another. A line tells no interrupt that received from one that did not: rx_interrupts is another
 * quantity. /proc/interrupts names the lines; each is then read from its own file in /sys/kernel/irq, which costs less
 * than the whole table. Such a file holds at most a page: where it is cut, as with many hundreds of CPUs, the line's count
 * is that in /proc/stat. The kernel counts 32 bits; the counts are continued here in 64, so that a wrap never shows.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interface.h"
#include "interrupt_line.h"
#include "source.h"
#include "text_file.h"

enum { MOST_LINES = 512, MOST_CPUS = 8192, MOST_TEXT = 65536 };
static const char RECEIVING[] = "proc_interrupts", OTHERS[] = "proc_other_interrupts";
static const char *const DIRECTIONS[] = {"receive", "transmit", "both", "other"};

struct line {
	struct interrupt_line entry; /* in the table */
	int fd; /* of its counts, "12,0,7" with one for each CPU that there may be; -1: its count is in /proc/stat */
	bool gone;
	uint64_t total;
	unsigned int counts;
	uint32_t *last; /* of each CPU, or of all together */
};

struct state {
	size_t count;
	struct line *lines;
	int stat_fd; /* -1: no line needs it */
	struct text stat;
	bool receives, transmits; /* whether there are columns for these sums */
};

/* The line's counts of each CPU: how many; -EOVERFLOW if the file is cut: then its line does not end. */
static int read_counts(int fd, uint32_t *counts)
{
	char text[MOST_TEXT], *at = text, *end;
	ssize_t got = pread(fd, text, sizeof(text) - 1, 0);
	int cpu;

	if (got <= 0)
		return got < 0 ? -errno : -ENODATA;
	if (text[got - 1] != '\n')
		return -EOVERFLOW;
	text[got] = '\0';
	for (cpu = 0; cpu < MOST_CPUS; cpu++, at = end + (*end == ',')) {
		unsigned long count = strtoul(at, &end, 10);

		if (end == at)
			break;
		counts[cpu] = (uint32_t)count;
	}
	return cpu ? cpu : -ENODATA;
}

/* The line's count of all CPUs, in "intr SUM 12 0 7 …" of /proc/stat with one for each number. */
static int read_count_of_all(const struct text *stat, unsigned int number, uint32_t *count)
{
	const char *at = stat->length ? strstr(stat->data, "\nintr ") : NULL;
	char *end;

	if (!at)
		return -ENODATA;
	at += strlen("\nintr ");
	for (number++; number && *at && *at != '\n'; number--)
		at += strcspn(at, " \n") + 1;
	*count = (uint32_t)strtoul(at, &end, 10);
	return end == at ? -ENODATA : 1;
}

static int read_line_counts(const struct state *state, const struct line *line, uint32_t *counts)
{
	return line->fd < 0 ? read_count_of_all(&state->stat, line->entry.number, counts) : read_counts(line->fd, counts);
}

static int open_stat(struct state *state)
{
	if (state->stat_fd < 0)
		state->stat_fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	return state->stat_fd < 0 ? -errno : read_from_start(state->stat_fd, &state->stat);
}

/* Opens where the line's counts are: how many there are, or a negative errno. */
static int open_counts(struct state *state, struct line *line, uint32_t *counts)
{
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/sys/kernel/irq/%u/per_cpu_count", line->entry.number);
	line->fd = open(path, O_RDONLY | O_CLOEXEC);
	status = line->fd < 0 ? -errno : read_counts(line->fd, counts);
	if (status > 0)
		return status;
	if (line->fd >= 0)
		close(line->fd);
	line->fd = -1;
	status = open_stat(state);
	return status ? status : read_line_counts(state, line, counts);
}

static int add_line(struct state *state, struct line *line)
{
	struct line *lines = realloc(state->lines, (state->count + 1) * sizeof(*line));
	uint32_t counts[MOST_CPUS];
	int status;

	if (!lines)
		return -ENOMEM;
	state->lines = lines;
	status = open_counts(state, line, counts);
	if (status < 0)
		return status;
	line->counts = (unsigned int)status;
	line->total = 1; /* so that one can see it fall */
	line->last = malloc(line->counts * sizeof(*counts));
	lines[state->count++] = *line;
	if (!line->last)
		return -ENOMEM;
	memcpy(line->last, counts, line->counts * sizeof(*counts));
	return 0;
}

static bool serves(enum direction direction, enum direction way)
{
	return direction == way || (way == RECEIVE && direction == BOTH);
}

static int find_lines(struct state *state, const char *interface, bool receiving, const char *table)
{
	struct line line = {0};
	int status = 0;

	while (!status && state->count < MOST_LINES && interrupt_line_next(&table, interface, &line.entry))
		if (serves(line.entry.direction, RECEIVE) == receiving)
			status = add_line(state, &line);
	return status ? status : state->count ? 0 : -ENOENT;
}

/* --- sampling --- */

/* Of a line that is gone, as when the driver asks for its interrupts anew, nothing is known any more. */
static void advance(const struct state *state, struct line *line)
{
	uint32_t now[MOST_CPUS];
	unsigned int i;

	if (line->gone || read_line_counts(state, line, now) != (int)line->counts) {
		line->gone = true;
		return;
	}
	for (i = 0; i < line->counts; i++) {
		line->total += (uint32_t)(now[i] - line->last[i]);
		line->last[i] = now[i];
	}
}

/* Readers take a count that falls to 0, and stays there, for one that started anew: of no such window they know it. */
static uint64_t known(uint64_t count, bool gone)
{
	return gone ? 0 : count;
}

static uint64_t sum_of(const struct state *state, enum direction way)
{
	uint64_t sum = 0;
	bool gone = false;
	size_t i;

	for (i = 0; i < state->count; i++) {
		if (!serves(state->lines[i].entry.direction, way))
			continue;
		sum += state->lines[i].total;
		gone |= state->lines[i].gone;
	}
	return known(sum, gone);
}

static void fill(const struct state *state, uint64_t *values)
{
	size_t i;

	if (state->receives)
		*values++ = sum_of(state, RECEIVE);
	if (state->transmits)
		*values++ = sum_of(state, TRANSMIT);
	for (i = 0; i < state->count; i++)
		*values++ = known(state->lines[i].total, state->lines[i].gone);
}

static int sample(struct source *source, uint64_t *values)
{
	struct state *state = source->state;
	int status = state->stat_fd < 0 ? 0 : open_stat(state);
	size_t i;

	if (status)
		return status;
	for (i = 0; i < state->count; i++)
		advance(state, &state->lines[i]);
	fill(state, values + source->first);
	return 0;
}

static void close_source(struct source *source)
{
	struct state *state = source->state;

	while (state->count) {
		struct line *line = &state->lines[--state->count];

		if (line->fd >= 0)
			close(line->fd);
		free(line->last);
	}
	if (state->stat_fd >= 0)
		close(state->stat_fd);
	text_free(&state->stat);
	free(state->lines);
	free(state);
}

static void describe(struct source *source, struct record_layout *layout)
{
	struct state *state = source->state;
	bool both = false;
	struct column *column;
	size_t i;

	for (i = 0; i < state->count; i++) {
		both |= state->lines[i].entry.direction == BOTH;
		state->receives |= state->lines[i].entry.direction == RECEIVE || state->lines[i].entry.direction == BOTH;
		state->transmits |= state->lines[i].entry.direction == TRANSMIT;
	}
	if (state->receives) {
		column = record_layout_add(layout, "rx_line_interrupts", "interrupts", COLUMN_COUNTER, source->name);
		json_member_string(&column->attributes, "direction", both ? "both" : "receive");
	}
	if (state->transmits) {
		column = record_layout_add(layout, "tx_line_interrupts", "interrupts", COLUMN_COUNTER, source->name);
		json_member_string(&column->attributes, "direction", "transmit");
	}
	for (i = 0; i < state->count; i++) {
		char name[48];

		snprintf(name, sizeof(name), "interrupts.%u", state->lines[i].entry.number);
		column = record_layout_add(layout, name, "interrupts", COLUMN_COUNTER, source->name);
		json_member_integer(&column->attributes, "irq", state->lines[i].entry.number);
		json_member_string(&column->attributes, "label", state->lines[i].entry.label);
		json_member_string(&column->attributes, "direction", DIRECTIONS[state->lines[i].entry.direction]);
		json_member_bool(&column->attributes, "shared", state->lines[i].entry.shared);
	}
}

static int open_lines(struct source *source, struct record_layout *layout, const char *interface, bool receiving)
{
	struct text table = {0};
	struct state *state;
	int status;

	if (!interface_in_sysfs(interface))
		return -ENOENT; /* lines are found by name: never count another namespace's device */
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	state->stat_fd = -1;
	*source = (struct source){
		.name = receiving ? RECEIVING : OTHERS,
		.description = receiving ? "the interface's lines of /proc/interrupts that serve receiving, read from "
					   "/sys/kernel/irq one after the other, summed over CPUs while they are being counted"
					 : "the interface's lines of /proc/interrupts that do not serve receiving, read likewise",
		.first = layout->count,
		.sample = sample,
		.close = close_source,
		.state = state,
	};
	status = read_file("/proc/interrupts", &table);
	if (!status)
		status = table.length ? find_lines(state, interface, receiving, table.data) : -ENOENT;
	text_free(&table);
	if (status) {
		close_source(source);
		return status;
	}
	describe(source, layout);
	return 0;
}

int interrupt_source_open(struct source *source, struct record_layout *layout, const char *interface)
{
	return open_lines(source, layout, interface, true);
}

int other_interrupt_source_open(struct source *source, struct record_layout *layout, const char *interface)
{
	return open_lines(source, layout, interface, false);
}
