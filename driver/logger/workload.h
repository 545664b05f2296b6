/* SPDX-License-Identifier: Apache-2.0 */
/* The command that runs while we sample, and what it prints. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cpu_account.h"
#include "text.h"

struct workload {
	pid_t pid;     /* 0: none is running */
	pid_t started; /* its pid, even after it has ended */
	bool group;    /* it leads a process group: signals reach all that it started */
	bool timed_out;
	int output_fd; /* non-blocking; −1 once closed */
	struct text output;
	size_t limit;
	uint64_t output_bytes; /* printed, kept or not */
	bool exited;
	int status; /* as from waitpid */
	struct cpu_account account; /* opened before it is started, where it can be */
};

/* Starts it as who called us, or as the named user. 0, or a negative errno of what the start failed with. */
int workload_start(struct workload *workload, char *const *command, const char *user, size_t limit);
/* Takes what it has printed. */
void workload_drain(struct workload *workload);
/* Whether it has ended by now. */
bool workload_reap(struct workload *workload);
void workload_signal(const struct workload *workload, int number);
/* Ends it, if it has not ended, and all of its group that is left. */
void workload_kill(struct workload *workload);
/* What the log keeps of it. */
void workload_metadata(const struct workload *workload, struct text *json);
void workload_free(struct workload *workload);

#endif
