/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_DEVICE_H
#define COALESCOPE_DEVICE_H

int device_init(void);
void device_exit(void);

#endif
