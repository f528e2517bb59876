/* Plain data as a Python pickle of protocol 2. Nothing is shared, so nothing is remembered. */
#include "base/pickle.h"

#include <string.h>

enum { LONGEST_LONG = 8 };

static void
write_little_endian(struct text *out, uint64_t number, size_t count)
{
    char bytes[LONGEST_LONG];

    for (size_t i = 0; i < count; i++)
        bytes[i] = (char)(unsigned char)(number >> (8 * i) & 0xff);
    text_append_bytes(out, bytes, count);
}

void
pickle_begin(struct text *out)
{
    text_append_bytes(out, "\x80\x02", 2);
}

void
pickle_end(struct text *out)
{
    text_append_bytes(out, ".", 1);
}

void
pickle_open(struct text *out, enum pickle_kind kind)
{
    text_append_bytes(out, kind == PICKLE_DICT ? "}(" : "](", 2);
}

void
pickle_close(struct text *out, enum pickle_kind kind)
{
    text_append_bytes(out, kind == PICKLE_DICT ? "u" : "e", 1);
}

void
pickle_write_text(struct text *out, const char *text)
{
    size_t length = strlen(text);

    text_append_bytes(out, "X", 1);
    write_little_endian(out, length, 4);
    text_append_bytes(out, text, length);
}

void
pickle_write_integer(struct text *out, int64_t number)
{
    if (number >= INT32_MIN && number <= INT32_MAX) {
        text_append_bytes(out, "J", 1);
        write_little_endian(out, (uint64_t)number, 4);
        return;
    }
    text_append_bytes(out, "\x8a\x08", 2);
    write_little_endian(out, (uint64_t)number, 8);
}

void
pickle_write_bool(struct text *out, bool value)
{
    text_append_bytes(out, value ? "\x88" : "\x89", 1);
}
