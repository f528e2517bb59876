/* Noise of measurements, from rows that were measured at one point ("pure error"). */
#ifndef REGRESSION_NOISE_H
#define REGRESSION_NOISE_H

#include "regression/model/model.h"
#include "regression/table/training.h"

/* Of a row of weight 1, relative to the point's mean or in the target's unit, into the scores; nothing without repeats. */
void
noise_measure(const struct training *table, bool relative, struct memmodel_model_scores *scores);

/* Logs it if rows left out are predicted much worse than repeated measurements predict each other. */
void
noise_compare(const struct training *table, bool relative, const struct memmodel_model_scores *scores,
              double left_out_error);

#endif
