/* SPDX-License-Identifier: Apache-2.0 */
/* Small files of /sys and /proc. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

/* The file's first line without its end. False if there is none, or the path does not fit. */
bool read_line(char *line, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool read_unsigned(uint64_t *value, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* All of an open file from its beginning, NUL-terminated; 0 or a negative errno. */
int read_from_start(int fd, struct text *into);
/* The same of the file at this path. */
int read_file(const char *path, struct text *into);
/* The same of an open file that the kernel writes whole: its end need not be asked for. */
int read_at_once(int fd, struct text *into);
/* Last component of what a symbolic link points to. */
bool link_name(char *name, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
