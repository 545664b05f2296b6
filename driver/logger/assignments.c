/* SPDX-License-Identifier: Apache-2.0 */
#include "assignments.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "option_values.h"

static const char *value_of(const struct assignments *assignments, const char *name, size_t length)
{
	unsigned int i;

	for (i = 0; i < assignments->count; i++)
		if (!strncmp(assignments->entries[i], name, length) && assignments->entries[i][length] == '=')
			return assignments->entries[i] + length + 1;
	return NULL;
}

const char *assignment_of(const struct assignments *assignments, const char *name)
{
	return value_of(assignments, name, strlen(name));
}

bool assignments_have(const struct assignments *assignments, const char *assignment)
{
	return value_of(assignments, assignment, strcspn(assignment, "=")) != NULL;
}

/* [a-z][a-z0-9_]*, after the prefix if that is there */
static bool is_name(const char *name, size_t length, const char *prefix)
{
	size_t skipped = strlen(prefix), i;

	if (length > skipped && !strncmp(name, prefix, skipped)) {
		name += skipped;
		length -= skipped;
	}
	if (!length || length > 64 || !islower((unsigned char)name[0]))
		return false;
	for (i = 1; i < length; i++)
		if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '_')
			return false;
	return true;
}

bool parse_assignment(struct assignments *assignments, const char *value, const char *prefix)
{
	const char *equals = strchr(value, '=');
	size_t length = equals ? (size_t)(equals - value) : 0;

	if (!is_name(value, length, prefix))
		return usage_error("not NAME=VALUE with a name in lower-case letters, digits and _", value);
	if (assignments_have(assignments, value))
		return usage_error("given twice", value);
	if (assignments->count == MOST_ASSIGNMENTS)
		return usage_error("too many of these", value);
	assignments->entries[assignments->count++] = value;
	return check_length(value);
}
