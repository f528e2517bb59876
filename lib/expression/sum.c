/* Sums under construction: terms in any order, put in order and combined at the end. */
#include "expression/pool.h"

#include <string.h>

enum { INSERTION_LIMIT = 24 }; /* below it insertion sort is the fastest */

void
sum_start(struct sum *sum, struct expression_pool *pool)
{
    sum->pool = pool;
    sum->terms = sum->few;
    sum->count = 0;
    sum->capacity = sizeof sum->few / sizeof sum->few[0];
    sum->status = 0;
}

static int
grow(struct sum *sum)
{
    size_t capacity = sum->capacity * 2;
    struct term *terms = memory_allocate(sum->pool->context, capacity * sizeof *terms);

    if (!terms)
        return MEMMODEL_ERROR_NO_MEMORY;
    memcpy(terms, sum->terms, sum->count * sizeof *terms);
    if (sum->terms != sum->few)
        memory_release(sum->pool->context, sum->terms);
    sum->terms = terms;
    sum->capacity = capacity;
    return 0;
}

void
sum_add_term(struct sum *sum, struct rational coefficient, int32_t monomial)
{
    if (!sum->status && monomial < 0)
        sum->status = monomial;
    if (!sum->status && sum->count == sum->capacity)
        sum->status = grow(sum);
    if (!sum->status)
        sum->terms[sum->count++] = (struct term){coefficient, monomial};
}

void
sum_add(struct sum *sum, struct rational coefficient, expression a)
{
    if (a < 0 && !sum->status)
        sum->status = a;
    for (uint32_t i = 0; !sum->status && i < sum->pool->nodes[a].count; i++) {
        struct term term = node_terms(sum->pool, a)[i];

        if (!rational_multiply(coefficient, term.coefficient, &term.coefficient))
            sum->status = POOL_OVERFLOW(sum->pool);
        sum_add_term(sum, term.coefficient, term.monomial);
    }
}

/* ---- order ---- */

static bool
in_order(const struct expression_pool *pool, const struct term *a, const struct term *b)
{
    return monomial_compare(pool, a->monomial, b->monomial) <= 0;
}

static void
insertion_sort(const struct expression_pool *pool, struct term *terms, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct term term = terms[i];
        size_t at = i;

        for (; at > 0 && !in_order(pool, &terms[at - 1], &term); at--)
            terms[at] = terms[at - 1];
        terms[at] = term;
    }
}

static void
merge(const struct expression_pool *pool, struct term *terms, size_t middle, size_t count, struct term *spare)
{
    size_t left = 0, right = middle, at = 0;

    memcpy(spare, terms, middle * sizeof *terms);
    while (left < middle && right < count)
        terms[at++] = in_order(pool, &spare[left], &terms[right]) ? spare[left++] : terms[right++];
    memcpy(terms + at, spare + left, (middle - left) * sizeof *terms);
}

static void
merge_sort(const struct expression_pool *pool, struct term *terms, size_t count, struct term *spare)
{
    size_t middle = count / 2;

    if (count <= INSERTION_LIMIT) {
        insertion_sort(pool, terms, count);
        return;
    }
    merge_sort(pool, terms, middle, spare);
    merge_sort(pool, terms + middle, count - middle, spare);
    if (!in_order(pool, &terms[middle - 1], &terms[middle]))
        merge(pool, terms, middle, count, spare);
}

static int
sort(struct sum *sum)
{
    struct term *spare;

    if (sum->count <= INSERTION_LIMIT) {
        insertion_sort(sum->pool, sum->terms, sum->count);
        return 0;
    }
    if (context_check(sum->pool->context, 1 + (int64_t)(sum->count / 16)))
        return memmodel_context_error(sum->pool->context)->status;
    spare = memory_allocate(sum->pool->context, sum->count * sizeof *spare);
    if (!spare)
        return MEMMODEL_ERROR_NO_MEMORY;
    merge_sort(sum->pool, sum->terms, sum->count, spare);
    memory_release(sum->pool->context, spare);
    return 0;
}

/* ---- finish ---- */

/* Terms of one monomial become one, zeros go. */
static int
combine(struct sum *sum)
{
    struct term *terms = sum->terms;
    size_t kept = 0;

    for (size_t i = 0; i < sum->count; i++) {
        if (kept && terms[kept - 1].monomial == terms[i].monomial) {
            if (!rational_add(terms[kept - 1].coefficient, terms[i].coefficient, &terms[kept - 1].coefficient))
                return POOL_OVERFLOW(sum->pool);
        } else {
            terms[kept++] = terms[i];
        }
        if (terms[kept - 1].coefficient.numerator == 0)
            kept--;
    }
    sum->count = kept;
    return 0;
}

int
sum_discard(struct sum *sum)
{
    if (sum->terms != sum->few)
        memory_release(sum->pool->context, sum->terms);
    return sum->status;
}

expression
sum_finish(struct sum *sum)
{
    expression made = -1;

    if (!sum->status)
        sum->status = sort(sum);
    if (!sum->status)
        sum->status = combine(sum);
    if (!sum->status)
        made = node_intern(sum->pool, sum->terms, sum->count);
    return sum_discard(sum) ? sum->status : made;
}
