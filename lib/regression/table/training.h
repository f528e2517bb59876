/* The rows of a table that a fit can use, checked. */
#ifndef REGRESSION_TRAINING_H
#define REGRESSION_TRAINING_H

#include "base/quantity.h"
#include "memmodel/model.h"
#include "regression/linear/matrix.h"
#include "regression/table/loss.h"

#include <stdint.h>

enum { TRAINING_MIN_ROWS = 4, TRAINING_MAX_INPUTS = 64 };

struct training {
    memmodel_context *context;
    const char *target;
    size_t input_count;
    const char *inputs[TRAINING_MAX_INPUTS]; /* names, owned by the table of samples */
    struct matrix columns;                   /* a column per input */
    double *measured, *weights;              /* per row; weights have mean 1 */
    size_t *points;                          /* of every row the number of its point, rows of equal inputs being one */
    size_t point_count;
};

/* Whether the options, with their defaults, ask for coefficients of any sign. */
static inline bool
fit_is_general(const struct memmodel_fit_options *options)
{
    return options->basis == MEMMODEL_FIT_BASIS_GENERAL || options->loss == MEMMODEL_FIT_LOSS_SQUARED;
}

/* Of every row of the table of samples. */
struct training_limits {
    const double *target; /* in place of the target's column */
    const bool *hidden;   /* rows that take no part */
};

/*
 * `limits` may be NULL. The rows come in an order that does not depend on the table's: by inputs, measurement and weight. `options` were
 * copied and have their defaults. Errors as memmodel_fit().
 */
int
training_read(const memmodel_samples *samples, const struct memmodel_fit_options *options,
              const struct training_limits *limits, struct workspace *workspace, struct training *table);

/* The loss of the options, its unit the mean size of what was measured. */
struct loss
training_loss(const struct training *table, const struct memmodel_fit_options *options);

/* Rows of column `input`: least and greatest value. */
void
training_range(const struct training *table, size_t input, double *least, double *most);

/* The same of what was measured. */
void
training_measured_range(const struct training *table, double *least, double *most);

/*
 * What is predicted unless asked: the last numeric column but for the weight and what `memmodel run --append` writes
 * besides the peak. NULL if there is none.
 */
const char *
training_last_column(const memmodel_samples *samples, const char *weight);

/* Names the columns of text that a fit skips, in the log. */
void
training_note_texts(const memmodel_samples *samples, const struct memmodel_fit_options *options,
                    memmodel_context *context);

/* The target's unit: the column's, or what the caller says that it is. NULL: not known. */
const struct byte_unit *
training_unit(const memmodel_samples *samples, const struct memmodel_fit_options *options, const char *target);

#endif
