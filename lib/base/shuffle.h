/* Random orders: the same for the same seed on every machine. */
#ifndef BASE_SHUFFLE_H
#define BASE_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A permutation of 0 to count - 1. The generator is SplitMix64 with `seed` as its state; for i = count - 1 down to 1, number
 * i changes places with number (draw modulo i + 1), where draws above the last multiple of i + 1 below 2^64, which would
 * favour small numbers, are drawn again (Fisher and Yates, Durstenfeld).
 */
void
shuffle_numbers(uint64_t seed, size_t count, size_t *numbers);

#endif
