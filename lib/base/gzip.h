/* Files compressed by gzip (RFC 1952): what they hold, where the library was built with zlib. */
#ifndef BASE_GZIP_H
#define BASE_GZIP_H

#include "base/context.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the bytes begin as such a file does. No text does: the second is no character. */
bool
gzip_is_compressed(const char *bytes, size_t length);

/*
 * What they hold, in a text that is ended by a zero which *text_length does not count: memory_release() it. Within the
 * context's limits of input, memory, time and work, whatever the bytes claim. 0, MEMMODEL_ERROR_PARSE (damaged, cut off,
 * or a library without zlib), MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_LIMIT, MEMMODEL_ERROR_CANCELLED.
 */
int
gzip_expand(memmodel_context *context, const char *name, const char *bytes, size_t length, char **text,
            size_t *text_length);

#endif
