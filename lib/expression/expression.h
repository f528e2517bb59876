/*
 * Symbolic expressions: exact, canonical, shared.
 *
 * Symbols stand for numbers that are not negative, so that sqrt(n ^ 2) = n, and inside floor for whole ones, so that
 * floor(n + 1/2) = n. An expression is a sum of terms; a term is a rational coefficient times powers of atoms; an
 * atom is a symbol or a function (floor, max, min, equal, log, exp, sin, cos, tanh) of expressions. Equal sums and
 * products built in one pool have equal handles, so equality is a comparison of two integers. Handles are made in
 * order: an expression is greater than all it is built from, so one pass over the pool evaluates everything. A negative
 * handle is an error that passes through every later call; the pool's context says what was wrong:
 * MEMMODEL_ERROR_NO_MEMORY; MEMMODEL_ERROR_OVERFLOW when a coefficient does not fit in 64 bits, or an expression is
 * larger than the limits in pool.h; MEMMODEL_ERROR_INVALID_ARGUMENT, for a division by zero too.
 */
#ifndef EXPRESSION_H
#define EXPRESSION_H

#include "base/context.h"
#include "base/text.h"

#include <stdint.h>

typedef int32_t expression;

struct expression_pool;

int
expression_pool_new(memmodel_context *context, struct expression_pool **pool);

void
expression_pool_free(struct expression_pool *pool);

/*
 * Operations on doubles. All give the same bits on every processor, for one row and for many;
 * doc/internals/evaluator.md says how far the functions but floor and root may be off. Of NaN neither sign nor payload
 * is promised.
 */
enum opcode {
    OPCODE_ADD,
    OPCODE_SUBTRACT,
    OPCODE_MULTIPLY,
    OPCODE_DIVIDE,
    OPCODE_MAX,      /* the other one if one is NaN; of equal ones the left */
    OPCODE_MIN,      /* the same */
    OPCODE_NOT_LESS, /* 1 if left >= right, else 0 */
    OPCODE_EQUAL,    /* 1 if left = right, else 0 */
    OPCODE_AT_LEAST, /* right if left < right, else left: NaN stays */
    OPCODE_AT_MOST,  /* right if left > right, else left */
    OPCODE_POWER,    /* left ^ right, as C's pow() */
    OPCODE_COPY,     /* left; so do all below with one operand */
    OPCODE_FLOOR,
    OPCODE_ROOT,
    OPCODE_CUBE_ROOT, /* left ^ (1/3): NaN below 0 */
    OPCODE_EXP,
    OPCODE_LOG,  /* natural */
    OPCODE_SIN,  /* of radians: NaN beyond 2^30 */
    OPCODE_COS,  /* the same */
    OPCODE_TANH, /* hyperbolic */
    OPCODE_OPERATIONS
};

/* ---- build ---- */

/* numerator / denominator; denominator > 0 */
expression
expression_rational(struct expression_pool *pool, int64_t numerator, int64_t denominator);

expression
expression_integer(struct expression_pool *pool, int64_t value);

/* The symbol of that name, new or known. Names are [A-Za-z_][A-Za-z0-9_.]*, else MEMMODEL_ERROR_INVALID_ARGUMENT. */
expression
expression_symbol(struct expression_pool *pool, const char *name);

expression
expression_add(struct expression_pool *pool, expression a, expression b);

expression
expression_subtract(struct expression_pool *pool, expression a, expression b);

expression
expression_multiply(struct expression_pool *pool, expression a, expression b);

/* a / b; a sum b is not divided out: its power -1 is an atom */
expression
expression_divide(struct expression_pool *pool, expression a, expression b);

/* a ^ (numerator / denominator): integer powers of sums are multiplied out up to 4, others stay atoms */
expression
expression_power(struct expression_pool *pool, expression a, int64_t numerator, int64_t denominator);

/*
 * floor(a / b) for b > 0, simplified: whole parts leave the floor (floor((n - 2) / 2) = floor(n / 2) - 1),
 * floor(floor(n / a) / b) = floor(n / (a b)), and what is known to be a multiple divides exactly.
 */
expression
expression_floor_divide(struct expression_pool *pool, expression a, int64_t b);

expression
expression_ceil_divide(struct expression_pool *pool, expression a, int64_t b);

expression
expression_max(struct expression_pool *pool, expression a, expression b);

expression
expression_min(struct expression_pool *pool, expression a, expression b);

/* 1 where a = b, else 0 */
expression
expression_equal(struct expression_pool *pool, expression a, expression b);

/* natural logarithm */
expression
expression_log(struct expression_pool *pool, expression a);

