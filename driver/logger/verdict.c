/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict.h"

#include <stdbool.h>
#include <stdio.h>

enum { LONGEST_SENTENCE = 300, MOST_COUNTERS = 3 };

struct loss {
	const char *counters[MOST_COUNTERS]; /* summed, as far as they are there */
	bool same;                           /* drivers count one loss in each of them: the largest */
	const char *what;
};

/* From the socket down to the card. */
static const struct loss LOSSES[] = {
	{{"udp_rcvbuf_errors"}, false, "datagrams found no room in their socket: give it a larger buffer, or a faster reader"},
	{{"tcp_rcv_queue_drops"}, false, "segments found no room in their socket"},
	{{"tcp_retransmitted_segments"}, false, "segments were retransmitted from here"},
	{{"backlog_drops"}, false, "packets found no room in a CPU's backlog, of this or another interface: see net.core.netdev_max_backlog"},
	{{"rx_missed_errors", "rx_fifo_errors"}, true, "frames found no room in the card's ring: see ethtool -g"},
	{{"rx_dropped", "tx_dropped"}, false, "packets were dropped at the interface, or nobody here takes their protocol (rx_dropped, tx_dropped of ip -s link)"},
	{{"rx_errors"}, false, "frames arrived damaged (rx_errors of ip -s link)"},
};

struct view {
	const struct record_layout *layout;
	const uint64_t *start, *end;
};

/* How far these advanced in the window, together, and the one that did most; false if none of them is there. */
static bool advances(const struct view *view, const char *const *names, size_t count, double *sum, double *most)
{
	bool known = false;
	size_t i;

	*sum = *most = 0;
	for (i = 0; i < count && names[i]; i++) {
		size_t column = record_layout_find(view->layout, names[i]);
		double by;

		if (column == COLUMN_ABSENT || view->end[column] < view->start[column])
			continue;
		by = (double)(view->end[column] - view->start[column]);
		*sum += by;
		*most = by > *most ? by : *most;
		known = true;
	}
	return known;
}

static bool advance(const struct view *view, const char *const *names, size_t count, double *sum)
{
	double most;

	return advances(view, names, count, sum, &most);
}

/*
 * CPUs' worth of other tasks, at least: interrupts are not among the host's user and system time, but they may be among the
 * command's. 0 where it is too little to be told from the kernel's ticks.
 */
static double others_at_work(const struct view *view)
{
	static const char *const tasks[] = {"cpu_user_ns", "cpu_nice_ns", "cpu_system_ns"};
	static const char *const command[] = {"workload_cpu_ns"};
	const double least_ns = 1e8, least_share = 0.1;
	double elapsed = (double)(view->end[0] - view->start[0]), host, own;

	if (!advance(view, tasks, 3, &host) || !advance(view, command, 1, &own))
		return 0;
	return host - own >= least_ns && host - own >= least_share * elapsed ? (host - own) / elapsed : 0;
}

/* Packets that came without any interrupt that brought them, or with none of the interface's lines; 0 where that is not so. */
static double came_without_interrupt(const struct view *view)
{
	static const char *const packets[] = {"rx_packets"};
	static const char *const interrupts[] = {"rx_interrupts", "rx_line_interrupts"};
	double came, seen;
	bool known = advance(view, interrupts, 1, &seen) || advance(view, interrupts + 1, 1, &seen);

	return known && seen <= 0 && advance(view, packets, 1, &came) ? came : 0;
}

void verdict(const struct record_layout *layout, const uint64_t *start, const uint64_t *end,
	     void (*say)(const char *sentence, void *context), void *context)
{
	const struct view view = {layout, start, end};
	char sentence[LONGEST_SENTENCE];
	double count, most, others;
	size_t i;

	for (i = 0; i < sizeof(LOSSES) / sizeof(*LOSSES); i++) {
		if (!advances(&view, LOSSES[i].counters, MOST_COUNTERS, &count, &most) || count <= 0)
			continue;
		count = LOSSES[i].same ? most : count;
		snprintf(sentence, sizeof(sentence), "in the window %.0f %s", count, LOSSES[i].what);
		say(sentence, context);
	}
	count = came_without_interrupt(&view);
	if (count > 0) {
		snprintf(sentence, sizeof(sentence),
			 "in the window %.0f packets came and no interrupt was seen that brought one: they were polled without "
			 "any (busy polling, timers), or the interrupts are hidden from here", count);
		say(sentence, context);
	}
	others = others_at_work(&view);
	if (others > 0) {
		snprintf(sentence, sizeof(sentence),
			 "beside the command, other tasks took at least %.0f %% of a CPU in the window", 100 * others);
		say(sentence, context);
	}
}
