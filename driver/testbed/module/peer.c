// SPDX-License-Identifier: GPL-2.0
/* The timer that drives everything: received frames, hosts, the port. */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/version.h>

#include "peer.h"

#define MOST_FRAMES_A_TICK 64 /* when ticks were held back: catch up, but not for ever */
#define LEAST_TICK_NS 1000
#define START_AFTER_NS NSEC_PER_MSEC
/* Runs begin anywhere in the longest receive delay of the plan: a window counts whole interrupts, so its error is one's phase. */
#define PHASES_NS (64 * NSEC_PER_MSEC)
#define RANDOM_ROUNDS 8

static void deliver(struct peer *peer, const u8 *frame, unsigned int bytes, u64 now)
{
	const struct iphdr *ip = (const void *)(frame + ETH_HLEN);
	const struct ethhdr *ethernet = (const void *)frame;
	struct host *host;
	u32 number;

	if (bytes < ETH_HLEN + sizeof(*ip) || ethernet->h_proto != htons(ETH_P_IP) ||
	    ip->ihl != sizeof(*ip) / 4)
		return;
	number = ntohl(ip->daddr) - ntohl((__force __be32)peer->configuration.first_host_address);
	if (number >= peer->configuration.hosts)
		return;
	host = &peer->hosts[number];
	peer->counters.received_frames++;
	if (peer->configuration.mode == WIRE_TCP)
		sender_received(peer, host, ip, bytes - ETH_HLEN, now);
	else
		server_received(peer, host, ip, bytes - ETH_HLEN);
}

static void receive_all(struct peer *peer, u64 now)
{
	unsigned int bytes;
	const u8 *frame;

	while ((frame = card_received(&peer->card, &bytes))) {
		if (peer->running)
			deliver(peer, frame, bytes, now);
		card_give_back(&peer->card);
	}
}

static void advance_hosts(struct peer *peer, u64 now)
{
	unsigned int i;

	for (i = 0; i < peer->configuration.hosts; i++) {
		if (peer->configuration.mode == WIRE_TCP)
			sender_advance(peer, &peer->hosts[i], now);
		else if (peer->configuration.mode == WIRE_REQUEST_RESPONSE)
			server_advance(peer, &peer->hosts[i], now);
	}
}

static bool source_has_frame(struct peer *peer, enum frame_kind *kind)
{
	bool endless = !peer->configuration.frames;

	*kind = FRAME_DATAGRAM;
	if (endless)
		return true;
	if (!peer->frames_left)
		return false;
	peer->frames_left--;
	return true;
}

static bool has_frame(struct peer *peer, struct host *host, enum frame_kind *kind)
{
	switch (peer->configuration.mode) {
	case WIRE_UDP:
		return source_has_frame(peer, kind);
	case WIRE_TCP:
		return sender_has_frame(host, kind);
	default:
		return server_has_frame(host, kind);
	}
}

/* The port, free since `at`, takes the next frame of the host whose turn it is. */
static void feed_port(struct peer *peer, u64 at)
{
	const struct wire_configuration *configuration = &peer->configuration;
	unsigned int i;

	for (i = 1; i <= configuration->hosts; i++) {
		unsigned int turn = (peer->last_turn + i) % configuration->hosts;
		struct host *host = &peer->hosts[turn];

		if (!has_frame(peer, host, &peer->sending))
			continue;
		peer->last_turn = turn;
		peer->sending_host = host;
		peer->port_busy = true;
		peer->port_free_ns =
			at + transmission_ns(frame_ip_bytes(peer, host, peer->sending),
					     configuration->link_ps_per_byte);
		return;
	}
}

static void advance_port(struct peer *peer, u64 now)
{
	unsigned int sent = 0;

	while (peer->port_busy && peer->port_free_ns <= now && sent++ < MOST_FRAMES_A_TICK) {
		peer->port_busy = false;
		frame_send(peer, peer->sending_host, peer->sending);
		if (peer->sending == FRAME_FRAGMENT)
			server_fragment_sent(peer->sending_host);
		feed_port(peer, peer->port_free_ns);
	}
	if (!peer->port_busy)
		feed_port(peer, now);
}

