/* The terms that a fit chooses from, and their values on the rows it is fitted to. */
#ifndef REGRESSION_BASIS_H
#define REGRESSION_BASIS_H

#include "expression/expression.h"
#include "regression/structure.h"

enum { BASIS_MOST_TERMS = 4096, BASIS_LIBRARIES = 3 };

struct basis {
    struct expression_pool *pool; /* symbol i is input i */
    size_t count, capacity;       /* of terms; term 0 is the constant 1 */
    expression *terms;
    unsigned *sizes;    /* symbols of each term */
    bool *plain;        /* whole powers and given terms */
    signed char *signs; /* that the coefficient must have, enum sign */
    uint16_t *groups;   /* 0: none; of two other groups a formula has terms of one only */
    const struct structure *structure;
    uint16_t group; /* of the terms that are added now */
    bool given;     /* they are the caller's */
    size_t
        ends[BASIS_LIBRARIES]; /* terms 0 to ends[i] - 1 are library i of a general basis; each holds the one before */
    size_t first_input;        /* of a general basis: term of the first input; they end where library 0 does */
    bool relative;             /* whether rows are divided by what they measure */
    int *exponents;            /* column j of `columns` was divided by 2^exponents[j] */
    struct matrix columns;
    double *right_side;
};

/*
 * Terms of `options` for these rows: the constant, the given ones, then products of one power or logarithm of each
 * input. columns[j][i] = sqrt(weight i) term j at row i / measurement i, scaled; right_side[i] = sqrt(weight i): least
 * squares on them are least squares of weighted relative errors. Under another loss columns[j][i] is term j at row i,
 * scaled, and right_side means nothing. A failed basis may be released.
 */
int
basis_new(const struct training *training, const struct memmodel_fit_options *options,
          const struct structure *structure, struct basis *basis);

/*
 * One more term, unless it is there already, there is no room, or the structure does not allow it. A term that is an error
 * is returned.
 */
int
basis_add_term(struct basis *basis, expression term, unsigned size, bool plain);

/*
 * One more term and its column, behind the libraries, once the basis is complete; `index` is its place, which may be an earlier
 * one's. 0, MEMMODEL_ERROR_NO_MEMORY, MEMMODEL_ERROR_OVERFLOW.
 */
int
basis_append(struct basis *basis, const struct training *training, expression term, unsigned size, size_t *index);

/* Size as a tree of a sum of these terms with their coefficients; column 0 is the constant. */
unsigned
basis_sum_nodes(const struct basis *basis, const uint16_t *columns, size_t count);

void
basis_release(memmodel_context *context, struct basis *basis);

#endif
