/* A text again and again, each time with one of its numbers replaced by one at the edge of what a number can be. */
#ifndef TEST_EXTREMES_H
#define TEST_EXTREMES_H

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char *const extreme_numbers[] = {
    "0",
    "-1",
    "-5",
    "2.5",
    "2147483647",           /* 2^31 - 1 */
    "2147483648",           /* 2^31 */
    "-2147483649",          /* -2^31 - 1 */
    "4294967297",           /* 2^32 + 1 */
    "4611686018427387904",  /* 2^62 */
    "9223372036854775807",  /* 2^63 - 1 */
    "-9223372036854775808", /* -2^63 */
    "9223372036854775808",  /* 2^63 */
    "1e19",
    "-1e19",
    "1e300",
    "1e-300",
    "nan",
};

/* Bytes of the number that begins at `text`, 0 if none does. */
static inline size_t
number_length(const char *text, const char *end)
{
    const char *at = text + (*text == '-');

    if (at == end || !isdigit((unsigned char)*at))
        return 0;
    while (at < end && (isdigit((unsigned char)*at) || *at == '.'))
        at++;
    return (size_t)(at - text);
}

static inline void
replace_number(const char *text, size_t size, size_t start, size_t length, const char *number,
               void (*use)(const uint8_t *bytes, size_t size))
{
    size_t digits = strlen(number), after = start + length;
    char *changed = malloc(size + digits);

    if (!changed)
        abort();
    memcpy(changed, text, start);
    memcpy(changed + start, number, digits);
    memcpy(changed + start + digits, text + after, size - after);
    use((const uint8_t *)changed, size - length + digits);
    free(changed);
}

static inline void
for_each_extreme(const char *text, size_t size, void (*use)(const uint8_t *bytes, size_t size))
{
    for (size_t start = 0; start < size;) {
        size_t length = number_length(text + start, text + size);

        for (size_t i = 0; length && i < sizeof extreme_numbers / sizeof extreme_numbers[0]; i++)
            replace_number(text, size, start, length, extreme_numbers[i], use);
        start += length ? length : 1;
    }
}

#endif
