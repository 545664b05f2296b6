/* SPDX-License-Identifier: GPL-2.0 */
/* What Linux 7.2's headers use and sparse 0.6.4 does not know. Only sparse is told to include this. */
#define __typeof_unqual__ __typeof__
#define __builtin_strlen(text) (sizeof(text) - 1) /* of constants, in assertions */
