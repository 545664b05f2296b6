/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode_snapshot QUEUES < FIRST SECOND: prints what the logger makes of two snapshots' bytes, each preceded by its
 * length in 4 bytes: columns by the first, values by the second. Says "refused" where it would not take them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "snapshot.h"

static size_t read_bytes(unsigned char **bytes)
{
	uint32_t count;

	if (fread(&count, sizeof(count), 1, stdin) != 1)
		exit(2);
	*bytes = malloc(count ? count : 1); /* exactly, so that a sanitizer sees a byte too far */
	if (!*bytes || fread(*bytes, 1, count, stdin) != count)
		exit(2);
	return count;
}

static int print(const unsigned char *first, const struct snapshot_shape *shape, const unsigned char *second,
		 const struct snapshot_shape *later, size_t queues)
{
	struct record_layout layout = {0};
	uint64_t values[256] = {0}, *end;
	size_t i;

	snapshot_columns(&layout, "module", first, shape, queues);
	snapshot_driver_columns(&layout, "module_driver", shape, "\"bytes_include\":[]");
	end = snapshot_driver_values(snapshot_values(values, second, later, queues), second, later);
	for (i = 0; i < layout.count; i++)
		printf("%s %s %" PRIu64 "\n", layout.columns[i].name, layout.columns[i].unit, values[i]);
	i = layout.count;
	record_layout_free(&layout);
	return end == values + i ? 0 : 3;
}

int main(int count, char **arguments)
{
	size_t queues = count == 2 ? (size_t)atoi(arguments[1]) : 0;
	unsigned char *first, *second;
	size_t first_bytes = read_bytes(&first), second_bytes = read_bytes(&second);
	struct snapshot_shape shape, later;
	int status = 0;

	if (snapshot_shape(first, first_bytes, &shape) || snapshot_shape(second, second_bytes, &later))
		puts("refused");
	else {
		later.interrupts = shape.interrupts; /* as the columns have it */
		status = print(first, &shape, second, &later, queues);
	}
	free(first);
	free(second);
	return status;
}
