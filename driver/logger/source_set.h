/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of one recording, and the choice of where the counters come from. */
#ifndef SOURCE_SET_H
#define SOURCE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source.h"
#include "text.h"

enum { MOST_SOURCES = 16 };

struct source_set {
	struct record_layout layout;
	struct source sources[MOST_SOURCES];
	size_t count;
	size_t lines, surroundings, often; /* the first sources: lines that serve receiving; what surrounds; after it */
	size_t counters, seldom; /* the first columns: of the interface's counters; after them, of what is not always read */
	bool moved;          /* whether these counters did, with the latest sample */
	uint64_t read_every_ns;
	size_t columns;      /* of the layout, by the sources counted */
	const char *taken;   /* module, ebpf or proc */
	struct text refused; /* JSON object: the better ones, and why they were not taken */
	struct text facts;   /* members for the environment: what is known of the sources and their choice */
	bool follow;         /* a command will be started */
};

/*
 * wanted: auto, module, ebpf or proc; counters: auto, netlink or sysfs, for what the first of them does not count.
 * `follow`: this process will start a command, whose time is to be told apart where a source can. Says on stderr what was
 * taken, or what is wrong.
 *
 * What surrounds the interface costs the kernel more than all else that a sample takes, as it is put together as text: CPU
 * times of the machine, losses beyond the interface, energy, interrupt lines that do not serve receiving; beside a source
 * that counts frames itself, the system's counters and all lines, too. It is read for whole samples only. Lines that serve
 * receiving are read whenever the system's counters moved, too, where these alone count frames. The caller asks for a whole
 * sample at least every `read_every_ns`, which the columns then say; 0: every sample is whole.
 */
bool source_set_open(struct source_set *set, const char *wanted, const char *counters, const char *interface,
		     bool follow, uint64_t read_every_ns);
/* Adds the CPU time of what this account is of, where it is open. */
void source_set_add_workload(struct source_set *set, struct cpu_account *account);
/*
 * Together they give one value for each column: first the interface and the CPUs, then what surrounds them, where what is
 * read seldom stays as it was unless it is its turn. 0, or a negative errno of the source that `failed` then
 * names.
 */
int source_set_sample(struct source_set *set, uint64_t *values, const char **failed);
int source_set_sample_surroundings(struct source_set *set, uint64_t *values, bool whole, const char **failed);
void source_set_close(struct source_set *set);

#endif
