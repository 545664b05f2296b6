/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement window: the two samples between which a run is measured. */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"

/* What the window begins with; --warmup comes after it. */
enum window_start {
	WINDOW_NOW,     /* the first sample */
	WINDOW_PACKETS, /* so many packets received */
	WINDOW_TRAFFIC, /* traffic, either way; the window then ends with it, too. Known only at the end */
};

static const uint64_t WHOLE_EVERY_NS = 5000000000; /* at least: see window_whole_every_ns */

struct window_rule {
	enum window_start start;
	uint64_t packets;
	uint64_t warmup_ns;
	uint64_t duration_ns; /* 0: until the end */
};

enum window_state { WINDOW_WAITING, WINDOW_WARMING, WINDOW_OPEN, WINDOW_CLOSED };

/* Samples that were kept, each a row of all its values: every `stride`th of those that were taken. */
struct window_history {
	uint64_t *rows;
	bool *whole; /* whether the row's sample was */
	size_t count, stride, skipped;
};

/* What is known, while they pass, of the samples that a window found at the end may begin or end with. */
struct window_outlook {
	double bytes, weighted; /* for the usual rate so far */
	uint64_t rose;          /* when the traffic last rose above it */
	uint64_t warm;          /* when the warm-up was over after that; 0: not yet */
};

struct window {
	const struct window_rule *rule;
	size_t columns; /* of a row */
	size_t received;
	size_t bytes[2]; /* received and sent; COLUMN_ABSENT where there is none */
	enum window_state state;
	uint64_t since;         /* when the state began */
	uint64_t packets_first; /* received before the first sample */
	bool sampled;
	uint64_t *start, *end;  /* the two samples; until the window begins and ends, the latest, to end with a whole one */
	struct window_history history;
	struct window_outlook outlook;
};

/* False if memory runs out. */
bool window_open(struct window *window, const struct window_rule *rule, const struct record_layout *layout);
/*
 * Whether it begins or ends with this sample, as far as that is known while it passes: then the sample has to be whole, as
 * has the first.
 */
bool window_turns(const struct window *window, const uint64_t *values);
/* Whether a window that is found at the end has seen nothing pass so far, with this sample. */
bool window_waits(const struct window *window, const uint64_t *values);
/*
 * How long after a whole sample the next one is due. A window that is found at the end begins and ends with whole samples:
 * what it loses by that stays small beside the traffic so far.
 */
uint64_t window_whole_every_ns(const struct window *window, const uint64_t *values);
/* What a further sample means: true if the window began or ended with it. */
bool window_sample(struct window *window, const uint64_t *values, bool whole);
/* There are no more samples: the window is as it will be. True if it ended only now. */
bool window_settle(struct window *window);
bool window_began(const struct window *window);
/* Whether anything passed, either way. */
bool window_carried(const struct window *window);
/* Whether the window is clearly shorter than was asked for: by more than a tenth. */
bool window_is_short(const struct window *window);
void window_close(struct window *window);

#endif
