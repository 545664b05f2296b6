/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"
#include "workers.h"
#include "report.h"
#include "request_response.h"
#include "roles.h"

static const char HELP[] =
	"Usage: coalescope-traffic request-response server --port P [options]\n"
	"       coalescope-traffic request-response client --to ADDRESS --port P [options]\n"
	"       coalescope-traffic sink udp|tcp --port P [options]\n"
	"       coalescope-traffic source udp|tcp --to ADDRESS --port P [options]\n"
	"       coalescope-traffic read files --path PATH [options]\n"
	"\n"
	"Sends or receives traffic and prints what came of it as JSON.\n"
	"All run until SIGTERM, Ctrl-C or --duration S. An ADDRESS is one of IPv4 or IPv6.\n"
	"\n"
	"request-response server: answers requests one at a time, as a disk does\n"
	"      --servers N            at ports P, P + 1, … (1)\n"
	"      --service-us F         time of service for responses above 1000 bytes (0)\n"
	"      --service-exponential-us E  on top, exponentially distributed with this mean (0)\n"
	"\n"
	"request-response client: measures the time from each request to its whole response\n"
	"      --clients N            client i asks at port P + i (1)\n"
	"      --servers N            only so many servers: client i asks the one at P + i mod N\n"
	"      --to A --to B …        server i is at the address i mod the number of these\n"
	"      --servers-at-consecutive-addresses  and at ADDRESS + i\n"
	"      --outstanding K        requests that each has on their way (1; with --rate 256)\n"
	"      --request-bytes B      (120)\n"
	"      --response-bytes B     (4096)\n"
	"      --small-every M        each Mth response is one of 128 bytes, served at once (0: none)\n"
	"      --rate R               requests per second in all, on schedule whatever the responses do;\n"
	"                             a latency then counts from the time that was intended.\n"
	"                             Without it the next request waits for a response, so that a stall\n"
	"                             holds back the very requests that would have measured it\n"
	"      --timeout S            after it a request is sent again (UDP) or counted as late (TCP) (3)\n"
	"      --warmup S, --cooldown S  traffic before and after --duration that is not counted (0)\n"
	"\n"
	"sink: receives and counts\n"
	"      --connections N        TCP: ends when so many have come and closed\n"
	"      --receive-window B     TCP: the most that is offered to a sender\n"
	"      --read-bytes B         (16384)\n"
	"\n"
	"source: sends\n"
	"      --streams N            flows with a source port each (1)\n"
	"      --frame-bytes B        UDP: from destination address to frame check sequence (1518)\n"
	"      --packet-rate R        UDP: frames per second in all, on an absolute schedule (0: as fast as it goes)\n"
	"      --jitter F             UDP: each gap longer or shorter by up to this share of it (0)\n"
	"      --count N              UDP: ends when so many frames are sent, in all\n"
	"      --bytes N              TCP: ends when so many bytes are sent, by each stream\n"
	"      --write-bytes B        TCP: (16384)\n"
	"\n"
	"read files: reads a file, or all of a folder, again and again past the page cache (O_DIRECT, as far as\n"
	"the file system knows it), and measures the time of each read\n"
	"      --streams N            readers, each with every Nth file (1)\n"
	"      --read-bytes B         a multiple of 4096 (16384)\n"
	"      --warmup S, --cooldown S  as above\n"
	"\n"
	"request-response server and sink:\n"
	"      --bind ADDRESS         to listen at (0.0.0.0); :: takes IPv6 and IPv4\n"
	"\n"
	"request-response and a UDP source:\n"
	"      --seed S               of all that is random (1)\n"
	"request-response:\n"
	"      --transport udp|tcp    (udp)\n"
	"\n"
	"      --help, --version\n"
	"\n"
	"Exit status: 0 fine, 1 it went wrong, 2 usage.\n";

enum {
	REQUEST_RESPONSE = REQUEST_SERVER | REQUEST_CLIENT,
	SINK = UDP_SINK | TCP_SINK,
	SOURCE = UDP_SOURCE | TCP_SOURCE,
	NETWORK = REQUEST_RESPONSE | SINK | SOURCE,
	MEASURING = REQUEST_CLIENT | FILE_READER,
};

enum form { WHOLE, REAL, FLAG, PEER_ADDRESS, OWN_ADDRESS, TRANSPORT, TEXT };

