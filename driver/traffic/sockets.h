/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 sockets of one pool. What fails is said on stderr, and -1 or false returned. */
#ifndef SOCKETS_H
#define SOCKETS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

union socket_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

/* Says "coalescope-traffic: what: the error errno stands for". Returns false. */
bool socket_error(const char *what);

/* False if it is no address of IPv4 or IPv6; one of a link ends with %INTERFACE. Says nothing. */
bool socket_parse(const char *text, union socket_address *address);

/* A socket bound to an address; over TCP it listens. :: takes IPv4 too. A window of 0 leaves it to the system. */
int socket_listen(bool tcp, const union socket_address *at, uint16_t port, unsigned int window);

/* Who sent something, IPv4 as a mapped address. */
struct in6_addr socket_origin(const union socket_address *from);

/* The most that a connection offers its sender from now on. */
bool socket_clamp(int fd, unsigned int window);

/* Address `offset` places after the first, at this port. */
union socket_address socket_address(union socket_address first, unsigned int offset, uint16_t port);

/* Over TCP, tries for two seconds while nobody listens there. */
int socket_connect(bool tcp, const union socket_address *to);

/* Lets the receive or send buffer grow far beyond the default, where that is allowed. */
void socket_enlarge(int fd, int forced, int polite);

/* Of a UDP socket: datagrams that found its buffer full. */
uint32_t socket_dropped(int fd);

/* Of a connection: segments that were retransmitted. */
uint64_t socket_retransmits(int fd);

#endif
