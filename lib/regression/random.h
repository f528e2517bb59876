/*
 * Random numbers by counting: each is a function of its key and its number alone, so that who draws it, and when, does not
 * matter. Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014); constants of splitmix64.
 */
#ifndef REGRESSION_RANDOM_H
#define REGRESSION_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t key, drawn;
};

static inline uint64_t
random_mix(uint64_t bits)
{
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

/* A stream of its own for every key and part of it. */
static inline struct random
random_stream(uint64_t key, uint64_t first, uint64_t second, uint64_t third)
{
    key = random_mix(key + UINT64_C(0x9e3779b97f4a7c15));
    key = random_mix(key ^ first * UINT64_C(0xd1342543de82ef95));
    key = random_mix(key ^ second * UINT64_C(0xaf251af3b0f025b5));
    return (struct random){random_mix(key ^ third * UINT64_C(0x9fb21c651e98df25)), 0};
}

static inline uint64_t
random_bits(struct random *random)
{
    return random_mix(random->key + ++random->drawn * UINT64_C(0x9e3779b97f4a7c15));
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
