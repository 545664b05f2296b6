/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_PROBES_H
#define COALESCOPE_PROBES_H

int probes_get(void);
void probes_put(void);
int probes_init(void);
void probes_exit(void);

#endif
