/* SPDX-License-Identifier: Apache-2.0 */
/* Values in JSON by where they stand. */
#ifndef JSON_PATH_H
#define JSON_PATH_H

#include <stddef.h>

/*
 * Hands each value at a path to `take`: names of members joined by "/", "*" for each of a list or an object. What is no JSON
 * is not looked at.
 */
void json_at(const char *json, const char *path, void (*take)(const char *value, size_t length, void *context),
	     void *context);

#endif
