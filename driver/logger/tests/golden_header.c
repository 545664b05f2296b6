/* SPDX-License-Identifier: Apache-2.0 */
#include "golden_header.h"

static void factor(struct text *json, const char *name, const char *requested, const char *read_back)
{
	json_name(json, name);
	json_open(json, '{');
	json_name(json, "requested");
	json_scalar(json, requested);
	json_name(json, "read_back");
	if (read_back)
		json_scalar(json, read_back);
	else
		json_null(json);
	json_close(json, '}');
}

static void head(struct text *json, const char *environment)
{
	json_open(json, '{');
	json_name(json, "created_by");
	json_open(json, '{');
	json_member_string(json, "program", "coalescope-host");
	json_member_string(json, "version", "0.1.0");
	json_close(json, '}');
	json_name(json, "run");
	json_open(json, '{');
	json_member_string(json, "id", "00000000-0000-4000-8000-000000000001");
	json_member_string(json, "experiment", "golden");
	json_member_string(json, "experiment_title", "Golden \"log\" \xc2\xb5s \xe2\x86\x92 \xf0\x9f\x93\x88 \t\x01\\");
	json_member_string(json, "kind", "emulated");
	json_member_integer(json, "replicate", 2);
	json_member_integer(json, "order", 7);
	json_member_integer(json, "seed", 1);
	json_member_string(json, "plan", NULL);
	json_close(json, '}');
	json_name(json, "factors");
	json_open(json, '{');
	factor(json, "mtu_bytes", "1500", "1500");
	factor(json, "delay_us", "10.24", NULL);
	factor(json, "workload", "udp", NULL);
	json_close(json, '}');
	json_name(json, "environment");
	json_raw(json, environment);
	json_member_integer(json, "interval_ns", (int64_t)GOLDEN_INTERVAL);
}

void golden_header(const char *environment, const struct golden_source *sources, size_t source_count,
		   const struct record_layout *layout, struct text *json)
{
	size_t i;

	head(json, environment);
	json_name(json, "sources");
	json_open(json, '[');
	for (i = 0; i < source_count; i++) {
		json_open(json, '{');
		json_member_string(json, "name", sources[i].name);
		json_member_bool(json, "atomic", sources[i].atomic);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_name(json, "streams");
	json_open(json, '[');
	json_open(json, '{');
	json_member_string(json, "name", "samples");
	json_member_integer(json, "record_bytes", (int64_t)layout->count * 8);
	json_close(json, '}');
	json_close(json, ']');
	json_name(json, "fields");
	record_layout_json(layout, json);
	json_close(json, '}');
	text_pad(json, 8);
}
