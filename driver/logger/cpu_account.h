/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time of what we start and of all that it starts, as the kernel accounts it. In a cgroup of its own where one can be
 * made; else by adding up the processes that descend from us, the ended ones included.
 */
#ifndef CPU_ACCOUNT_H
#define CPU_ACCOUNT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One that descends from us. */
struct descendant {
	pid_t pid;
	bool unreaped;    /* its parent waits for no children, so that what it used is nowhere once it has ended */
	uint64_t used_ns; /* when we last looked */
};

struct cpu_account {
	bool open;
	char cgroup[PATH_MAX];  /* its directory; empty: by descent */
	int usage_fd, procs_fd; /* of the cgroup */
	int newest_fd;          /* /proc/loadavg, which tells the newest process of all */
	unsigned long newest;
	struct descendant *processes;
	size_t count, room;
	uint64_t unreaped_ns; /* of those that ended so, as far as we saw it */
	uint64_t used_ns, before_ns; /* so far; and by children of ours from before */
};

/* 0, or a negative errno: neither way is possible here. */
int cpu_account_open(struct cpu_account *account);
const char *cpu_account_basis(const struct cpu_account *account);
/* Whether it makes no difference how seldom one asks: of a process tree, what ends in between may be missed. */
bool cpu_account_forgets_nothing(const struct cpu_account *account);
/* In the process to be accounted for, before it becomes the command; 0 or −1 with errno. */
int cpu_account_join(const struct cpu_account *account);
/* So far; never runs backwards. */
int cpu_account_used(struct cpu_account *account, uint64_t *ns);
void cpu_account_close(struct cpu_account *account);

#endif
