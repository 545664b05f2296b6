// SPDX-License-Identifier: Apache-2.0
/*
 * Reads the module's snapshots for the tests, and sends frames whose number and size are known. Static, for the guest.
 *
 *   snapshots show INTERFACE                 one snapshot, name=value a line, queues as name.N
 *   snapshots torn INTERFACE N FRAME_BYTES [FRAMES [TORN MOST]]
 *                                            N snapshots, and more until so many frames have come (else 0), all frames of
 *                                            one size: how many contradict themselves; goes on until so many do, or until
 *                                            there are MOST snapshots
 *   snapshots until-gone INTERFACE           read until the interface is gone: read=1 at once, at the end the errors
 *   snapshots refuse INTERFACE               what must be refused, a line each
 *   snapshots move INTERFACE INTERFACE       attach one file to one interface, then to the other
 *   snapshots hold INTERFACE SECONDS MS      read every MS milliseconds
 *   snapshots send INTERFACE N BYTES GAP_US  N frames of BYTES (without FCS) to 52:54:00:00:00:0x,
 *                                            x from the environment's TO, else 2; with FLOWS in the environment
 *                                            they are IPv4 from so many addresses in turn
 *   snapshots sink PORT N                    receive N datagrams; prints the nanoseconds from the first to the last
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "coalescope.h"

#define LONGEST_S 240

struct reading {
	struct coalescope_snapshot s;
	struct coalescope_queue queues[COALESCOPE_MAX_QUEUES];
};

static void die(const char *what)
{
	printf("error=%s: %s\n", what, strerrorname_np(errno));
	exit(1);
}

static int open_device(void)
{
	int file = open(COALESCOPE_DEVICE, O_RDONLY | O_CLOEXEC);

	if (file < 0)
		die("open");
	return file;
}

static int attach(int file, const char *interface)
{
	struct coalescope_attach request = { .flags = 0 };

	memccpy(request.interface, interface, '\0', sizeof(request.interface));
	return ioctl(file, COALESCOPE_ATTACH, &request);
}

static int attached(const char *interface)
{
	int file = open_device();

	if (attach(file, interface))
		die("attach");
	return file;
}

static void take(int file, struct reading *reading)
{
	if (read(file, reading, sizeof(*reading)) < 0)
		die("read");
}

#define SHOW(field) printf(#field "=%llu\n", (unsigned long long)r.s.field)
#define SHOW_QUEUE(field) printf(#field ".%u=%lld\n", q, (long long)r.queues[q].field)

static int show(const char *interface)
{
	struct reading r;

	take(attached(interface), &r);
	SHOW(abi_version), SHOW(size), SHOW(queue_size), SHOW(queue_count), SHOW(flags), SHOW(retries);
	SHOW(sequence), SHOW(tsc), SHOW(t_monotonic_raw_ns), SHOW(tsc_khz), SHOW(cpus), SHOW(interface_index);
	SHOW(rx_packets), SHOW(rx_bytes), SHOW(tx_packets), SHOW(tx_bytes);
	SHOW(interrupts), SHOW(rx_interrupts), SHOW(polls), SHOW(rx_polls), SHOW(poll_work), SHOW(schedules);
	SHOW(idle_cycles), SHOW(task_cycles), SHOW(other_task_cycles), SHOW(irq_cycles), SHOW(softirq_cycles);
	SHOW(other_irq_cycles);
	SHOW(cpu_user_ns), SHOW(cpu_nice_ns), SHOW(cpu_system_ns), SHOW(cpu_idle_ns), SHOW(cpu_iowait_ns);
	SHOW(cpu_irq_ns), SHOW(cpu_softirq_ns), SHOW(cpu_steal_ns);
	SHOW(driver_rx_packets), SHOW(driver_rx_bytes), SHOW(driver_tx_packets), SHOW(driver_tx_bytes);
	SHOW(rx_dropped), SHOW(tx_dropped), SHOW(rx_errors), SHOW(tx_errors), SHOW(rx_missed_errors);
	SHOW(rx_fifo_errors), SHOW(skew_ns);
	for (unsigned int q = 0; q < r.s.queue_count; q++) {
		SHOW_QUEUE(napi_id), SHOW_QUEUE(irq), SHOW_QUEUE(rx_packets), SHOW_QUEUE(rx_bytes);
		SHOW_QUEUE(rx_interrupts), SHOW_QUEUE(polls), SHOW_QUEUE(rx_polls), SHOW_QUEUE(poll_work);
	}
	return 0;
}

static uint64_t cycles(const struct coalescope_snapshot *s)
{
	return s->idle_cycles + s->task_cycles + s->other_task_cycles + s->irq_cycles + s->softirq_cycles +
	       s->other_irq_cycles;
}

/* What belongs together must fit together, in every snapshot. */
static const char *contradiction(const struct reading *first, const struct reading *before,
				 const struct reading *now, unsigned int frame_bytes)
{
	uint64_t rx_packets = 0, rx_bytes = 0, rx_interrupts = 0, polls = 0;

	for (unsigned int q = 0; q < now->s.queue_count; q++) {
		rx_packets += now->queues[q].rx_packets;
		rx_bytes += now->queues[q].rx_bytes;
		rx_interrupts += now->queues[q].rx_interrupts;
		polls += now->queues[q].polls;
	}
	if (now->s.rx_bytes - first->s.rx_bytes !=
	    frame_bytes * (now->s.rx_packets - first->s.rx_packets))
		return "bytes";
	if (rx_packets != now->s.rx_packets || rx_bytes != now->s.rx_bytes)
		return "queues";
	if (rx_interrupts != now->s.rx_interrupts || polls != now->s.polls)
		return "polls";
	if (!((now->s.flags | before->s.flags) & COALESCOPE_NOT_ATOMIC) && now->s.cpus == before->s.cpus &&
	    cycles(&now->s) - cycles(&before->s) != now->s.cpus * (now->s.tsc - before->s.tsc))
		return "cycles";
	if (now->s.softirq_cycles < before->s.softirq_cycles ||
	    now->s.other_irq_cycles < before->s.other_irq_cycles ||
	    now->s.task_cycles < before->s.task_cycles || now->s.idle_cycles < before->s.idle_cycles ||
	    now->s.rx_packets < before->s.rx_packets || now->s.rx_bytes < before->s.rx_bytes ||
	    now->s.sequence != before->s.sequence + 1)
		return "order";
	return NULL;
}

