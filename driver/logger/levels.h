/* SPDX-License-Identifier: Apache-2.0 */
/* The levels that are in force on this host, beside those that the command line claims. */
#ifndef LEVELS_H
#define LEVELS_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

enum { LONGEST_LEVEL = 24 };

/* The value given for a name, or NULL. */
const char *assignment_of(const struct assignments *assignments, const char *name);
/* Of mtu_bytes and delay_us, where the host has one that it can tell; of no other factor. */
bool level_in_force(const struct options *options, const char *name, char level[LONGEST_LEVEL]);
/* Says on stderr which levels are not in force as they were asked for, or read back before. */
void levels_compare(const struct options *options);

#endif
