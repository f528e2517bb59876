/*
 * Formulas that are products: of powers of the inputs, and of one or two small trees, or 1 more or less than a tree,
 * or e to its power. The logarithm of a product is a sum, so that one least squares fit weighs all trees at once,
 * however many powers stand beside them; the powers found are rounded to halves. To the product an input, or 1, may
 * be added.
 */
#ifndef SEARCH_PRODUCT_H
#define SEARCH_PRODUCT_H

#include "regression/search/archive.h"
#include "regression/search/library.h"

/* A column: the logarithm of the size of a small tree, or the tree itself where it is an exponent. */
struct product_factor {
    int32_t feature; /* of the library, or beyond its count of the monomials */
    uint8_t form;
};

struct products {
    const struct library *library;
    struct library monomials; /* squared lengths, products of inputs and their inverses */
    struct product_factor *factors;
    size_t count;
    struct matrix columns;                                /* of each factor */
    struct matrix powers;                                 /* the logarithm of each input's size */
    struct matrix vectors;                                /* what the columns are multiplied with, weighed */
    double *residuals_left, *gains, *first_rests, *norms; /* of each factor, as in a selection */
    double *alignments, *first_alignments;
    double *target, *weights, *residual, *weighted;
    struct qr qr;
    size_t inputs;
};

/* 0 or MEMMODEL_ERROR_NO_MEMORY. The library is kept, and of about its size. */
int
products_new(struct workspace *workspace, size_t rows, const double *const *inputs, size_t input_count,
             const struct structure *structure, const struct library *library, struct products *products);

/* Offers the archive the best products for the fitter's aim, and what numbers in them make of these. */
void
products_search(struct products *products, struct fitter *fitter, struct archive *archive);

#endif