static struct {
	const struct reading *first, *now;
} waiting;

static void waited_too_long(int number)
{
	dprintf(STDERR_FILENO, "%s: the driver received %llu frames in %u s, %llu were counted\n",
		waiting.now->s.driver_rx_packets == waiting.first->s.driver_rx_packets ? "The card is silent" :
											  "Too slow",
		(unsigned long long)(waiting.now->s.driver_rx_packets - waiting.first->s.driver_rx_packets),
		LONGEST_S, (unsigned long long)(waiting.now->s.rx_packets - waiting.first->s.rx_packets));
	_exit(number);
}

static int torn(const char *interface, unsigned long count, unsigned int frame_bytes, unsigned long frames,
		unsigned long enough, unsigned long most)
{
	static struct reading first, before, now;
	unsigned long bytes = 0, queues = 0, polls = 0, sums = 0, order = 0, all = 0, retries = 0, flags = 0;
	unsigned long i, apart = 0;
	int file = attached(interface);

	waiting.first = &first;
	waiting.now = &now;
	signal(SIGALRM, waited_too_long);
	alarm(LONGEST_S); /* frames that are waited for may not come */
	/* The frames of a poll that was under way at the attach are of no queue until it ends. */
	usleep(50000);
	take(file, &first);
	before = now = first;
	for (i = 0; i < count || now.s.rx_packets - first.s.rx_packets < frames || (all < enough && i < most);
	     i++) {
		const char *what;

		take(file, &now);
		what = contradiction(&first, &before, &now, frame_bytes);
		all += what != NULL;
		bytes += what && !strcmp(what, "bytes");
		queues += what && !strcmp(what, "queues");
		polls += what && !strcmp(what, "polls");
		sums += what && !strcmp(what, "cycles");
		order += what && !strcmp(what, "order");
		retries += now.s.retries;
		flags |= now.s.flags;
		apart += now.s.flags & COALESCOPE_NOT_ATOMIC ? 1 : 0;
		before = now;
	}
	printf("snapshots=%lu\ntorn=%lu\nbytes=%lu\nqueues=%lu\npolls=%lu\ncycles=%lu\norder=%lu\n", i, all,
	       bytes, queues, polls, sums, order);
	printf("retries=%lu\nflags=%lu\napart=%lu\nframes=%llu\ncpus=%u\n", retries, flags, apart,
	       (unsigned long long)(now.s.rx_packets - first.s.rx_packets), now.s.cpus);
	return 0;
}

