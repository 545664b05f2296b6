/* SPDX-License-Identifier: Apache-2.0 */
/* The interface that the eBPF programs are to observe: whether they can, and which interrupt lines are its own. */
#ifndef EBPF_INTERFACE_H
#define EBPF_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

enum { MOST_LINES = 1024 };

struct ebpf_interface {
	int index;
	int socket; /* of its namespace; -1: none */
	bool has_line; /* whether its interrupts come by lines */
	unsigned int lines[MOST_LINES]; /* those that are message-signalled, so nobody else's */
	size_t line_count;
};

/* 0, or a negative errno as of ebpf_source_open(); it is to be closed in either case. */
int ebpf_interface_open(struct ebpf_interface *interface, const char *name);
/* 0 as long as it is there, and in this namespace, whatever its name is now; else a negative errno. */
int ebpf_interface_still_there(const struct ebpf_interface *interface);
void ebpf_interface_close(struct ebpf_interface *interface);

#endif
