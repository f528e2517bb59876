/*
 * Numbers in formulas. A formula is a constant and a sum of trees, each with a coefficient; constant and coefficients
 * are found by linear least squares (linear scaling), the numbers in the trees by Levenberg's and Marquardt's method
 * on what linear least squares leave (variable projection: G. H. Golub, V. Pereyra, 1973; derivative as L. Kaufman's,
 * 1975). Jacobians are often deficient: numbers whose column hangs on the columns before it stay as they are.
 */
#ifndef SEARCH_LEVENBERG_H
#define SEARCH_LEVENBERG_H

#include "regression/search/tree.h"

enum { FORMULA_MAX_TREES = 4, FORMULA_MAX_NUMBERS = TREE_MAX_NUMBERS };

struct formula {
    size_t count; /* of trees */
    struct tree trees[FORMULA_MAX_TREES];
    size_t nodes; /* of the formula as a tree */
    double error; /* weighted sum of squares, or the aim's floor */
    double constant, coefficients[FORMULA_MAX_TREES];
};

/* What is to be explained: of every row the target and the root of its weight, 0 for rows that do not count. */
struct aim {
    const double *target, *sqrt_weights;
    size_t used;  /* rows that count */
    double floor; /* an error below counts as this */
};

struct fitter {
    struct tree_machine machine;
    struct matrix columns; /* of each tree on the rows, times the roots */
    struct matrix slopes;  /* of each number */
    struct qr linear, numbers;
    struct qr damped; /* the triangle of `numbers` above the damping of each */
    double *residual;
    const struct aim *aim;
    const struct structure *structure; /* that trees must have; NULL: any */
    size_t tried;                      /* formulas fitted so far */
    size_t max_tried;                  /* a search goes on while they are fewer */
};

struct fitter
fitter_new(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
           const struct structure *structure);

/* What every search asks before it tries one more formula, or a few. */
bool
fitter_may_go_on(const struct fitter *fitter);

/* Constant and coefficients, with the numbers as they are; false if a tree is not
 * allowed or has a pole in the domain, or trees cannot be distinguished. */
bool
formula_fit_linear(struct fitter *fitter, struct formula *formula);

/* The numbers too, in at most so many steps. */
bool
formula_fit(struct fitter *fitter, struct formula *formula, size_t steps);

size_t
formula_count_numbers(const struct formula *formula);

size_t
formula_count_nodes(const struct formula *formula);

/* Values on all rows. */
void
formula_values(struct fitter *fitter, const struct formula *formula, double *values);

/*
 * After formula_fit_linear(): of every row the share of it that its own measurement has in its prediction, numbers in
 * the trees counted as coefficients of their derivatives.
 */
void
formula_leverages(struct fitter *fitter, const struct formula *formula, double *leverages);

#endif
