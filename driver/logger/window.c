/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <stdlib.h>
#include <string.h>

/* Rows beyond this many are thinned out to every second one; memory is touched only as they come. */
enum { MOST_ROWS = 4096 };

enum { LOST_SHARE = 20 };  /* of the traffic's time so far, one part in so many may pass between whole samples */
enum { WAITED_SHARE = 4 }; /* likewise of the time waited for it: a single burst's window reaches back to a whole sample */
enum { RISE = 2 };         /* times the usual rate */
enum { BACKGROUND = 20 };  /* less than one part in so many of the usual rate */

static bool open_history(struct window *window)
{
	window->history.stride = 1;
	window->history.rows = malloc((MOST_ROWS + 1) * window->columns * sizeof(uint64_t));
	window->history.whole = malloc((MOST_ROWS + 1) * sizeof(bool));
	return window->history.rows && window->history.whole;
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
	free(window->history.whole);
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

/* --- a window that is found at the end: what it may begin or end with --- */

static bool is_found_later(const struct window *window)
{
	return window->rule->start == WINDOW_TRAFFIC;
}

/* Bytes that passed either way since the sample before, and how long that was. */
static double passing(const struct window *window, const uint64_t *values, double *seconds)
{
	*seconds = (double)(values[0] - window->end[0]) / 1e9;
	return bytes_between(window, window->end, values);
}

/* Traffic that begins, and each of the steps in which it does. */
static bool rises(const struct window *window, const uint64_t *values)
{
	const struct window_outlook *outlook = &window->outlook;
	double seconds, bytes = passing(window, values, &seconds);

	return bytes * outlook->bytes > RISE * outlook->weighted * seconds || (bytes > 0 && !outlook->rose);
}

static bool is_warm(const struct window *window, const uint64_t *values)
{
	const struct window_outlook *outlook = &window->outlook;

	return outlook->rose && !outlook->warm && values[0] - outlook->rose >= window->rule->warmup_ns;
}

/* Whether what was asked for is over with this sample and was not with the one before. */
static bool is_over(const struct window *window, const uint64_t *values)
{
	const struct window_outlook *outlook = &window->outlook;
	uint64_t duration = window->rule->duration_ns;

	return duration && outlook->warm && values[0] - outlook->warm >= duration &&
	       window->end[0] - outlook->warm < duration;
}

static void look_out(struct window *window, const uint64_t *values)
{
	struct window_outlook *outlook = &window->outlook;
	double seconds, bytes = passing(window, values, &seconds);

	if (rises(window, values)) {
		outlook->rose = values[0];
		outlook->warm = 0;
	}
	if (is_warm(window, values))
		outlook->warm = values[0];
	outlook->bytes += bytes;
	outlook->weighted += bytes * bytes / seconds;
}

/* --- what sample has to be whole --- */

bool window_turns(const struct window *window, const uint64_t *values)
{
	if (!is_found_later(window))
		return next_state(window, values) != window->state;
	return rises(window, values) || is_warm(window, values) || is_over(window, values);
}

bool window_waits(const struct window *window, const uint64_t *values)
{
	return is_found_later(window) && window->sampled && !window->outlook.rose && !rises(window, values);
}

uint64_t window_whole_every_ns(const struct window *window, const uint64_t *values)
{
	const struct window_outlook *outlook = &window->outlook;
	uint64_t part;

	if (!is_found_later(window) || !window->sampled)
		return WHOLE_EVERY_NS;
	part = outlook->rose ? (values[0] - outlook->rose) / LOST_SHARE
			     : (values[0] - window->history.rows[0]) / WAITED_SHARE;
	return part < WHOLE_EVERY_NS ? part : WHOLE_EVERY_NS;
}

/* --- a window that is found at the end: how it is found --- */

static uint64_t *row(const struct window *window, size_t number)
{
	return window->history.rows + number * window->columns;
}

static void thin_out(struct window *window)
{
	struct window_history *history = &window->history;
	size_t kept;

	for (kept = 0; 2 * kept < history->count; kept++) {
		size_t from = 2 * kept;

		from += !history->whole[from] && from + 1 < history->count && history->whole[from + 1];
		remember(window, row(window, kept), row(window, from));
		history->whole[kept] = history->whole[from];
	}
	history->count = kept;
	history->stride *= 2;
}

/* Of the samples between two whole ones that nothing passed before, the latest is enough: the traffic begins after it. */
static bool replaces_last(const struct window *window, bool whole)
{
	const struct window_history *history = &window->history;

	return !whole && !window->outlook.rose && history->count && !history->whole[history->count - 1];
}

static void keep(struct window *window, const uint64_t *values, bool whole)
{
	struct window_history *history = &window->history;

	if (history->count && ++history->skipped < history->stride && !whole)
		return;
	history->skipped = 0;
	if (replaces_last(window, whole))
		history->count--;
	if (history->count == MOST_ROWS)
		thin_out(window);
	history->whole[history->count] = whole;
	remember(window, row(window, history->count++), values);
}

/* The last sample counts, whatever the stride. */
static void keep_last(struct window *window)
{
	struct window_history *history = &window->history;

	if (history->skipped) {
		history->whole[history->count] = false;
		remember(window, row(window, history->count++), window->end);
	}
	history->skipped = 0;
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

	return bytes >= usual * seconds / BACKGROUND ? bytes : 0;
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

/* The next row that is whole, itself included; the last row if there is none. */
static size_t whole_from(const struct window *window, size_t number)
{
	while (number + 1 < window->history.count && !window->history.whole[number])
		number++;
	return number;
}

/* The latest row so far that is whole; the first of all is. */
static size_t whole_until(const struct window *window, size_t number)
{
	while (number && !window->history.whole[number])
		number--;
	return number;
}

/* The traffic's whole rows; where there are not two, it is so short that the window goes a little beyond it. */
static void make_whole(const struct window *window, size_t *first, size_t *last)
{
	size_t from = whole_from(window, *first), to = whole_until(window, *last);

	*first = from < to ? from : whole_until(window, *first);
	*last = from < to ? to : whole_from(window, *last);
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
	make_whole(window, &first, &last);
	begin = whole_from(window, later(window, first, last, rule->warmup_ns));
	if (begin > last || row(window, begin)[0] - row(window, first)[0] < rule->warmup_ns)
		return; /* it was over before the warm-up was */
	end = rule->duration_ns ? whole_from(window, later(window, begin, last, rule->duration_ns)) : last;
	remember(window, window->start, row(window, begin));
	remember(window, window->end, row(window, end));
	window->state = WINDOW_CLOSED;
}

/* --- both --- */

bool window_sample(struct window *window, const uint64_t *values, bool whole)
{
	if (!window->sampled)
		window->packets_first = values[window->received];
	else if (is_found_later(window))
		look_out(window, values);
	window->sampled = true;
	if (window->state != WINDOW_CLOSED && (whole || is_found_later(window)))
		remember(window, window->end, values);
	if (window->state < WINDOW_OPEN)
		remember(window, window->start, values);
	if (!is_found_later(window))
		return advance(window, values);
	keep(window, values, whole);
	return false;
}

bool window_settle(struct window *window)
{
	if (window->state == WINDOW_CLOSED || !window->sampled)
		return false;
	if (is_found_later(window))
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
