/* The terms that a fit chooses from, and their values on the rows it is fitted to. */
#ifndef REGRESSION_TERMS_H
#define REGRESSION_TERMS_H

#include "expression/expression.h"
#include "regression/linear/decimal.h"
#include "regression/prove/structure.h"

enum { BASIS_MAX_TERMS = 4096, BASIS_LIBRARIES = 3, BASIS_MAX_VALUES = 1 << 22 /* rows times terms: 32 MB */ };
enum {
    BASIS_APPENDED = 3,
    BASIS_MAX_APPENDED = BASIS_APPENDED + 64 /* of regimes, and of a search of trees besides */
};

struct basis {
    struct workspace *workspace;  /* its status is that of the basis while terms are added */
    struct expression_pool *pool; /* symbol i is input i */
    size_t count, capacity;       /* of terms; term 0 is the constant 1 */
    expression *terms;
    unsigned *sizes;    /* symbols of each term */
    signed char *signs; /* that the coefficient must have, enum sign */
    uint16_t *groups;   /* 0: none; of two other groups a formula has terms of one only */
    const struct structure *structure;
    uint16_t group;               /* of the terms that are added now */
    bool given;                   /* they are the caller's */
    size_t given_end;             /* terms 0 to given_end - 1 are the constant and the caller's */
    size_t ends[BASIS_LIBRARIES]; /* terms 0 to ends[i] - 1 are library i; each holds the one before */
    bool positive;                /* whether coefficients must be */
    bool relative;                /* whether rows are divided by what they measure */
    int *exponents;               /* column j of `columns` was divided by 2^exponents[j] */
    struct matrix columns;
    double *sqrt_weights, *response; /* of every row: what its terms were multiplied by, and what their sum is to be */
};

/*
 * One more term, unless it is there already, there is no room, or the structure does not allow it. A term that is an
 * error, or an error of its proofs, becomes the workspace's status; then nothing is added any more.
 */
void
basis_add_term(struct basis *basis, expression term, unsigned size);

enum { TERM_KNOTS = 7 };

/* Where hinges of numbers in rising order may lie: at quantiles, of few digits. */
void
term_knots(const double *sorted, size_t count, double knots[TERM_KNOTS]);

/* max(0, term - knot) */
expression
term_hinge(struct expression_pool *pool, expression term, struct rational knot);

/* Values of expressions in the inputs on all rows of the table. */
int
terms_evaluate(const struct expression_pool *pool, const expression *terms, size_t count, const struct training *table,
               double **values);

/* Room for so many given terms, those of the libraries, and those that are appended. 0 or MEMMODEL_ERROR_NO_MEMORY. */
int
basis_allocate(struct basis *basis, const struct training *table, size_t given, size_t appended);

/*
 * Columns of all terms, once `sqrt_weights` are known. Terms that overflow somewhere are dropped; of the given ones
 * that is an error.
 */
int
basis_fill_columns(struct basis *basis, const struct training *table);

/*
 * One more term and its column, behind the libraries, once the basis is complete; `index` is its place, which may be
 * an earlier one's. 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_OVERFLOW.
 */
int
basis_append(struct basis *basis, const struct training *table, expression term, unsigned size, size_t *index);

/* Size as a tree of a sum of these terms with their coefficients; column 0 is the constant. */
unsigned
basis_sum_nodes(const struct basis *basis, const uint16_t *columns, size_t count);

#endif
