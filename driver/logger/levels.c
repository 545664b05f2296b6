/* SPDX-License-Identifier: Apache-2.0 */
#include "levels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "ethtool_netlink.h"
#include "ethtool_query.h"
#include "notes.h"

const char *assignment_of(const struct assignments *assignments, const char *name)
{
	size_t length = strlen(name);
	unsigned int i;

	for (i = 0; i < assignments->count; i++)
		if (!strncmp(assignments->entries[i], name, length) && assignments->entries[i][length] == '=')
			return assignments->entries[i] + length + 1;
	return NULL;
}

/* Intel's drivers take rx-usecs 1 to 4 for ways to adapt the delay, not for times. */
static bool is_mode(const char *interface, uint64_t usecs)
{
	static const char *const drivers[] = {"e1000", "e1000e", "igb", "igc", NULL};
	const char *const *each;
	char driver[64];

	if (usecs < 1 || usecs > 4 || !ethtool_driver(interface, driver, sizeof(driver)))
		return false;
	for (each = drivers; *each; each++)
		if (!strcmp(*each, driver))
			return true;
	return false;
}

/* Whether the factor delay_us is ethtool's rx-usecs here: not another timer, nor the time of another system. */
static bool delay_is_rx_usecs(const struct options *options)
{
	const char *control = assignment_of(&options->factors, "delay_control");

	return !options->time_dilation && (!control || !strcmp(control, "rx-usecs"));
}

bool level_in_force(const struct options *options, const char *name, char level[LONGEST_LEVEL])
{
	struct receive_delay delay;
	uint64_t value;

	if (!strcmp(name, "mtu_bytes")) {
		if (!interface_mtu(options->interface, &value))
			return false;
	} else if (!strcmp(name, "delay_us") && delay_is_rx_usecs(options)) {
		if (!ethtool_netlink_receive_delay(options->interface, &delay) || delay.adaptive ||
		    is_mode(options->interface, delay.usecs))
			return false;
		value = delay.usecs;
	} else {
		return false;
	}
	snprintf(level, LONGEST_LEVEL, "%" PRIu64, value);
	return true;
}

static void compare(const struct options *options, const char *name, const char *where)
{
	const char *asked = assignment_of(&options->factors, name);
	const char *read_back = assignment_of(&options->read_back, name);
	const char *claimed = read_back ? read_back : asked;
	char level[LONGEST_LEVEL];

	if (!claimed || !level_in_force(options, name, level) || strtod(claimed, NULL) == strtod(level, NULL))
		return;
	note("%s=%s was %s, but %s has %s now (%s)%s", name, claimed,
	     read_back ? "read back" : "asked for", options->interface, level, where,
	     read_back ? "" : ": the log says both, and what the host has counts");
}

/* Adaptive moderation has no one delay that could be read. */
static void warn_of_adaptive(const struct options *options)
{
	struct receive_delay delay;

	if (!assignment_of(&options->factors, "delay_us") || !delay_is_rx_usecs(options) ||
	    !ethtool_netlink_receive_delay(options->interface, &delay))
		return;
	if (delay.adaptive || is_mode(options->interface, delay.usecs))
		note("delay_us=%s was asked for, but %s adapts its delay (ethtool -c): switch that off with ethtool -C %s adaptive-rx off rx-usecs N",
		     assignment_of(&options->factors, "delay_us"), options->interface, options->interface);
}

void levels_compare(const struct options *options)
{
	compare(options, "mtu_bytes", "ip link");
	compare(options, "delay_us", "rx-usecs of ethtool -c");
	warn_of_adaptive(options);
}
