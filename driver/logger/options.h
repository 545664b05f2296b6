/* SPDX-License-Identifier: Apache-2.0 */
/* The command line. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assignments.h"
#include "window.h"

#define LOGGER_VERSION "0.1.0"

struct options {
	const char *interface;
	const char *output;
	bool force;
	bool preview;
	bool quiet;
	bool live;
	bool json;
	bool list; /* the interfaces, nothing else */
	const char *source;   /* auto, module, ebpf or proc */
	const char *counters; /* auto, netlink or sysfs */

	uint64_t interval_ns;
	struct window_rule window;
	bool start_given;
	uint64_t command_timeout_ns; /* 0: it may run for ever */

	const char *run_id;
	const char *experiment;
	const char *title;
	const char *kind;
	const char *plan;
	const char *time_dilation; /* a JSON number, or NULL */
	int64_t replicate, order, seed; /* -1: not given */
	struct assignments factors, read_back, environment;
	const char *environment_told; /* JSON members, or NULL */

	bool redact_host, redact_command;
	const char *user;
	size_t result_limit;
	bool keep_result;
	char *const *command;
};

enum options_outcome { OPTIONS_RUN, OPTIONS_LIST, OPTIONS_DONE, OPTIONS_WRONG };

/* Says on stderr what is wrong. */
enum options_outcome options_parse(struct options *options, int count, char **arguments);

#endif
