/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one way to the terminal: text of others can neither steer it nor begin a line on it. What would is shown as \uXXXX, in
 * JSON the same text, and a byte that is not UTF-8 as U+FFFD. coalescope_host.terminal does the same.
 */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <getopt.h>
#include <stdio.h>

/* One line, whose end is put here; an end of a line within it is shown. */
__attribute__((format(printf, 2, 3))) void print_line(FILE *stream, const char *format, ...);

/* A document in several lines, whose ends are its own. */
void print_lines(FILE *stream, const char *text);

/* getopt_long, which says on stderr what was typed. */
int getopt_shown(int count, char *const *arguments, const char *short_options, const struct option *long_options);

#endif