static int until_gone(const char *interface)
{
	static struct reading r;
	unsigned long reads = 0;
	int file = attached(interface);

	while (read(file, &r, sizeof(r)) >= 0)
		if (!reads++ && (puts("read=1"), fflush(stdout)))
			die("stdout");
	printf("error=%s\nattach=%s\n", strerrorname_np(errno),
	       attach(file, interface) ? strerrorname_np(errno) : "0");
	return 0;
}

static const char *outcome(long result)
{
	return result < 0 ? strerrorname_np(errno) : "0";
}

static int refuse(const char *interface)
{
	struct coalescope_attach request = { .flags = 0 };
	static struct reading r;
	void *read_only = mmap(NULL, sizeof(r), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int file = open_device();

	printf("not_attached=%s\n", outcome(read(file, &r, sizeof(r))));
	printf("no_interface=%s\n", outcome(attach(file, "nothing0")));
	memset(request.interface, 'x', sizeof(request.interface));
	printf("no_end=%s\n", outcome(ioctl(file, COALESCOPE_ATTACH, &request)));
	request = (struct coalescope_attach){ .flags = 1 };
	printf("flags=%s\n", outcome(ioctl(file, COALESCOPE_ATTACH, &request)));
	printf("unknown=%s\n", outcome(ioctl(file, _IO('C', 0xff))));
	printf("null=%s\n", outcome(ioctl(file, COALESCOPE_ATTACH, NULL)));
	printf("attach=%s\n", outcome(attach(file, interface)));
	printf("small=%s\n", outcome(read(file, &r, sizeof(r.s) - 1)));
	printf("bad_buffer=%s\n", outcome(read(file, read_only, sizeof(r))));
	printf("detach=%s\n", outcome(ioctl(file, COALESCOPE_DETACH)));
	printf("detached=%s\n", outcome(read(file, &r, sizeof(r))));
	if (seteuid(65534))
		die("seteuid");
	printf("no_capability=%s\n", outcome(attach(file, interface)));
	printf("no_permission=%s\n", outcome(open(COALESCOPE_DEVICE, O_RDONLY)));
	return 0;
}

static int move(const char *one, const char *other)
{
	static struct reading r;
	int file = attached(one);

	take(file, &r);
	take(file, &r);
	printf("first=%u\nsequence=%llu\n", r.s.interface_index, (unsigned long long)r.s.sequence);
	printf("missing=%s\n", outcome(attach(file, "nothing0")));
	take(file, &r);
	printf("still=%u\n", r.s.interface_index);
	if (attach(file, other))
		die("attach");
	take(file, &r);
	printf("then=%u\nsequence_then=%llu\n", r.s.interface_index, (unsigned long long)r.s.sequence);
	return 0;
}

static void sleep_us(unsigned long us)
{
	struct timespec time = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };

	nanosleep(&time, NULL);
}

static int hold(const char *interface, double seconds, unsigned long interval_ms)
{
	static struct reading r;
	int file = attached(interface);

	for (double past = 0; past < seconds; past += interval_ms / 1000.0) {
		take(file, &r);
		sleep_us(interval_ms * 1000);
	}
	return 0;
}