/* OPCODE_LOG, OPCODE_EXP, OPCODE_SIN, OPCODE_COS or OPCODE_TANH of it */
expression
expression_apply(struct expression_pool *pool, enum opcode function, expression a);

/*
 * The same expression in `to` (another pool, or the same), where each symbol of `names` is a multiple of `multiples`:
 * every floor that this makes exact goes away. count may be 0: then it is a plain copy. Names that `a` does not have
 * are ignored.
 */
expression
expression_copy_assuming(const struct expression_pool *from, expression a, struct expression_pool *to,
                         const char *const *names, const int64_t *multiples, size_t count);

/* ---- ask ---- */

/* true if `a` has more than one term */
bool
expression_is_sum(const struct expression_pool *pool, expression a);

/* true, and its value, if `a` is an integer constant */
bool
expression_is_integer(const struct expression_pool *pool, expression a, int64_t *value);

/* `a` over the coefficient of its first term, if the others have it but for their signs; else over 1. */
expression
expression_without_coefficient(struct expression_pool *pool, expression a, double *coefficient);

size_t
expression_symbol_count(const struct expression_pool *pool);

/* in the order in which they were first used */
const char *
expression_symbol_name(const struct expression_pool *pool, size_t symbol);

/* index of the symbol, or -1 */
ptrdiff_t
expression_find_symbol(const struct expression_pool *pool, const char *name);

/* true if `a` depends on the symbol of that index */
bool
expression_depends_on(const struct expression_pool *pool, expression a, size_t symbol);

/*
 * If `a` = `b` says that a symbol is a multiple of an m > 1, since all other terms are (such as 16 floor(n / 16) =
 * n): true, its index and m. Of several such symbols the one with the greatest m.
 */
bool
expression_implies_multiple(const struct expression_pool *pool, expression a, expression b, size_t *symbol,
                            int64_t *multiple);

/* number of handles; every e with 0 <= e < expression_count() is valid */
size_t
expression_count(const struct expression_pool *pool);

/* ---- evaluate ---- */

/*
 * values[e] for every expression e of the pool, exact integers. `symbols` has one value per symbol,
 * EXPRESSION_UNDEFINED if it has none. An expression that is no integer there, or overflows, or is a function of such
 * a one (except for floor, which takes fractions), is EXPRESSION_UNDEFINED; so is one that uses log, exp, sin, cos,
 * tanh or a root. Reads the pool only: any number of threads may do so at a time.
 */
#define EXPRESSION_UNDEFINED INT64_MIN

void
expression_evaluate_integers(const struct expression_pool *pool, const int64_t *symbols, int64_t *values);

/*
 * One expression in doubles, with the bits of expression_program_run(). Where it is undefined the result is what C's
 * operators and <math.h> make of it, infinite or NaN; NaN too when there is no memory.
 */
double
expression_evaluate(const struct expression_pool *pool, expression a, const double *symbols);

/* ---- print and read ---- */

enum expression_language { EXPRESSION_TEXT, EXPRESSION_C, EXPRESSION_PYTHON, EXPRESSION_LATEX, EXPRESSION_SQL };

/*
 * Sum in falling order of degree, such as 1291.125*batch*dim^3 + 22591428; the text form reads back as the same
 * handle. C and Python (with <math.h> and `import math`) compute in the order of expression_program_run(), so that
 * without log, exp, sin, cos, tanh and powers that are no whole number or square root they have its bits; those
 * functions are the language's own, and may differ in the last bits. A '.' in a name becomes '_'. SQL has names in
 * double quotes and approximate numbers. More than 2^20 characters are refused: `out` fails, with
 * MEMMODEL_ERROR_OVERFLOW on the context.
 */
void
expression_print(const struct expression_pool *pool, expression a, enum expression_language language, struct text *out);

/* A power of a function or a sum, such as 1/(x + z) in y/(x + z). */
struct expression_factor {
    int32_t atom; /* negative: none */
    int32_t numerator, denominator;
};

static const struct expression_factor no_factor = {.atom = -1};

static inline bool
factors_are_same(struct expression_factor a, struct expression_factor b)
{
    return a.atom == b.atom && a.numerator == b.numerator && a.denominator == b.denominator;
}

/* The first such factor that every term of `a` has, or none. */
struct expression_factor
expression_find_factor(const struct expression_pool *pool, expression a);

/* Every term without it. As text and LaTeX. */
void
expression_print_without(const struct expression_pool *pool, expression a, struct expression_factor factor,
                         enum expression_language language, struct text *out);

/* Without its exponent's sign; in LaTeX, where that is negative, as it stands alone below a line. */
void
expression_print_factor(const struct expression_pool *pool, struct expression_factor factor,
                        enum expression_language language, struct text *out);

