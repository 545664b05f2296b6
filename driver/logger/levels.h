/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The levels that are in force on this host, beside those that the command line claims. What is in force is what the log's
 * environment says. coalescope_host.run_log.in_force judges these by the same rule.
 */
#ifndef LEVELS_H
#define LEVELS_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

enum { LONGEST_LEVEL = 64 };

/* The names of factors whose levels are looked up here, in turn; NULL behind the last. */
const char *level_name(size_t index);
/*
 * The level of a factor that names a setting of this host, where the environment (JSON) tells one as a level is written: the
 * host's number or word; of a switch that is as it was asked for, the word that was asked for.
 */
bool level_in_force(const struct options *options, const char *environment, const char *name,
		    char level[LONGEST_LEVEL]);
/* Says on stderr which levels are not in force as they were asked for, or read back before. */
void levels_compare(const struct options *options, const char *header);

#endif
