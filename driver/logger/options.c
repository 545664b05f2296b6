/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "environment.h"
#include "levels.h"
#include "suggestion.h"
#include "text.h"
#include "text_file.h"

static const char HELP[] =
	"Usage: coalescope-logger --interface NAME --output FILE [options] [-- COMMAND …]\n"
	"\n"
	"Samples an interface's counters while a command runs, or for a time, and writes a run log.\n"
	"\n"
	"What and how long:\n"
	"  -i, --interface NAME       the interface to observe\n"
	"  -o, --output FILE          the log to write; must not exist (--force: may)\n"
	"  -t, --interval TIME        between samples, 1ms to 60s (100ms)\n"
	"  -d, --duration TIME        length of the measurement window; without it the window ends with the\n"
	"                             traffic of the command, or with Ctrl-C where there is none\n"
	"  -w, --warmup TIME          how much to leave out before the window begins (0s)\n"
	"      --start WHEN           what the window begins with: traffic, and then it ends with it, too; or now\n"
	"                             (traffic where there is a command, now where there is none)\n"
	"      --start-on-traffic N   or: with the N-th packet that the interface receives\n"
	"      --source SOURCE        where counters come from: auto, module, ebpf or proc (auto: the best there is)\n"
	"      --counters HOW         of proc: netlink, sysfs or auto (auto); the first two mean --source proc\n"
	"\n"
	"Which run it is:\n"
	"  -e, --experiment SLUG      the experiment it belongs to, in lower-case words joined by hyphens\n"
	"      --title TEXT           the experiment's title\n"
	"      --kind KIND            measured, emulated or simulated (measured)\n"
	"      --time-dilation X      all times here pass X times slower than in the system that is emulated or\n"
	"                             simulated\n"
	"  -f, --factor NAME=VALUE    a factor and its requested level; repeat for more.\n"
	"                             Factors beside the glossary's are called factor.NAME\n"
	"      --read-back NAME=VALUE the level that the host says it took; mtu_bytes and delay_us are read without\n"
	"      --workload NAME        the same as --factor workload=NAME\n"
	"  -r, --replicate N          number of the run in its cell (1)\n"
	"      --order N, --seed N, --plan TEXT, --run-id UUID\n"
	"\n"
	"What surrounds it:\n"
	"      --environment NAME=VALUE  a further fact for the header; virtual_machine.NAME is one about that\n"
	"      --environment-file FILE   a JSON object, whose members go into the header's environment as they are\n"
	"      --redact host,command  leave these out of the header\n"
	"      --preview              print the header that would be written, and stop\n"
	"\n"
	"While it runs:\n"
	"  -q, --quiet                say on stderr only why it went wrong\n"
	"      --live                 a line each second, on stderr\n"
	"\n"
	"At the end, losses and others at work in the window are said on stderr, but for --quiet.\n"
	"      --json                 that, and how far each counter advanced, as JSON on stdout\n"
	"\n"
	"The command:\n"
	"      --user NAME            run it as this user; under sudo it runs as who called sudo\n"
	"      --result-limit BYTES   keep at most this much of its output (4194304)\n"
	"      --no-result            keep none of its output\n"
	"      --command-timeout TIME end it after this time, and say so (it may run for ever)\n"
	"\n"
	"  -D, --interfaces           list the interfaces that can be recorded, and stop (with --json: as JSON)\n"
	"  -h, --help                 this\n"
	"  -V, --version              of the program and of the log's format\n"
	"\n"
	"TIME takes ns, us, ms, s, m (or min) or h; a number alone is seconds.\n"
	"Exit status: 0 fine, 1 it went wrong, 2 usage.\n";

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

static bool complain(const char *message, const char *value)
{
	fprintf(stderr, "coalescope-logger: %s: %s\n", message, value);
	return false;
}

static bool fits(const char *value)
{
	return strlen(value) <= LONGEST_VALUE || complain("longer than 1000 bytes", value);
}

