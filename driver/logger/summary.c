/* SPDX-License-Identifier: Apache-2.0 */
#include "summary.h"

#include "json_print.h"

#include <stdio.h>

/* How far each counter advanced; one that ran backwards was reset, and is left out. */
static void advances(const struct summary *summary, struct text *json)
{
	const uint64_t *start = summary->window->start, *end = summary->window->end;
	size_t i;

	json_name(json, "advances");
	json_open(json, '{');
	for (i = 0; i < summary->layout->count; i++) {
		const struct column *column = &summary->layout->columns[i];

		if (column->kind != COLUMN_COUNTER || end[i] < start[i])
			continue;
		json_name(json, column->name);
		json_unsigned(json, end[i] - start[i]);
	}
	json_close(json, '}');
}

static void window(const struct summary *summary, struct text *json)
{
	json_name(json, "window");
	if (!window_began(summary->window)) {
		json_null(json);
		return;
	}
	json_open(json, '{');
	json_name(json, "t_start_monotonic_ns");
	json_unsigned(json, summary->window->start[0]);
	json_name(json, "t_end_monotonic_ns");
	json_unsigned(json, summary->window->end[0]);
	advances(summary, json);
	json_close(json, '}');
}

bool summary_print(const struct summary *summary)
{
	struct text json = {0};
	bool fine;

	json_open(&json, '{');
	json_member_string(&json, "log", summary->log);
	json_member_string(&json, "ended", summary->ended);
	json_member_bool(&json, "fine", summary->fine);
	json_name(&json, "missed_ticks");
	json_unsigned(&json, summary->missed_ticks);
	window(summary, &json);
	json_name(&json, "doubts");
	json_raw(&json, summary->doubts->data);
	json_close(&json, '}');
	fine = json_print(&json);
	text_free(&json);
	return fine;
}
