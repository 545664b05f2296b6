/* SPDX-License-Identifier: Apache-2.0 */
/* Whether this kernel runs the handlers of interrupts in threads. */
#ifndef THREADED_INTERRUPTS_H
#define THREADED_INTERRUPTS_H

#include <stdbool.h>

/*
 * Asked for at boot (threadirqs), and always so with PREEMPT_RT. It is a thread that schedules NAPI then: no interrupt is
 * seen to do so, and what handlers cost is the time of tasks.
 */
bool interrupts_are_threads(void);

#endif
