/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

static const uint64_t LINE_EVERY_NS = 1000000000;
enum { LINK_HEADER_BYTES = 14, FRAME_CHECK_BYTES = 4, LONGEST_LINE = 400 };

/* --- what is shown --- */

static void find(struct live_columns *found, const struct record_layout *layout, const char *const *names)
{
	*found = (struct live_columns){.count = 0};
	for (; *names; names++) {
		size_t column = record_layout_find(layout, *names);

		if (column != COLUMN_ABSENT)
			found->columns[found->count++] = column;
	}
}

/* What the byte counter leaves out of each frame; its own column says so. */
static double missing_bytes(const struct record_layout *layout, size_t column)
{
	const char *said = layout->columns[column].attributes.data;

	return (said && strstr(said, "\"link_header\"") ? 0 : LINK_HEADER_BYTES) +
	       (said && strstr(said, "\"fcs\"") ? 0 : FRAME_CHECK_BYTES);
}

static void find_columns(struct live *live, const struct record_layout *layout)
{
	static const char *const bytes[] = {"rx_bytes", NULL}, *const packets[] = {"rx_packets", NULL},
				 *const interrupts[] = {"rx_interrupts", NULL},
				 *const line_interrupts[] = {"rx_line_interrupts", NULL},
				 *const drops[] = {"rx_dropped", "rx_missed_errors", NULL},
				 *const idle[] = {"cpu_idle_ns", "cpu_iowait_ns", NULL},
				 *const cpu[] = {"cpu_user_ns", "cpu_nice_ns",    "cpu_system_ns",
						 "cpu_idle_ns", "cpu_iowait_ns",  "cpu_irq_ns",
						 "cpu_softirq_ns", "cpu_steal_ns", NULL};

	find(&live->bytes, layout, bytes);
	find(&live->packets, layout, packets);
	find(&live->interrupts, layout, interrupts);
	if (!live->interrupts.count)
		find(&live->interrupts, layout, line_interrupts);
	find(&live->drops, layout, drops);
	find(&live->cpu, layout, cpu);
	find(&live->cpu_idle, layout, idle);
	if (live->bytes.count)
		live->more_bytes = missing_bytes(layout, live->bytes.columns[0]);
}

bool live_open(struct live *live, const struct record_layout *layout, double dilation)
{
	*live = (struct live){.layout = layout, .dilation = dilation};
	live->previous = calloc(layout->count, sizeof(*live->previous));
	find_columns(live, layout);
	return live->previous;
}

void live_close(struct live *live)
{
	free(live->previous);
	*live = (struct live){0};
}

/* --- the lines --- */

/* A reader that does not keep up loses lines: it must not keep us from sampling. */
static void say(const char *line)
{
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&out, 1, 0) > 0 && !(out.revents & (POLLERR | POLLHUP)))
		print_line(stderr, "%s", line);
}

static double advance(const struct live_columns *columns, const uint64_t *from, const uint64_t *to)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < columns->count; i++)
		if (to[columns->columns[i]] > from[columns->columns[i]]) /* else it started anew, or is not known any more */
			sum += (double)(to[columns->columns[i]] - from[columns->columns[i]]);
	return sum;
}

__attribute__((format(printf, 3, 4))) static void cell(char *line, bool known, const char *format, ...)
{
	size_t length = strlen(line);
	va_list arguments;
	char value[40];

	va_start(arguments, format);
	vsnprintf(value, sizeof(value), format, arguments);
	va_end(arguments);
	if (known)
		snprintf(line + length, LONGEST_LINE - length, "%s", value);
	else
		snprintf(line + length, LONGEST_LINE - length, "%*s", (int)strlen(value), "-");
}

static void say_between(const struct live *live, const char *label, double time_s, const uint64_t *from,
			const uint64_t *to)
{
	double seconds = (double)(to[0] - from[0]) / 1e9 / live->dilation;
	double packets = advance(&live->packets, from, to);
	double octets = advance(&live->bytes, from, to) + packets * live->more_bytes;
	double interrupts = advance(&live->interrupts, from, to);
	double cpu = advance(&live->cpu, from, to), idle = advance(&live->cpu_idle, from, to);
	char line[LONGEST_LINE];

	if (seconds <= 0)
		return;
	snprintf(line, sizeof(line), "%-6s %7.1f", label, time_s / live->dilation);
	cell(line, true, " %9.2f %10.0f", octets * 8e-6 / seconds, packets / seconds);
	cell(line, live->interrupts.count, " %13.0f", interrupts / seconds);
	cell(line, interrupts > 0, " %14.2f", interrupts > 0 ? packets / interrupts : 0);
	cell(line, cpu > 0, " %6.1f", cpu > 0 ? 100 * (cpu - idle) / cpu : 0);
	cell(line, live->drops.count, " %8.0f", advance(&live->drops, from, to));
	say(line);
}

static void remember(struct live *live, const uint64_t *values)
{
	memcpy(live->previous, values, live->layout->count * sizeof(*values));
}

static void begin(struct live *live, const uint64_t *values)
{
	char line[LONGEST_LINE];

	live->begun = values[0];
	remember(live, values);
	snprintf(line, sizeof(line), "%14s %9s %10s %13s %14s %6s %8s", "time s", "rx Mb/s", "packets/s",
		 "interrupts/s", "per interrupt", "CPU %", "drops");
	say(line);
	if (live->dilation > 1) {
		snprintf(line, sizeof(line), "in the time of the system stood for, %g times faster than here",
			 live->dilation);
		say(line);
	}
}

bool live_is_due(const struct live *live, const uint64_t *values)
{
	return live->begun && values[0] - live->previous[0] >= LINE_EVERY_NS;
}

void live_sample(struct live *live, const uint64_t *values)
{
	if (!live->begun)
		begin(live, values);
	if (!live_is_due(live, values))
		return;
	say_between(live, "", (double)(values[0] - live->begun) / 1e9, live->previous, values);
	remember(live, values);
}

void live_finish(const struct live *live, const uint64_t *start, const uint64_t *end)
{
	say_between(live, "window", (double)(end[0] - start[0]) / 1e9, start, end);
}
