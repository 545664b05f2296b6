/* SPDX-License-Identifier: Apache-2.0 */
/* CPU times of the whole machine from /proc/stat, in clock ticks, recorded as nanoseconds. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"

static const char *const TIMES[] = {
	"cpu_user_ns", "cpu_nice_ns", "cpu_system_ns", "cpu_idle_ns",
	"cpu_iowait_ns", "cpu_irq_ns", "cpu_softirq_ns", "cpu_steal_ns",
};
enum { TIME_COUNT = sizeof(TIMES) / sizeof(*TIMES) };

struct state {
	int fd;
	uint64_t tick_ns;
	size_t count;
};

/* The numbers of the first line, "cpu  1 2 3 …"; how many there are, or a negative errno. */
static int read_times(const struct state *state, uint64_t *times)
{
	char line[512], *at, *end;
	ssize_t got = pread(state->fd, line, sizeof(line) - 1, 0);
	int count = 0;

	if (got < 0)
		return -errno;
	line[got] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (strncmp(line, "cpu ", 4))
		return -ENODATA;
	for (at = line + 4; count < TIME_COUNT; at = end) {
		uint64_t ticks = strtoull(at, &end, 10);

		if (end == at)
			break;
		times[count++] = ticks * state->tick_ns;
	}
	return count;
}

static int sample(struct source *source, uint64_t *values)
{
	const struct state *state = source->state;
	uint64_t times[TIME_COUNT];
	int count = read_times(state, times);

	if (count < 0)
		return count;
	if ((size_t)count < state->count)
		return -ENODATA;
	memcpy(values + source->first, times, state->count * sizeof(*times));
	return 0;
}

static void close_source(struct source *source)
{
	struct state *state = source->state;

	close(state->fd);
	free(state);
}

int cpu_source_open(struct source *source, struct record_layout *layout)
{
	struct state *state;
	uint64_t times[TIME_COUNT];
	size_t i;
	int count;

	if (record_layout_has(layout, TIMES[0]))
		return -EEXIST;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	state->tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	state->fd = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	count = state->fd < 0 ? -errno : read_times(state, times);
	if (count <= 0) {
		if (state->fd >= 0)
			close(state->fd);
		free(state);
		return count ? count : -ENODATA;
	}
	state->count = (size_t)count;
	*source = (struct source){
		.name = "proc_stat",
		.description = "/proc/stat: CPU times of all CPUs of the whole machine together, whatever the "
			       "network namespace, counted in ticks",
		.first = layout->count,
		.sample = sample,
		.close = close_source,
		.state = state,
	};
	for (i = 0; i < state->count; i++) {
		struct column *column =
			record_layout_add(layout, TIMES[i], "ns", COLUMN_COUNTER, source->name);

		json_member_integer(&column->attributes, "resolution_ns", (int64_t)state->tick_ns);
		json_member_string(&column->attributes, "scope", "machine");
	}
	return 0;
}
