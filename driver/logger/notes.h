/* SPDX-License-Identifier: Apache-2.0 */
/* What a person should know although nothing went wrong: on stderr, unless --quiet. */
#ifndef NOTES_H
#define NOTES_H

void notes_leave_out(void);
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);
/* A further line of the note before. */
__attribute__((format(printf, 1, 2))) void note_more(const char *format, ...);

#endif