static const struct described {
	const char *name;
	enum form form;
	size_t at; /* in struct options */
	unsigned int roles;
	double least, most, preset;
} OPTIONS[] = {
	{"to", PEER_ADDRESS, 0, REQUEST_CLIENT | SOURCE, 0, 0, 0},
	{"bind", OWN_ADDRESS, 0, REQUEST_SERVER | SINK, 0, 0, 0},
	{"path", TEXT, offsetof(struct options, path), FILE_READER, 0, 0, 0},
	{"port", WHOLE, offsetof(struct options, port), NETWORK, 1, 65535, 0},
	{"seed", WHOLE, offsetof(struct options, seed), REQUEST_RESPONSE | UDP_SOURCE, 0, 9007199254740992.0, 1},
	{"duration", REAL, offsetof(struct options, duration_s), NETWORK | FILE_READER, 1e-3, 1e7, 0},
	{"transport", TRANSPORT, 0, REQUEST_RESPONSE, 0, 0, 0},
	{"servers", WHOLE, offsetof(struct options, servers), REQUEST_RESPONSE, 1, 64, 0},
	{"service-us", REAL, offsetof(struct options, service_us), REQUEST_SERVER, 0, 1e7, 0},
	{"service-exponential-us", REAL, offsetof(struct options, service_exponential_us), REQUEST_SERVER, 0, 1e7, 0},
	{"clients", WHOLE, offsetof(struct options, clients), REQUEST_CLIENT, 1, 256, 1},
	{"servers-at-consecutive-addresses", FLAG, offsetof(struct options, consecutive_addresses), REQUEST_CLIENT, 0, 0, 0},
	{"outstanding", WHOLE, offsetof(struct options, outstanding), REQUEST_CLIENT, 1, 256, 0},
	{"request-bytes", WHOLE, offsetof(struct options, request_bytes), REQUEST_CLIENT, sizeof(struct request),
	 MOST_MESSAGE_BYTES, sizeof(struct request)},
	{"response-bytes", WHOLE, offsetof(struct options, response_bytes), REQUEST_CLIENT, sizeof(struct request),
	 MOST_MESSAGE_BYTES, 4096},
	{"small-every", WHOLE, offsetof(struct options, small_every), REQUEST_CLIENT, 0, 1e9, 0},
	{"rate", REAL, offsetof(struct options, rate_hz), REQUEST_CLIENT, 1e-3, 1e7, 0},
	{"timeout", REAL, offsetof(struct options, timeout_s), REQUEST_CLIENT, 1e-3, 3600, 3},
	{"warmup", REAL, offsetof(struct options, warmup_s), MEASURING, 0, 1e6, 0},
	{"cooldown", REAL, offsetof(struct options, cooldown_s), MEASURING, 0, 1e6, 0},
	{"connections", WHOLE, offsetof(struct options, connections), TCP_SINK, 1, MOST_WORKERS, 0},
	{"receive-window", WHOLE, offsetof(struct options, receive_window), TCP_SINK, 4096, 1 << 28, 0},
	{"read-bytes", WHOLE, offsetof(struct options, read_bytes), SINK | FILE_READER, 1, 1 << 18, 16384},
	{"streams", WHOLE, offsetof(struct options, streams), SOURCE | FILE_READER, 1, MOST_WORKERS, 1},
	{"frame-bytes", WHOLE, offsetof(struct options, frame_bytes), UDP_SOURCE, 64, 65553, 1518},
	{"packet-rate", REAL, offsetof(struct options, packet_rate_hz), UDP_SOURCE, 0, 1e9, 0},
	{"jitter", REAL, offsetof(struct options, jitter), UDP_SOURCE, 0, 1, 0},
	{"count", WHOLE, offsetof(struct options, count), UDP_SOURCE, 1, 9007199254740992.0, 0},
	{"bytes", WHOLE, offsetof(struct options, bytes), TCP_SOURCE, 1, 9007199254740992.0, 0},
	{"write-bytes", WHOLE, offsetof(struct options, write_bytes), TCP_SOURCE, 1, 1 << 18, 16384},
};

enum { COUNT = sizeof(OPTIONS) / sizeof(*OPTIONS) };

static const struct {
	const char *words[2];
	enum role role;
} ROLES[] = {
	{{"request-response", "server"}, REQUEST_SERVER},
	{{"request-response", "client"}, REQUEST_CLIENT},
	{{"sink", "udp"}, UDP_SINK},
	{{"sink", "tcp"}, TCP_SINK},
	{{"source", "udp"}, UDP_SOURCE},
	{{"source", "tcp"}, TCP_SOURCE},
	{{"read", "files"}, FILE_READER},
};

static bool usage_error(const char *message, const char *value)
{
	print_line(stderr, "coalescope-traffic: %s: %s", message, value);
	return false;
}

static bool range_error(const struct described *described, const char *value)
{
	print_line(stderr, "coalescope-traffic: --%s takes %s from %.12g to %.12g, not %s", described->name,
		   described->form == WHOLE ? "a whole number" : "a number", described->least, described->most, value);
	return false;
}

static bool parse_number(const struct described *described, void *into, const char *value)
{
	char *end;
	double number = strtod(value, &end);

	if (end == value || *end || !isfinite(number) || number < described->least || number > described->most ||
	    value[strspn(value, "0123456789.eE+-")])
		return range_error(described, value);
	if (described->form == REAL) {
		memcpy(into, &number, sizeof(number));
		return true;
	}
	if (number != floor(number))
		return range_error(described, value);
	memcpy(into, &(uint64_t){(uint64_t)number}, sizeof(uint64_t));
	return true;
}

