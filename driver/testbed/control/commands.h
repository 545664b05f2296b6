/* SPDX-License-Identifier: Apache-2.0 */
/* Each takes its own words, the command first, and returns the exit status. */
#ifndef COMMANDS_H
#define COMMANDS_H

enum { EXIT_FINE, EXIT_WRONG, EXIT_USAGE };

int start(int argc, char **argv);
int stop(int argc, char **argv);
int counters(int argc, char **argv);
int interrupt_cost(int argc, char **argv);
int no_acknowledgement_interrupts(int argc, char **argv);

#endif
