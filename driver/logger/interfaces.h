/* SPDX-License-Identifier: Apache-2.0 */
/* The interfaces that can be recorded here. */
#ifndef INTERFACES_H
#define INTERFACES_H

#include <stdbool.h>

/* A line for each on stdout, or a JSON list. */
bool interfaces_print(bool as_json);

#endif