static bool parse_address(struct options *options, const char *value)
{
	if (options->to_count == (options->role == REQUEST_CLIENT ? MOST_ADDRESSES : 1))
		return usage_error("too many addresses, from here on", value);
	return socket_parse(value, &options->to[options->to_count++]) ||
	       usage_error("not an IPv4 or IPv6 address", value);
}

static bool parse_one(struct options *options, const struct described *described, const char *value)
{
	void *into = (char *)options + described->at;

	if (!(described->roles & options->role))
		return usage_error("not an option here", described->name);
	switch (described->form) {
	case FLAG:
		*(bool *)into = true;
		return true;
	case PEER_ADDRESS:
		return parse_address(options, value);
	case OWN_ADDRESS:
		return socket_parse(value, &options->bind) || usage_error("not an IPv4 or IPv6 address", value);
	case TEXT:
		*(const char **)into = value;
		return true;
	case TRANSPORT:
		options->tcp = !strcmp(value, "tcp");
		return options->tcp || !strcmp(value, "udp") || usage_error("--transport is udp or tcp", value);
	default:
		return parse_number(described, into, value);
	}
}

static void preset(struct options *options)
{
	unsigned int i;

	*options = (struct options){.bind.v4.sin_family = AF_INET};
	for (i = 0; i < COUNT; i++) {
		void *into = (char *)options + OPTIONS[i].at;

		if (OPTIONS[i].form == WHOLE)
			memcpy(into, &(uint64_t){(uint64_t)OPTIONS[i].preset}, sizeof(uint64_t));
		else if (OPTIONS[i].form == REAL)
			memcpy(into, &OPTIONS[i].preset, sizeof(double));
	}
}

static bool check_together(struct options *options)
{
	uint64_t flows = options->role == REQUEST_CLIENT ? options->clients : options->servers;

	if (options->role == FILE_READER && !options->path)
		return usage_error("no path is named", "--path is missing");
	if (options->role == FILE_READER && options->read_bytes % 4096)
		return usage_error("not a multiple of 4096", "--read-bytes");
	if (options->role != FILE_READER && !options->port)
		return usage_error("no port is named", "--port is missing");
	if (options->role & (REQUEST_CLIENT | SOURCE) && !options->to_count)
		return usage_error("no address is named", "--to is missing");
	if (options->role & REQUEST_RESPONSE && options->port + flows > 65536)
		return usage_error("ports end at 65535", "too many from --port on");
	if (options->role == REQUEST_CLIENT && !options->servers)
		options->servers = options->clients;
	if (options->role == REQUEST_SERVER && !options->servers)
		options->servers = 1;
	if (!options->outstanding)
		options->outstanding = options->rate_hz > 0 ? 256 : 1;
	if (options->jitter > 0 && !(options->packet_rate_hz > 0))
		return usage_error("--jitter needs", "--packet-rate");
	if ((options->warmup_s > 0 || options->cooldown_s > 0) && !(options->duration_s > 0))
		return usage_error("--warmup and --cooldown need", "--duration");
	if (options->role == UDP_SOURCE && options->frame_bytes < source_overhead(options))
		return usage_error("a frame of IPv6 has at least 66 bytes", "--frame-bytes");
	options->tcp |= options->role & (TCP_SINK | TCP_SOURCE);
	return true;
}

static bool parse_role(struct options *options, int count, char **arguments)
{
	size_t i;

	if (count < 3)
		return usage_error("no role is named", "two words such as sink udp are missing");
	for (i = 0; i < sizeof(ROLES) / sizeof(*ROLES); i++)
		if (!strcmp(arguments[1], ROLES[i].words[0]) && !strcmp(arguments[2], ROLES[i].words[1])) {
			options->role = ROLES[i].role;
			return true;
		}
	print_line(stderr, "coalescope-traffic: no such thing to do: %s %s", arguments[1], arguments[2]);
	return false;
}

enum options_outcome options_parse(struct options *options, int count, char **arguments)
{
	struct option known[COUNT + 1];
	int i, found;

	for (i = 1; i < count; i++)
		if (!strcmp(arguments[i], "--help")) {
			fputs(HELP, stdout);
			return OPTIONS_DONE;
		} else if (!strcmp(arguments[i], "--version")) {
			puts("coalescope-traffic " TRAFFIC_VERSION);
			return OPTIONS_DONE;
		}
	preset(options);
	if (!parse_role(options, count, arguments))
		return OPTIONS_WRONG;
	memset(known, 0, sizeof(known));
	for (i = 0; i < COUNT; i++)
		known[i] = (struct option){OPTIONS[i].name,
					   OPTIONS[i].form == FLAG ? no_argument : required_argument, NULL, i + 1};
	arguments[2] = arguments[0]; /* for getopt's messages */
	optind = 1;
	while ((found = getopt_shown(count - 2, arguments + 2, "", known)) != -1)
		if (found < 1 || found > COUNT || !parse_one(options, &OPTIONS[found - 1], optarg))
			return OPTIONS_WRONG;
	if (optind < count - 2) {
		usage_error("not understood", arguments[2 + optind]);
		return OPTIONS_WRONG;
	}
	return check_together(options) ? OPTIONS_RUN : OPTIONS_WRONG;
}
