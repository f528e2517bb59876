/* The terms that a fit chooses from. */
#ifndef REGRESSION_BASIS_H
#define REGRESSION_BASIS_H

#include "regression/basis/terms.h"

/*
 * Terms of `options` for these rows: the constant, the given ones, then those of three nested libraries. Of positive
 * terms and under relative errors: products of whole powers; hinges at values of these; and terms on one side of a
 * change point. Else: the inputs; curves and hinges of one; products of two. columns[j][i] = sqrt(weight i) term j at
 * row i, divided by measurement i where rows are relative, scaled; least squares of `response` on them are those of
 * the weighted errors. The pool is released by its owner.
 */
int
basis_new(struct workspace *workspace, const struct training *table, const struct memmodel_fit_options *options,
          const struct structure *structure, struct basis *basis);

#endif
