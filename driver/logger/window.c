/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <stdlib.h>
#include <string.h>

/* Rows beyond this many are thinned out to every second one; memory is touched only as they come. */
enum { MOST_ROWS = 4096 };

static bool open_history(struct window *window)
{
	window->history.stride = 1;
	window->history.rows = malloc((MOST_ROWS + 1) * window->columns * sizeof(uint64_t));
	return window->history.rows;
}

bool window_open(struct window *window, const struct window_rule *rule, const struct record_layout *layout)
{
	*window = (struct window){
		.rule = rule,
		.columns = layout->count,
		.received = record_layout_find(layout, "rx_packets"),
		.bytes = {record_layout_find(layout, "rx_bytes"), record_layout_find(layout, "tx_bytes")},
	};
	window->start = calloc(layout->count, sizeof(uint64_t));
	window->end = calloc(layout->count, sizeof(uint64_t));
	return window->start && window->end && (rule->start != WINDOW_TRAFFIC || open_history(window));
}

void window_close(struct window *window)
{
	free(window->history.rows);
	free(window->start);
	free(window->end);
	*window = (struct window){0};
}

static void remember(const struct window *window, uint64_t *where, const uint64_t *values)
{
	memcpy(where, values, window->columns * sizeof(*values));
}

static double bytes_between(const struct window *window, const uint64_t *from, const uint64_t *to)
{
	double bytes = 0;
	size_t way;

	for (way = 0; way < 2; way++)
		if (window->bytes[way] != COLUMN_ABSENT)
			bytes += (double)(to[window->bytes[way]] - from[window->bytes[way]]);
	return bytes;
}

/* --- a window that is known while it passes --- */

static void enter(struct window *window, enum window_state state, const uint64_t *values)
{
	window->state = state;
	window->since = values[0];
	if (state == WINDOW_OPEN)
		remember(window, window->start, values);
}

static enum window_state next_state(const struct window *window, const uint64_t *values)
{
	const struct window_rule *rule = window->rule;
	enum window_state state = window->state;
	uint64_t since = window->since;

	if (state == WINDOW_WAITING && (rule->start == WINDOW_NOW ||
					values[window->received] - window->packets_first >= rule->packets)) {
		state = WINDOW_WARMING;
		since = values[0];
	}
	if (state == WINDOW_WARMING && values[0] - since >= rule->warmup_ns)
		return WINDOW_OPEN;
	if (state == WINDOW_OPEN && rule->duration_ns && values[0] - since >= rule->duration_ns)
		return WINDOW_CLOSED;
	return state;
}

static bool advance(struct window *window, const uint64_t *values)
{
	enum window_state state = next_state(window, values);

	if (state == window->state)
		return false;
	enter(window, state, values);
	return state >= WINDOW_OPEN;
}

bool window_is_found_later(const struct window_rule *rule)
{
	return rule->start == WINDOW_TRAFFIC;
}

bool window_turns(const struct window *window, const uint64_t *values)
{
	return !window_is_found_later(window->rule) && next_state(window, values) != window->state;
}

/* --- a window that is found at the end --- */

static uint64_t *row(const struct window *window, size_t number)
{
	return window->history.rows + number * window->columns;
}

static void thin_out(struct window *window)
{
	struct window_history *history = &window->history;
	size_t kept;

	for (kept = 0; 2 * kept < history->count; kept++)
		remember(window, row(window, kept), row(window, 2 * kept));
	history->count = kept;
	history->stride *= 2;
}

static void keep(struct window *window, const uint64_t *values)
{
	struct window_history *history = &window->history;

	if (history->count && ++history->skipped < history->stride)
		return;
	history->skipped = 0;
	if (history->count == MOST_ROWS)
		thin_out(window);
	remember(window, row(window, history->count++), values);
}

/* The last sample counts, whatever the stride. */
static void keep_last(struct window *window)
{
	if (window->history.skipped)
		remember(window, row(window, window->history.count++), window->end);
	window->history.skipped = 0;
}

