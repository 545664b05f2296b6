/* SPDX-License-Identifier: Apache-2.0 */
#include "json_path.h"

#include <string.h>

static const char *over_space(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* Behind a string that begins here. */
static const char *over_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

/* Behind a value that begins here. */
static const char *over_value(const char *at)
{
	size_t depth = 0;

	do {
		if (*at == '"') {
			at = over_string(at);
			continue;
		}
		if (*at == '{' || *at == '[')
			depth++;
		else if (depth && (*at == '}' || *at == ']'))
			depth--;
		else if (!depth)
			return at + strcspn(at, ",}] \t\r\n");
		at++;
	} while (depth && *at);
	return at;
}

bool json_each_name(const char *members, bool (*take)(const char *name, size_t length, void *context), void *context)
{
	const char *at = over_space(members), *name, *end;

	for (; *at == '"'; at = over_space(at + (*at == ','))) {
		name = at;
		end = over_string(at);
		at = over_space(end);
		if (end - name < 2 || *at != ':')
			return true;
		if (!take(name + 1, (size_t)(end - name) - 2, context))
			return false;
		at = over_space(over_value(over_space(at + 1)));
	}
	return true;
}

/* Whether a member's name, in quotation marks, is the first of a path. */
static bool is_named(const char *name, const char *path, size_t length)
{
	return name && !strncmp(name + 1, path, length) && name[1 + length] == '"';
}

void json_at(const char *json, const char *path, void (*take)(const char *value, size_t length, void *context),
	     void *context)
{
	size_t length = strcspn(path, "/");
	const char *rest = path + length + (path[length] == '/');
	const char *at = over_space(json), *next;
	bool each = length == 1 && *path == '*', named = *at == '{';

	if (!*path) {
		take(at, (size_t)(over_value(at) - at), context);
		return;
	}
	if (!named && *at != '[')
		return;
	for (at = over_space(at + 1); *at && *at != '}' && *at != ']'; at = over_space(next + (*next == ','))) {
		const char *name = NULL;

		if (named) {
			name = at;
			at = over_space(*at == '"' ? over_string(at) : at);
			if (*at != ':')
				return;
			at = over_space(at + 1);
		}
		next = over_space(over_value(at));
		if (next == at)
			return;
		if (each || is_named(name, path, length)) {
			json_at(at, rest, take, context);
			if (!each)
				return;
		}
	}
}
