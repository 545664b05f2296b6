/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels from 6.1 on, and between machines.
 */
#ifndef COALESCOPE_COMPAT_H
#define COALESCOPE_COMPAT_H

#include <linux/ftrace.h>
#include <linux/timex.h>

#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#error "coalescope needs a kernel with CONFIG_DYNAMIC_FTRACE_WITH_ARGS: it sees NAPI being scheduled through ftrace"
#endif

#ifndef CONFIG_64BIT
#error "coalescope needs a 64-bit kernel: packets and bytes of a poll are read as one word"
#endif

/* Linux 6.2 and newer have ftrace_regs_get_argument(); before, the registers are a member. */
static inline void *ftrace_first_argument(struct ftrace_regs *fregs)
{
#ifdef ftrace_regs_get_argument
	return (void *)ftrace_regs_get_argument(fregs, 0);
#else
	return (void *)regs_get_kernel_argument(&fregs->regs, 0);
#endif
}

/* x86 has the counter's rate; elsewhere get_cycles() counts at a rate that the reader has to find. */
#ifdef CONFIG_X86
#include <asm/tsc.h>
#define cycle_counter_khz() tsc_khz
#define cycle_counter_ordered() rdtsc_ordered()
#else
#define cycle_counter_khz() 0
#define cycle_counter_ordered() get_cycles()
#endif

#endif
