/* Whole files, in and out. Every file that the library reads is opened here, but for those of /proc. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opens a file for reading, and never waits. Its size, -1 of what is no regular file. 0, MEMMODEL_ERROR_IO. */
int
file_open(memmodel_context *context, const char *path, int *file, int64_t *size);

/* Whether there is something at `path` that can be read as a file, be it a pipe: no folder. */
bool
file_is_there(const char *path);

/* Makes an object of a text of a file's format; `made` is where its pointer goes. */
typedef int (*file_parser)(memmodel_context *context, const char *name, const char *text, size_t length, void *made);

/*
 * The public calls that make an object of a text (`name` is what its errors call it) or of a whole file: bounded ones.
 * 0, MEMMODEL_ERROR_INVALID_ARGUMENT of a pointer that is NULL, those of reading it, and what `parse` returns. Of a file
 * compressed by gzip what it holds is parsed.
 */
int
file_parse_text(memmodel_context *context, const char *name, const char *text, size_t length, file_parser parse,
                void *made);

int
file_parse(memmodel_context *context, const char *path, file_parser parse, void *made);

/* Writes an object as a text of memory_allocate(), in an environment of the library's own. */
typedef int (*file_writer)(const void *object, memmodel_context *context, char **text);

/*
 * The public calls that write an object, as a text for the caller or as a whole file: bounded ones. 0,
 * MEMMODEL_ERROR_INVALID_ARGUMENT of a pointer that is NULL, what `write` and file_write() return.
 */
int
file_hand_out(const void *object, memmodel_context *context, file_writer write, char **text);

int
file_save(const void *object, memmodel_context *context, file_writer write, const char *path);

/*
 * Writes beside `path` and renames, so that a reader never sees half a file and an error leaves the old one. A link stays
 * one: what it leads to is written. What is no file, such as a pipe or a device, is written into.
 */
int
file_write(memmodel_context *context, const char *path, const char *bytes, size_t length);

#endif
