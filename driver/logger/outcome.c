/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "notes.h"
#include "summary.h"
#include "terminal.h"
#include "verdict.h"

const char *outcome_ended(const struct recorder *recorder)
{
	if (recorder->gone)
		return "source lost";
	if (recorder->wakeup.caught)
		return "signal";
	if (recorder->workload.timed_out)
		return "command timeout";
	return recorder->options->command ? "command" : "duration";
}

/* What the window leaves to be desired; true if it is as it was asked for. */
static bool check_window(const struct recorder *recorder)
{
	const struct options *options = recorder->options;
	const struct window *window = &recorder->window;

	if (!window_began(window)) {
		print_line(stderr, "coalescope-logger: the measurement window never began");
		return false;
	}
	if (!window_carried(window))
		note("no packet passed %s in the measurement window: does the traffic take another interface?",
		     options->interface);
	if (options->command && window_is_short(window)) {
		print_line(stderr, "coalescope-logger: %s ended before the measurement window did; the log is kept",
			   options->command[0]);
		return false;
	}
	return true;
}

/* Whether the command went wrong by itself, which is said. */
static bool command_failed(const struct recorder *recorder)
{
	const struct workload *workload = &recorder->workload;
	const char *command = recorder->options->command ? recorder->options->command[0] : NULL;

	if (!command || recorder->wakeup.caught || workload->timed_out || !workload->exited || !workload->status)
		return false;
	if (WIFEXITED(workload->status))
		print_line(stderr, "coalescope-logger: %s ended with status %d; the log is kept", command,
			   WEXITSTATUS(workload->status));
	else
		print_line(stderr, "coalescope-logger: %s was ended by %s; the log is kept", command,
			   strsignal(WTERMSIG(workload->status)));
	return true;
}

static bool judge(const struct recorder *recorder)
{
	const struct workload *workload = &recorder->workload;
	const struct options *options = recorder->options;
	bool fine;

	if (command_failed(recorder))
		return false; /* that the window is short, or without a packet, comes of it */
	fine = check_window(recorder);
	if (recorder->wakeup.caught && (options->command || options->window.duration_ns)) {
		print_line(stderr, "coalescope-logger: %s: the log is whole, the run is short",
			   strsignal(recorder->wakeup.caught));
		return false;
	}
	if (workload->timed_out) {
		print_line(stderr, "coalescope-logger: %s was still running after %g s and was ended; the log is kept",
			   options->command[0], (double)options->command_timeout_ns / 1e9);
		return false;
	}
	return fine;
}

static void note_doubt(const char *sentence, void *context)
{
	json_string(context, sentence);
}

static void say_doubt(const char *sentence, void *context)
{
	note("%s", sentence);
	note_doubt(sentence, context);
}

static bool conclude(const struct recorder *recorder, bool fine)
{
	const struct record_layout *layout = &recorder->set.layout;
	const struct window *window = &recorder->window;
	struct text doubts = {0};
	bool said = true;

	json_open(&doubts, '[');
	if (window_began(window))
		/* of a run that failed, the last word is why */
		verdict(layout, window->start, window->end, fine ? say_doubt : note_doubt, &doubts);
	json_close(&doubts, ']');
	if (recorder->options->json && !doubts.failed)
		said = summary_print(&(struct summary){
			.log = recorder->options->output,
			.ended = outcome_ended(recorder),
			.fine = fine,
			.missed_ticks = recorder->wakeup.missed_ticks,
			.layout = layout,
			.window = window,
			.doubts = &doubts,
		});
	text_free(&doubts);
	if (!said)
		print_line(stderr, "coalescope-logger: standard output: %s", strerror(EIO));
	return said && fine;
}

bool outcome_report(const struct recorder *recorder, bool sampled)
{
	return conclude(recorder, judge(recorder) && sampled);
}
