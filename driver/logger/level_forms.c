/* SPDX-License-Identifier: Apache-2.0 */
#include "level_forms.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_path.h"
#include "text.h"

/* --- sets of CPUs --- */

enum { MOST_CPUS = 1 << 13 };

struct cpus {
	unsigned char bits[MOST_CPUS / 8];
};

/* The text between the quotation marks of a value that is a string; else all of it. */
static const char *unquoted(const char *value, size_t *length)
{
	if (*value != '"' || *length < 2)
		return value;
	*length -= 2;
	return value + 1;
}

/* The CPUs of a list such as 0-3,8; none of "none" or an empty text. False where it is no list. */
static bool read_list(const char *text, size_t length, struct cpus *cpus)
{
	const char *end = text + length;

	memset(cpus, 0, sizeof(*cpus));
	if (length == strlen("none") && !strncmp(text, "none", length))
		return true;
	while (text < end) {
		unsigned long cpu, last;
		char *behind;

		if (*text == ',') {
			text++;
			continue;
		}
		if (!isdigit((unsigned char)*text))
			return false;
		cpu = last = strtoul(text, &behind, 10);
		if (*behind == '-') {
			if (!isdigit((unsigned char)behind[1]))
				return false;
			last = strtoul(behind + 1, &behind, 10);
		}
		if (last < cpu || last >= MOST_CPUS || (behind < end && *behind != ','))
			return false;
		for (; cpu <= last; cpu++)
			cpus->bits[cpu / 8] |= (unsigned char)(1 << cpu % 8);
		text = behind;
	}
	return true;
}

/* The CPUs of hexadecimal digits, with commas between some. */
static bool read_mask(const char *text, size_t length, struct cpus *cpus)
{
	static const char digits[] = "0123456789abcdef";
	size_t cpu = 0;

	memset(cpus, 0, sizeof(*cpus));
	while (length--) {
		const char *digit = strchr(digits, tolower((unsigned char)text[length]));

		if (text[length] == ',')
			continue;
		if (!digit || cpu >= MOST_CPUS)
			return false;
		cpus->bits[cpu / 8] |= (unsigned char)((digit - digits) << cpu % 8);
		cpu += 4;
	}
	return cpu > 0;
}

static bool same_cpus(const char *level, const char *value, size_t length, bool is_mask)
{
	const char *text = unquoted(value, &length);
	struct cpus asked, read;

	if (!read_list(level, strlen(level), &asked))
		return true;
	if (!(is_mask ? read_mask : read_list)(text, length, &read))
		return true;
	return !memcmp(&asked, &read, sizeof(asked));
}

/* --- words and queues that are counted --- */

struct counted {
	const char *level;
	size_t members, other; /* members of another name than the level */
	unsigned long past_last, least, most;
};

static bool take_name(const char *name, size_t length, void *context)
{
	struct counted *counted = context;
	unsigned long queue = strtoul(name, NULL, 10);

	counted->members++;
	counted->other += strlen(counted->level) != length || strncmp(counted->level, name, length);
	if (queue >= counted->past_last)
		counted->past_last = queue + 1;
	return true;
}

static void take_count(const char *value, size_t length, void *context)
{
	struct counted *counted = context;
	unsigned long count = strtoul(value, NULL, 10);

	(void)length;
	if (count < counted->least)
		counted->least = count;
	if (count > counted->most)
		counted->most = count;
}

static struct counted count(const char *level, const char *value)
{
	struct counted counted = {.level = level, .least = UINT32_MAX};

	json_each_name(value + 1, take_name, &counted);
	json_at(value, "*", take_count, &counted);
	return counted;
}

static bool same_word(const char *level, const char *value)
{
	struct counted counted = count(level, value);

	return counted.members == 1 && !counted.other;
}

/* Evenly, from the first queue on. */
static bool same_spread(const char *level, const char *value)
{
	struct counted counted = count(level, value);
	bool even = counted.most - counted.least <= 1 && counted.past_last == counted.members;

	return !counted.members || (even && is_number(level) && strtod(level, NULL) == (double)counted.members);
}

/* --- lines, one below the other --- */

struct lines {
	double deepest;
	size_t number;
	bool differ;
	char text[256];
};

static void take_disabled(const char *value, size_t length, void *context)
{
	struct lines *states = context;
	bool disabled = !strncmp(value, "true", length);

	if (strncmp(value, "null", length))
		states->differ |= disabled != ((double)states->number > states->deepest);
}

static void take_state(const char *value, size_t length, void *context)
{
	struct lines *states = context;

	(void)length;
	json_at(value, "disabled", take_disabled, states);
	states->number++;
}

static bool same_states(const char *level, const char *value)
{
	struct lines states = {.deepest = strtod(level, NULL)};

	if (!is_number(level))
		return true;
	json_at(value, "*", take_state, &states);
	return !states.differ;
}

static void take_part(const char *value, size_t length, void *context)
{
	snprintf(context, 24, "%.*s", (int)length, value);
}

static void take_line(const char *value, size_t length, void *context)
{
	static const char *const parts[] = {"usecs", "packets", "completions"};
	struct lines *profile = context;
	size_t i;

	(void)length;
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const char *before = i ? "," : profile->number ? "_" : "";
		size_t filled = strlen(profile->text);
		char part[24] = "n";

		json_at(value, parts[i], take_part, part);
		snprintf(profile->text + filled, sizeof(profile->text) - filled, "%s%s", before, part);
	}
	profile->number++;
}

static bool same_profile(const char *level, const char *value)
{
	struct lines profile = {.number = 0};

	json_at(value, "*", take_line, &profile);
	return !strcmp(level, profile.text);
}

static bool same_split(const char *level, const char *value)
{
	static const char *const words[] = {"auto", "off", "on"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(level, words[i]))
			return strtod(value, NULL) == (double)i;
	return true;
}

bool level_agrees(enum form form, const char *level, const char *value, size_t length)
{
	switch (form) {
	case SPLIT:
		return same_split(level, value);
	case CPU_LIST:
	case CPU_MASK:
		return same_cpus(level, value, length, form == CPU_MASK);
	case SPREAD:
		return *value != '{' || same_spread(level, value);
	case COUNTED:
		return *value != '{' || same_word(level, value);
	case PROFILE:
		return *value != '[' || same_profile(level, value);
	case IDLE_STATES:
		return *value != '[' || same_states(level, value);
	case PLAIN:
		break;
	}
	return true;
}
