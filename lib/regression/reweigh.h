/*
 * The coefficients that make any loss small: iteratively reweighted least squares, by weights that make the gradient of least
 * squares that of the loss; of linear losses of a sum the corner that is best.
 */
#ifndef REGRESSION_REWEIGH_H
#define REGRESSION_REWEIGH_H

#include "regression/corner.h"
#include "regression/leave_one_out.h"
#include "regression/loss.h"
#include "regression/model.h"

/* Least squares of `right_side` on `columns`, whose rows were multiplied by `roots`: sums of terms are columns / roots. */
struct reweigh_problem {
    const struct loss *loss;
    size_t rows, count;
    const double *const *columns;
    const double *right_side, *roots;
    const double *measured, *weights;      /* of the rows; a sample's weight */
    const struct model_response *response; /* how a sum becomes a prediction; NULL: it is one */
    bool positive;                         /* coefficients are not below 0 */
};

struct reweighing {
    struct qr qr;
    struct nnls nnls;
    struct matrix scaled;
    double *right_side, *predictions;
    unsigned char *left_out; /* rows that do not count */
    struct corner corner;
    double *above, *below; /* prices of errors of linear losses */
};

/* Room for so many rows and columns. A failed one may be released. */
int
reweighing_new(memmodel_context *context, size_t rows, size_t columns, struct reweighing *work);

void
reweighing_release(memmodel_context *context, struct reweighing *work);

/*
 * Of linear losses of a sum of terms the best coefficients there are. Else at most 60 steps from the least squares solution on;
 * the best coefficients that were met are the result, so that no step makes it worse. A column that depends on others gets 0.
 * Returns the mean loss.
 */
double
reweigh_fit(struct reweighing *work, const struct reweigh_problem *problem, double *coefficients);

/*
 * predictions[i] of each row by a fit without the rows of its part, row i being in part parts[i] % part_count (NULL: i %
 * part_count). All of it is done again: weights that were found with a row in view know it.
 */
void
reweigh_leave_out(struct reweighing *work, const struct reweigh_problem *problem, const size_t *parts,
                  size_t part_count, double *predictions);

#endif
