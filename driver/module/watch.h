/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_WATCH_H
#define COALESCOPE_WATCH_H

struct net;
struct net_device;
struct watch;

struct watch *watch_get(struct net *net, const char *name);
struct watch *watch_stand_in(struct net_device *device);
void watch_put(struct watch *watch);

int watch_init(void);
void watch_exit(void);

#endif
