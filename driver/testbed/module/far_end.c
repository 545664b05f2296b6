// SPDX-License-Identifier: GPL-2.0
/* The timer that drives everything: received frames, hosts, the port. */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/version.h>

#include "far_end.h"

#define MOST_FRAMES_A_TICK 64 /* when ticks were held back: catch up, but not for ever */
#define LEAST_TICK_NS 1000
#define START_AFTER_NS NSEC_PER_MSEC
/* Runs begin anywhere in the longest receive delay of the plan: a window counts whole interrupts, so its error is one's phase. */
#define PHASES_NS (64 * NSEC_PER_MSEC)
#define RANDOM_ROUNDS 8

static void deliver(struct far_end *far_end, const u8 *frame, unsigned int bytes, u64 now)
{
	const struct iphdr *ip = (const void *)(frame + ETH_HLEN);
	const struct ethhdr *ethernet = (const void *)frame;
	struct host *host;
	u32 number;

	if (bytes < ETH_HLEN + sizeof(*ip) || ethernet->h_proto != htons(ETH_P_IP) ||
	    ip->ihl != sizeof(*ip) / 4)
		return;
	number = ntohl(ip->daddr) - ntohl((__force __be32)far_end->configuration.first_host_address);
	if (number >= far_end->configuration.hosts)
		return;
	host = &far_end->hosts[number];
	far_end->counters.received_frames++;
	if (far_end->configuration.mode == WIRE_TCP)
		sender_received(far_end, host, ip, bytes - ETH_HLEN, now);
	else
		server_received(far_end, host, ip, bytes - ETH_HLEN);
}

static void receive_all(struct far_end *far_end, u64 now)
{
	unsigned int bytes;
	const u8 *frame;

	while ((frame = card_received(&far_end->card, &bytes))) {
		if (far_end->running)
			deliver(far_end, frame, bytes, now);
		card_give_back(&far_end->card);
	}
}

static void advance_hosts(struct far_end *far_end, u64 now)
{
	unsigned int i;

	for (i = 0; i < far_end->configuration.hosts; i++) {
		if (far_end->configuration.mode == WIRE_TCP)
			sender_advance(far_end, &far_end->hosts[i], now);
		else if (far_end->configuration.mode == WIRE_REQUEST_RESPONSE)
			server_advance(far_end, &far_end->hosts[i], now);
	}
}

static bool source_has_frame(struct far_end *far_end, enum frame_kind *kind)
{
	bool endless = !far_end->configuration.frames;

	*kind = FRAME_DATAGRAM;
	if (endless)
		return true;
	if (!far_end->frames_left)
		return false;
	far_end->frames_left--;
	return true;
}

static bool has_frame(struct far_end *far_end, struct host *host, enum frame_kind *kind)
{
	switch (far_end->configuration.mode) {
	case WIRE_UDP:
		return source_has_frame(far_end, kind);
	case WIRE_TCP:
		return sender_has_frame(host, kind);
	default:
		return server_has_frame(host, kind);
	}
}

/* The port, free since `at`, takes the next frame of the host whose turn it is. */
static void feed_port(struct far_end *far_end, u64 at)
{
	const struct wire_configuration *configuration = &far_end->configuration;
	unsigned int i;

	for (i = 1; i <= configuration->hosts; i++) {
		unsigned int turn = (far_end->last_turn + i) % configuration->hosts;
		struct host *host = &far_end->hosts[turn];

		if (!has_frame(far_end, host, &far_end->sending))
			continue;
		far_end->last_turn = turn;
		far_end->sending_host = host;
		far_end->port_busy = true;
		far_end->port_free_ns =
			at + transmission_ns(frame_ip_bytes(far_end, host, far_end->sending),
					     configuration->link_ps_per_byte);
		return;
	}
}

static void advance_port(struct far_end *far_end, u64 now)
{
	unsigned int sent = 0;

	while (far_end->port_busy && far_end->port_free_ns <= now && sent++ < MOST_FRAMES_A_TICK) {
		far_end->port_busy = false;
		frame_send(far_end, far_end->sending_host, far_end->sending);
		if (far_end->sending == FRAME_FRAGMENT)
			server_fragment_sent(far_end->sending_host);
		feed_port(far_end, far_end->port_free_ns);
	}
	if (!far_end->port_busy)
		feed_port(far_end, now);
}

static u64 next_tick_ns(const struct far_end *far_end, u64 now)
{
	const struct wire_configuration *configuration = &far_end->configuration;
	u64 next = now + configuration->poll_ns;
	unsigned int i;

	if (far_end->port_busy)
		next = configuration->mode == WIRE_UDP ? far_end->port_free_ns :
							 min(far_end->port_free_ns, next);
	else
		for (i = 0; i < configuration->hosts; i++) {
			next = sender_next_ns(&far_end->hosts[i], next);
			next = server_next_ns(&far_end->hosts[i], next);
		}
	return next > now ? next : now + LEAST_TICK_NS;
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct far_end *far_end = container_of(timer, struct far_end, timer);
	u64 now = ktime_get_ns();
	u64 late = now - ktime_to_ns(hrtimer_get_expires(timer));

	if (!far_end->running)
		return HRTIMER_NORESTART;
	far_end->counters.ticks++;
	far_end->counters.latest_ns = max(far_end->counters.latest_ns, late);
	if (far_end->configuration.mode != WIRE_UDP)
		receive_all(far_end, now);
	advance_hosts(far_end, now);
	advance_port(far_end, now);
	if (!far_end->port_busy && far_end->configuration.mode == WIRE_UDP)
		return HRTIMER_NORESTART; /* all are sent */
	hrtimer_set_expires(timer, ns_to_ktime(next_tick_ns(far_end, now)));
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

static void reset(struct far_end *far_end)
{
	unsigned int i;

	memset(&far_end->counters, 0, sizeof(far_end->counters));
	memset(far_end->hosts, 0, sizeof(far_end->hosts));
	far_end->port_busy = false;
	far_end->last_turn = 0;
	far_end->frames_left = far_end->configuration.frames;
	far_end->random = far_end->configuration.seed * 2654435761u;
	for (i = 0; i < RANDOM_ROUNDS; i++)
		far_end_random(far_end);
	far_end->next_service = far_end_random(far_end) % WIRE_SERVICE_TIMES;
	for (i = 0; i < WIRE_MOST_HOSTS; i++) {
		far_end->hosts[i].number = i;
		sender_start(far_end, &far_end->hosts[i]);
	}
}

int far_end_start(struct far_end *far_end, const struct wire_configuration *configuration)
{
	u64 phase_ns;

	if (!is_valid(configuration))
		return -EINVAL;
	far_end_stop(far_end);
	far_end->configuration = *configuration;
	receive_all(far_end, 0); /* what came while nobody listened */
	reset(far_end);
	far_end->running = true;
	phase_ns = ((u64)far_end_random(far_end) * PHASES_NS) >> 32;
	hrtimer_start(&far_end->timer, ns_to_ktime(ktime_get_ns() + START_AFTER_NS + phase_ns),
		      HRTIMER_MODE_ABS_HARD);
	return 0;
}

void far_end_stop(struct far_end *far_end)
{
	WRITE_ONCE(far_end->running, false);
	hrtimer_cancel(&far_end->timer);
}

void far_end_init(struct far_end *far_end)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&far_end->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
#else
	hrtimer_init(&far_end->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	far_end->timer.function = tick;
#endif
}