static bool parse_time(uint64_t *nanoseconds, const char *value)
{
	static const struct {
		const char *name;
		double nanoseconds;
	} units[] = {{"ns", 1}, {"us", 1e3},  {"ms", 1e6},  {"s", 1e9},
		     {"", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
	char *end;
	double number = strtod(value, &end);
	size_t i;

	if (end != value && isdigit((unsigned char)*value))
		for (i = 0; i < sizeof(units) / sizeof(*units); i++)
			if (!strcmp(end, units[i].name) && number * units[i].nanoseconds <= 1e18) {
				*nanoseconds = (uint64_t)(number * units[i].nanoseconds + 0.5);
				return true;
			}
	return complain("not a time such as 100ms or 2s", value);
}

static bool parse_whole(int64_t *number, const char *value)
{
	char *end;

	errno = 0;
	*number = strtoll(value, &end, 10);
	if (errno || end == value || *end || *number < 0)
		return complain("not a whole number", value);
	return true;
}

/* [a-z][a-z0-9_]*, after the prefix if that is there */
static bool is_name(const char *name, size_t length, const char *prefix)
{
	size_t skipped = strlen(prefix), i;

	if (length > skipped && !strncmp(name, prefix, skipped)) {
		name += skipped;
		length -= skipped;
	}
	if (!length || length > 64 || !islower((unsigned char)name[0]))
		return false;
	for (i = 1; i < length; i++)
		if (!islower((unsigned char)name[i]) && !isdigit((unsigned char)name[i]) && name[i] != '_')
			return false;
	return true;
}

static bool parse_assignment(struct assignments *assignments, const char *value, const char *prefix)
{
	const char *equals = strchr(value, '=');
	size_t length = equals ? (size_t)(equals - value) : 0;
	unsigned int i;

	if (!is_name(value, length, prefix))
		return complain("not NAME=VALUE with a name in lower-case letters, digits and _", value);
	for (i = 0; i < assignments->count; i++)
		if (!strncmp(assignments->entries[i], value, length + 1))
			return complain("given twice", value);
	if (assignments->count == MOST_ASSIGNMENTS)
		return complain("too many of these", value);
	assignments->entries[assignments->count++] = value;
	return fits(value);
}

/* The members of the JSON object in a file. What they are is the caller's affair: a reader looks at all. */
static bool parse_environment_file(struct options *options, const char *path)
{
	struct text content = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int error = fd < 0 ? -errno : read_from_start(fd, &content);
	char *start = content.data, *end;

	if (fd >= 0)
		close(fd);
	if (error || !start)
		return complain("cannot be read", path);
	start += strspn(start, " \t\r\n");
	end = start + strlen(start);
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	if (end - start < 2 || *start != '{' || end[-1] != '}')
		return complain("holds no JSON object", path);
	end[-1] = '\0';
	start += 1 + strspn(start + 1, " \t\r\n");
	options->environment_told = *start ? start : NULL; /* kept to the end: header and footer need it */
	return true;
}

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
	size_t i;

	complain("no such factor", value);
	if (meant)
		fprintf(stderr, "  Did you mean %s?\n", meant);
	fputs("  Known are", stderr);
	for (i = 0; i < sizeof(FACTORS) / sizeof(*FACTORS); i++)
		fprintf(stderr, "%s %s", i ? "," : "", FACTORS[i].name);
	fputs("; any other is called factor.NAME.\n", stderr);
	return false;
}

static bool parse_factor(struct assignments *assignments, const char *value)
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
		return complain("not a number such as 1500 or 10.24, zero or more", value);
	}
	return unknown_factor(value);
}

static bool parse_workload(struct options *options, const char *value)
{
	static char assignment[256];

	if (snprintf(assignment, sizeof(assignment), "workload=%s", value) >= (int)sizeof(assignment))
		return complain("too long", value);
	return parse_assignment(&options->factors, assignment, OWN);
}

