/* What a fuzzer decides by: the bytes behind its text, one for each choice, 0 when they are used up. */
#ifndef TEST_FUZZ_CHOICES_H
#define TEST_FUZZ_CHOICES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct choices {
    const uint8_t *next, *end;
};

/* The input's text ends at its first NUL. `length` becomes that of the text. */
static inline struct choices
choices_behind_text(const uint8_t *data, size_t size, size_t *length)
{
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;

    *length = end ? (size_t)(end - data) : size;
    return (struct choices){end ? end + 1 : data + size, data + size};
}

/* A number below `count`. */
static inline size_t
choose(struct choices *choices, size_t count)
{
    return choices->next < choices->end ? *choices->next++ % count : 0;
}

#define CHOOSE(choices, table) ((table)[choose((choices), sizeof(table) / sizeof((table)[0]))])

#endif
