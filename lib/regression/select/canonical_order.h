/*
 * The order inside of a term depends on which of its parts a pool met first; a file's reader meets them as they are
 * written.
 */
#ifndef REGRESSION_CANONICAL_ORDER_H
#define REGRESSION_CANONICAL_ORDER_H

#include "regression/model/model.h"

/*
 * Gives the model, before it is compiled, the terms that the reader of its file will have: what is written again from
 * them is the same text. 0, MEMMODEL_ERROR_NO_MEMORY; MEMMODEL_ERROR_DATA if no order is found that stays.
 */
int
model_put_in_canonical_order(memmodel_model *model);

#endif
