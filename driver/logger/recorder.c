/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "environment.h"
#include "ethtool_query.h"
#include "header.h"
#include "interface.h"
#include "levels.h"
#include "netdev_queues.h"
#include "notes.h"
#include "outcome.h"
#include "terminal.h"

static const int PATIENCE_MS = 2000; /* that a command gets to end after SIGTERM */

static bool report_error(const char *what, int status)
{
	print_line(stderr, "coalescope-logger: %s: %s", what, strerror(-status));
	return false;
}

/* --- samples --- */

/* Whether the next whole sample would come too late, were this one not whole; timers wander by less than a quarter. */
static bool whole_is_due(const struct recorder *recorder)
{
	uint64_t since = recorder->values[0] - recorder->last_whole;

	return since + recorder->options->interval_ns / 4 * 3 >
	       window_whole_every_ns(&recorder->window, recorder->values);
}

/* One that counters are compared between is whole: the first, the last, and those of the window. */
static int sample(struct recorder *recorder, bool last, const char **failed)
{
	const uint64_t *values = recorder->values;
	int status = source_set_sample(&recorder->set, recorder->values, failed);

	if (status)
		return status;
	recorder->whole = last || !recorder->window.sampled || window_turns(&recorder->window, values) ||
			  whole_is_due(recorder) || (recorder->options->live && live_is_due(&recorder->live, values));
	if (recorder->whole)
		recorder->last_whole = values[0];
	return source_set_sample_surroundings(&recorder->set, recorder->values, recorder->whole, failed);
}

static bool take(struct recorder *recorder, bool last)
{
	uint64_t before = recorder->writer.t_last;
	const char *failed;
	int status = sample(recorder, last, &failed);

	if (status) {
		recorder->gone = true;
		print_line(stderr, "coalescope-logger: %s can no longer be observed: %s: %s; the log is kept as far as it goes",
			   recorder->options->interface, failed, strerror(-status));
		return false;
	}
	if (recorder->writer.records && recorder->values[0] <= before)
		recorder->values[0] = before + 1; /* the format wants time to advance */
	status = log_writer_sample(&recorder->writer, recorder->values,
				   window_waits(&recorder->window, recorder->values));
	if (recorder->options->live)
		live_sample(&recorder->live, recorder->values);
	return status ? report_error(recorder->options->output, status) : true;
}

/* --- window --- */

static void mark(struct recorder *recorder, const char *name, const uint64_t *values)
{
	log_writer_mark(&recorder->writer, name, values[0], values[recorder->time_of_day]);
}

static void mark_window(struct recorder *recorder)
{
	const struct window *window = &recorder->window;

	if (window->state == WINDOW_OPEN || window->rule->start == WINDOW_TRAFFIC)
		mark(recorder, "window_start", window->start);
	if (window->state == WINDOW_CLOSED)
		mark(recorder, "window_end", window->end);
}

static void advance_window(struct recorder *recorder)
{
	if (window_sample(&recorder->window, recorder->values, recorder->whole))
		mark_window(recorder);
}

/* --- the loop --- */

/* How long poll may wait before the command's time is over; -1: for ever. */
static int patience_ms(const struct recorder *recorder)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), deadline = recorder->command_deadline;

	if (!deadline)
		return -1;
	if (now >= deadline)
		return 0;
	return deadline - now > 60000000000u ? 60000 : (int)((deadline - now) / 1000000 + 1);
}

static bool finished(const struct recorder *recorder)
{
	if (recorder->wakeup.caught)
		return true;
	if (recorder->options->command)
		return recorder->workload.exited || patience_ms(recorder) == 0;
	return recorder->window.state == WINDOW_CLOSED;
}

static bool sample_until_end(struct recorder *recorder)
{
	while (!finished(recorder)) {
		if (!wakeup_wait(&recorder->wakeup, &recorder->workload, patience_ms(recorder)))
			continue;
		if (!take(recorder, false))
			return false;
		advance_window(recorder);
	}
	if (recorder->window.state == WINDOW_CLOSED && !recorder->options->command)
		return true;
	if (!take(recorder, true))
		return false;
	advance_window(recorder);
	return true;
}

/* Ends a command that is still running, and collects the rest of what it said. */
static void stop_command(struct recorder *recorder)
{
	struct workload *workload = &recorder->workload;
	int waited;

	if (!workload->pid) {
		workload_drain(workload);
		return;
	}
	workload->timed_out = !recorder->wakeup.caught && patience_ms(recorder) == 0;
	workload_signal(workload, SIGTERM);
	for (waited = 0; workload->pid && waited < PATIENCE_MS; waited += 10) {
		struct pollfd quiet = {.fd = workload->output_fd, .events = POLLIN};

		poll(&quiet, 1, 10);
		workload_drain(workload);
		workload_reap(workload);
	}
	workload_kill(workload);
	workload_drain(workload);
}

/* What the driver has counted of its own, and by queue, as a result; nothing where it has no such counters. */
static int write_statistics(struct recorder *recorder, const char *name)
{
	struct text counters = {0}, metadata = {0};
	int status = 0;

	json_open(&counters, '{');
	ethtool_statistics(recorder->options->interface, &counters);
	netdev_queue_statistics(recorder->options->interface, &counters);
	json_close(&counters, '}');
	json_open(&metadata, '{');
	json_member_string(&metadata, "name", name);
	json_member_string(&metadata, "media_type", "application/json");
	json_close(&metadata, '}');
	if (counters.failed)
		status = -ENOMEM;
	else if (counters.length > strlen("{}"))
		status = log_writer_result(&recorder->writer, &metadata, counters.data, counters.length);
	text_free(&metadata);
	text_free(&counters);
	return status;
}