/* In SQL, with each symbol moved into its limits. */
void
expression_print_limited(const struct expression_pool *pool, expression a, const double *min, const double *max,
                         struct text *out);

/*
 * Reads numbers, names, + - * / ^ ( ), floor, ceil, max, min, equal, log, exp, sin, cos, tanh, sqrt; an exponent is an
 * integer or a fraction in parentheses, as in n^(3/2). `name` is the object of its errors, all with line and column:
 * MEMMODEL_ERROR_PARSE (also beyond 65536 characters or 100 nested parentheses), MEMMODEL_ERROR_OVERFLOW,
 * MEMMODEL_ERROR_NO_MEMORY.
 */
expression
expression_parse(struct expression_pool *pool, const char *name, const char *text);

/* ---- bound ---- */

/*
 * An interval that holds every value of `a` when each symbol lies in [lower, upper]; infinite where there is no
 * bound. 0, MEMMODEL_ERROR_NO_MEMORY, or the error that `a` is.
 */
int
expression_bound(const struct expression_pool *pool, expression a, const double *lower, const double *upper,
                 double *min, double *max);

/* ---- programs: many points, no allocation ---- */

/* A compiled expression: evaluates without memory of its own. */
struct expression_program;

/*
 * roots: several expressions at once, sharing common parts. 0, the status of a root that is an error,
 * MEMMODEL_ERROR_NO_MEMORY, or MEMMODEL_ERROR_OVERFLOW if more than 1024 intermediate values are needed at a time.
 */
int
expression_compile(const struct expression_pool *pool, const expression *roots, size_t root_count,
                   struct expression_program **program);

/* A sum of coefficients[k] * terms[k], added in that order, and what becomes of it. */
struct expression_sum {
    const expression *terms;
    const double *coefficients;
    size_t count; /* above 0 */
    bool limited; /* symbols are moved into their limits before, and the value into its own behind */
    const double *symbols_min, *symbols_max;
    double min, max;
};

/* Its value: one result. As expression_compile(). */
int
expression_compile_sum(const struct expression_pool *pool, const struct expression_sum *sum,
                       struct expression_program **program);

void
expression_program_free(struct expression_program *program);

/* results[r]; symbols in the pool's order. Any thread. */
void
expression_program_run(const struct expression_program *program, const double *symbols, double *results);

/*
 * `points` rows: columns[s][i] is symbol s of row i, results[r][i]. The same bits as expression_program_run() row by
 * row. Columns may lie at any address where a double may; no result may lie upon a column or another result.
 */
void
expression_program_run_block(const struct expression_program *program, const double *const *columns, size_t points,
                             double *const *results);

/* Rows that lie otherwise. */
struct expression_rows {
    const double *const *columns;
    const ptrdiff_t *strides; /* doubles from a row of columns[s] to the next; NULL: 1 */
    double *const *results;
    const ptrdiff_t *result_strides; /* of results[r]; NULL: 1 */
    size_t points;
};

void
expression_program_run_rows(const struct expression_program *program, const struct expression_rows *rows);

/* Numbers from one to another, both included. */
struct expression_range {
    double min, max;
};

/* Room for expression_range() of a program, for one thread at a time. 0, MEMMODEL_ERROR_NO_MEMORY. */
struct expression_ranging;

int
expression_ranging_new(const struct expression_program *program, struct expression_ranging **ranging);

/* Before the program. */
void
expression_ranging_free(struct expression_ranging *ranging);

/*
 * What the program's one result may be where each symbol lies in [lower, upper], and its slope along one of them (any
 * other index: 0): the difference of two results by that of the symbol, the others fixed, infinite where there is no
 * bound. false where an operation may be undefined there, or overflow; both ranges may be wider than need be.
 */
bool
expression_range(struct expression_ranging *ranging, const double *lower, const double *upper, size_t symbol,
                 struct expression_range *value, struct expression_range *slope);

bool
expression_program_uses(const struct expression_program *program, size_t symbol);

/* operations of a run */
size_t
expression_program_size(const struct expression_program *program);

/* How a program is to be called where it is printed. */
struct expression_function {
    const char *name;
    const char *comment;        /* in which no comment of the language ends */
    const char *const *symbols; /* identifiers: the names of its parameters */
    size_t symbol_count;
};

/*
 * The program's one result as a file in C (a header of C99) or Python with a function that computes the same bits, NaN
 * and infinite ones too, and needs nothing but the language's own library.
 */
void
expression_program_print(const struct expression_program *program, enum expression_language language,
                         const struct expression_function *function, struct text *out);

#endif
