/* SPDX-License-Identifier: Apache-2.0 */
#include "threaded_interrupts.h"

#include <string.h>
#include <sys/utsname.h>

#include "text_file.h"

enum { MOST_OPTIONS = 4096 };

static bool is_realtime_kernel(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT_RT");
}

static bool was_booted_with(const char *option)
{
	char options[MOST_OPTIONS], *rest = NULL, *word;

	if (!read_line(options, sizeof(options), "/proc/cmdline"))
		return false;
	for (word = strtok_r(options, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!strcmp(word, option))
			return true;
	return false;
}

bool interrupts_are_threads(void)
{
	return is_realtime_kernel() || was_booted_with("threadirqs");
}
