/* SPDX-License-Identifier: Apache-2.0 */
#include "levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json_path.h"
#include "notes.h"
#include "recorded_settings.h"
#include "text.h"

enum { LONGEST_NAME = 80 }; /* options allow less */

/* --- what the environment says of a setting --- */

struct found {
	const char *claimed; /* or NULL */
	bool of_time;
	enum form form;
	unsigned int count; /* several queues may each have a value */
	bool on, agree, alike;
	char first[LONGEST_LEVEL];
};

/* A switch's position, however it is written: 1, 0, or -1 of what is no switch. */
static int truth(const char *word)
{
	static const char *const words[] = {"off", "on", "false", "true", "disabled", "enabled", "0", "1", NULL};
	size_t i;

	for (i = 0; words[i]; i++)
		if (!strcasecmp(word, words[i]))
			return (int)(i % 2);
	return -1;
}

static bool same(const char *level, const char *value, bool of_time)
{
	double asked, read;

	if (truth(level) >= 0 && truth(value) >= 0)
		return truth(level) == truth(value);
	if (!is_number(level) || !is_number(value))
		return !strcmp(level, value);
	asked = strtod(level, NULL);
	read = strtod(value, NULL);
	if (!of_time || !asked || !read) /* none at all is not a short time */
		return asked == read;
	return fabs(asked - read) < 1; /* devices take whole microseconds */
}

static void take(const char *value, size_t length, void *context)
{
	struct found *found = context;
	char text[LONGEST_LEVEL];
	const char *json = value;
	size_t json_length = length;

	if (*value == '"') {
		value++;
		length -= 2;
	}
	snprintf(text, sizeof(text), "%.*s", (int)length, value);
	if (!strcmp(text, "null"))
		return;
	if (!strcmp(text, "true") || !strcmp(text, "false"))
		strcpy(text, *text == 't' ? "on" : "off");
	if (!found->count++) {
		strcpy(found->first, text);
		found->agree = found->alike = true;
	}
	found->on |= truth(text) == 1;
	found->alike &= !strcmp(text, found->first);
	if (found->claimed)
		found->agree &= found->form == PLAIN ? same(found->claimed, text, found->of_time)
						     : level_agrees(found->form, found->claimed, json, json_length);
}

const char *level_name(size_t index)
{
	return index < sizeof(RECORDED) / sizeof(*RECORDED) ? RECORDED[index].factor : NULL;
}

static const struct recorded_setting *setting_of(const char *factor)
{
	size_t i;

	for (i = 0; i < sizeof(RECORDED) / sizeof(*RECORDED); i++)
		if (!strcmp(RECORDED[i].factor, factor))
			return &RECORDED[i];
	return NULL;
}

/* A setting that has no row: a feature of ethtool -k by its own name. */
struct feature {
	struct recorded_setting setting;
	char path[LONGEST_NAME + 16];
};

static const struct recorded_setting *feature_of(const char *factor, struct feature *feature)
{
	static const char prefix[] = "factor.offload_";

	if (strncmp(factor, prefix, strlen(prefix)))
		return NULL;
	snprintf(feature->path, sizeof(feature->path), "offloads/%s", factor + strlen(prefix));
	feature->setting = (struct recorded_setting){factor, {feature->path, NULL}, NULL, false, PLAIN};
	return &feature->setting;
}

static struct found look_up(const char *environment, const struct recorded_setting *setting, const char *claimed)
{
	struct found found = {.claimed = claimed, .of_time = setting->of_time, .form = setting->form};
	size_t i;

	for (i = 0; i < 2 && setting->paths[i] && !found.count; i++)
		json_at(environment, setting->paths[i], take, &found);
	return found;
}

static void mark(const char *value, size_t length, void *context)
{
	bool *there = context;

	(void)value;
	(void)length;
	*there = true;
}

static bool is_there(const char *environment, const char *path)
{
	bool there = false;

	json_at(environment, path, mark, &there);
	return there;
}

/* --- what is no one level, although a number can be read --- */

/* A driver may take some of rx-usecs for ways to adapt the delay. */
static bool is_mode(const char *environment, const char *usecs)
{
	const struct recorded_setting driver = {"", {"driver", NULL}, NULL, false, PLAIN};
	struct found found = look_up(environment, &driver, NULL);
	char mode[16];
	size_t i;

	for (i = 0; found.count && i < sizeof(USECS_MODES) / sizeof(*USECS_MODES); i++) {
		snprintf(mode, sizeof(mode), "%u", USECS_MODES[i].usecs);
		if (!strcmp(found.first, USECS_MODES[i].driver) && !strcmp(usecs, mode))
			return true;
	}
	return false;
}

static const char ITS_DRIVER[] = "the driver";

