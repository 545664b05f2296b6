/* SPDX-License-Identifier: Apache-2.0 */
#include "header.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "environment.h"
#include "levels.h"
#include "run_log_format.h"

enum { MOST_NAME = 80 }; /* options allow less */

static void random_uuid(char *uuid, size_t size)
{
	unsigned char b[16] = {0};

	if (getrandom(b, sizeof(b), 0) != (ssize_t)sizeof(b))
		memset(b, 0, sizeof(b));
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	snprintf(uuid, size, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
		 b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
		 b[15]);
}

static void whole_or_null(struct text *json, const char *name, int64_t value)
{
	json_name(json, name);
	if (value < 0)
		json_null(json);
	else
		json_integer(json, value);
}

static void run(const struct options *options, struct text *json)
{
	char uuid[40];

	random_uuid(uuid, sizeof(uuid));
	json_open(json, '{');
	json_member_string(json, "id", options->run_id ? options->run_id : uuid);
	json_member_string(json, "experiment", options->experiment);
	json_member_string(json, "experiment_title", options->title);
	json_member_string(json, "kind", options->kind);
	whole_or_null(json, "replicate", options->replicate);
	whole_or_null(json, "order", options->order);
	whole_or_null(json, "seed", options->seed);
	json_member_string(json, "plan", options->plan);
	json_close(json, '}');
}

static void factor(const struct options *options, const char *environment, const char *assignment, struct text *json)
{
	size_t length = strcspn(assignment, "=");
	char name[MOST_NAME], level[LONGEST_LEVEL];
	const char *read_back;

	snprintf(name, sizeof(name), "%.*s", (int)length, assignment);
	read_back = assignment_of(&options->read_back, name);
	if (!read_back && level_in_force(options, environment, name, level))
		read_back = level;
	json_string(json, name);
	text_add(json, ":");
	json_open(json, '{');
	json_name(json, "requested");
	json_scalar(json, assignment + length + 1);
	json_name(json, "read_back");
	if (read_back)
		json_scalar(json, read_back);
	else
		json_null(json);
	json_close(json, '}');
}

static void redacted(const struct options *options, struct text *json)
{
	if (!options->redact_host && !options->redact_command)
		return;
	json_name(json, "redacted");
	json_open(json, '[');
	if (options->redact_host)
		json_string(json, "host");
	if (options->redact_command)
		json_string(json, "command");
	json_close(json, ']');
}

static void source_list(const struct source_set *set, struct text *json)
{
	size_t i;

	json_open(json, '[');
	for (i = 0; i < set->count; i++) {
		json_open(json, '{');
		json_member_string(json, "name", set->sources[i].name);
		json_member_bool(json, "atomic", set->sources[i].atomic);
		json_member_string(json, "description", set->sources[i].description);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static bool environment(const struct options *options, const struct source_set *set, struct text *json)
{
	const struct environment_options wanted = {
		.interface = options->interface,
		.command = options->command,
		.counter_source = set->taken,
		.sources_refused = set->refused.data,
		.source_facts = set->facts.data,
		.told = options->environment_told,
		.extra = options->environment.entries,
		.extra_count = options->environment.count,
		.redact_host = options->redact_host,
		.redact_command = options->redact_command,
	};

	return environment_describe(&wanted, json);
}

static void window(const struct window_rule *rule, struct text *json)
{
	static const char *const starts[] = {"now", "packets", "traffic"};

	json_name(json, "window");
	json_open(json, '{');
	json_member_string(json, "start", starts[rule->start]);
	if (rule->start == WINDOW_PACKETS)
		json_member_integer(json, "packets", (int64_t)rule->packets);
	json_member_integer(json, "warmup_ns", (int64_t)rule->warmup_ns);
	if (rule->duration_ns)
		json_member_integer(json, "duration_ns", (int64_t)rule->duration_ns);
	json_close(json, '}');
}

bool header_write(const struct options *options, const struct source_set *set, struct text *json)
{
	struct text surroundings = {0};
	unsigned int i;

	if (!environment(options, set, &surroundings)) {
		text_free(&surroundings);
		return false;
	}
	if (!surroundings.data) { /* no memory */
		json->failed = true;
		return true;
	}
	json->failed |= surroundings.failed;

	json_open(json, '{');
	json_name(json, "created_by");
	json_open(json, '{');
	json_member_string(json, "program", "coalescope-logger");
	json_member_string(json, "version", LOGGER_VERSION);
	json_close(json, '}');
	json_name(json, "run");
	run(options, json);
	json_name(json, "factors");
	json_open(json, '{');
	for (i = 0; i < options->factors.count; i++)
		factor(options, surroundings.data, options->factors.entries[i], json);
	json_close(json, '}');
	json_name(json, "environment");
	json_raw(json, surroundings.data);
	text_free(&surroundings);
	redacted(options, json);
	json_member_integer(json, "interval_ns", (int64_t)options->interval_ns);
	window(&options->window, json);
	if (options->time_dilation) {
		json_name(json, "time_dilation");
		json_raw(json, options->time_dilation);
	}
	json_name(json, "sources");
	source_list(set, json);
	json_name(json, "streams");
	json_open(json, '[');
	json_open(json, '{');
	json_member_string(json, "name", "samples");
	json_member_integer(json, "record_bytes", (int64_t)(set->layout.count * sizeof(uint64_t)));
	json_close(json, '}');
	json_close(json, ']');
	json_name(json, "fields");
	record_layout_json(&set->layout, json);
	json_close(json, '}');
	text_pad(json, RUN_LOG_ALIGNMENT);
	return true;
}
