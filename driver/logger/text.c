/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steering.h"
#include "utf8.h"

static bool reserve(struct text *text, size_t more)
{
	size_t wanted = text->length + more + 1;
	size_t capacity = text->capacity ? text->capacity : 256;
	char *data;

	if (text->failed)
		return false;
	if (wanted <= text->capacity)
		return true;
	while (capacity < wanted)
		capacity *= 2;
	data = realloc(text->data, capacity);
	if (!data) {
		text->failed = true;
		return false;
	}
	text->data = data;
	text->capacity = capacity;
	return true;
}

void text_append(struct text *text, const char *bytes, size_t count)
{
	if (!reserve(text, count))
		return;
	if (count)
		memcpy(text->data + text->length, bytes, count);
	text->length += count;
	text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *string)
{
	text_append(text, string, strlen(string));
}

void text_pad(struct text *text, size_t alignment)
{
	while (text->length % alignment && !text->failed)
		text_append(text, " ", 1);
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}

static void separate(struct text *text)
{
	if (text->length && !strchr("{[:", text->data[text->length - 1]))
		text_append(text, ",", 1);
}

void json_open(struct text *text, char bracket)
{
	separate(text);
	text_append(text, &bracket, 1);
}

void json_close(struct text *text, char bracket)
{
	text_append(text, &bracket, 1);
}

void json_name(struct text *text, const char *name)
{
	json_string(text, name);
	text_append(text, ":", 1);
}

static void json_character(struct text *text, const unsigned char *bytes, size_t length)
{
	static const char plain[] = "\"\\\b\f\n\r\t", escaped[] = "\"\\bfnrt";
	const char *found = length == 1 && bytes[0] ? strchr(plain, bytes[0]) : NULL;
	char escape[8];
	size_t count;

	if (!length) {
		text_add(text, "\xef\xbf\xbd"); /* U+FFFD: the byte was not UTF-8 */
	} else if (found) {
		escape[0] = '\\';
		escape[1] = escaped[found - plain];
		text_append(text, escape, 2);
	} else {
		count = escape_steering(escape, bytes, length);
		text_append(text, count ? escape : (const char *)bytes, count ? count : length);
	}
}

void json_string_n(struct text *text, const char *value, size_t count)
{
	const unsigned char *bytes = (const unsigned char *)value;
	size_t at = 0;

	separate(text);
	text_append(text, "\"", 1);
	while (at < count) {
		size_t length = utf8_length(bytes + at, count - at);

		json_character(text, bytes + at, length);
		at += length ? length : 1;
	}
	text_append(text, "\"", 1);
}

void json_string(struct text *text, const char *value)
{
	json_string_n(text, value, strlen(value));
}

void json_integer(struct text *text, int64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, value);
	json_raw(text, digits);
}

void json_unsigned(struct text *text, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	json_raw(text, digits);
}

void json_bool(struct text *text, bool value)
{
	json_raw(text, value ? "true" : "false");
}

void json_null(struct text *text)
{
	json_raw(text, "null");
}

void json_members(struct text *text, const char *members)
{
	const unsigned char *bytes = (const unsigned char *)members;
	size_t count = strlen(members), at, length;
	char escape[8];

	separate(text);
	for (at = 0; at < count; at += length) {
		bool between = strchr("\n\r", bytes[at]); /* texts hold none */
		size_t escaped = 0;

		length = utf8_length(bytes + at, count - at);
		if (!between)
			escaped = escape_steering(escape, bytes + at, length);
		text_append(text, between ? " " : escaped ? escape : members + at, escaped ? escaped : length);
	}
}

void json_raw(struct text *text, const char *json)
{
	separate(text);
	text_add(text, json);
}

bool is_number(const char *value)
{
	size_t digits = 0, fraction = 0;
	const char *at = value + (*value == '-');

	if (at[0] == '0' && at[1] >= '0' && at[1] <= '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++)
		digits++;
	if (!digits)
		return false;
	if (*at == '.') {
		for (at++; *at >= '0' && *at <= '9'; at++)
			fraction++;
		if (!fraction)
			return false;
	}
	return !*at && digits + fraction <= 15;
}

void json_scalar(struct text *text, const char *value)
{
	if (is_number(value))
		json_raw(text, value);
	else
		json_string(text, value);
}

void json_member_string(struct text *text, const char *name, const char *value)
{
	json_name(text, name);
	if (value)
		json_string(text, value);
	else
		json_null(text);
}

void json_member_integer(struct text *text, const char *name, int64_t value)
{
	json_name(text, name);
	json_integer(text, value);
}

void json_member_bool(struct text *text, const char *name, bool value)
{
	json_name(text, name);
	json_bool(text, value);
}

void json_member_unless_empty(struct text *text, const char *name, struct text *value)
{
	if (value->length > strlen("{}")) {
		json_name(text, name);
		json_raw(text, value->data);
	}
	text->failed |= value->failed;
	text_free(value);
}

static void new_line(struct text *out, unsigned int depth)
{
	text_append(out, "\n", 1);
	while (depth--)
		text_append(out, "  ", 2);
}

void json_pretty(struct text *out, const char *json, size_t count)
{
	bool quoted = false, escaped = false;
	unsigned int depth = 0;
	size_t at;

	for (at = 0; at < count; at++) {
		char c = json[at];
		bool empty = at + 1 < count && (json[at + 1] == '}' || json[at + 1] == ']');

		if (!quoted && (c == '}' || c == ']') && json[at - 1] != '{' && json[at - 1] != '[')
			new_line(out, --depth);
		else if (!quoted && (c == '}' || c == ']'))
			depth--;
		text_append(out, &c, 1);
		if (!quoted && (c == '{' || c == '[')) {
			depth++;
			if (!empty)
				new_line(out, depth);
		} else if (!quoted && c == ',') {
			new_line(out, depth);
		} else if (!quoted && c == ':') {
			text_append(out, " ", 1);
		} else if (c == '"' && !escaped) {
			quoted = !quoted;
		}
		escaped = c == '\\' && !escaped;
	}
}
