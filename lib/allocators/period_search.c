/* The length of periods, guessed. */
#include "allocators/periods.h"

enum { FIRST_LOOK = 8, MAX_SIGNATURES = 1 << 21 };

void
period_search_sign(struct period_search *search, int64_t number)
{
    const uint64_t prime = UINT64_C(1099511628211); /* of the hash FNV-1a */

    search->signature = (search->signature ^ (uint64_t)number) * prime;
    search->signature ^= search->signature >> 32;
}

int
period_search_add(memmodel_context *context, struct period_search *search)
{
    int status = 0;

    if (search->count < MAX_SIGNATURES)
        status = array_reserve(context, &search->signatures, &search->capacity, search->count + 1,
                               sizeof *search->signatures);
    if (!status && search->count < MAX_SIGNATURES)
        search->signatures[search->count++] = search->signature;
    search->signature = 0;
    return status;
}

static uint64_t
back(const struct period_search *search, size_t i)
{
    return search->signatures[search->count - 1 - i];
}

/* equal[p]: how many signatures, from the last one back, are those of p iterations before. The Z algorithm. */
static size_t
shortest_square(const struct period_search *search, size_t *equal)
{
    size_t left = 0, right = 0;

    for (size_t p = 1; 2 * p <= search->count; p++) {
        size_t n = p < right && equal[p - left] < right - p ? equal[p - left] : p < right ? right - p : 0;

        while (p + n < search->count && back(search, n) == back(search, p + n))
            n++;
        equal[p] = n;
        if (n >= p)
            return p;
        if (p + n > right) {
            left = p;
            right = p + n;
        }
    }
    return 0;
}

int
period_search_find(memmodel_context *context, struct period_search *search, size_t *length)
{
    size_t *equal;

    *length = 0;
    if (search->next < FIRST_LOOK)
        search->next = FIRST_LOOK;
    if (search->count < search->next || search->count == MAX_SIGNATURES)
        return 0;
    search->next = search->count + search->count / 4;
    equal = memory_allocate_zeroed(context, search->count + 1, sizeof *equal);
    if (!equal)
        return MEMMODEL_ERROR_NO_MEMORY;
    *length = shortest_square(search, equal);
    memory_release(context, equal);
    return 0;
}
