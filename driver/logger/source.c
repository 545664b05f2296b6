/* SPDX-License-Identifier: Apache-2.0 */
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct column *record_layout_add(struct record_layout *layout, const char *name, const char *unit,
				 enum column_kind kind, const char *source)
{
	static struct column spare;
	struct column *columns;
	struct column *added;

	columns = realloc(layout->columns, (layout->count + 1) * sizeof(*columns));
	if (!columns) {
		layout->failed = true;
		return &spare;
	}
	layout->columns = columns;
	added = &columns[layout->count++];
	*added = (struct column){.unit = unit, .kind = kind, .source = source};
	snprintf(added->name, sizeof(added->name), "%s", name);
	return added;
}

size_t record_layout_find(const struct record_layout *layout, const char *name)
{
	size_t i;

	for (i = 0; i < layout->count; i++)
		if (!strcmp(layout->columns[i].name, name))
			return i;
	return COLUMN_ABSENT;
}

bool record_layout_has(const struct record_layout *layout, const char *name)
{
	return record_layout_find(layout, name) != COLUMN_ABSENT;
}

void record_layout_shorten(struct record_layout *layout, size_t count)
{
	while (layout->count > count)
		text_free(&layout->columns[--layout->count].attributes);
}

void record_layout_json(const struct record_layout *layout, struct text *json)
{
	static const char *const kinds[] = {"time", "counter", "gauge"};
	size_t i;

	json_open(json, '[');
	for (i = 0; i < layout->count; i++) {
		const struct column *column = &layout->columns[i];

		json_open(json, '{');
		json_member_string(json, "name", column->name);
		json_member_string(json, "type", "u64");
		json_member_string(json, "unit", column->unit);
		json_member_string(json, "kind", kinds[column->kind]);
		if (column->kind == COLUMN_COUNTER)
			json_member_integer(json, "wrap_bits", 64);
		json_member_string(json, "source", column->source);
		if (column->attributes.length)
			json_raw(json, column->attributes.data);
		if (column->attributes.failed)
			json->failed = true;
		json_close(json, '}');
	}
	json_close(json, ']');
	if (layout->failed)
		json->failed = true;
}

void record_layout_free(struct record_layout *layout)
{
	record_layout_shorten(layout, 0);
	free(layout->columns);
	*layout = (struct record_layout){0};
}
