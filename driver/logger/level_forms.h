/* SPDX-License-Identifier: Apache-2.0 */
/* Levels that the environment writes in another form than the command line, by the rule of coalescope_host.run_log.in_force. */
#ifndef LEVEL_FORMS_H
#define LEVEL_FORMS_H

#include <stdbool.h>
#include <stddef.h>

enum form {
	PLAIN, /* a number, a switch or a word, as the level */
	SPLIT, /* the number of auto, off, on */
	CPU_LIST,
	CPU_MASK,
	PROFILE, /* the lines of dynamic moderation's profile */
	SPREAD, /* how many entries of the table lead to each queue */
	COUNTED, /* how many CPUs have each word */
	IDLE_STATES, /* of a CPU, from the lightest */
};

/*
 * Whether a level is what the environment has of a setting, JSON in a form that is not PLAIN. What cannot be understood of either
 * is no difference.
 */
bool level_agrees(enum form form, const char *level, const char *value, size_t length);

#endif
