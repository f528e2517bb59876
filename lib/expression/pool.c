/* The pool, and the expressions in it. */
#include "expression/pool.h"

#include <string.h>

int
expression_pool_new(memmodel_context *context, struct expression_pool **pool)
{
    struct expression_pool *new = memory_allocate_zeroed(context, 1, sizeof *new);

    if (!new)
        return MEMMODEL_ERROR_NO_MEMORY;
    new->context = memmodel_context_ref(context);
    new->names_arena = ARENA_INIT(context);
    new->depends_words = 1;
    if (monomial_intern(new, NULL, 0) < 0) {
        expression_pool_free(new);
        return MEMMODEL_ERROR_NO_MEMORY;
    }
    *pool = new;
    return 0;
}

void
expression_pool_free(struct expression_pool *pool)
{
    memmodel_context *context;

    if (!pool)
        return;
    context = pool->context;
    table_release(context, &pool->name_table);
    table_release(context, &pool->atom_table);
    table_release(context, &pool->monomial_table);
    table_release(context, &pool->node_table);
    arena_release(&pool->names_arena);
    memory_release(context, pool->names);
    memory_release(context, pool->atoms);
    memory_release(context, pool->factors);
    memory_release(context, pool->monomials);
    memory_release(context, pool->terms);
    memory_release(context, pool->nodes);
    memory_release(context, pool->depends);
    memory_release(context, pool);
    memmodel_context_unref(context);
}

/* ---- which symbols an expression depends on ---- */

int
pool_widen_rows(struct expression_pool *pool, size_t symbols)
{
    size_t words = pool->depends_words, wider = words * 2;
    uint64_t *rows;

    if (symbols <= words * 64)
        return 0;
    rows = memory_allocate_zeroed(pool->context, (pool->node_count + 1) * wider, sizeof *rows);
    if (!rows)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t e = 0; e < pool->node_count; e++)
        memcpy(rows + e * wider, pool->depends + e * words, words * sizeof *rows);
    memory_release(pool->context, pool->depends);
    pool->depends = rows;
    pool->depends_words = wider;
    pool->depends_capacity = (pool->node_count + 1) * wider;
    return 0;
}

static void
join_row(struct expression_pool *pool, uint64_t *row, expression a)
{
    for (size_t i = 0; i < pool->depends_words; i++)
        row[i] |= pool->depends[(size_t)a * pool->depends_words + i];
}

static void
join_atom(struct expression_pool *pool, uint64_t *row, const struct atom *atom)
{
    if (atom->kind == ATOM_SYMBOL) {
        row[atom->arguments[0] / 64] |= (uint64_t)1 << (atom->arguments[0] % 64);
        return;
    }
    join_row(pool, row, atom->arguments[0]);
    join_row(pool, row, atom->arguments[1]);
}

static void
fill_row(struct expression_pool *pool, size_t node)
{
    uint64_t *row = pool->depends + node * pool->depends_words;

    memset(row, 0, pool->depends_words * sizeof *row);
    for (uint32_t i = 0; i < pool->nodes[node].count; i++) {
        int32_t monomial = pool->terms[pool->nodes[node].first + i].monomial;

        for (uint32_t j = 0; j < pool->monomials[monomial].count; j++)
            join_atom(pool, row, &pool->atoms[monomial_factors(pool, monomial)[j].atom]);
    }
}

/* ---- expressions ---- */

struct node_key {
    const struct term *terms;
    size_t count;
};

static bool
same_node(const void *owner, int32_t id, const void *key)
{
    const struct expression_pool *pool = owner;
    const struct node_key *wanted = key;
    const struct term *terms = node_terms(pool, id);

    if (pool->nodes[id].count != wanted->count)
        return false;
    for (size_t i = 0; i < wanted->count; i++)
        if (terms[i].monomial != wanted->terms[i].monomial ||
            terms[i].coefficient.numerator != wanted->terms[i].coefficient.numerator ||
            terms[i].coefficient.denominator != wanted->terms[i].coefficient.denominator)
            return false;
    return true;
}

static uint32_t
hash_terms(const struct term *terms, size_t count)
{
    uint32_t hash = 0;

    for (size_t i = 0; i < count; i++)
        hash = hash_words(hash,
                          (uint64_t[]){(uint64_t)terms[i].coefficient.numerator,
                                       (uint64_t)terms[i].coefficient.denominator, (uint64_t)terms[i].monomial},
                          3);
    return hash;
}

/* The atom of which this is the plain expression, or -1. */
static int32_t
plain_atom(const struct expression_pool *pool, const struct term *terms, size_t count)
{
    const struct factor *factor;

    if (count != 1 || !rational_is(terms[0].coefficient, 1) || pool->monomials[terms[0].monomial].count != 1)
        return -1;
    factor = monomial_factors(pool, terms[0].monomial);
    return factor->numerator == 1 && factor->denominator == 1 ? factor->atom : -1;
}

static struct node
describe_node(const struct expression_pool *pool, const struct term *terms, size_t count)
{
    struct node node = {.first = (uint32_t)pool->term_count, .count = (uint32_t)count, .whole = true};

    node.atom = plain_atom(pool, terms, count);
    node.degree = count ? pool->monomials[terms[0].monomial].degree : 0;
    for (size_t i = 0; i < count; i++) {
        const struct monomial *monomial = &pool->monomials[terms[i].monomial];

        node.whole = node.whole && monomial->whole && terms[i].coefficient.denominator == 1;
        if (monomial->depth > node.depth)
            node.depth = monomial->depth;
    }
    return node;
}

/*
 * Always one more than is needed, here and for factors: then there is an array to point into, though with nothing in
 * it.
 */
static int
reserve_node(struct expression_pool *pool, size_t count)
{
    if (pool->term_count + count > TERM_LIMIT)
        return context_error(pool->context, MEMMODEL_ERROR_OVERFLOW, NULL, "more than %d terms in all expressions",
                             TERM_LIMIT);
    if (table_reserve(pool->context, &pool->node_table) ||
        array_reserve(pool->context, &pool->terms, &pool->term_capacity, pool->term_count + count + 1,
                      sizeof *pool->terms) ||
        array_reserve(pool->context, &pool->nodes, &pool->node_capacity, pool->node_count + 1, sizeof *pool->nodes) ||
        array_reserve(pool->context, &pool->depends, &pool->depends_capacity,
                      (pool->node_count + 1) * pool->depends_words, sizeof *pool->depends))
        return MEMMODEL_ERROR_NO_MEMORY;
    return 0;
}

expression
node_intern(struct expression_pool *pool, const struct term *terms, size_t count)
{
    uint32_t hash = hash_terms(terms, count);
    expression known = table_find(&pool->node_table, hash, same_node, pool, &(struct node_key){terms, count});
    int status;

    if (known >= 0)
        return known;
    status = reserve_node(pool, count);
    if (status)
        return status;
    pool->nodes[pool->node_count] = describe_node(pool, terms, count);
    if (count)
        memcpy(pool->terms + pool->term_count, terms, count * sizeof *terms);
    pool->term_count += count;
    fill_row(pool, pool->node_count);
    table_put(&pool->node_table, hash, pool->node_count);
    return (expression)pool->node_count++;
}

expression
term_expression(struct expression_pool *pool, struct rational coefficient, int32_t monomial)
{
    if (monomial < 0)
        return monomial;
    return node_intern(pool, &(struct term){coefficient, monomial}, coefficient.numerator != 0);
}
