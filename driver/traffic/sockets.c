/* SPDX-License-Identifier: Apache-2.0 */
#include "sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "crew.h"

enum { BUFFER_BYTES = 8 << 20, SHORT_PAUSE_NS = 10000000, MOST_TRYING_NS = 2000000000 };

bool socket_complain(const char *what)
{
	fprintf(stderr, "coalescope-traffic: %s: %s\n", what, strerror(errno));
	return false;
}

static int open_socket(bool tcp)
{
	int fd = socket(AF_INET, (tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);

	if (fd < 0)
		socket_complain("socket");
	else
		crew_watch(fd);
	return fd;
}

static int give_up(int fd, const char *what)
{
	socket_complain(what);
	crew_close(fd);
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

int socket_listen(bool tcp, uint16_t port, unsigned int window)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(port)};
	int fd = open_socket(tcp);
	char what[40];

	if (fd < 0)
		return fd;
	if (tcp)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	else
		socket_enlarge(fd, SO_RCVBUFFORCE, SO_RCVBUF);
	if (window && !limit_window(fd, window))
		return give_up(fd, "receive window (see net.core.rmem_max)");
	snprintf(what, sizeof(what), "%s port %u", tcp ? "TCP" : "UDP", (unsigned int)port);
	if (bind(fd, (struct sockaddr *)&any, sizeof(any)) || (tcp && listen(fd, 128)))
		return give_up(fd, what);
	return fd;
}

struct sockaddr_in socket_address(struct in_addr first, unsigned int offset, uint16_t port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(ntohl(first.s_addr) + offset),
	};
}

/* Who listens may be begun at the same time as this. */
int socket_connect(bool tcp, const struct sockaddr_in *to)
{
	uint64_t begun = now_ns();
	char name[INET_ADDRSTRLEN], what[INET_ADDRSTRLEN + 60];
	int fd;

	while ((fd = open_socket(tcp)) >= 0 && connect(fd, (const struct sockaddr *)to, sizeof(*to))) {
		uint64_t tried_ns = now_ns() - begun;

		if (errno != ECONNREFUSED || crew_stopping() || tried_ns >= MOST_TRYING_NS) {
			inet_ntop(AF_INET, &to->sin_addr, name, sizeof(name));
			snprintf(what, sizeof(what), "cannot reach %s port %u, tried for %.1f s", name,
				 (unsigned int)ntohs(to->sin_port), (double)tried_ns / NS_PER_S);
			return give_up(fd, what);
		}
		crew_close(fd);
		crew_sleep_until(now_ns() + SHORT_PAUSE_NS);
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
