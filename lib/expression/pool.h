/*
 * The pool from the inside. Everything in it is stored once and never changes, so equality is equality of indices:
 *
 *   expression  a sum of terms in the order in which they are printed, no two with the same monomial
 *   term        a coefficient times a monomial
 *   monomial    a product of factors in the order of their atoms; monomial 0 has none and stands for 1
 *   factor      an atom to a rational power
 *   atom        a symbol, a function of expressions, or a group: a sum not multiplied out, such as in 1 / (n + 1)
 *
 * Building may move the pool's arrays: keep indices or copies across a call that builds, never pointers.
 */
#ifndef EXPRESSION_POOL_H
#define EXPRESSION_POOL_H

#include "base/arena.h"
#include "expression/expression.h"
#include "expression/rational.h"
#include "expression/table.h"

enum {
    FACTOR_LIMIT = 64,        /* factors of a monomial */
    EXPONENT_LIMIT = 1 << 20, /* numerator and denominator of an exponent */
    PRODUCT_LIMIT = 4096,     /* terms that are multiplied out */
    TERM_LIMIT = 1 << 23,     /* terms of a pool: 200 MB */
    SYMBOL_LIMIT = 4096,      /* symbols of a pool */
    DEPTH_LIMIT = 100,        /* functions inside functions; what walks an expression recurses as deep */
    EXPANDED_POWER = 4,       /* highest power of a sum that is multiplied out */
};

enum atom_kind {
    ATOM_SYMBOL,
    ATOM_FLOOR,
    ATOM_MAX,
    ATOM_MIN,
    ATOM_EQUAL,
    ATOM_LOG,
    ATOM_EXP,
    ATOM_SIN,
    ATOM_COS,
    ATOM_TANH,
    ATOM_GROUP
};

/* Functions of one number that no whole number remains whole under. */
static inline bool
atom_is_transcendental(enum atom_kind kind)
{
    return kind >= ATOM_LOG && kind <= ATOM_TANH;
}

/*
 * arguments: expressions, or of a symbol its index. A floor is of arguments[0] / divisor, whose coefficients are
 * whole: one division of exact integers then makes floor exact in doubles too. `self` has the atom's value: of a
 * group its sum.
 */
struct atom {
    enum atom_kind kind;
    int32_t arguments[2];
    int64_t divisor;
    expression self;
    int32_t depth;
    double degree;
    bool whole; /* an integer when symbols are */
};

struct factor {
    int32_t atom;
    int32_t numerator, denominator;
};

struct monomial {
    uint32_t first, count;
    int32_t depth;
    bool whole;
    double degree;
};

struct term {
    struct rational coefficient;
    int32_t monomial;
};

struct node {
    uint32_t first, count;
    int32_t atom; /* of which this is the plain expression, or -1 */
    int32_t depth;
    double degree;
    bool whole;
};

struct expression_pool {
    memmodel_context *context;
    struct arena names_arena;
    const char **names;
    struct atom *atoms;
    struct factor *factors;
    struct monomial *monomials;
    struct term *terms;
    struct node *nodes;
    size_t name_count, atom_count, factor_count, monomial_count, term_count, node_count;
    size_t name_capacity, atom_capacity, factor_capacity, monomial_capacity, term_capacity, node_capacity;
    /* one row of bits per node, one bit per symbol that it depends on */
    uint64_t *depends;
    size_t depends_words, depends_capacity;
    struct table name_table, atom_table, monomial_table, node_table;
};

#define POOL_OVERFLOW(pool)                                                                                            \
    context_error((pool)->context, MEMMODEL_ERROR_OVERFLOW, NULL, "a number in an expression does not fit in 64 bits")

/* Makes room to note of each expression which of that many symbols it depends on; 0, MEMMODEL_ERROR_NO_MEMORY. */
int
pool_widen_rows(struct expression_pool *pool, size_t symbols);

/* The expression of that atom, new or known. */
expression
atom_intern(struct expression_pool *pool, enum atom_kind kind, int32_t first, int32_t second, int64_t divisor);

/* What computes an atom that is transcendental. */
enum opcode
atom_opcode(enum atom_kind kind);

