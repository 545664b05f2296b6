/* SPDX-License-Identifier: Apache-2.0 */
#include "json_check.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"

struct reader {
	const char *at, *end;
	unsigned int depth;
	const char *fault;
};

static bool value(struct reader *reader);

static bool wrong(struct reader *reader, const char *fault)
{
	reader->fault = fault;
	return false;
}

static char next(const struct reader *reader)
{
	return reader->at < reader->end ? *reader->at : '\0';
}

static bool take(struct reader *reader, char c)
{
	bool there = reader->at < reader->end && *reader->at == c;

	reader->at += there;
	return there;
}

static void space(struct reader *reader)
{
	while (take(reader, ' ') || take(reader, '\t') || take(reader, '\r') || take(reader, '\n'))
		;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Of \uXXXX the number, or -1. */
static long code_unit(struct reader *reader)
{
	char digits[5] = "";
	size_t count = reader->end - reader->at < 4 ? 0 : 4;

	memcpy(digits, reader->at, count);
	if (!count || strspn(digits, "0123456789abcdefABCDEF") < count)
		return -1;
	reader->at += count;
	return strtol(digits, NULL, 16);
}

static bool unicode_escape(struct reader *reader)
{
	long unit = code_unit(reader), second = 0;

	if (unit < 0)
		return wrong(reader, "an escape that is none");
	if (!unit)
		return wrong(reader, "the character U+0000");
	if (unit >= 0xd800 && unit <= 0xdbff && take(reader, '\\') && take(reader, 'u'))
		second = code_unit(reader);
	if (unit >= 0xd800 && unit <= 0xdfff && (unit > 0xdbff || second < 0xdc00 || second > 0xdfff))
		return wrong(reader, "half of a surrogate pair");
	return true;
}

static bool character(struct reader *reader)
{
	size_t length = utf8_length((const unsigned char *)reader->at, (size_t)(reader->end - reader->at));

	if (!length)
		return wrong(reader, "a byte that is not UTF-8");
	if ((unsigned char)*reader->at < 0x20)
		return wrong(reader, "a control character within a text: write it as \\u and four digits");
	if (!take(reader, '\\')) {
		reader->at += length;
		return true;
	}
	if (take(reader, 'u'))
		return unicode_escape(reader);
	if (!next(reader) || !strchr("\"\\/bfnrt", next(reader)))
		return wrong(reader, "an escape that is none");
	reader->at++;
	return true;
}

static bool string(struct reader *reader)
{
	if (!take(reader, '"'))
		return wrong(reader, "no text where one belongs");
	while (!take(reader, '"')) {
		if (reader->at == reader->end)
			return wrong(reader, "a text without an end");
		if (!character(reader))
			return false;
	}
	return true;
}

static bool digits(struct reader *reader)
{
	const char *from = reader->at;

	while (is_digit(next(reader)))
		reader->at++;
	return reader->at > from;
}

static bool number(struct reader *reader)
{
	const char *from = reader->at;
	bool negative = take(reader, '-'), whole, there = take(reader, '0') || digits(reader);

	whole = next(reader) != '.' && next(reader) != 'e' && next(reader) != 'E';
	if (there && take(reader, '.'))
		there = digits(reader);
	if (there && (take(reader, 'e') || take(reader, 'E'))) {
		if (!take(reader, '-'))
			take(reader, '+');
		there = digits(reader);
	}
	if (!there || is_digit(next(reader)))
		return wrong(reader, "no value where one belongs");
	errno = 0;
	if (!whole && isinf(strtod(from, NULL)))
		return wrong(reader, "a number that is not finite");
	if (whole && ((negative ? (void)strtoll(from, NULL, 10) : (void)strtoull(from, NULL, 10)), errno == ERANGE))
		return wrong(reader, "a whole number of more than 64 bits");
	return true;
}

static bool word(struct reader *reader, const char *expected)
{
	size_t length = strlen(expected);

	if ((size_t)(reader->end - reader->at) < length || strncmp(reader->at, expected, length))
		return wrong(reader, "no value where one belongs");
	reader->at += length;
	return true;
}

static bool member(struct reader *reader, bool named)
{
	space(reader);
	if (named) {
		if (!string(reader))
			return false;
		space(reader);
		if (!take(reader, ':'))
			return wrong(reader, "no colon behind a name");
	}
	if (!value(reader))
		return false;
	space(reader);
	return true;
}

static bool members(struct reader *reader, char end)
{
	bool named = end == '}';

	reader->at++;
	if (!reader->depth)
		return wrong(reader, "values that lie too deep in each other");
	reader->depth--;
	space(reader);
	if (!take(reader, end)) {
		do {
			if (!member(reader, named))
				return false;
		} while (take(reader, ','));
		if (!take(reader, end))
			return wrong(reader, "neither a comma nor an end behind a value");
	}
	reader->depth++;
	return true;
}

static bool value(struct reader *reader)
{
	space(reader);
	switch (next(reader)) {
	case '{':
		return members(reader, '}');
	case '[':
		return members(reader, ']');
	case '"':
		return string(reader);
	case 't':
		return word(reader, "true");
	case 'f':
		return word(reader, "false");
	case 'n':
		return word(reader, "null");
	default:
		return number(reader);
	}
}

const char *json_fault(const char *bytes, size_t count, unsigned int depth, size_t *at)
{
	struct reader reader = {.at = bytes, .end = bytes + count, .depth = depth};

	if (value(&reader)) {
		space(&reader);
		if (reader.at < reader.end)
			wrong(&reader, "something behind its end");
	}
	*at = (size_t)(reader.at - bytes);
	return reader.fault;
}
