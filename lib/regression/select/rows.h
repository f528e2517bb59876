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

/* All rows where they lie, in the table and the basis: terms that are appended to it are seen, too. */
struct rows
rows_all(struct workspace *workspace, const struct training *table, const struct basis *basis, const struct loss *loss);

/* Room for a part of them, and for the first columns of the basis. */
struct rows
rows_new(struct workspace *workspace, const struct training *table, const struct basis *basis, const struct loss *loss,
         size_t columns);

/* labels[i]: a number of row i. Those that have it are seen, or those that do not. */
void
rows_take(struct rows *rows, const unsigned char *labels, unsigned label, bool having);

/* The coefficients by the loss, and the mean loss with them; infinite where there is no such sum. */
double
rows_fit(struct rows *rows, const struct support *support, double *coefficients);

/* Coefficients of columns in any order by that loss, not below 0 where terms are positive; the mean loss. */
double
rows_solve(struct rows *rows, const struct loss *loss, const uint16_t *columns, size_t count, double *coefficients);

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
