/* Files compressed by gzip. Source: RFC 1952; zlib.h, inflate(). As gzip itself does, one part after another is read. */
#include "base/gzip.h"

#include <string.h>

bool
gzip_is_compressed(const char *bytes, size_t length)
{
    return length >= 3 && memcmp(bytes, "\x1f\x8b\x08", 3) == 0;
}

#if defined(MEMMODEL_ZLIB)
#define ZLIB_CONST
#include <zlib.h>

enum { BLOCK_BYTES = 65536, MAX_GIVEN = 1 << 30, ONLY_GZIP = 16 }; /* the last: zlib.h, inflateInit2() */

struct expansion {
    memmodel_context *context;
    const char *name;
    z_stream stream;
    const char *next, *end;
    char *text;
    size_t length, capacity;
};

static voidpf
allocate(voidpf context, uInt items, uInt size)
{
    return memory_allocate_zeroed(context, items, size);
}

static void
release(voidpf context, voidpf block)
{
    memory_release(context, block);
}

static int
damaged(const struct expansion *expansion, const char *what)
{
    return context_error(expansion->context, MEMMODEL_ERROR_PARSE, expansion->name, "is compressed by gzip, but %s",
                         what);
}

/* Up to a block more of the text; *result is that of inflate(). */
static int
expand_block(struct expansion *expansion, int *result)
{
    z_stream *stream = &expansion->stream;
    size_t left = (size_t)(expansion->end - expansion->next), given = left < MAX_GIVEN ? left : MAX_GIVEN;
    int status = context_check(expansion->context, context_nodes(BLOCK_BYTES));

    if (!status)
        status = array_reserve(expansion->context, &expansion->text, &expansion->capacity,
                               expansion->length + BLOCK_BYTES + 1, 1);
    if (status)
        return status;
    stream->next_in = (const Bytef *)expansion->next;
    stream->avail_in = (uInt)given;
    stream->next_out = (Bytef *)expansion->text + expansion->length;
    stream->avail_out = BLOCK_BYTES;
    *result = inflate(stream, Z_NO_FLUSH);
    expansion->next += given - stream->avail_in;
    expansion->length += BLOCK_BYTES - stream->avail_out;
    return context_check_input(expansion->context, expansion->name, (int64_t)expansion->length);
}

/* After a part: *more if another one follows. */
static int
end_part(struct expansion *expansion, bool *more)
{
    *more = expansion->next < expansion->end;
    if (!*more)
        return 0;
    if (!gzip_is_compressed(expansion->next, (size_t)(expansion->end - expansion->next)))
        return damaged(expansion, "other bytes follow");
    inflateReset(&expansion->stream);
    return 0;
}

static int
expand(struct expansion *expansion)
{
    bool more = true;
    int result, status = 0;

    while (!status && more) {
        status = expand_block(expansion, &result);
        if (!status && result == Z_STREAM_END)
            status = end_part(expansion, &more);
        else if (!status && result == Z_BUF_ERROR)
            status = damaged(expansion, "cut off");
        else if (!status && result == Z_MEM_ERROR)
            status = MEMMODEL_ERROR_NO_MEMORY;
        else if (!status && result != Z_OK)
            status = damaged(expansion, expansion->stream.msg ? expansion->stream.msg : "damaged");
    }
    return status;
}

int
gzip_expand(memmodel_context *context, const char *name, const char *bytes, size_t length, char **text,
            size_t *text_length)
{
    struct expansion expansion = {.context = context,
                                  .name = name,
                                  .stream = {.zalloc = allocate, .zfree = release, .opaque = context},
                                  .next = bytes,
                                  .end = bytes + length};
    int status;

    if (inflateInit2(&expansion.stream, MAX_WBITS + ONLY_GZIP) != Z_OK)
        return MEMMODEL_ERROR_NO_MEMORY;
    status = expand(&expansion);
    inflateEnd(&expansion.stream);
    if (status) {
        memory_release(context, expansion.text);
        return status;
    }
    expansion.text[expansion.length] = '\0';
    *text = expansion.text;
    *text_length = expansion.length;
    return 0;
}
#else
int
gzip_expand(memmodel_context *context, const char *name, const char *bytes, size_t length, char **text,
            size_t *text_length)
{
    (void)bytes, (void)length, (void)text, (void)text_length;
    return context_error(context, MEMMODEL_ERROR_PARSE, name,
                         "is compressed by gzip, and this library was built without zlib: decompress it by "
                         "'gunzip -k %s'",
                         name);
}
#endif