static bool write_end(struct recorder *recorder)
{
	struct text more = {0}, metadata = {0};
	int status = write_statistics(recorder, "ethtool_statistics_end");

	if (!status && recorder->options->command && recorder->options->keep_result) {
		workload_metadata(&recorder->workload, &metadata);
		status = log_writer_result(&recorder->writer, &metadata, recorder->workload.output.data,
					   recorder->workload.output.length);
		text_free(&metadata);
	}
	json_name(&more, "missed_ticks");
	json_unsigned(&more, recorder->wakeup.missed_ticks);
	environment_after(recorder->options->interface, &more);
	if (!status)
		status = log_writer_finish(&recorder->writer, outcome_ended(recorder), &more);
	text_free(&more);
	if (!status && fsync(recorder->writer.fd) && errno != EINVAL)
		status = -errno;
	return status ? report_error(recorder->options->output, status) : true;
}

static bool start_command(struct recorder *recorder)
{
	const struct options *options = recorder->options;
	int status;

	if (!options->command)
		return true;
	status = workload_start(&recorder->workload, options->command, options->user, options->result_limit);
	if (status == -ESRCH) {
		print_line(stderr, "coalescope-logger: there is no user %s here",
			   options->user ? options->user : getenv("SUDO_USER"));
		return false;
	}
	if (!status && options->command_timeout_ns)
		recorder->command_deadline = clock_ns(CLOCK_MONOTONIC) + options->command_timeout_ns;
	return status ? report_error(options->command[0], status) : true;
}

static bool start(struct recorder *recorder, int fd)
{
	const char *interface = recorder->options->interface, *why = interface_passes_nothing(interface);
	struct text header = {0};
	int status;

	if (why)
		note("%s %s: nothing passes it as it is", interface, why);
	if (!recorder->options->experiment)
		note("the log names no experiment (--experiment): its upload will have to");
	if (!header_write(recorder->options, &recorder->set, &header))
		return false;
	if (header.data)
		levels_compare(recorder->options, header.data);
	status = log_writer_start(&recorder->writer, fd, &header,
				  recorder->set.layout.count * sizeof(uint64_t));
	text_free(&header);
	if (!status)
		status = write_statistics(recorder, "ethtool_statistics_start");
	if (status)
		return report_error(recorder->options->output, status);
	status = wakeup_catch_signals(&recorder->wakeup);
	if (status)
		return report_error("signals", status);
	if (!take(recorder, false))
		return false;
	if (recorder->options->command)
		mark(recorder, "command_start", recorder->values);
	advance_window(recorder);
	if (!start_command(recorder))
		return false;
	status = wakeup_start_timer(&recorder->wakeup, recorder->options->interval_ns);
	return status ? report_error("timer", status) : true;
}

static bool open_live(struct recorder *recorder)
{
	const char *dilation = recorder->options->time_dilation;

	return !recorder->options->live ||
	       live_open(&recorder->live, &recorder->set.layout, dilation ? strtod(dilation, NULL) : 1);
}

bool recorder_open(struct recorder *recorder, const struct options *options)
{
	*recorder = (struct recorder){.options = options, .wakeup = {.timer_fd = -1, .signal_fd = -1}};
	recorder->workload.output_fd = -1;
	if (!interface_index(options->interface)) {
		print_line(stderr, "coalescope-logger: there is no interface %s here", options->interface);
		return false;
	}
	if (!source_set_open(&recorder->set, options->source, options->counters, options->interface, options->command,
			     options->interval_ns < WHOLE_EVERY_NS ? WHOLE_EVERY_NS : 0))
		return false;
	if (options->command && !cpu_account_open(&recorder->workload.account))
		source_set_add_workload(&recorder->set, &recorder->workload.account);
	recorder->time_of_day = record_layout_find(&recorder->set.layout, "t_realtime_ns");
	recorder->values = calloc(recorder->set.layout.count, sizeof(*recorder->values));
	return (recorder->values && !recorder->set.layout.failed &&
		window_open(&recorder->window, &options->window, &recorder->set.layout) && open_live(recorder)) ||
	       report_error("start", -ENOMEM);
}

bool recorder_run(struct recorder *recorder, int fd)
{
	bool sampled;

	if (!start(recorder, fd))
		return false;
	sampled = sample_until_end(recorder);
	if (window_settle(&recorder->window))
		mark_window(recorder);
	stop_command(recorder);
	if (recorder->options->live)
		live_finish(&recorder->live, recorder->window.start, recorder->window.end);
	if (recorder->writer.error)
		return false;
	if (recorder->options->command)
		mark(recorder, "command_end", recorder->values);
	return write_end(recorder) && outcome_report(recorder, sampled);
}

void recorder_close(struct recorder *recorder)
{
	live_close(&recorder->live);
	window_close(&recorder->window);
	source_set_close(&recorder->set);
	log_writer_free(&recorder->writer);
	workload_free(&recorder->workload);
	wakeup_close(&recorder->wakeup);
	free(recorder->values);
}
