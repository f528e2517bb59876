/* The rows that a search sees, and what a sum of columns says of them. */
#ifndef REGRESSION_ROWS_H
#define REGRESSION_ROWS_H

#include "regression/basis/basis.h"
#include "regression/linear/left_out.h"
#include "regression/linear/irls.h"
#include "regression/select/support.h"

enum { ROWS_MAX_FOLDS = 10 };

struct rows {
    const struct training *table;
    const struct basis *basis;
    const struct loss *loss;
    struct matrix columns;           /* of the basis */
    double *response, *sqrt_weights; /* what the columns' sum is to be, and what prediction times which it is */
    double *measured, *weights;      /* of them */
    size_t *points;                  /* of each its number among those that are seen */
    size_t *indices;                 /* of each its number among all rows; behind them are those that are not seen */
    size_t point_count;
    struct qr qr;
    struct irls irls; /* of other losses than squares */
};

/* Room for all rows of the table. */
struct rows
rows_new(struct workspace *workspace, const struct training *table, const struct basis *basis, const struct loss *loss);

/* folds[i]: the fold of row i. All rows that are not in the fold are seen; ROWS_MAX_FOLDS: all rows. */
void
rows_take(struct rows *rows, const unsigned char *folds, unsigned fold);

/* The coefficients by the loss, and the mean loss with them; infinite where there is no such sum. */
double
rows_fit(struct rows *rows, const struct support *support, double *coefficients);

/* predictions[i]: of seen row i by a fit without its point; false if a point is all that determines a coefficient. */
bool
rows_leave_out(struct rows *rows, const struct support *support, double *predictions);

/* Of row `row` of the table. */
double
rows_predict(const struct rows *rows, const struct support *support, const double *coefficients, size_t row);

/* Rows that a fit does not explain count less in a search, as in Huber's estimate; 1: as much as all. */
void
rows_weigh(struct rows *rows, size_t row, double factor);

#endif
