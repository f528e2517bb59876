/*
 * How libFuzzer changes a JSON text so that it stays one: numbers become others that are interesting, strings and whole
 * members are exchanged, repeated or left out. What stands behind the text's end is changed byte by byte.
 */
#ifndef TEST_FUZZ_JSON_MUTATOR_H
#define TEST_FUZZ_JSON_MUTATOR_H

#include "choices.h"

#include <stdbool.h>
#include <stdlib.h>

enum { MAX_SPANS = 4096, MAX_DEPTH = 64 };

size_t
LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* A number, a string or a value in braces, from its first byte to one behind its last. */
struct span {
    size_t first, end;
};

struct spans {
    struct span numbers[MAX_SPANS], strings[MAX_SPANS], values[MAX_SPANS];
    size_t number_count, string_count, value_count;
};

static inline bool
is_of_number(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == 'e' || byte == '+';
}

static inline void
add_span(struct span *spans, size_t *count, size_t first, size_t end)
{
    if (*count < MAX_SPANS)
        spans[(*count)++] = (struct span){first, end};
}

static inline size_t
end_of_string(const uint8_t *text, size_t length, size_t at)
{
    for (at++; at < length && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at < length ? at + 1 : length;
}

static inline size_t
end_of_number(const uint8_t *text, size_t length, size_t at)
{
    while (at < length && is_of_number(text[at]))
        at++;
    return at;
}

static inline void
find_spans(const uint8_t *text, size_t length, struct spans *spans)
{
    size_t open[MAX_DEPTH], depth = 0;

    spans->number_count = spans->string_count = spans->value_count = 0;
    for (size_t at = 0; at < length;) {
        size_t end = at + 1;

        if (text[at] == '"') {
            end = end_of_string(text, length, at);
            add_span(spans->strings, &spans->string_count, at, end);
        } else if (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) {
            end = end_of_number(text, length, at);
            add_span(spans->numbers, &spans->number_count, at, end);
        } else if ((text[at] == '{' || text[at] == '[') && depth < MAX_DEPTH) {
            open[depth++] = at;
        } else if ((text[at] == '}' || text[at] == ']') && depth) {
            add_span(spans->values, &spans->value_count, open[--depth], end);
        }
        at = end;
    }
}

/* The bytes from `first` to `end` become `with`. Returns the new size, the old one where there is too little room. */
static inline size_t
replace_span(uint8_t *data, size_t size, size_t max, struct span span, const void *with, size_t bytes)
{
    size_t left = size - span.end;

    if (span.first + bytes + left > max)
        return size;
    memmove(data + span.first + bytes, data + span.end, left);
    memcpy(data + span.first, with, bytes);
    return span.first + bytes + left;
}

static inline size_t
change_number(uint8_t *data, size_t size, size_t max, const struct spans *spans)
{
    static const char *const numbers[] = {
        "0",
        "1",
        "2",
        "3",
        "4",
        "7",
        "8",
        "16",
        "31",
        "64",
        "100",
        "1000",
        "65536",
        "-1",
        "-2",
        "0.5",
        "1e308",
        "-0",
        "2147483647",
        "2147483648",
        "4294967297",
        "4611686018427387904",
        "9223372036854775807",
        "-9223372036854775808",
        "\"batch\"",
        "\"size\"",
        "null",
        "true",
        "[1,2]",
        "[3,3,3]",
    };
    const char *number = numbers[(size_t)rand() % (sizeof numbers / sizeof numbers[0])];

    if (!spans->number_count)
        return size;
    return replace_span(data, size, max, spans->numbers[(size_t)rand() % spans->number_count], number, strlen(number));
}

/* One becomes a copy of another. */
static inline size_t
copy_over(uint8_t *data, size_t size, size_t max, const struct span *spans, size_t count)
{
    static uint8_t copy[1 << 16];
    struct span from;
    size_t bytes;

    if (!count)
        return size;
    from = spans[(size_t)rand() % count];
    bytes = from.end - from.first;
    if (bytes > sizeof copy)
        return size;
    memcpy(copy, data + from.first, bytes);
    return replace_span(data, size, max, spans[(size_t)rand() % count], copy, bytes);
}

/* A value is there twice, or no more, with the comma behind it. */
static inline size_t
repeat_or_drop(uint8_t *data, size_t size, size_t max, const struct spans *spans)
{
    static uint8_t copy[1 << 16];
    struct span span;
    size_t bytes;

    if (!spans->value_count)
        return size;
    span = spans->values[(size_t)rand() % spans->value_count];
    bytes = span.end - span.first;
    if (span.end >= size || data[span.end] != ',' || bytes + 1 > sizeof copy)
        return size;
    if (rand() % 2)
        return replace_span(data, size, max, (struct span){span.first, span.end + 1}, "", 0);
    memcpy(copy, data + span.first, bytes + 1);
    return replace_span(data, size, max, (struct span){span.first, span.first}, copy, bytes + 1);
}

/* The bytes behind the text, or a first one. */
static inline size_t
change_choice(uint8_t *data, size_t size, size_t max, size_t length)
{
    if (size > length + 1) {
        data[length + 1 + (size_t)rand() % (size - length - 1)] = (uint8_t)rand();
        return size;
    }
    if (length + 2 > max)
        return size;
    data[length] = 0;
    data[length + 1] = (uint8_t)rand();
    return length + 2;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    static struct spans spans;
    size_t length;

    srand(seed);
    choices_behind_text(data, size, &length);
    find_spans(data, length, &spans);
    switch (rand() % 8) {
    case 0:
    case 1:
        return change_number(data, size, max, &spans);
    case 2:
        return copy_over(data, size, max, spans.strings, spans.string_count);
    case 3:
        return copy_over(data, size, max, spans.values, spans.value_count);
    case 4:
        return repeat_or_drop(data, size, max, &spans);
    case 5:
    case 6:
        return change_choice(data, size, max, length);
    default:
        return LLVMFuzzerMutate(data, size, max);
    }
}

#endif
