/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel module's snapshots: one read() of /dev/coalescope for each sample. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "ethtool_netlink.h"
#include "interface.h"
#include "snapshot.h"
#include "source.h"
#include "text_file.h"
#include "threaded_interrupts.h"
#include "uapi/coalescope.h"

enum { FIRST_BUFFER = 1 << 15, MOST_BUFFER = 1 << 20, MOST_QUEUE_COLUMNS = 64 };
enum { WARM_READS = 10, WARM_PAUSE_NS = 5000000 };

struct state {
	int fd;
	char interface[COALESCOPE_NAME_BYTES];
	unsigned char *bytes; /* of the latest snapshot */
	size_t capacity;
	struct snapshot_shape shape;
	size_t queues; /* with columns of their own */
};

static int grow(struct state *state)
{
	size_t capacity = state->capacity ? 2 * state->capacity : FIRST_BUFFER;
	unsigned char *bytes = capacity <= MOST_BUFFER ? realloc(state->bytes, capacity) : NULL;

	if (!bytes)
		return capacity <= MOST_BUFFER ? -ENOMEM : -EMSGSIZE;
	state->bytes = bytes;
	state->capacity = capacity;
	return 0;
}

/* Takes a snapshot; a newer module's may be larger than all that we know of. */
static int take(struct state *state)
{
	ssize_t got;

	for (;;) {
		int status;

		got = read(state->fd, state->bytes, state->capacity);
		if (got >= 0)
			return snapshot_shape(state->bytes, (size_t)got, &state->shape);
		if (errno == EINTR)
			continue;
		if (errno != EMSGSIZE)
			return -errno;
		status = grow(state);
		if (status)
			return status;
	}
}

static int sample(struct source *source, uint64_t *values)
{
	struct state *state = source->state;
	const struct snapshot_shape before = state->shape;
	int status = take(state);

	if (status)
		return status;
	if (state->shape.size != before.size || state->shape.queue_size != before.queue_size)
		return -EPROTO; /* the columns would mean something else now */
	state->shape.interrupts = before.interrupts; /* as the columns have it: a device may come up meanwhile */
	snapshot_values(values + source->first, state->bytes, &state->shape, state->queues);
	return 0;
}

static int sample_driver(struct source *source, uint64_t *values)
{
	const struct state *state = source->state;

	snapshot_driver_values(values + source->first, state->bytes, &state->shape);
	return 0;
}

static void close_source(struct source *source)
{
	struct state *state = source->state;

	if (state->fd >= 0)
		close(state->fd);
	free(state->bytes);
	free(state);
}

static int attach(struct state *state)
{
	struct coalescope_attach request = {0};

	state->fd = open(COALESCOPE_DEVICE, O_RDONLY | O_CLOEXEC);
	if (state->fd < 0)
		return -errno;
	memcpy(request.interface, state->interface, sizeof(request.interface));
	if (ioctl(state->fd, COALESCOPE_ATTACH, &request))
		return -errno;
	return 0;
}

/*
 * Queues show up with their first work, but columns are fixed at the start: so wait a moment for those that are at work
 * already, and give columns to as many as the driver says it receives on.
 */
static int find_queues(struct state *state)
{
	const struct timespec pause = {.tv_nsec = WARM_PAUSE_NS};
	size_t expected = ethtool_netlink_receive_queues(state->interface);
	int status = take(state), i;

	for (i = 0; !status && i < WARM_READS && (!state->shape.queues || state->shape.queues < expected); i++) {
		nanosleep(&pause, NULL);
		status = take(state);
	}
	state->queues = expected > state->shape.queues && expected > 1 ? expected : state->shape.queues;
	if (state->queues > MOST_QUEUE_COLUMNS)
		state->queues = MOST_QUEUE_COLUMNS;
	return status;
}

/* What the module measured as the interface was attached: what it adds to an interrupt, a poll and a frame. */
static void add_probe_cost(struct text *facts)
{
	static const char *const parts[] = {"irq_ns", "poll_ns", "frame_ns"};
	enum { PARTS = sizeof(parts) / sizeof(*parts) };
	uint64_t ns[PARTS];
	size_t i;

	for (i = 0; i < PARTS; i++)
		if (!read_unsigned(&ns[i], "/sys/class/misc/coalescope/probe_cost/%s", parts[i]) || !ns[0])
			return;
	json_name(facts, "probe_cost");
	json_open(facts, '{');
	for (i = 0; i < PARTS; i++)
		json_member_integer(facts, parts[i], (int64_t)ns[i]);
	json_close(facts, '}');
}

int module_source_open(struct source *source, struct record_layout *layout, const char *interface, struct text *facts)
{
	struct state *state = calloc(1, sizeof(*state));
	int status;

	if (!state)
		return -ENOMEM;
	*source = (struct source){
		.name = "module",
		.description = "the kernel module coalescope: all fields of one record belong to one instant, "
			       "unless bit 0 of its flags is set; then CPUs were read up to skew_ns apart",
		.atomic = true,
		.first = layout->count,
		.sample = sample,
		.close = close_source,
		.state = state,
	};
	state->fd = -1;
	snprintf(state->interface, sizeof(state->interface), "%s", interface);
	status = grow(state);
	if (!status)
		status = attach(state);
	if (!status)
		status = find_queues(state);
	if (status) {
		close_source(source);
		return status;
	}
	if (interrupts_are_threads())
		state->shape.interrupts = false;
	add_probe_cost(facts);
	snapshot_columns(layout, source->name, state->bytes, &state->shape, state->queues);
	return 0;
}

void module_driver_source_open(struct source *source, struct record_layout *layout, const struct source *module)
{
	const struct state *state = module->state;
	struct text bytes_include = {0};

	*source = (struct source){
		.name = "module_driver",
		.description = "the driver's own statistics, which the module reads just after its snapshot",
		.first = layout->count,
		.sample = sample_driver,
		.state = module->state,
	};
	interface_bytes_include(state->interface, &bytes_include);
	snapshot_driver_columns(layout, source->name, &state->shape, bytes_include.data ? bytes_include.data : "");
	layout->failed |= bytes_include.failed;
	text_free(&bytes_include);
}
