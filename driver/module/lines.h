/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_LINES_H
#define COALESCOPE_LINES_H

#include <linux/types.h>

/*
 * The interrupt lines of the watched interfaces: pairs of line and handler's device, since a line may be shared. They
 * are learnt: from a handler that schedules the interface's NAPI, or that was requested for the interface itself.
 */
u32 slots_of_line(int irq, const void *handler_device);
void learn_line(int irq, const void *handler_device, unsigned int slot);
void forget_lines(unsigned int slot);
int list_lines(char *text, int at, unsigned int slot);

#endif
