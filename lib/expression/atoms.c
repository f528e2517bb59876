/* Monomials and atoms of a pool, each stored once. */
#include "expression/pool.h"

#include <string.h>

static const struct rational one = {1, 1};

/* ---- monomials ---- */

struct monomial_key {
    const struct factor *factors;
    size_t count;
};

static bool
same_monomial(const void *owner, int32_t id, const void *key)
{
    const struct expression_pool *pool = owner;
    const struct monomial_key *wanted = key;

    return pool->monomials[id].count == wanted->count &&
           (wanted->count == 0 ||
            memcmp(monomial_factors(pool, id), wanted->factors, wanted->count * sizeof *wanted->factors) == 0);
}

static uint32_t
hash_factors(const struct factor *factors, size_t count)
{
    uint32_t hash = 1;

    for (size_t i = 0; i < count; i++)
        hash = hash_words(hash,
                          (uint64_t[]){(uint64_t)factors[i].atom,
                                       (uint64_t)factors[i].numerator << 32 ^ (uint64_t)factors[i].denominator},
                          2);
    return hash;
}

static struct monomial
describe_monomial(const struct expression_pool *pool, const struct factor *factors, size_t count)
{
    struct monomial monomial = {.first = (uint32_t)pool->factor_count, .count = (uint32_t)count, .whole = true};

    for (size_t i = 0; i < count; i++) {
        const struct atom *atom = &pool->atoms[factors[i].atom];

        monomial.degree += atom->degree * (double)factors[i].numerator / (double)factors[i].denominator;
        monomial.whole = monomial.whole && atom->whole && factors[i].denominator == 1 && factors[i].numerator > 0;
        if (atom->depth > monomial.depth)
            monomial.depth = atom->depth;
    }
    return monomial;
}

int32_t
monomial_intern(struct expression_pool *pool, const struct factor *factors, size_t count)
{
    uint32_t hash = hash_factors(factors, count);
    int32_t known =
        table_find(&pool->monomial_table, hash, same_monomial, pool, &(struct monomial_key){factors, count});

    if (known >= 0)
        return known;
    if (table_reserve(pool->context, &pool->monomial_table) ||
        array_reserve(pool->context, &pool->factors, &pool->factor_capacity, pool->factor_count + count + 1,
                      sizeof *pool->factors) ||
        array_reserve(pool->context, &pool->monomials, &pool->monomial_capacity, pool->monomial_count + 1,
                      sizeof *pool->monomials))
        return MEMMODEL_ERROR_NO_MEMORY;
    pool->monomials[pool->monomial_count] = describe_monomial(pool, factors, count);
    if (count)
        memcpy(pool->factors + pool->factor_count, factors, count * sizeof *factors);
    pool->factor_count += count;
    table_put(&pool->monomial_table, hash, pool->monomial_count);
    return (int32_t)pool->monomial_count++;
}

/* ---- atoms ---- */

static bool
same_atom(const void *owner, int32_t id, const void *key)
{
    const struct atom *atom = &((const struct expression_pool *)owner)->atoms[id], *wanted = key;

    return atom->kind == wanted->kind && atom->arguments[0] == wanted->arguments[0] &&
           atom->arguments[1] == wanted->arguments[1] && atom->divisor == wanted->divisor;
}

static bool
is_whole(const struct atom *atom, const struct node *first, const struct node *second)
{
    if (atom->kind == ATOM_FLOOR || atom->kind == ATOM_EQUAL)
        return true;
    return !atom_is_transcendental(atom->kind) && first->whole && second->whole;
}

static int
describe_function(struct expression_pool *pool, struct atom *atom)
{
    const struct node *first = &pool->nodes[atom->arguments[0]], *second = &pool->nodes[atom->arguments[1]];

    atom->depth = 1 + (first->depth > second->depth ? first->depth : second->depth);
    if (atom->depth > DEPTH_LIMIT)
        return context_error(pool->context, MEMMODEL_ERROR_OVERFLOW, NULL, "functions are nested more than %d deep",
                             DEPTH_LIMIT);
    atom->degree = first->degree > second->degree ? first->degree : second->degree;
    if (atom_is_transcendental(atom->kind) || atom->kind == ATOM_EQUAL)
        atom->degree = 0;
    atom->whole = is_whole(atom, first, second);
    return 0;
}

/* Its index. A group has its value from its sum; any other atom gets its `self` afterwards. */
static int32_t
find_or_add_atom(struct expression_pool *pool, struct atom atom)
{
    uint32_t hash =
        hash_words((uint64_t)atom.kind,
                   (uint64_t[]){(uint64_t)atom.arguments[0], (uint64_t)atom.arguments[1], (uint64_t)atom.divisor}, 3);
    int32_t known = table_find(&pool->atom_table, hash, same_atom, pool, &atom);
    int status;

    if (known >= 0)
        return known;
    status = atom.kind == ATOM_SYMBOL ? 0 : describe_function(pool, &atom);
    if (status)
        return status;
    if (table_reserve(pool->context, &pool->atom_table) ||
        array_reserve(pool->context, &pool->atoms, &pool->atom_capacity, pool->atom_count + 1, sizeof *pool->atoms))
        return MEMMODEL_ERROR_NO_MEMORY;
    atom.self = atom.kind == ATOM_GROUP ? atom.arguments[0] : -1;
    pool->atoms[pool->atom_count] = atom;
    table_put(&pool->atom_table, hash, pool->atom_count);
    return (int32_t)pool->atom_count++;
}

expression
atom_intern(struct expression_pool *pool, enum atom_kind kind, int32_t first, int32_t second, int64_t divisor)
{
    struct atom new = {.kind = kind, .arguments = {first, second}, .divisor = divisor, .degree = 1, .whole = true};
    int32_t atom = find_or_add_atom(pool, new), monomial;

    if (atom < 0 || pool->atoms[atom].self >= 0)
        return atom < 0 ? atom : pool->atoms[atom].self;
    monomial = monomial_intern(pool, &(struct factor){atom, 1, 1}, 1);
    pool->atoms[atom].self = term_expression(pool, one, monomial);
    return pool->atoms[atom].self;
}

int32_t
atom_intern_group(struct expression_pool *pool, expression sum)
{
    return find_or_add_atom(pool, (struct atom){.kind = ATOM_GROUP, .arguments = {sum, sum}, .divisor = 1});
}
