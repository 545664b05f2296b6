/* SPDX-License-Identifier: Apache-2.0 */
/* Interface counters from /sys/class/net/INTERFACE/statistics: one file each, read one after the other. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counter_names.h"
#include "interface.h"
#include "source.h"

struct state {
	int fds[COUNTER_COUNT];
	size_t count;
};

static int read_counter(int fd, uint64_t *value)
{
	char digits[32];
	ssize_t got = pread(fd, digits, sizeof(digits) - 1, 0);

	if (got <= 0)
		return got < 0 ? -errno : -ENODATA;
	digits[got] = '\0';
	*value = strtoull(digits, NULL, 10);
	return 0;
}

static int sample(struct source *source, uint64_t *values)
{
	const struct state *state = source->state;
	size_t i;

	for (i = 0; i < state->count; i++) {
		int status = read_counter(state->fds[i], &values[source->first + i]);

		if (status)
			return status;
	}
	return 0;
}

static void close_source(struct source *source)
{
	struct state *state = source->state;

	while (state->count)
		close(state->fds[--state->count]);
	free(state);
}

static void add(struct source *source, struct record_layout *layout, const char *interface,
		const struct counter_name *counter)
{
	struct state *state = source->state;
	char path[PATH_MAX], name[48];
	struct column *column;
	uint64_t value;
	int fd;

	counter_name_for(name, sizeof(name), layout, counter);
	if (record_layout_has(layout, name))
		return;
	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", interface, counter->name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read_counter(fd, &value)) {
		close(fd);
		return;
	}
	state->fds[state->count++] = fd;
	column = record_layout_add(layout, name, counter->unit, COLUMN_COUNTER, source->name);
	if (!strcmp(counter->unit, "bytes"))
		interface_bytes_include(interface, &column->attributes);
}

int sysfs_source_open(struct source *source, struct record_layout *layout, const char *interface)
{
	struct state *state;
	size_t i;

	if (!interface_in_sysfs(interface))
		return -ENOENT;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	*source = (struct source){
		.name = "sysfs",
		.description = "/sys/class/net statistics: one file after the other, so that the counters of one "
			       "record belong to slightly different moments",
		.first = layout->count,
		.sample = sample,
		.close = close_source,
		.state = state,
	};
	for (i = 0; i < COUNTER_COUNT; i++)
		add(source, layout, interface, &COUNTERS[i]);
	return 0;
}
