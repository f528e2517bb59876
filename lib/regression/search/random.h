/*
 * Random numbers by counting: each is a function of its key and its number alone, so that who draws it, and when,
 * does not matter.
 */
#ifndef SEARCH_RANDOM_H
#define SEARCH_RANDOM_H

#include "base/splitmix.h"

#include <stddef.h>

struct random {
    uint64_t key, drawn;
};

/* A stream of its own for every key and part of it. */
static inline struct random
random_stream(uint64_t key, uint64_t first, uint64_t second, uint64_t third)
{
    key = splitmix(key + SPLITMIX_STEP);
    key = splitmix(key ^ first * UINT64_C(0xd1342543de82ef95));
    key = splitmix(key ^ second * UINT64_C(0xaf251af3b0f025b5));
    return (struct random){splitmix(key ^ third * UINT64_C(0x9fb21c651e98df25)), 0};
}

static inline uint64_t
random_bits(struct random *random)
{
    return splitmix(random->key + ++random->drawn * SPLITMIX_STEP);
}

/* 0 to count - 1; the lowest are likelier by less than 2 ^ -32 where count is below it. */
static inline size_t
random_below(struct random *random, size_t count)
{
    return (size_t)(random_bits(random) >> 32) % count;
}

/* [0, 1) */
static inline double
random_unit(struct random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

#endif
