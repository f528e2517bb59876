/* The pool: symbols, atoms, monomials and expressions, each stored once. */
#include "expression/pool.h"

#include <string.h>

static const struct rational one = {1, 1};

int
expression_pool_new(memmodel_context *context, struct expression_pool **pool)
{
    struct expression_pool *new = memory_allocate_zeroed(context, 1, sizeof *new);

    if (!new)
        return MEMMODEL_ERROR_NOMEM;
    new->context = memmodel_context_ref(context);
    new->names_arena = ARENA_INIT(context);
    new->depends_words = 1;
    if (monomial_intern(new, NULL, 0) < 0) {
        expression_pool_free(new);
        return MEMMODEL_ERROR_NOMEM;
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

/* A row for every node that there is room for, wide enough for `symbols`. */
static int
widen_rows(struct expression_pool *pool, size_t symbols)
{
    size_t words = pool->depends_words, wider = words * 2;
    uint64_t *rows;

    if (symbols <= words * 64)
        return 0;
    rows = memory_allocate_zeroed(pool->context, (pool->node_count + 1) * wider, sizeof *rows);
    if (!rows)
        return MEMMODEL_ERROR_NOMEM;
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

/* Always one more than is needed, here and for factors: then there is an array to point into, though with nothing in it. */
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
        return MEMMODEL_ERROR_NOMEM;
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
        return MEMMODEL_ERROR_NOMEM;
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
    return atom->kind == ATOM_FLOOR || (atom->kind != ATOM_LOG && first->whole && second->whole);
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
    if (atom->kind == ATOM_LOG)
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
        return MEMMODEL_ERROR_NOMEM;
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

expression
term_expression(struct expression_pool *pool, struct rational coefficient, int32_t monomial)
{
    if (monomial < 0)
        return monomial;
    return node_intern(pool, &(struct term){coefficient, monomial}, coefficient.numerator != 0);
}

/* ---- symbols ---- */

static bool
same_name(const void *owner, int32_t id, const void *key)
{
    return strcmp(((const struct expression_pool *)owner)->names[id], key) == 0;
}

static bool
is_name(const char *name)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", later[] = "0123456789.";

    if (!*name || !strchr(first, *name))
        return false;
    for (name++; *name; name++)
        if (!strchr(first, *name) && !strchr(later, *name))
            return false;
    return true;
}

/* The index of a new symbol. */
static int
add_name(struct expression_pool *pool, const char *name)
{
    const char *copy;

    if (!is_name(name))
        return context_error(pool->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "\"%.64s\" is no name of a symbol: letters, digits, '_' and '.', a letter first", name);
    if (pool->name_count == SYMBOL_LIMIT)
        return context_error(pool->context, MEMMODEL_ERROR_OVERFLOW, NULL, "more than %d symbols", SYMBOL_LIMIT);
    if (table_reserve(pool->context, &pool->name_table) || widen_rows(pool, pool->name_count + 1) ||
        array_reserve(pool->context, &pool->names, &pool->name_capacity, pool->name_count + 1, sizeof *pool->names))
        return MEMMODEL_ERROR_NOMEM;
    copy = arena_copy_text(&pool->names_arena, name);
    if (!copy)
        return MEMMODEL_ERROR_NOMEM;
    pool->names[pool->name_count] = copy;
    table_put(&pool->name_table, hash_text(name), pool->name_count);
    return (int)pool->name_count++;
}

expression
expression_symbol(struct expression_pool *pool, const char *name)
{
    int32_t index = (int32_t)expression_find_symbol(pool, name);

    if (index < 0)
        index = add_name(pool, name);
    return index < 0 ? index : atom_intern(pool, ATOM_SYMBOL, index, 0, 1);
}

size_t
expression_symbol_count(const struct expression_pool *pool)
{
    return pool->name_count;
}

const char *
expression_symbol_name(const struct expression_pool *pool, size_t symbol)
{
    return pool->names[symbol];
}

ptrdiff_t
expression_find_symbol(const struct expression_pool *pool, const char *name)
{
    return table_find(&pool->name_table, hash_text(name), same_name, pool, name);
}
