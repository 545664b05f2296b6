/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options: each is read, or only looked at, and what is wrong with it is said on stderr; then it is false. */
#ifndef OPTION_VALUES_H
#define OPTION_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* Says it; always false. */
bool usage_error(const char *message, const char *value);

/* 100ms, 2s, …; a number alone is seconds. */
bool parse_time(uint64_t *nanoseconds, const char *value);
/* Zero or more. */
bool parse_whole(int64_t *number, const char *value);
bool check_length(const char *value);
/* Lower-case words joined by hyphens. */
bool check_slug(const char *slug);
bool check_uuid(const char *uuid);
/* One of the choices, which end with NULL. */
bool check_choice(const char *value, const char *const *choices, const char *message);
bool check_time_dilation(const char *value);

#endif
