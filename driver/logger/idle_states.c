/* SPDX-License-Identifier: Apache-2.0 */
#include "idle_states.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "text_file.h"

#define CPUIDLE "/sys/devices/system/cpu/cpu%ld/cpuidle"

enum { MOST_STATES = 16, MOST_SETS = 8 };

/* CPUs that have the same states, of which the same are disabled. */
struct set {
	struct text states;
	unsigned int cpus;
};

/* From the lightest; an empty list where there is none, as of a CPU that is offline. */
static void states_of(long cpu, struct text *json)
{
	char name[64], disabled[16];
	unsigned int state;

	json_open(json, '[');
	for (state = 0; state < MOST_STATES; state++) {
		if (!read_line(name, sizeof(name), CPUIDLE "/state%u/name", cpu, state))
			break;
		json_open(json, '{');
		json_member_string(json, "name", name);
		if (read_line(disabled, sizeof(disabled), CPUIDLE "/state%u/disable", cpu, state))
			json_member_bool(json, "disabled", strcmp(disabled, "0") != 0);
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* Counts a CPU whose states these are, and takes them; false if there are more sets than are kept. */
static bool counted(struct set *sets, unsigned int *known, struct text *states)
{
	unsigned int i;

	for (i = 0; i < *known && strcmp(sets[i].states.data, states->data); i++)
		;
	if (i == MOST_SETS)
		return false;
	if (i == *known)
		sets[(*known)++].states = *states;
	else
		text_free(states);
	sets[i].cpus++;
	return true;
}

static bool all_counted(struct set *sets, unsigned int *known)
{
	long cpu, cpus = sysconf(_SC_NPROCESSORS_CONF);

	for (cpu = 0; cpu < cpus; cpu++) {
		struct text states = {0};

		states_of(cpu, &states);
		if (!states.failed && states.length == strlen("[]")) {
			text_free(&states);
			continue;
		}
		if (states.failed || !counted(sets, known, &states)) {
			text_free(&states);
			return false;
		}
	}
	return true;
}

static void write_sets(const struct set *sets, unsigned int known, struct text *json)
{
	unsigned int i;

	json_name(json, "idle_state_sets");
	json_open(json, '[');
	for (i = 0; i < known; i++) {
		json_open(json, '{');
		json_member_integer(json, "cpus", sets[i].cpus);
		json_name(json, "states");
		json_raw(json, sets[i].states.data);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void idle_states(struct text *json)
{
	struct set sets[MOST_SETS] = {0};
	unsigned int known = 0, i;

	bool all = all_counted(sets, &known);

	if (all && known == 1)
		json_member_unless_empty(json, "idle_states", &sets[0].states);
	else if (all && known)
		write_sets(sets, known, json);
	for (i = 0; i < known; i++)
		text_free(&sets[i].states);
}
