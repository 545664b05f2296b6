/* SPDX-License-Identifier: Apache-2.0 */
/* Values in JSON by where they stand. */
#ifndef JSON_PATH_H
#define JSON_PATH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Hands each value at a path to `take`: names of members joined by "/", "*" for each of a list or an object. What is no JSON
 * is not looked at.
 */
void json_at(const char *json, const char *path, void (*take)(const char *value, size_t length, void *context),
	     void *context);

/*
 * Hands over the name of each member, as it is written between its quotation marks, until `take` says false; then it is false.
 * `members` begins with a name, behind the brace, and may end where it was written so far. What is no JSON ends it.
 */
bool json_each_name(const char *members, bool (*take)(const char *name, size_t length, void *context), void *context);

#endif
