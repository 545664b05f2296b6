/* SPDX-License-Identifier: Apache-2.0 */
#include "factors.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "levels.h"
#include "option_values.h"
#include "suggestion.h"
#include "terminal.h"
#include "text.h"

/* What the name of a factor beside the glossary's begins with. */
static const char OWN[] = "factor.";

/* The factors of docs/glossary.md. */
static const struct {
	const char *name;
	bool is_text;
} FACTORS[] = {
	{"mtu_bytes", false},
	{"delay_us", false},
	{"delay_ticks", false},
	{"moderation_rate_hz", false},
	{"workload", true},
	{"delay_control", true},
	{"frame_bytes", false},
	{"napi_weight", false},
	{"streams", false},
	{"packet_rate_hz", false},
	{"driver_version", true},
	{"kernel_version", true},
	{"host", true},
	{"speed_mbps", false},
	{"cpus", false},
};

/* Also of settings that a log records as factor.NAME, by NAME alone. */
static const char *factor_meant(const char *value)
{
	struct suggestion meant = {.word = value, .length = strcspn(value, "=")};
	const char *name;
	size_t i;

	for (i = 0; i < sizeof(FACTORS) / sizeof(*FACTORS); i++)
		suggestion_consider(&meant, FACTORS[i].name, FACTORS[i].name);
	for (i = 0; (name = level_name(i)) != NULL; i++)
		if (!strncmp(name, OWN, strlen(OWN)))
			suggestion_consider(&meant, name + strlen(OWN), name);
	return meant.best;
}

static bool unknown_factor(const char *value)
{
	const char *meant = factor_meant(value);
	struct text known = {0};
	size_t i;

	usage_error("no such factor", value);
	if (meant)
		print_line(stderr, "  Did you mean %s?", meant);
	for (i = 0; i < sizeof(FACTORS) / sizeof(*FACTORS); i++) {
		text_add(&known, i ? ", " : "");
		text_add(&known, FACTORS[i].name);
	}
	print_line(stderr, "  Known are %s; any other is called factor.NAME.", known.data ? known.data : "");
	text_free(&known);
	return false;
}

bool parse_factor(struct assignments *assignments, const char *value)
{
	size_t i, length = strcspn(value, "=");

	if (!parse_assignment(assignments, value, OWN))
		return false;
	if (!strncmp(value, OWN, strlen(OWN)))
		return true;
	for (i = 0; i < sizeof(FACTORS) / sizeof(*FACTORS); i++) {
		if (strlen(FACTORS[i].name) != length || strncmp(FACTORS[i].name, value, length))
			continue;
		if (FACTORS[i].is_text || (is_number(value + length + 1) && value[length + 1] != '-'))
			return true;
		return usage_error("not a number such as 1500 or 10.24, zero or more", value);
	}
	return unknown_factor(value);
}
