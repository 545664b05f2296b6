/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COALESCOPE_FRAMES_H
#define COALESCOPE_FRAMES_H

struct net_device;
struct sk_buff;

/* probes */
void on_napi_frame(void *data, const struct sk_buff *skb);
void on_netif_rx(void *data, const struct sk_buff *skb);
void on_start_xmit(void *data, const struct sk_buff *skb, const struct net_device *device);
void on_xmit(void *data, struct sk_buff *skb, int result, struct net_device *device,
	     unsigned int bytes);

#endif
