/* SPDX-License-Identifier: Apache-2.0 */
/* NAME=VALUE, as the command line gives factors, levels that were read back, and facts of the environment. */
#ifndef ASSIGNMENTS_H
#define ASSIGNMENTS_H

#include <stdbool.h>

enum { MOST_ASSIGNMENTS = 64 };

struct assignments {
	const char *entries[MOST_ASSIGNMENTS]; /* NAME=VALUE */
	unsigned int count;
};

/* The value given for a name, or NULL. */
const char *assignment_of(const struct assignments *assignments, const char *name);
/* Whether one of them has the name of this one. */
bool assignments_have(const struct assignments *assignments, const char *assignment);
/* Adds one, whose name may begin with the prefix. False if it is none, which is said on stderr. */
bool parse_assignment(struct assignments *assignments, const char *value, const char *prefix);

#endif
