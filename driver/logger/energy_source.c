/* SPDX-License-Identifier: Apache-2.0 */
/* Energy of the processor packages, from powercap (RAPL). Each counts in its own range, which is continued here in 64 bits. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"
#include "text_file.h"

#define ZONES "/sys/class/powercap"
enum { MOST_PACKAGES = 64 };

struct package {
	char name[64];
	int fd;
	uint64_t range, last;
};

struct state {
	struct package packages[MOST_PACKAGES];
	size_t count;
	uint64_t total;
};

static int read_energy(const struct package *package, uint64_t *microjoules)
{
	char text[32], *end;
	ssize_t got = pread(package->fd, text, sizeof(text) - 1, 0);

	if (got < 0)
		return -errno;
	text[got] = '\0';
	*microjoules = strtoull(text, &end, 10);
	return end == text ? -EPROTO : 0;
}

static int advance(struct state *state, struct package *package)
{
	uint64_t now;
	int status = read_energy(package, &now);

	if (status)
		return status;
	state->total += now >= package->last ? now - package->last : now + package->range - package->last + 1;
	package->last = now;
	return 0;
}

static int sample(struct source *source, uint64_t *values)
{
	struct state *state = source->state;
	int status = 0;
	size_t i;

	for (i = 0; !status && i < state->count; i++)
		status = advance(state, &state->packages[i]);
	values[source->first] = state->total;
	return status;
}

static void close_source(struct source *source)
{
	struct state *state = source->state;

	while (state->count)
		close(state->packages[--state->count].fd);
	free(state);
}

/* Many processors show a package twice: intel-rapl reads its registers, intel-rapl-mmio the same ones in memory. */
static bool is_known(const struct state *state, const char *name)
{
	size_t i;

	for (i = 0; i < state->count; i++)
		if (!strcmp(state->packages[i].name, name))
			return true;
	return false;
}

/* A whole package: its cores, its memory and the platform are zones of their own. */
static bool open_package(const struct state *state, struct package *package, const char *zone)
{
	char path[512];

	if (!read_line(package->name, sizeof(package->name), ZONES "/%s/name", zone) ||
	    strncmp(package->name, "package", 7) || is_known(state, package->name) ||
	    !read_unsigned(&package->range, ZONES "/%s/max_energy_range_uj", zone))
		return false;
	snprintf(path, sizeof(path), ZONES "/%s/energy_uj", zone);
	package->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (package->fd >= 0 && !read_energy(package, &package->last))
		return true;
	if (package->fd >= 0)
		close(package->fd);
	return false;
}

int energy_source_open(struct source *source, struct record_layout *layout)
{
	struct state *state = calloc(1, sizeof(*state));
	DIR *zones = state ? opendir(ZONES) : NULL;
	const struct dirent *zone;
	struct column *column;
	int status;

	while (zones && (zone = readdir(zones)) != NULL && state->count < MOST_PACKAGES)
		state->count += zone->d_name[0] != '.' && open_package(state, &state->packages[state->count], zone->d_name);
	if (zones)
		closedir(zones);
	if (!state || !state->count) {
		status = state ? -ENOENT : -ENOMEM;
		free(state);
		return status;
	}
	*source = (struct source){
		.name = "powercap",
		.description = ZONES ": energy of all processor packages, whoever used it; the counters are "
				     "refreshed about every millisecond",
		.first = layout->count,
		.sample = sample,
		.close = close_source,
		.state = state,
	};
	column = record_layout_add(layout, "package_energy_uj", "uJ", COLUMN_COUNTER, source->name);
	json_member_integer(&column->attributes, "packages", (int64_t)state->count);
	json_member_string(&column->attributes, "scope", "machine");
	return 0;
}
