/* SPDX-License-Identifier: Apache-2.0 */
#include "interfaces.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ethtool_query.h"
#include "interface.h"
#include "json_print.h"
#include "terminal.h"

struct facts {
	const char *name, *state;
	char driver[64]; /* empty where there is none */
	int mtu_bytes;   /* -1 where it is not known */
};

static bool asked(int fd, unsigned long request, const char *interface, struct ifreq *answer)
{
	*answer = (struct ifreq){0};
	snprintf(answer->ifr_name, sizeof(answer->ifr_name), "%s", interface);
	return !ioctl(fd, request, answer);
}

static const char *state_of(int fd, const char *interface)
{
	struct ifreq answer;

	if (!asked(fd, SIOCGIFFLAGS, interface, &answer))
		return "not known";
	if (!(answer.ifr_flags & IFF_UP))
		return "down";
	return interface_has_carrier(interface, answer.ifr_flags) ? "up" : "no carrier";
}

static void learn(struct facts *facts, int fd, const char *interface)
{
	struct ifreq answer;

	facts->name = interface;
	facts->state = state_of(fd, interface);
	facts->mtu_bytes = asked(fd, SIOCGIFMTU, interface, &answer) ? answer.ifr_mtu : -1;
	ethtool_driver(interface, facts->driver, sizeof(facts->driver));
}

static void list(const struct facts *facts)
{
	char mtu[24] = "";

	if (facts->mtu_bytes >= 0)
		snprintf(mtu, sizeof(mtu), "  mtu %-5d", facts->mtu_bytes);
	print_line(stdout, "%-15s  %-10s%s%s%s", facts->name, facts->state, mtu, facts->driver[0] ? "  " : "",
		   facts->driver);
}

static void add_object(struct text *json, const struct facts *facts)
{
	json_open(json, '{');
	json_member_string(json, "interface", facts->name);
	json_member_string(json, "state", facts->state);
	if (facts->mtu_bytes >= 0)
		json_member_integer(json, "mtu_bytes", facts->mtu_bytes);
	if (facts->driver[0])
		json_member_string(json, "driver", facts->driver);
	json_close(json, '}');
}

static bool print_all(const struct if_nameindex *each, int fd, bool as_json)
{
	struct text json = {0};
	struct facts facts;
	bool fine;

	json_open(&json, '[');
	for (; each->if_index; each++) {
		learn(&facts, fd, each->if_name);
		if (as_json)
			add_object(&json, &facts);
		else
			list(&facts);
	}
	json_close(&json, ']');
	fine = as_json ? json_print(&json) : !fflush(stdout);
	text_free(&json);
	return fine;
}

bool interfaces_print(bool as_json)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct if_nameindex *all = if_nameindex();
	bool fine = all && print_all(all, fd, as_json);

	if (!fine)
		print_line(stderr, "coalescope-logger: the interfaces cannot be listed: %s", strerror(errno));
	if (all)
		if_freenameindex(all);
	if (fd >= 0)
		close(fd);
	return fine;
}
