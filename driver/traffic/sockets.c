/* SPDX-License-Identifier: Apache-2.0 */
#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "terminal.h"
#include "workers.h"

enum { BUFFER_BYTES = 8 << 20, SHORT_PAUSE_NS = 10000000, MOST_TRYING_NS = 2000000000 };

bool socket_error(const char *what)
{
	print_line(stderr, "coalescope-traffic: %s: %s", what, strerror(errno));
	return false;
}

static socklen_t size_of(const union socket_address *address)
{
	return address->any.sa_family == AF_INET6 ? sizeof(address->v6) : sizeof(address->v4);
}

bool socket_parse(const char *text, union socket_address *address)
{
	char plain[INET6_ADDRSTRLEN];
	const char *scope = strchr(text, '%');
	size_t length = scope ? (size_t)(scope - text) : strlen(text);

	*address = (union socket_address){.v6.sin6_family = AF_UNSPEC};
	if (length >= sizeof(plain))
		return false;
	memcpy(plain, text, length);
	plain[length] = 0;
	if (!scope && inet_pton(AF_INET, plain, &address->v4.sin_addr) == 1) {
		address->v4.sin_family = AF_INET;
		return true;
	}
	address->v6.sin6_family = AF_INET6;
	address->v6.sin6_scope_id = scope ? if_nametoindex(scope + 1) : 0;
	return inet_pton(AF_INET6, plain, &address->v6.sin6_addr) == 1 && (!scope || address->v6.sin6_scope_id);
}

struct in6_addr socket_origin(const union socket_address *from)
{
	struct in6_addr mapped = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

	if (from->any.sa_family == AF_INET6)
		return from->v6.sin6_addr;
	memcpy(&mapped.s6_addr[12], &from->v4.sin_addr, sizeof(from->v4.sin_addr));
	return mapped;
}

static int open_socket(int family, bool tcp)
{
	int fd = socket(family, (tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);

	if (fd < 0)
		socket_error("socket");
	else
		workers_add_socket(fd);
	return fd;
}

static int open_failed(int fd, const char *what)
{
	socket_error(what);
	workers_close(fd);
	return -1;
}

void socket_enlarge(int fd, int forced, int polite)
{
	static const int bytes = BUFFER_BYTES;

	if (setsockopt(fd, SOL_SOCKET, forced, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, polite, &bytes, sizeof(bytes)); /* as much as rmem_max or wmem_max allow */
}

bool socket_clamp(int fd, unsigned int window)
{
	return !setsockopt(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, &(int){(int)window}, sizeof(int));
}

/* The buffer must be larger than the window, since it also holds what surrounds the payload. */
static bool limit_window(int fd, unsigned int window)
{
	int buffer = 0, wanted = window > 256 << 10 ? (int)window * 4 : 1 << 20;
	socklen_t size = sizeof(buffer);

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, sizeof(wanted)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof(wanted));
	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, &size))
		return false;
	if ((unsigned int)buffer < 2 * window) {
		errno = ENOBUFS; /* raise net.core.rmem_max */
		return false;
	}
	return socket_clamp(fd, window);
}

int socket_listen(bool tcp, const union socket_address *at, uint16_t port, unsigned int window)
{
	const union socket_address here = socket_address(*at, 0, port);
	int fd = open_socket(here.any.sa_family, tcp);
	char what[40];

	if (fd < 0)
		return fd;
	if (tcp)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	else
		socket_enlarge(fd, SO_RCVBUFFORCE, SO_RCVBUF);
	if (window && !limit_window(fd, window))
		return open_failed(fd, "receive window (see net.core.rmem_max)");
	snprintf(what, sizeof(what), "%s port %u", tcp ? "TCP" : "UDP", (unsigned int)port);
	if (bind(fd, &here.any, size_of(&here)) || (tcp && listen(fd, 128)))
		return open_failed(fd, what);
	return fd;
}

union socket_address socket_address(union socket_address first, unsigned int offset, uint16_t port)
{
	uint32_t *last = &first.v4.sin_addr.s_addr;

	if (first.any.sa_family == AF_INET6)
		last = &first.v6.sin6_addr.s6_addr32[3];
	*last = htonl(ntohl(*last) + offset);
	if (first.any.sa_family == AF_INET6)
		first.v6.sin6_port = htons(port);
	else
		first.v4.sin_port = htons(port);
	return first;
}

static void name_of(const union socket_address *address, char *name, size_t size)
{
	const bool v6 = address->any.sa_family == AF_INET6;
	const void *bytes = v6 ? (const void *)&address->v6.sin6_addr : &address->v4.sin_addr;

	inet_ntop(address->any.sa_family, bytes, name, (socklen_t)size);
}

/* Who listens may be begun at the same time as this. */
int socket_connect(bool tcp, const union socket_address *to)
{
	uint64_t begun = now_ns();
	char name[INET6_ADDRSTRLEN], what[INET6_ADDRSTRLEN + 60];
	int fd;

	while ((fd = open_socket(to->any.sa_family, tcp)) >= 0 && connect(fd, &to->any, size_of(to))) {
		uint64_t tried_ns = now_ns() - begun;

		if (errno != ECONNREFUSED || workers_stopping() || tried_ns >= MOST_TRYING_NS) {
			name_of(to, name, sizeof(name));
			snprintf(what, sizeof(what), "cannot reach %s port %u, tried for %.1f s", name,
				 (unsigned int)ntohs(to->v4.sin_port), (double)tried_ns / NS_PER_S);
			return open_failed(fd, what);
		}
		workers_close(fd);
		workers_sleep_until(now_ns() + SHORT_PAUSE_NS);
	}
	if (fd >= 0 && tcp)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	return fd;
}

uint32_t socket_dropped(int fd)
{
	uint32_t memory[SK_MEMINFO_VARS] = {0};
	socklen_t size = sizeof(memory);

	return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &size) ? 0 : memory[SK_MEMINFO_DROPS];
}

uint64_t socket_retransmits(int fd)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof(info);

	return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) ? 0 : info.tcpi_total_retrans;
}
