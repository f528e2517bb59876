/*
 * How unsure a prediction outside the training data is. A term that the data did not need may still grow where there are
 * none. So all simple terms are taken for possible that grow no faster than what was found: of term j nothing is known beforehand but that its share of the
 * target is about 1 at most on any row (a normal distribution of standard deviation 1 / greatest share), and the rows say the
 * rest. The leverage of that regression is what the data leave open. It is defined for fewer rows than terms too.
 *
 * A formula that is taken at the nearest point inside does not go on at all. What the target does from there on, the plane
 * through the inputs says, as well as anything can.
 */
#ifndef REGRESSION_WIDEN_H
#define REGRESSION_WIDEN_H

#include "regression/basis.h"
#include "regression/model.h"

/* Columns that a formula has or might have had. */
struct wide_list {
    size_t count;
    size_t columns[MODEL_MOST_WIDE_TERMS];
};

void
widen_add(struct wide_list *list, size_t column);

/*
 * Adds to `list` the simple terms of a posynomial basis, from the shortest on, that from `point` to twice its numbers become no
 * more than `slack` times as great with any input as those of `found` or the input itself do. 0, MEMMODEL_ERROR_NO_MEMORY, or the
 * error of a term.
 */
int
widen_add_simple(struct wide_list *list, const struct wide_list *found, double slack, memmodel_context *context,
                 const struct basis *basis, const double *point, size_t inputs);

/* The rows of the basis, as leverage and plane need them. */
struct wide_rows {
    const double *roots;    /* factors; NULL: the columns have them */
    const double *measured; /* what a plane is laid through; NULL: none is */
    double error;           /* of a prediction, as a share of what the terms may be */
    double *leverages;      /* of every row, to be filled in, then the triangle keeps all digits; NULL: nobody asks */
};

/*
 * Keeps the columns of the list in `wide`, which is the model's, with the leverage of them all; after the bound is filled. 0,
 * MEMMODEL_ERROR_NO_MEMORY, or the error of a term.
 */
int
widen_fill(memmodel_model *model, struct model_wide *wide, const struct basis *basis, const struct wide_list *list,
           const struct wide_rows *rows);

#endif
