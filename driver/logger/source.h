/* SPDX-License-Identifier: Apache-2.0 */
/* Where values come from. A source adds its columns to the record when it is opened and fills them at each sample. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum column_kind { COLUMN_TIME, COLUMN_COUNTER, COLUMN_GAUGE };

struct column {
	char name[80];
	const char *unit;
	enum column_kind kind;
	const char *source;
	struct text attributes; /* further JSON members, without the comma before them */
};

#define COLUMN_ABSENT SIZE_MAX

struct record_layout {
	struct column *columns;
	size_t count;
	bool failed; /* memory ran out */
};

struct source {
	const char *name;
	const char *description;
	bool atomic;
	size_t first; /* its first column */
	int (*sample)(struct source *source, uint64_t *values); /* 0 or a negative errno */
	void (*close)(struct source *source);
	void *state;
};

/* The new column, for adding attributes; its values are 64-bit and unsigned. */
struct column *record_layout_add(struct record_layout *layout, const char *name, const char *unit,
				 enum column_kind kind, const char *source);
/* The column's number, COLUMN_ABSENT if there is none of this name. */
size_t record_layout_find(const struct record_layout *layout, const char *name);
bool record_layout_has(const struct record_layout *layout, const char *name);
/* Drops all columns after the first `count`. */
void record_layout_shorten(struct record_layout *layout, size_t count);
void record_layout_json(const struct record_layout *layout, struct text *json);
void record_layout_free(struct record_layout *layout);

/*
 * Each opens one source: 0, or a negative errno (-ENOENT: this machine or interface does not have it). Better sources
 * are opened first: a source adds only what the layout does not have yet. The first column is t_monotonic_ns.
 */
/* `facts` gets members for the environment. */
int module_source_open(struct source *source, struct record_layout *layout, const char *interface, struct text *facts);
/* What the open source `module` reads beside its snapshot. Sampled and closed after it. */
void module_driver_source_open(struct source *source, struct record_layout *layout,
			       const struct source *module);
int clock_source_open(struct source *source, struct record_layout *layout);
int netlink_source_open(struct source *source, struct record_layout *layout, const char *interface);
int sysfs_source_open(struct source *source, struct record_layout *layout, const char *interface);
/* Of the lines that serve receiving; of the others. */
int interrupt_source_open(struct source *source, struct record_layout *layout, const char *interface);
int other_interrupt_source_open(struct source *source, struct record_layout *layout, const char *interface);
int cpu_source_open(struct source *source, struct record_layout *layout);
int loss_source_open(struct source *source, struct record_layout *layout);
int energy_source_open(struct source *source, struct record_layout *layout);
struct cpu_account;
int workload_source_open(struct source *source, struct record_layout *layout, struct cpu_account *account);

#endif
