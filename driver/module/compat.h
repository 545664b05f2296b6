/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels from 6.1 on, and what the module needs.
 */
#ifndef COALESCOPE_COMPAT_H
#define COALESCOPE_COMPAT_H

#include <linux/kconfig.h>

#ifndef CONFIG_X86_64
#error "coalescope is for x86-64 only: it counts cycles of the time stamp counter. The logger's eBPF source needs no module"
#endif

#include <asm/tsc.h>
#include <linux/ftrace.h>
#include <linux/timex.h>

#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#error "coalescope needs a kernel with CONFIG_DYNAMIC_FTRACE_WITH_ARGS: it sees NAPI being scheduled through ftrace"
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

#endif
