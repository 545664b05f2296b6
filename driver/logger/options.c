/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "environment.h"
#include "factors.h"
#include "help.h"
#include "json_check.h"
#include "option_values.h"
#include "suggestion.h"
#include "terminal.h"
#include "text.h"
#include "text_file.h"

enum { DEEPEST_TOLD = 15 }; /* it lies in the header, which may have 16 levels */

enum long_option {
	OPTION_TITLE = 256,
	OPTION_KIND,
	OPTION_TIME_DILATION,
	OPTION_LIVE,
	OPTION_JSON,
	OPTION_COMMAND_TIMEOUT,
	OPTION_READ_BACK,
	OPTION_WORKLOAD,
	OPTION_ORDER,
	OPTION_SEED,
	OPTION_PLAN,
	OPTION_RUN_ID,
	OPTION_ENVIRONMENT,
	OPTION_ENVIRONMENT_FILE,
	OPTION_REDACT,
	OPTION_PREVIEW,
	OPTION_USER,
	OPTION_RESULT_LIMIT,
	OPTION_NO_RESULT,
	OPTION_FORCE,
	OPTION_SOURCE,
	OPTION_COUNTERS,
	OPTION_START,
	OPTION_START_ON_TRAFFIC,
};

static const struct option LONG_OPTIONS[] = {
	{"interface", required_argument, NULL, 'i'},
	{"output", required_argument, NULL, 'o'},
	{"interval", required_argument, NULL, 't'},
	{"duration", required_argument, NULL, 'd'},
	{"warmup", required_argument, NULL, 'w'},
	{"start", required_argument, NULL, OPTION_START},
	{"start-on-traffic", required_argument, NULL, OPTION_START_ON_TRAFFIC},
	{"source", required_argument, NULL, OPTION_SOURCE},
	{"counters", required_argument, NULL, OPTION_COUNTERS},
	{"experiment", required_argument, NULL, 'e'},
	{"title", required_argument, NULL, OPTION_TITLE},
	{"kind", required_argument, NULL, OPTION_KIND},
	{"time-dilation", required_argument, NULL, OPTION_TIME_DILATION},
	{"quiet", no_argument, NULL, 'q'},
	{"live", no_argument, NULL, OPTION_LIVE},
	{"json", no_argument, NULL, OPTION_JSON},
	{"command-timeout", required_argument, NULL, OPTION_COMMAND_TIMEOUT},
	{"factor", required_argument, NULL, 'f'},
	{"read-back", required_argument, NULL, OPTION_READ_BACK},
	{"workload", required_argument, NULL, OPTION_WORKLOAD},
	{"replicate", required_argument, NULL, 'r'},
	{"order", required_argument, NULL, OPTION_ORDER},
	{"seed", required_argument, NULL, OPTION_SEED},
	{"plan", required_argument, NULL, OPTION_PLAN},
	{"run-id", required_argument, NULL, OPTION_RUN_ID},
	{"environment", required_argument, NULL, OPTION_ENVIRONMENT},
	{"environment-file", required_argument, NULL, OPTION_ENVIRONMENT_FILE},
	{"redact", required_argument, NULL, OPTION_REDACT},
	{"preview", no_argument, NULL, OPTION_PREVIEW},
	{"user", required_argument, NULL, OPTION_USER},
	{"result-limit", required_argument, NULL, OPTION_RESULT_LIMIT},
	{"no-result", no_argument, NULL, OPTION_NO_RESULT},
	{"force", no_argument, NULL, OPTION_FORCE},
	{"interfaces", no_argument, NULL, 'D'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

/* The members of the JSON object in a file. What they mean is the caller's affair. */
static bool parse_environment_file(struct options *options, const char *path)
{
	struct text content = {0};
	int error = read_file(path, &content);
	char *start = content.data, *end;
	const char *fault;
	size_t at;

	if (error || !start)
		return usage_error("cannot be read", path);
	start += strspn(start, " \t\r\n");
	if (*start != '{')
		return usage_error("holds no JSON object", path);
	fault = json_fault(content.data, content.length, DEEPEST_TOLD, &at);
	if (fault) {
		print_line(stderr, "coalescope-logger: --environment-file: %s: at byte %zu is %s", path, at, fault);
		return false;
	}
	end = strrchr(start, '}') + 1;
	end[-1] = '\0';
	start += 1 + strspn(start + 1, " \t\r\n");
	options->environment_told = *start ? start : NULL; /* kept to the end: header and footer need it */
	return true;
}

static bool parse_workload(struct options *options, const char *value)
{
	static char assignment[256];

	if (snprintf(assignment, sizeof(assignment), "workload=%s", value) >= (int)sizeof(assignment))
		return usage_error("too long", value);
	return parse_factor(&options->factors, assignment);
}

static bool parse_redaction(struct options *options, const char *value)
{
	char list[64], *item, *rest = list;

	snprintf(list, sizeof(list), "%s", value);
	while ((item = strsep(&rest, ",")) != NULL) {
		if (!strcmp(item, "host"))
			options->redact_host = true;
		else if (!strcmp(item, "command"))
			options->redact_command = true;
		else
			return usage_error("only host and command can be redacted", value);
	}
	return true;
}

static bool parse_identity(struct options *options, int option, const char *value)
{
	static const char *const kinds[] = {"measured", "emulated", "simulated", NULL};

	switch (option) {
	case 'e':
		options->experiment = value;
		return check_slug(value);
	case OPTION_TITLE:
		options->title = value;
		return check_length(value);
	case OPTION_KIND:
		options->kind = value;
		return check_choice(value, kinds, "a log's kind is measured, emulated or simulated");
	case OPTION_TIME_DILATION:
		options->time_dilation = value;
		return check_time_dilation(value);
	case OPTION_PLAN:
		options->plan = value;
		return check_length(value);
	case OPTION_RUN_ID:
		options->run_id = value;
		return check_uuid(value);
	case 'f':
		return parse_factor(&options->factors, value);
	case OPTION_READ_BACK:
		return parse_factor(&options->read_back, value);
	case OPTION_WORKLOAD:
		return parse_workload(options, value);
	case 'r':
		return parse_whole(&options->replicate, value) &&
		       (options->replicate || usage_error("--replicate must be 1 or more: runs are counted from 1", value));
	case OPTION_ORDER:
		return parse_whole(&options->order, value);
	case OPTION_SEED:
		return parse_whole(&options->seed, value);
	default:
		return false;
	}
}

static bool parse_command(struct options *options, int option, const char *value)
{
	int64_t number;

	switch (option) {
	case OPTION_USER:
		options->user = value;
		return true;
	case OPTION_COMMAND_TIMEOUT:
		return parse_time(&options->command_timeout_ns, value) &&
		       (options->command_timeout_ns ||
			usage_error("--command-timeout must be above 0", value));
	case OPTION_RESULT_LIMIT:
		if (!parse_whole(&number, value) || number > 15 << 20)
			return usage_error("a result may have at most 15 MiB", value);
		options->result_limit = (size_t)number;
		return true;
	case OPTION_NO_RESULT:
		options->keep_result = false;
		return true;
	default:
		return parse_identity(options, option, value);
	}
}

static bool parse_start(struct options *options, int option, const char *value)
{
	static const char *const moments[] = {"now", "traffic", NULL};
	int64_t packets = 0;

	if (options->start_given)
		return usage_error("the window can begin in one way only", value);
	options->start_given = true;
	if (option == OPTION_START) {
		options->window.start = strcmp(value, "traffic") ? WINDOW_NOW : WINDOW_TRAFFIC;
		return check_choice(value, moments, "the window begins now or with traffic");
	}
	if (!parse_whole(&packets, value))
		return false;
	options->window.packets = (uint64_t)packets;
	options->window.start = WINDOW_PACKETS;
	return true;
}

static bool parse_one(struct options *options, int option, const char *value)
{
	static const char *const sources[] = {"auto", "module", "ebpf", "proc", NULL};
	static const char *const counters[] = {"auto", "netlink", "sysfs", NULL};

	switch (option) {
	case 'i':
		options->interface = value;
		return strlen(value) < IFNAMSIZ || usage_error("no interface has so long a name", value);
	case 'o':
		options->output = value;
		return strcmp(value, "-") || usage_error("a log needs a file, which can be synced to disk", value);
	case 't':
		return parse_time(&options->interval_ns, value);
	case 'd':
		return parse_time(&options->window.duration_ns, value) &&
		       (options->window.duration_ns || usage_error("--duration must be above 0", value));
	case 'w':
		return parse_time(&options->window.warmup_ns, value);
	case OPTION_START:
	case OPTION_START_ON_TRAFFIC:
		return parse_start(options, option, value);
	case OPTION_SOURCE:
		options->source = value;
		return check_choice(value, sources, "a source is auto, module, ebpf or proc");
	case OPTION_COUNTERS:
		options->counters = value;
		return check_choice(value, counters, "counters come from auto, netlink or sysfs");
	case OPTION_ENVIRONMENT:
		return parse_assignment(&options->environment, value, ENVIRONMENT_VIRTUAL_MACHINE);
	case OPTION_ENVIRONMENT_FILE:
		return parse_environment_file(options, value);
	case 'q':
		return options->quiet = true;
	case 'D':
		return options->list = true;
	case OPTION_LIVE:
		return options->live = true;
	case OPTION_JSON:
		return options->json = true;
	case OPTION_REDACT:
		return parse_redaction(options, value);
	case OPTION_PREVIEW:
		return options->preview = true;
	case OPTION_FORCE:
		return options->force = true;
	default:
		return parse_command(options, option, value);
	}
}

static bool check_together(const struct options *options)
{
	unsigned int i;

	if (!options->interface)
		return usage_error("no interface is named", "--interface is missing");
	if (!options->output && !options->preview)
		return usage_error("no file is named", "--output is missing");
	if (options->interval_ns < 1000000 || options->interval_ns > 60000000000u)
		return usage_error("out of range", "--interval must be from 1ms to 60s");
	if (options->time_dilation && !strcmp(options->kind, "measured"))
		return usage_error("--time-dilation is for --kind emulated or simulated, not for",
				   options->kind);
	if (options->command_timeout_ns && !options->command)
		return usage_error("--command-timeout without a command", "nothing to end");
	if (options->window.start == WINDOW_TRAFFIC && !options->command)
		return usage_error("--start traffic is for a command; without one there is", "--start-on-traffic N");
	for (i = 0; i < options->read_back.count; i++)
		if (!assignments_have(&options->factors, options->read_back.entries[i]))
			return usage_error("--read-back of what is no --factor", options->read_back.entries[i]);
	return true;
}

/* Says which option was probably meant by a word that getopt does not know. */
static void suggest_option(const char *word)
{
	struct suggestion meant = {0};
	size_t i;

	if (strncmp(word, "--", 2))
		return;
	meant.word = word + 2;
	meant.length = strcspn(word + 2, "=");
	for (i = 0; LONG_OPTIONS[i].name; i++)
		if (strlen(LONG_OPTIONS[i].name) == meant.length &&
		    !strncmp(LONG_OPTIONS[i].name, meant.word, meant.length))
			return; /* it is one, used wrongly */
	for (i = 0; LONG_OPTIONS[i].name; i++)
		suggestion_consider(&meant, LONG_OPTIONS[i].name, LONG_OPTIONS[i].name);
	if (meant.best)
		print_line(stderr, "  Did you mean --%s?", meant.best);
}

enum options_outcome options_parse(struct options *options, int count, char **arguments)
{
	int option;

	*options = (struct options){
		.counters = "auto",
		.interval_ns = 100000000,
		.kind = "measured",
		.replicate = 1,
		.order = -1,
		.seed = -1,
		.result_limit = 4 << 20,
		.keep_result = true,
	};
	while ((option = getopt_shown(count, arguments, "+i:o:t:d:w:e:f:r:qDhV", LONG_OPTIONS)) != -1) {
		if (option == 'h') {
			fputs(HELP, stdout);
			return OPTIONS_DONE;
		}
		if (option == 'V') {
			puts("coalescope-logger " LOGGER_VERSION ", run log format 1.0");
			return OPTIONS_DONE;
		}
		if (option == '?')
			suggest_option(arguments[optind - 1]);
		if (option == '?' || !parse_one(options, option, optarg))
			return OPTIONS_WRONG;
	}
	if (options->list)
		return OPTIONS_LIST;
	if (!options->source)
		options->source = strcmp(options->counters, "auto") ? "proc" : "auto";
	if (optind < count)
		options->command = arguments + optind;
	if (!options->start_given)
		options->window.start = options->command ? WINDOW_TRAFFIC : WINDOW_NOW;
	return check_together(options) ? OPTIONS_RUN : OPTIONS_WRONG;
}
