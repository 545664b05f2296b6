/* SPDX-License-Identifier: Apache-2.0 */
/* wire-control: tells the far end of the testbed's cable what to do. */
#include <stdio.h>
#include <string.h>

#include "commands.h"

static const char HELP[] =
	"Usage: wire-control start udp|tcp|request-response [options]\n"
	"       wire-control stop\n"
	"       wire-control counters\n"
	"       wire-control interrupt-cost MICROSECONDS [--interface I] [--dilation D]\n"
	"       wire-control no-acknowledgement-interrupts [--interface I]\n"
	"\n"
	"start: traffic towards an interface of this guest. Times and rates are those of the emulated system; the wire\n"
	"passes them --dilation times slower. MTU and address are the interface's own; hosts are at its network's\n"
	"addresses .11, .12, …\n"
	"      --interface I          (eth0)\n"
	"      --dilation D           (1)\n"
	"      --hosts N              (10)\n"
	"      --port P               of the receiver; request/response: of the servers, P + i (5000)\n"
	"      --source-port P        of the first sender (10000)\n"
	"      --link-mbps R          of the switch's port to the interface (1000)\n"
	"      --seed S               of start phase, service times, sequence numbers (1)\n"
	"      --frames N             UDP: stop after so many\n"
	"      --host-link-mbps R     TCP: of each sender's link (100)\n"
	"      --window-bytes W       TCP: the most that a sender has on its way (65535)\n"
	"      --service-us F         request/response: time of service … (0)\n"
	"      --service-exponential-us E  … and on top, exponentially distributed with this mean (0)\n"
	"stop, counters: what was sent and received since the start, as JSON.\n"
	"interrupt-cost: each interrupt of the interface costs so much more; 0 takes it back.\n"
	"no-acknowledgement-interrupts: e1000e interrupts at once for TCP acknowledgements (RFCTL); switch that off. The driver\n"
	"switches it on again whenever it resets the card.\n"
	"\n"
	"Exit status: 0 fine, 1 it went wrong, 2 usage.\n";

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {
		{"start", start},
		{"stop", stop},
		{"counters", counters},
		{"interrupt-cost", interrupt_cost},
		{"no-acknowledgement-interrupts", no_acknowledgement_interrupts},
	};
	size_t i;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(HELP, stdout);
		return 0;
	}
	for (i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	fputs(HELP, stderr);
	return EXIT_USAGE;
}
