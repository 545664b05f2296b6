/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A declared cost for each interrupt of one handler. Hardware makes the CPU wait for accesses to the bus and the interrupt
 * controller; an emulator charges nothing for them.
 */
#ifndef WIRE_INTERRUPT_COST_H
#define WIRE_INTERRUPT_COST_H

#include "wire_abi.h"

int interrupt_cost_set(const struct wire_interrupt_cost *cost);
void interrupt_cost_remove(void);

#endif
