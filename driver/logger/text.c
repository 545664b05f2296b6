/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Length of the UTF-8 sequence at bytes, 0 if it is none (RFC 3629). */
static size_t utf8_length(const unsigned char *bytes, size_t count)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high, length;
	} forms[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	size_t form, i;

	if (bytes[0] < 0x80)
		return 1;
	for (form = 0; form < sizeof(forms) / sizeof(*forms); form++) {
		if (bytes[0] < forms[form].first_low || bytes[0] > forms[form].first_high)
			continue;
		if (count < forms[form].length || bytes[1] < forms[form].second_low ||
		    bytes[1] > forms[form].second_high)
			return 0;
		for (i = 2; i < forms[form].length; i++)
			if (bytes[i] < 0x80 || bytes[i] > 0xbf)
				return 0;
		return forms[form].length;
	}
	return 0;
}

static void json_character(struct text *text, const unsigned char *bytes, size_t length)
{
	static const char plain[] = "\"\\\b\f\n\r\t", escaped[] = "\"\\bfnrt";
	const char *found = length == 1 && bytes[0] ? strchr(plain, bytes[0]) : NULL;
	char escape[8];

	if (!length) {
		text_add(text, "\xef\xbf\xbd"); /* U+FFFD: the byte was not UTF-8 */
	} else if (found) {
		escape[0] = '\\';
		escape[1] = escaped[found - plain];
		text_append(text, escape, 2);
	} else if (bytes[0] < 0x20) {
		snprintf(escape, sizeof(escape), "\\u%04x", bytes[0]);
		text_append(text, escape, 6);
	} else {
		text_append(text, (const char *)bytes, length);
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

bool json_print(const struct text *json)
{
	struct text pretty = {0};
	bool fine;

	json_pretty(&pretty, json->data, json->length);
	fine = !json->failed && !pretty.failed && puts(pretty.data) >= 0 && !fflush(stdout);
	text_free(&pretty);
	return fine;
}