static u64 next_tick_ns(const struct peer *peer, u64 now)
{
	const struct wire_configuration *configuration = &peer->configuration;
	u64 next = now + configuration->poll_ns;
	unsigned int i;

	if (peer->port_busy)
		next = configuration->mode == WIRE_UDP ? peer->port_free_ns :
							 min(peer->port_free_ns, next);
	else
		for (i = 0; i < configuration->hosts; i++) {
			next = sender_next_ns(&peer->hosts[i], next);
			next = server_next_ns(&peer->hosts[i], next);
		}
	return next > now ? next : now + LEAST_TICK_NS;
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct peer *peer = container_of(timer, struct peer, timer);
	u64 now = ktime_get_ns();
	u64 late = now - ktime_to_ns(hrtimer_get_expires(timer));

	if (!peer->running)
		return HRTIMER_NORESTART;
	peer->counters.ticks++;
	peer->counters.latest_ns = max(peer->counters.latest_ns, late);
	if (peer->configuration.mode != WIRE_UDP)
		receive_all(peer, now);
	advance_hosts(peer, now);
	advance_port(peer, now);
	if (!peer->port_busy && peer->configuration.mode == WIRE_UDP)
		return HRTIMER_NORESTART; /* all are sent */
	hrtimer_set_expires(timer, ns_to_ktime(next_tick_ns(peer, now)));
	return HRTIMER_RESTART;
}

static bool is_valid(const struct wire_configuration *configuration)
{
	return configuration->mode >= WIRE_UDP && configuration->mode <= WIRE_REQUEST_RESPONSE &&
	       configuration->hosts && configuration->hosts <= WIRE_MOST_HOSTS &&
	       configuration->mtu_bytes >= 576 && configuration->mtu_bytes <= WIRE_LARGEST_MTU &&
	       configuration->link_ps_per_byte && configuration->poll_ns >= LEAST_TICK_NS &&
	       (configuration->mode != WIRE_TCP ||
		(configuration->host_link_ps_per_byte && configuration->window_bytes));
}

static void reset(struct peer *peer)
{
	unsigned int i;

	memset(&peer->counters, 0, sizeof(peer->counters));
	memset(peer->hosts, 0, sizeof(peer->hosts));
	peer->port_busy = false;
	peer->last_turn = 0;
	peer->frames_left = peer->configuration.frames;
	peer->random = peer->configuration.seed * 2654435761u;
	for (i = 0; i < RANDOM_ROUNDS; i++)
		peer_random(peer);
	peer->next_service = peer_random(peer) % WIRE_SERVICE_TIMES;
	for (i = 0; i < WIRE_MOST_HOSTS; i++) {
		peer->hosts[i].number = i;
		sender_start(peer, &peer->hosts[i]);
	}
}

int peer_start(struct peer *peer, const struct wire_configuration *configuration)
{
	u64 phase_ns;

	if (!is_valid(configuration))
		return -EINVAL;
	peer_stop(peer);
	peer->configuration = *configuration;
	receive_all(peer, 0); /* what came while nobody listened */
	reset(peer);
	peer->running = true;
	phase_ns = ((u64)peer_random(peer) * PHASES_NS) >> 32;
	hrtimer_start(&peer->timer, ns_to_ktime(ktime_get_ns() + START_AFTER_NS + phase_ns),
		      HRTIMER_MODE_ABS_HARD);
	return 0;
}

void peer_stop(struct peer *peer)
{
	WRITE_ONCE(peer->running, false);
	hrtimer_cancel(&peer->timer);
}

void peer_init(struct peer *peer)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&peer->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
#else
	hrtimer_init(&peer->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	peer->timer.function = tick;
#endif
}
