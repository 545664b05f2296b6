/* SPDX-License-Identifier: Apache-2.0 */
#include "notes.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "terminal.h"

static bool left_out;

void notes_leave_out(void)
{
	left_out = true;
}

__attribute__((format(printf, 2, 0))) static void print(const char *before, const char *format, va_list arguments)
{
	char *sentence;

	if (left_out || vasprintf(&sentence, format, arguments) < 0)
		return;
	print_line(stderr, "%s%s", before, sentence);
	free(sentence);
}

void note(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print("coalescope-logger: ", format, arguments);
	va_end(arguments);
}

void note_more(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print("  ", format, arguments);
	va_end(arguments);
}
