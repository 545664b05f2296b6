/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of /proc/interrupts that are an interface's, and what their labels say. */
#ifndef INTERRUPT_LINE_H
#define INTERRUPT_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum direction { RECEIVE, TRANSMIT, BOTH, OTHER };

struct interrupt_line {
	unsigned int number;
	char label[96]; /* its handlers' names */
	enum direction direction;
	bool shared; /* by several handlers */
};

/* Takes the next of the interface's lines from the table's text, which is moved past it; false if there is none. */
bool interrupt_line_next(const char **table, const char *interface, struct interrupt_line *line);
/* The folder in sysfs of what an interface's interrupts belong to: a virtio device's are of the one above it. */
void interrupt_device(char *path, size_t size, const char *interface);

#endif