/* As much of an IPv4 header as a card looks at to choose a queue: nobody in the guest reads the rest. */
static void come_from(unsigned char *frame, unsigned int bytes, unsigned long flow)
{
	struct iphdr header = {
		.version = 4,
		.ihl = 5,
		.ttl = 64,
		.protocol = IPPROTO_UDP,
		.tot_len = htons(bytes - ETH_HLEN),
		.saddr = htonl(0x0a000000 | (uint32_t)flow * 0x9e3779b1u >> 8), /* 10.0.0.0/8: many bits differ, whatever the hash's key */
		.daddr = htonl(0x0a090002),
	};

	frame[12] = 0x08;
	frame[13] = 0x00;
	memcpy(frame + ETH_HLEN, &header, sizeof(header));
}

static int send_frames(const char *interface, unsigned long count, unsigned int bytes, unsigned long gap_us)
{
	unsigned char frame[16384] = { 0x52, 0x54, 0, 0, 0, 2, 0x52, 0x54, 0, 0, 0, 1, 0x88, 0xb5 };
	struct sockaddr_ll address = { .sll_family = AF_PACKET, .sll_halen = ETH_ALEN };
	int file = socket(AF_PACKET, SOCK_RAW, 0);
	const char *to = getenv("TO"), *flows = getenv("FLOWS");
	unsigned long sent = 0, of = flows ? strtoul(flows, NULL, 10) : 0;

	if (to)
		frame[5] = to[0] - '0';
	if (file < 0)
		die("socket");
	address.sll_ifindex = if_nametoindex(interface);
	memcpy(address.sll_addr, frame, ETH_ALEN);
	while (sent < count) {
		if (of)
			come_from(frame, bytes, sent % of);
		if (sendto(file, frame, bytes, 0, (struct sockaddr *)&address, sizeof(address)) == bytes)
			sent++;
		else if (errno != ENOBUFS)
			die("send");
		if (gap_us)
			sleep_us(gap_us);
	}
	printf("sent=%lu\n", sent);
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static int sink(unsigned int port, unsigned long count)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
	int buffers = 64 << 20, file = socket(AF_INET, SOCK_DGRAM, 0);
	uint64_t first = 0;
	char datagram[2048];

	if (file < 0 || setsockopt(file, SOL_SOCKET, SO_RCVBUFFORCE, &buffers, sizeof(buffers)) ||
	    bind(file, (struct sockaddr *)&address, sizeof(address)))
		die("sink");
	while (count--) {
		if (recv(file, datagram, sizeof(datagram), 0) < 0)
			die("recv");
		first = first ? first : now_ns();
	}
	printf("%llu\n", (unsigned long long)(now_ns() - first));
	return 0;
}

int main(int count, char **words)
{
	const char *what = count > 2 ? words[1] : "";

	if (!strcmp(what, "show"))
		return show(words[2]);
	if (!strcmp(what, "torn") && (count == 5 || count == 6 || count == 8))
		return torn(words[2], strtoul(words[3], NULL, 10), strtoul(words[4], NULL, 10),
			    count > 5 ? strtoul(words[5], NULL, 10) : 0, count > 6 ? strtoul(words[6], NULL, 10) : 0,
			    count > 6 ? strtoul(words[7], NULL, 10) : 0);
	if (!strcmp(what, "until-gone"))
		return until_gone(words[2]);
	if (!strcmp(what, "refuse"))
		return refuse(words[2]);
	if (!strcmp(what, "move") && count == 4)
		return move(words[2], words[3]);
	if (!strcmp(what, "hold") && count == 5)
		return hold(words[2], strtod(words[3], NULL), strtoul(words[4], NULL, 10));
	if (!strcmp(what, "send") && count == 6)
		return send_frames(words[2], strtoul(words[3], NULL, 10), strtoul(words[4], NULL, 10),
				   strtoul(words[5], NULL, 10));
	if (!strcmp(what, "sink") && count == 4)
		return sink(strtoul(words[2], NULL, 10), strtoul(words[3], NULL, 10));
	fputs("usage: see the head of snapshots.c\n", stderr);
	return 2;
}
