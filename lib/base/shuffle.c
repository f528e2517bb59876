/* Random orders: the same for the same seed on every machine. */
#include "base/shuffle.h"
#include "base/splitmix.h"

/* Each of 0 .. limit - 1 equally likely: a draw from the incomplete last round of them is drawn again. */
static uint64_t
random_below(uint64_t *state, uint64_t limit)
{
    uint64_t incomplete = (UINT64_MAX % limit + 1) % limit, draw;

    do
        draw = splitmix(*state += SPLITMIX_STEP);
    while (draw > UINT64_MAX - incomplete);
    return draw % limit;
}

void
shuffle_numbers(uint64_t seed, size_t count, size_t *numbers)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = i;
    for (size_t i = count; i > 1; i--) {
        size_t other = (size_t)random_below(&seed, i), number = numbers[i - 1];

        numbers[i - 1] = numbers[other];
        numbers[other] = number;
    }
}
