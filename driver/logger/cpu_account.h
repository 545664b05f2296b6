/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time of what we start and of all that it starts, as the kernel accounts it. In a cgroup of its own where one can be
 * made; else by adding up the processes that descend from us, the ended ones included.
 */
#ifndef CPU_ACCOUNT_H
#define CPU_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "cgroup.h"
#include "descendants.h"

struct cpu_account {
	bool open;
	bool in_cgroup; /* else by descent */
	struct cgroup cgroup;
	struct descendants descendants;
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
