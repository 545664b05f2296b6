/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../module/wire_abi.h"
#include "device.h"
#include "options.h"

/* What does not depend on the system that is emulated. */
#define FIRST_HOST 11           /* in the interface's /24 */
#define TCP_POLL_US 12.3        /* about a full frame at 1 Gb/s: when a sender hears of an acknowledgement */
#define REQUEST_POLL_US 5.0
#define UDP_POLL_US 1000.0      /* unused: sources do not listen */
#define BITS_PER_BYTE 8

/* Receive filter control of the 82574: no interrupt at once for acknowledgements. */
#define RFCTL 0x5008
#define RFCTL_ACK_DIS (1u << 12)

/* splitmix64, of which the upper 53 bits make a number between 0 and 1, never either. */
static double random_unit(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static void draw_service_times(struct wire_configuration *configuration, const struct options *options)
{
	uint64_t state = (uint64_t)options->seed;
	int i;

	for (i = 0; i < WIRE_SERVICE_TIMES; i++) {
		double us = options->service_us - options->service_exponential_us * log(random_unit(&state));

		configuration->service_ns[i] = (uint32_t)(us * 1000 * options->dilation + 0.5);
	}
}

static uint32_t ps_per_byte(double mbps, double dilation)
{
	return (uint32_t)(BITS_PER_BYTE * 1e6 / mbps * dilation + 0.5);
}

static double poll_us(uint32_t mode)
{
	return mode == WIRE_TCP ? TCP_POLL_US : mode == WIRE_REQUEST_RESPONSE ? REQUEST_POLL_US : UDP_POLL_US;
}

static uint32_t mode_of(const char *name)
{
	if (name && !strcmp(name, "udp"))
		return WIRE_UDP;
	if (name && !strcmp(name, "tcp"))
		return WIRE_TCP;
	return name && !strcmp(name, "request-response") ? WIRE_REQUEST_RESPONSE : 0;
}

static void configure(struct wire_configuration *configuration, const struct options *options,
		      const struct interface *interface, uint32_t mode)
{
	const uint32_t network = ntohl(interface->address) & 0xffffff00u;

	*configuration = (struct wire_configuration){
		.mode = mode,
		.hosts = (uint32_t)options->hosts,
		.mtu_bytes = interface->mtu_bytes,
		.port = (uint32_t)options->port,
		.first_source_port = (uint32_t)options->source_port,
		.link_ps_per_byte = ps_per_byte(options->link_mbps, options->dilation),
		.host_link_ps_per_byte = ps_per_byte(options->host_link_mbps, options->dilation),
		.poll_ns = (uint32_t)(poll_us(mode) * 1000 * options->dilation),
		.window_bytes = (uint32_t)options->window_bytes,
		.timestamps = 1,
		.seed = (uint32_t)(uint64_t)options->seed,
		.first_host_address = htonl(network + FIRST_HOST),
		.interface_address = interface->address,
		.frames = (uint64_t)options->frames,
	};
	memcpy(configuration->interface_mac, interface->mac, sizeof(interface->mac));
	draw_service_times(configuration, options);
}

static bool introduce_hosts(const struct wire_configuration *configuration, const char *interface)
{
	uint32_t i;

	for (i = 0; i < configuration->hosts; i++) {
		uint8_t mac[6];

		memcpy(mac, configuration->interface_mac, sizeof(mac));
		mac[5] = (uint8_t)(WIRE_FIRST_MAC + i);
		if (!neighbour_add(interface, htonl(ntohl(configuration->first_host_address) + i), mac))
			return false;
	}
	return true;
}

int start(int argc, char **argv)
{
	static struct wire_configuration configuration;
	struct interface interface;
	struct options options;
	uint32_t mode;

	if (!options_parse(&options, argc, argv))
		return EXIT_USAGE;
	mode = mode_of(options.operand);
	if (!mode) {
		fputs("wire-control: start what? udp, tcp or request-response\n", stderr);
		return EXIT_USAGE;
	}
	if (!interface_read(&interface, options.interface))
		return EXIT_WRONG;
	configure(&configuration, &options, &interface, mode);
	return introduce_hosts(&configuration, options.interface) && wire_request(WIRE_START, &configuration) ?
		       EXIT_FINE :
		       EXIT_WRONG;
}

static int print_counters(void)
{
	struct wire_counters counters;

	if (!wire_request(WIRE_READ, &counters))
		return EXIT_WRONG;
	printf("{\"sent_frames\":%llu,\"sent_bytes\":%llu,\"received_frames\":%llu,\"responses\":%llu,"
	       "\"connections\":%llu,\"retransmissions\":%llu,\"ticks\":%llu,\"latest_us\":%.3f}\n",
	       counters.sent_frames, counters.sent_bytes, counters.received_frames, counters.responses,
	       counters.connections, counters.retransmissions, counters.ticks,
	       (double)counters.latest_ns / 1000);
	return fflush(stdout) ? EXIT_WRONG : EXIT_FINE;
}

int stop(int argc, char **argv)
{
	struct options options;

	if (!options_parse(&options, argc, argv))
		return EXIT_USAGE;
	return wire_request(WIRE_STOP, NULL) ? print_counters() : EXIT_WRONG;
}

int counters(int argc, char **argv)
{
	struct options options;

	return options_parse(&options, argc, argv) ? print_counters() : EXIT_USAGE;
}

int interrupt_cost(int argc, char **argv)
{
	struct wire_interrupt_cost cost = {0};
	struct options options;
	char *end;
	double us;

	if (!options_parse(&options, argc, argv))
		return EXIT_USAGE;
	us = options.operand ? strtod(options.operand, &end) : -1;
	if (!options.operand || *end || end == options.operand || !(us >= 0 && us <= 1000)) {
		fputs("wire-control: interrupt-cost takes microseconds, 0 to 1000\n", stderr);
		return EXIT_USAGE;
	}
	strncpy(cost.handler, options.interface, sizeof(cost.handler) - 1);
	cost.cost_ns = (uint32_t)(us * 1000 * options.dilation + 0.5);
	return wire_request(WIRE_INTERRUPT_COST, &cost) ? EXIT_FINE : EXIT_WRONG;
}

int no_acknowledgement_interrupts(int argc, char **argv)
{
	struct options options;

	if (!options_parse(&options, argc, argv))
		return EXIT_USAGE;
	return register_set_bits(options.interface, RFCTL, RFCTL_ACK_DIS) ? EXIT_FINE : EXIT_WRONG;
}
