/* SPDX-License-Identifier: Apache-2.0 */
#include "option_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"
#include "text.h"

enum { LONGEST_VALUE = 1000 };
enum { LARGEST_TIME_DILATION = 1000000 }; /* the reader's limit */

bool usage_error(const char *message, const char *value)
{
	print_line(stderr, "coalescope-logger: %s: %s", message, value);
	return false;
}

bool check_length(const char *value)
{
	return strlen(value) <= LONGEST_VALUE || usage_error("longer than 1000 bytes", value);
}

bool parse_time(uint64_t *nanoseconds, const char *value)
{
	static const struct {
		const char *name;
		double nanoseconds;
	} units[] = {{"ns", 1}, {"us", 1e3},  {"ms", 1e6},  {"s", 1e9},
		     {"", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
	char *end;
	double number = strtod(value, &end);
	size_t i;

	if (end != value && isdigit((unsigned char)*value))
		for (i = 0; i < sizeof(units) / sizeof(*units); i++)
			if (!strcmp(end, units[i].name) && number * units[i].nanoseconds <= 1e18) {
				*nanoseconds = (uint64_t)(number * units[i].nanoseconds + 0.5);
				return true;
			}
	return usage_error("not a time such as 100ms or 2s", value);
}

bool parse_whole(int64_t *number, const char *value)
{
	char *end;

	errno = 0;
	*number = strtoll(value, &end, 10);
	if (errno || end == value || *end || *number < 0)
		return usage_error("not a whole number", value);
	return true;
}

bool check_slug(const char *slug)
{
	size_t i, length = strlen(slug);
	bool right = length && length <= 80 && slug[0] != '-' && slug[length - 1] != '-';

	for (i = 0; i < length; i++)
		right &= islower((unsigned char)slug[i]) || isdigit((unsigned char)slug[i]) ||
			 (slug[i] == '-' && slug[i + 1] != '-');
	return right || usage_error("an experiment's slug is lower-case words joined by hyphens", slug);
}

bool check_uuid(const char *uuid)
{
	size_t i;
	bool right = strlen(uuid) == 36;

	for (i = 0; right && i < 36; i++) {
		if (i == 8 || i == 13 || i == 18 || i == 23)
			right = uuid[i] == '-';
		else
			right = isdigit((unsigned char)uuid[i]) || (uuid[i] >= 'a' && uuid[i] <= 'f');
	}
	return right || usage_error("not a UUID in lower case", uuid);
}

bool check_choice(const char *value, const char *const *choices, const char *message)
{
	for (; *choices; choices++)
		if (!strcmp(value, *choices))
			return true;
	return usage_error(message, value);
}

bool check_time_dilation(const char *value)
{
	double dilation = strtod(value, NULL);

	return (is_number(value) && dilation >= 1 && dilation <= LARGEST_TIME_DILATION) ||
	       usage_error("a time dilation is a number from 1 to 1000000", value);
}
