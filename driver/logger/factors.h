/* SPDX-License-Identifier: Apache-2.0 */
/* The factors that a run can have: those of docs/glossary.md, and others under names of their own. */
#ifndef FACTORS_H
#define FACTORS_H

#include <stdbool.h>

#include "assignments.h"

/* Adds NAME=VALUE. False if it is no factor or not a level of it, which is said on stderr, with what was probably meant. */
bool parse_factor(struct assignments *assignments, const char *value);

#endif
