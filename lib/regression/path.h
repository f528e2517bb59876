/* Selection: the column that explains most of what is left, again and again, and without those that became vain. */
#ifndef REGRESSION_PATH_H
#define REGRESSION_PATH_H

#include "regression/linear_algebra.h"

#include <stdint.h>

enum { PATH_MOST = 31 }; /* columns of a path, the constant not counted */

/* Columns, and the squared error that they leave. */
struct path_step {
    double rest;
    uint16_t chosen[PATH_MOST];
};

/*
 * Least squares of the right side on a constant and the columns chosen so far. All columns are centred and of norm 1;
 * what they were is means and norms. Rows are multiplied by the roots of their weights.
 */
struct path {
    struct matrix columns;
    double *roots;         /* of every row: root of its weight */
    double *means, *norms; /* of every column before it was centred and scaled; norm 0: it is constant, not chosen */
    double mean;           /* of the right side */
    double *centred;       /* the right side less its mean */
    double *alignments,
        *rests;               /* of every column: product with the right side, squared norm, both less what is chosen */
    double *first_alignments; /* before the first column is chosen */
    double *shares;           /* of every column in the direction at hand */
    bool *refused;
    const unsigned *sizes;    /* of every column: symbols of its formula */
    const signed char *signs; /* 1 or -1: that its coefficient must have; NULL: any */
    const uint16_t *groups;   /* 0: none; of two others columns of one are chosen only. NULL: none */
    uint16_t group;           /* of the chosen columns */
    size_t library;           /* columns before this one may be chosen */
    double *residuals, *leverages;
    struct qr qr;
    size_t count;
    uint16_t chosen[PATH_MOST];
    struct path_step best[PATH_MOST + 1]; /* of so many columns, 0 to `longest` */
    size_t longest;
};

/* Room for so many rows and columns. A failed path may be released. */
int
path_new(memmodel_context *context, size_t rows, size_t columns, const unsigned *sizes, struct path *path);

void
path_release(memmodel_context *context, struct path *path);

/*
 * Takes the rows that are in path->columns, with their roots and a right side that is multiplied by them: centres and
 * scales the columns. The first column, the constant, is never chosen. path->columns.rows may have been lowered.
 */
void
path_set(struct path *path, const double *right_side);

/* Back to the constant alone; columns 1 to library - 1 may be chosen from now on. */
void
path_begin(struct path *path, size_t library);

/*
 * Goes on to columns that are the best of their number so far, which path->count tells: leaves the one out that is worth
 * least, if the others then are; else chooses one more, up to `most`: of those that still differ from the chosen ones,
 * the one with the greatest gain that does not lift the leverage of a row above 0.95; of equal gains the shorter term,
 * then the earlier. false if there is nothing to go on to.
 */
bool
path_step(struct path *path, size_t most);

/* Back to the best columns of that number, at most path->longest; it cannot be gone on from there. */
void
path_recall(struct path *path, size_t count);

/*
 * Takes columns `first` to `end` - 1 in their order, but for those that depend on the ones before; false, and what was
 * taken is of no use, if a row is left to be described by a coefficient of its own.
 */
bool
path_take(struct path *path, size_t first, size_t end);

/* coefficients[i] of column chosen[i] as it was before path_set(); returns the constant. */
double
path_solve(const struct path *path, double *coefficients);

#endif