static bool check_slug(const char *slug)
{
	size_t i, length = strlen(slug);
	bool right = length && length <= 80 && slug[0] != '-' && slug[length - 1] != '-';

	for (i = 0; i < length; i++)
		right &= islower((unsigned char)slug[i]) || isdigit((unsigned char)slug[i]) ||
			 (slug[i] == '-' && slug[i + 1] != '-');
	return right || complain("an experiment's slug is lower-case words joined by hyphens", slug);
}

static bool check_uuid(const char *uuid)
{
	size_t i;
	bool right = strlen(uuid) == 36;

	for (i = 0; right && i < 36; i++) {
		if (i == 8 || i == 13 || i == 18 || i == 23)
			right = uuid[i] == '-';
		else
			right = isdigit((unsigned char)uuid[i]) || (uuid[i] >= 'a' && uuid[i] <= 'f');
	}
	return right || complain("not a UUID in lower case", uuid);
}

static bool check_choice(const char *value, const char *const *choices, const char *message)
{
	for (; *choices; choices++)
		if (!strcmp(value, *choices))
			return true;
	return complain(message, value);
}

enum { LARGEST_TIME_DILATION = 1000000 }; /* the reader's limit */

static bool check_time_dilation(const char *value)
{
	double dilation = strtod(value, NULL);

	return (is_number(value) && dilation >= 1 && dilation <= LARGEST_TIME_DILATION) ||
	       complain("a time dilation is a number from 1 to 1000000", value);
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
			return complain("only host and command can be redacted", value);
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
		return fits(value);
	case OPTION_KIND:
		options->kind = value;
		return check_choice(value, kinds, "a log's kind is measured, emulated or simulated");
	case OPTION_TIME_DILATION:
		options->time_dilation = value;
		return check_time_dilation(value);
	case OPTION_PLAN:
		options->plan = value;
		return fits(value);
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
		       (options->replicate || complain("--replicate must be 1 or more: runs are counted from 1", value));
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
			complain("--command-timeout must be above 0", value));
	case OPTION_RESULT_LIMIT:
		if (!parse_whole(&number, value) || number > 15 << 20)
			return complain("a result may have at most 15 MiB", value);
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
		return complain("the window can begin in one way only", value);
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
		return strlen(value) < IFNAMSIZ || complain("no interface has so long a name", value);
	case 'o':
		options->output = value;
		return strcmp(value, "-") || complain("a log needs a file, which can be synced to disk", value);
	case 't':
		return parse_time(&options->interval_ns, value);
	case 'd':
		return parse_time(&options->window.duration_ns, value) &&
		       (options->window.duration_ns || complain("--duration must be above 0", value));
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

static bool has_factor(const struct options *options, const char *assignment)
{
	size_t length = strcspn(assignment, "=") + 1;
	unsigned int i;

	for (i = 0; i < options->factors.count; i++)
		if (!strncmp(options->factors.entries[i], assignment, length))
			return true;
	return complain("--read-back of what is no --factor", assignment);
}

static bool check_together(const struct options *options)
{
	unsigned int i;

	if (!options->interface)
		return complain("no interface is named", "--interface is missing");
	if (!options->output && !options->preview)
		return complain("no file is named", "--output is missing");
	if (options->interval_ns < 1000000 || options->interval_ns > 60000000000u)
		return complain("out of range", "--interval must be from 1ms to 60s");
	if (options->time_dilation && !strcmp(options->kind, "measured"))
		return complain("--time-dilation is for --kind emulated or simulated, not for",
				options->kind);
	if (options->command_timeout_ns && !options->command)
		return complain("--command-timeout without a command", "nothing to end");
	if (options->window.start == WINDOW_TRAFFIC && !options->command)
		return complain("--start traffic is for a command; without one there is", "--start-on-traffic N");
	for (i = 0; i < options->read_back.count; i++)
		if (!has_factor(options, options->read_back.entries[i]))
			return false;
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
		fprintf(stderr, "  Did you mean --%s?\n", meant.best);
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
	while ((option = getopt_long(count, arguments, "+i:o:t:d:w:e:f:r:qDhV", LONG_OPTIONS, NULL)) != -1) {
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
