/*
 * Numbers of a counter, well mixed: SplitMix64. Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA
 * 2014; S. Vigna's constants.
 */
#ifndef BASE_SPLITMIX_H
#define BASE_SPLITMIX_H

#include <stdint.h>

#define SPLITMIX_STEP UINT64_C(0x9e3779b97f4a7c15) /* from a number of the counter to the next */

static inline uint64_t
splitmix(uint64_t number)
{
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

#endif
