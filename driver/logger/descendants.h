/* SPDX-License-Identifier: Apache-2.0 */
/* The processes that descend from us, and their CPU time, that of ended ones included. */
#ifndef DESCENDANTS_H
#define DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct descendant {
	pid_t pid;
	bool unreaped;    /* its parent waits for no children, so that what it used is nowhere once it has ended */
	uint64_t used_ns; /* when we last looked */
};

struct descendants {
	int newest_fd; /* /proc/loadavg, which tells the newest process of all; -1: not open */
	unsigned long newest;
	struct descendant *processes;
	size_t count, room;
	uint64_t unreaped_ns; /* of those that ended so, as far as we saw it */
};

/* 0, or a negative errno: this kernel does not list children. They are to be closed in either case. */
int descendants_open(struct descendants *descendants);
/* CPU time of all, since we began; 0 or a negative errno. What ends between two looks may be missed for a moment. */
int descendants_used(struct descendants *descendants, uint64_t *ns);
void descendants_close(struct descendants *descendants);

#endif
