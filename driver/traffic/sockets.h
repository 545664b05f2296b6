/* SPDX-License-Identifier: Apache-2.0 */
/* IPv4 sockets of one crew. What fails is said on stderr, and -1 or false returned. */
#ifndef SOCKETS_H
#define SOCKETS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/* Says "coalescope-traffic: what: the error errno stands for". Returns false. */
bool socket_complain(const char *what);

/* A socket bound to all addresses; over TCP it listens. A window of 0 leaves it to the system. */
int socket_listen(bool tcp, uint16_t port, unsigned int window);

/* The most that a connection offers its sender from now on. */
bool socket_clamp(int fd, unsigned int window);

/* Address `offset` places after the first, at this port. */
struct sockaddr_in socket_address(struct in_addr first, unsigned int offset, uint16_t port);

/* Over TCP, tries for two seconds while nobody listens there. */
int socket_connect(bool tcp, const struct sockaddr_in *to);

/* Lets the receive or send buffer grow far beyond the default, where that is allowed. */
void socket_enlarge(int fd, int forced, int polite);

/* Of a UDP socket: datagrams that found its buffer full. */
uint32_t socket_dropped(int fd);

#endif
