/* SPDX-License-Identifier: Apache-2.0 */
#include "workers.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "terminal.h"

enum { STACK_BYTES = 512 << 10, LONGEST_NAP_NS = 50000000 };

static struct {
	atomic_bool stopping, failed;
	atomic_uint working;
	pthread_mutex_t lock; /* of the sockets */
	int sockets[2 * MOST_WORKERS];
	unsigned int socket_count;
	void (*work)(void *worker);
	sigset_t signals;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER};

void workers_prepare(void)
{
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&pool.signals);
	sigaddset(&pool.signals, SIGTERM);
	sigaddset(&pool.signals, SIGINT);
	sigaddset(&pool.signals, SIGHUP);
	sigaddset(&pool.signals, SIGUSR1); /* the last worker is done */
	sigprocmask(SIG_BLOCK, &pool.signals, NULL);
	prctl(PR_SET_TIMERSLACK, 1);
}

bool workers_stopping(void)
{
	return atomic_load_explicit(&pool.stopping, memory_order_relaxed);
}

void workers_fail(void)
{
	atomic_store(&pool.failed, true);
	kill(getpid(), SIGUSR1);
}

void workers_sleep_until(uint64_t then_ns)
{
	uint64_t now = now_ns();

	while (now < then_ns && !workers_stopping()) {
		uint64_t left = then_ns - now;
		struct timespec nap = timespec_of(left > LONGEST_NAP_NS ? LONGEST_NAP_NS : left);

		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL); /* one cannot sleep by the raw clock */
		now = now_ns();
	}
}

void workers_add_socket(int fd)
{
	pthread_mutex_lock(&pool.lock);
	if (pool.socket_count < sizeof(pool.sockets) / sizeof(*pool.sockets))
		pool.sockets[pool.socket_count++] = fd;
	if (workers_stopping())
		shutdown(fd, SHUT_RDWR);
	pthread_mutex_unlock(&pool.lock);
}

void workers_close(int fd)
{
	unsigned int i;

	pthread_mutex_lock(&pool.lock);
	for (i = 0; i < pool.socket_count; i++)
		if (pool.sockets[i] == fd)
			pool.sockets[i] = pool.sockets[--pool.socket_count];
	close(fd);
	pthread_mutex_unlock(&pool.lock);
}

static void stop(void)
{
	unsigned int i;

	pthread_mutex_lock(&pool.lock);
	atomic_store(&pool.stopping, true);
	for (i = 0; i < pool.socket_count; i++)
		shutdown(pool.sockets[i], SHUT_RDWR); /* wakes readers of unconnected and listening sockets too */
	pthread_mutex_unlock(&pool.lock);
}

static void *begin(void *worker)
{
	pool.work(worker);
	if (atomic_fetch_sub(&pool.working, 1) == 1)
		kill(getpid(), SIGUSR1);
	return NULL;
}

static void wait_for_end(uint64_t until_ns)
{
	int caught = 0;

	while (atomic_load(&pool.working) && !atomic_load(&pool.failed)) {
		uint64_t now = now_ns();
		struct timespec left = timespec_of(until_ns > now ? until_ns - now : 0);

		if (until_ns && now >= until_ns)
			return;
		caught = sigtimedwait(&pool.signals, NULL, until_ns ? &left : NULL);
		if (caught > 0 && caught != SIGUSR1)
			return;
	}
}

static bool start(pthread_t *thread, const pthread_attr_t *attributes, void *worker)
{
	int status;

	atomic_fetch_add(&pool.working, 1);
	status = pthread_create(thread, attributes, begin, worker);
	if (!status)
		return true;
	atomic_fetch_sub(&pool.working, 1);
	print_line(stderr, "coalescope-traffic: thread: %s", strerror(status));
	return false;
}

bool workers_run(void (*work)(void *worker), void *workers, size_t size, unsigned int count, uint64_t until_ns)
{
	pthread_t threads[MOST_WORKERS];
	pthread_attr_t attributes;
	unsigned int started;

	pool.work = work;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (started = 0; started < count; started++)
		if (!start(&threads[started], &attributes, (char *)workers + started * size)) {
			atomic_store(&pool.failed, true);
			break;
		}
	pthread_attr_destroy(&attributes);
	wait_for_end(until_ns);
	stop();
	while (started)
		pthread_join(threads[--started], NULL);
	return !atomic_load(&pool.failed);
}
