/* SPDX-License-Identifier: Apache-2.0 */
/* A cgroup of our own, below the one that we are in: the kernel accounts for all that runs in it. */
#ifndef CGROUP_H
#define CGROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct cgroup {
	char directory[PATH_MAX]; /* empty: it was not made */
	int usage_fd, procs_fd; /* -1: not open */
};

/* False where none can be made that takes processes and tells their CPU time; it is to be removed in either case. */
bool cgroup_make(struct cgroup *cgroup);
/* Moves the calling process into it; 0 or -1 with errno. */
int cgroup_join(const struct cgroup *cgroup);
/* CPU time of all that has run in it; 0 or a negative errno. */
int cgroup_used(const struct cgroup *cgroup, uint64_t *ns);
/* What runs in it stays, where we are. */
void cgroup_remove(struct cgroup *cgroup);

#endif