/* Bytes that passed either way in the interval before a row, and how long it was. */
static double passed(const struct window *window, size_t number, double *seconds)
{
	const uint64_t *now = row(window, number), *before = row(window, number - 1);

	*seconds = (double)(now[0] - before[0]) / 1e9;
	return bytes_between(window, before, now);
}

/* The rate at which the average byte passed: waiting before and after the traffic does not lower it. */
static double usual_rate(const struct window *window)
{
	double bytes = 0, weighted = 0, seconds;
	size_t i;

	for (i = 1; i < window->history.count; i++) {
		double now = passed(window, i, &seconds);

		bytes += now;
		weighted += now * now / seconds;
	}
	return bytes > 0 ? weighted / bytes : 0;
}

/* Bytes of an interval that is no background: of at least a twentieth of the usual rate. */
static double carried(const struct window *window, size_t number, double usual)
{
	double seconds, bytes = passed(window, number, &seconds);

	return bytes >= usual * seconds / 20 ? bytes : 0;
}

/*
 * The rows at which the traffic began and ended. A thousandth of it at each end is left out with the stray packets that may
 * be there, and so is the interval in which it began or ended, which is one of traffic in part only.
 */
static void find_traffic(const struct window *window, double usual, size_t *first, size_t *last)
{
	size_t i, from = 0, to = 0, rows = window->history.count;
	double all = 0, so_far = 0;

	for (i = 1; i < rows; i++)
		all += carried(window, i, usual);
	for (i = 1; i < rows; i++) {
		so_far += carried(window, i, usual);
		if (!from && so_far > all / 1000)
			from = i;
		if (!to && so_far >= all - all / 1000)
			to = i;
	}
	if (from + 1 < to) {
		*first = from;
		*last = to - 1;
	} else { /* too short to leave anything out */
		*first = from - 1;
		*last = to;
	}
}

/* The first row from `first` on that is so much later than it, or the last of all rows until `last`. */
static size_t later(const struct window *window, size_t first, size_t last, uint64_t by_ns)
{
	size_t i = first;

	while (i < last && row(window, i)[0] - row(window, first)[0] < by_ns)
		i++;
	return i;
}

static void find(struct window *window)
{
	const struct window_rule *rule = window->rule;
	size_t first = 0, last, begin, end;
	double usual;

	keep_last(window);
	last = window->history.count - 1;
	usual = usual_rate(window);
	if (usual > 0) /* else there was none, and the window is all that was recorded */
		find_traffic(window, usual, &first, &last);
	begin = later(window, first, last, rule->warmup_ns);
	if (row(window, begin)[0] - row(window, first)[0] < rule->warmup_ns)
		return; /* it was over before the warm-up was */
	end = rule->duration_ns ? later(window, begin, last, rule->duration_ns) : last;
	remember(window, window->start, row(window, begin));
	remember(window, window->end, row(window, end));
	window->state = WINDOW_CLOSED;
}

/* --- both --- */

bool window_sample(struct window *window, const uint64_t *values)
{
	if (!window->sampled)
		window->packets_first = values[window->received];
	window->sampled = true;
	if (window->state != WINDOW_CLOSED)
		remember(window, window->end, values);
	if (window->state < WINDOW_OPEN)
		remember(window, window->start, values);
	if (window->rule->start != WINDOW_TRAFFIC)
		return advance(window, values);
	keep(window, values);
	return false;
}

bool window_settle(struct window *window)
{
	if (window->state == WINDOW_CLOSED || !window->sampled)
		return false;
	if (window->rule->start == WINDOW_TRAFFIC)
		find(window);
	else if (window->state == WINDOW_OPEN)
		window->state = WINDOW_CLOSED;
	return window->state == WINDOW_CLOSED;
}

bool window_began(const struct window *window)
{
	return window->state >= WINDOW_OPEN;
}

bool window_carried(const struct window *window)
{
	return bytes_between(window, window->start, window->end) > 0;
}

bool window_is_short(const struct window *window)
{
	return window_began(window) && window->end[0] - window->start[0] < window->rule->duration_ns / 10 * 9;
}
