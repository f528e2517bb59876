/*
 * Which few columns of a library explain the right side best, all with positive coefficients.
 *
 * The non-negative least squares solution of any set of columns is the plain least squares solution of the columns it
 * leaves above 0. So the best subset under the sign constraint is the best among the subsets whose plain solution is
 * positive, and only these are listed.
 */
#ifndef REGRESSION_SUBSET_H
#define REGRESSION_SUBSET_H

#include "regression/linear_algebra.h"

#include <stdint.h>

enum {
    SUBSET_TERMS = 8, /* largest number of columns besides the constant */
    SUBSET_KEPT = 16, /* subsets of one kind and size that are listed */
};

/* Columns in rising order; column 0 is the constant. */
struct subset {
    size_t count;
    uint16_t columns[SUBSET_TERMS + 1];
    double error; /* squared norm of the residual */
};

/* The best of one kind and size, best first. */
struct subset_bin {
    size_t count;
    struct subset subsets[SUBSET_KEPT];
};

/*
 * Plain subsets (see subset_library) apart from the others, so that a hundred near-equal curious ones do not hide them.
 */
struct shortlist {
    struct subset_bin bins[2][SUBSET_TERMS + 1]; /* by plainness, by number of columns besides the constant */
};

struct subset_library {
    const struct matrix *columns; /* at most 65536; column 0 is the constant */
    const double *right_side;
    const bool *plain;      /* for every column: is it one of the simple ones */
    size_t max_terms;       /* besides the constant, at most SUBSET_TERMS */
    const uint16_t *groups; /* of every column; a subset has columns of one group besides 0. NULL: all are of group 0 */
    size_t shares;          /* of the usual work that this search has one of; 0: all of it */
};

/*
 * Lists the best subsets: of all subsets where these are few enough to be tried, else of those that a beam search
 * meets, which extends the listed subsets of one size to the next. The same for the same input, always. 0 or
 * MEMMODEL_ERROR_NO_MEMORY.
 */
int
subset_search(memmodel_context *context, const struct subset_library *library, struct shortlist *shortlist);

/* Whether the sum of these columns is 0 at a row, whatever its coefficients. */
bool
subset_is_zero_somewhere(const struct matrix *columns, const struct subset *subset);

#endif
