/* SPDX-License-Identifier: Apache-2.0 */
/* What --help says. */
#ifndef HELP_H
#define HELP_H

extern const char HELP[];

#endif