/* The index of a group's atom: it has no expression of its own. Negative: an error. */
int32_t
atom_intern_group(struct expression_pool *pool, expression sum);

/* Factors in order, without zero exponents. Negative: an error. */
int32_t
monomial_intern(struct expression_pool *pool, const struct factor *factors, size_t count);

/* Terms in order, without zeros. */
expression
node_intern(struct expression_pool *pool, const struct term *terms, size_t count);

/* ---- monomials (monomial.c) ---- */

/* < 0 if `a` is printed first: falling degree, then falling power of the first atom that differs. */
int
monomial_compare(const struct expression_pool *pool, int32_t a, int32_t b);

/*
 * a * b. Groups whose powers add up to one that is to be worked out again (as expression_power() does) are left out of
 * the product and listed in `again`.
 */
struct product {
    struct factor factors[FACTOR_LIMIT], again[FACTOR_LIMIT];
    size_t count, again_count;
};

int
monomial_multiply(struct expression_pool *pool, int32_t a, int32_t b, struct product *product);

/* numerator / denominator into the factor's exponent, in lowest terms; 0, MEMMODEL_ERROR_OVERFLOW. */
int
factor_set_exponent(struct expression_pool *pool, struct factor *factor, int64_t numerator, int64_t denominator);

/* ---- sums under construction (sum.c) ---- */

/* A failed step is remembered; sum_finish() returns it. */
struct sum {
    struct expression_pool *pool;
    struct term *terms;
    size_t count, capacity;
    int status;
    struct term few[12];
};

void
sum_start(struct sum *sum, struct expression_pool *pool);

void
sum_add_term(struct sum *sum, struct rational coefficient, int32_t monomial);

/* coefficient * a; an error handle is remembered too */
void
sum_add(struct sum *sum, struct rational coefficient, expression a);

/* The sum as an expression. Its memory is released, also on error. */
expression
sum_finish(struct sum *sum);

/* Forgets the sum; returns its status. */
int
sum_discard(struct sum *sum);

/* ---- helpers of several files ---- */

expression
term_expression(struct expression_pool *pool, struct rational coefficient, int32_t monomial);

/* coefficient * a */
expression
expression_scale(struct expression_pool *pool, expression a, struct rational coefficient);

/* true, and its value, if `a` is a constant */
bool
expression_is_constant(const struct expression_pool *pool, expression a, struct rational *value);

/* Least positive number that makes every coefficient whole; false if it does not fit. */
bool
expression_denominator(const struct expression_pool *pool, expression a, int64_t *denominator);

/* What is known of symbols: multiples[s] of symbol s, 1 if nothing; NULL if nothing of any. */
struct assumption {
    const int64_t *multiples;
    size_t count;
};

/* floor(a), simplified; a may have fractional coefficients */
expression
expression_floor_assuming(struct expression_pool *pool, expression a, const struct assumption *assumption);

/*
 * How a power is computed, the same in programs and in what is printed: of exponents up to 8 in size with a denominator
 * up to 4 the whole part by repeated multiplication (or division), then its fraction by roots; any other by pow().
 */
enum power_kind { POWER_WHOLE, POWER_ROOT, POWER_CUBE_ROOT, POWER_FOURTH_ROOT, POWER_GENERAL };

/* The factor's atom, or a root of it, `count` times. */
struct power_part {
    enum power_kind kind;
    int32_t count;
};

enum { POWER_PARTS = 3 };

/* The parts of a factor, without the sign of its exponent; returns how many. */
size_t
factor_parts(const struct factor *factor, struct power_part parts[POWER_PARTS]);

/* Sets bit 0 of marks[e] for everything that those e <= last with a mark are computed from. */
void
expression_mark(const struct expression_pool *pool, expression last, unsigned char *marks);

static inline const struct term *
node_terms(const struct expression_pool *pool, expression a)
{
    return pool->terms + pool->nodes[a].first;
}

static inline const struct factor *
monomial_factors(const struct expression_pool *pool, int32_t monomial)
{
    return pool->factors + pool->monomials[monomial].first;
}

#endif
