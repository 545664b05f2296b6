/* SPDX-License-Identifier: Apache-2.0 */
#include "text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool make_path(char *path, const char *format, va_list arguments)
{
	int length = vsnprintf(path, PATH_MAX, format, arguments);

	return length > 0 && length < PATH_MAX;
}

static bool first_line(char *line, size_t size, const char *path)
{
	FILE *file = fopen(path, "re");
	bool found;

	if (!file)
		return false;
	found = fgets(line, (int)size, file) != NULL;
	fclose(file);
	if (found)
		line[strcspn(line, "\n")] = '\0';
	return found;
}

bool read_line(char *line, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;
	bool fits;

	va_start(arguments, format);
	fits = make_path(path, format, arguments);
	va_end(arguments);
	return fits && first_line(line, size, path);
}

bool read_unsigned(uint64_t *value, const char *format, ...)
{
	char path[PATH_MAX], line[64], *end;
	va_list arguments;
	bool fits;

	va_start(arguments, format);
	fits = make_path(path, format, arguments);
	va_end(arguments);
	if (!fits || !first_line(line, sizeof(line), path))
		return false;
	errno = 0;
	*value = strtoull(line, &end, 10);
	return !errno && end != line && line[0] != '-';
}

int read_from_start(int fd, struct text *into)
{
	char part[4096];
	off_t at = 0;

	into->length = 0;
	for (;;) {
		ssize_t got = pread(fd, part, sizeof(part), at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		text_append(into, part, (size_t)got);
		if (!got)
			return into->failed ? -ENOMEM : 0;
		at += got;
	}
}

int read_file(const char *path, struct text *into)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int status = fd < 0 ? -errno : read_from_start(fd, into);

	if (fd >= 0)
		close(fd);
	return status;
}

int read_at_once(int fd, struct text *into)
{
	char all[16384];
	ssize_t got;

	do
		got = pread(fd, all, sizeof(all), 0);
	while (got < 0 && errno == EINTR);
	if (got == (ssize_t)sizeof(all)) /* there may be more */
		return read_from_start(fd, into);
	if (got < 0)
		return -errno;
	into->length = 0;
	text_append(into, all, (size_t)got);
	return into->failed ? -ENOMEM : 0;
}

bool link_name(char *name, size_t size, const char *format, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	va_list arguments;
	ssize_t length;
	bool fits;

	va_start(arguments, format);
	fits = make_path(path, format, arguments);
	va_end(arguments);
	length = fits ? readlink(path, target, sizeof(target) - 1) : -1;
	if (length < 0)
		return false;
	target[length] = '\0';
	last = strrchr(target, '/');
	last = last ? last + 1 : target;
	if (strlen(last) >= size)
		return false;
	strcpy(name, last);
	return true;
}