/* What moves the level: a switch, where the command line does not name that itself; NULL if there is none. */
static const char *moved_by(const struct options *options, const char *environment,
			    const struct recorded_setting *setting, const struct found *found)
{
	const char *other = setting->overridden_by;

	if (other && !assignment_of(&options->factors, other) && look_up(environment, setting_of(other), NULL).on)
		return other;
	return !strcmp(setting->paths[0], "coalescing/rx_usecs") && is_mode(environment, found->first) ? ITS_DRIVER : NULL;
}

/* The setting that a factor names here: not another timer, nor a time of another system. */
static const struct recorded_setting *comparable(const struct options *options, const char *factor,
						  struct feature *feature)
{
	const struct recorded_setting *row = setting_of(factor), *setting = row ? row : feature_of(factor, feature);
	const char *control = assignment_of(&options->factors, "delay_control");

	if (!setting || (setting->of_time && strcmp(options->kind, "measured")))
		return NULL;
	return strcmp(factor, "delay_us") || !control || !strcmp(control, "rx-usecs") ? setting : NULL;
}

bool level_in_force(const struct options *options, const char *environment, const char *name,
		    char level[LONGEST_LEVEL])
{
	struct feature feature;
	const struct recorded_setting *setting = comparable(options, name, &feature);
	const char *asked = assignment_of(&options->factors, name);
	struct found found;
	bool spelt; /* the same switch, in the words of the command line */

	if (!setting || setting->form != PLAIN)
		return false;
	found = look_up(environment, setting, asked);
	spelt = found.agree && truth(asked) >= 0;
	if (!found.count || moved_by(options, environment, setting, &found) || !(spelt || found.alike))
		return false;
	snprintf(level, LONGEST_LEVEL, "%s", spelt ? asked : found.first);
	return true;
}

static const char COALESCING[] = "coalescing";

static bool is_of_coalescing(const struct recorded_setting *setting)
{
	return !strncmp(setting->paths[0], COALESCING, sizeof(COALESCING) - 1);
}

static bool is_fraction(const char *level)
{
	const char *point = strchr(level, '.');

	return is_number(level) && point && point[1 + strspn(point + 1, "0")];
}

/* Says of a level of coalescing why it is not known to be in force, although nothing else is read; none or off is. */
static void doubt(const struct options *options, const char *environment, const struct recorded_setting *setting,
		  const char *asked)
{
	if (!is_of_coalescing(setting) || truth(asked) == 0)
		return;
	if (is_there(environment, COALESCING) && !is_there(environment, setting->paths[0]))
		note("%s=%s was asked for, but %s has no such setting (%s): it is not known to be in force",
		     setting->factor, asked, options->interface, setting->paths[0]);
	else if (is_fraction(asked))
		note("%s=%s was asked for, but the kernel takes whole numbers (%s): it is not known to be in force",
		     setting->factor, asked, setting->paths[0]);
}

static const char BOTH[] = ": the log says both, and what the host has counts";

/* What the host has, where that is one value that is short enough to be shown. */
static const char *now(const struct found *found)
{
	if (!found->alike)
		return "several values";
	return strlen(found->first) < LONGEST_LEVEL - 1 ? found->first : "another";
}

static void compare(const struct options *options, const char *environment, const char *name)
{
	struct feature feature;
	const struct recorded_setting *setting = comparable(options, name, &feature);
	const char *read_back = assignment_of(&options->read_back, name);
	const char *claimed = read_back ? read_back : assignment_of(&options->factors, name);
	const char *claim = read_back ? "read back" : "asked for", *mover;
	struct found found;

	if (!setting)
		return;
	found = look_up(environment, setting, claimed);
	if (!found.count) {
		if (!read_back)
			doubt(options, environment, setting, claimed);
		return;
	}
	mover = moved_by(options, environment, setting, &found);
	if (mover == ITS_DRIVER)
		note("%s=%s was %s, but the driver takes %s for a way to adapt it, not for a time: choose another", name,
		     claimed, claim, found.first);
	else if (mover)
		note("%s=%s was %s, but %s adapts it (%s): switch that off, or record it as a factor, too", name,
		     claimed, claim, options->interface, mover);
	else if (!found.agree)
		note("%s=%s was %s, but the host has %s now (%s)%s", name, claimed, claim, now(&found), setting->paths[0],
		     read_back || !found.alike || setting->form != PLAIN ? "" : BOTH);
	else if (!read_back && is_of_coalescing(setting) && is_fraction(claimed))
		note("%s=%s was asked for, but the kernel takes whole numbers (%s), and has %s", name, claimed,
		     setting->paths[0], found.first);
}

static void compare_each(const char *environment, size_t length, void *context)
{
	const struct options *options = context;
	char name[LONGEST_NAME];
	unsigned int i;

	(void)length; /* it ends with itself */
	for (i = 0; i < options->factors.count; i++) {
		const char *assignment = options->factors.entries[i];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(assignment, "="), assignment);
		compare(options, environment, name);
	}
}

void levels_compare(const struct options *options, const char *header)
{
	struct options named = *options;

	json_at(header, "environment", compare_each, &named);
}
