/* SPDX-License-Identifier: Apache-2.0 */
#include "terminal.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "steering.h"
#include "utf8.h"

enum { LONGEST_SHOWN = 6 }; /* of a byte: \uXXXX */
static const char REPLACEMENT[] = "\xef\xbf\xbd";

/* Where what was put ends. */
static char *put_character(char *out, const unsigned char *bytes, size_t length, bool ends_stay)
{
	size_t escaped;

	if (!length)
		return stpcpy(out, REPLACEMENT);
	escaped = ends_stay && *bytes == '\n' ? 0 : escape_steering(out, bytes, length);
	if (!escaped)
		memcpy(out, bytes, length);
	return out + (escaped ? escaped : length);
}

/* In one write, so that lines of several threads stay whole. */
static void print(FILE *stream, const char *text, bool ends_stay)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t count = strlen(text), at = 0;
	char *shown = malloc(LONGEST_SHOWN * count + sizeof("\n")), *end = shown;

	if (!shown)
		return;
	while (at < count) {
		size_t length = utf8_length(bytes + at, count - at);

		end = put_character(end, bytes + at, length, ends_stay);
		at += length ? length : 1;
	}
	*end++ = '\n';
	fwrite(shown, 1, (size_t)(end - shown), stream);
	free(shown);
}

void print_line(FILE *stream, const char *format, ...)
{
	va_list arguments;
	char *line;
	int length;

	va_start(arguments, format);
	length = vasprintf(&line, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	print(stream, line, false);
	free(line);
}

void print_lines(FILE *stream, const char *text)
{
	print(stream, text, true);
}

int getopt_shown(int count, char *const *arguments, const char *short_options, const struct option *long_options)
{
	FILE *terminal = stderr, *memory;
	char *said = NULL;
	size_t length = 0;
	int option;

	memory = open_memstream(&said, &length);
	if (memory)
		stderr = memory; /* a variable, in glibc */
	option = getopt_long(count, arguments, short_options, long_options, NULL);
	stderr = terminal;
	if (!memory || fclose(memory))
		return option;
	if (length)
		print_line(stderr, "%.*s", (int)(length - strlen("\n")), said);
	free(said);
	return option;
}
