/* Reading and writing the parts of a model's file (model_json.c). Reading: 0, or a status with line and column. */
#ifndef REGRESSION_MODEL_FILE_H
#define REGRESSION_MODEL_FILE_H

#include "base/json.h"
#include "regression/model/model.h"

/* MEMMODEL_ERROR_PARSE at this value. */
int
model_file_wrong(const struct json_document *document, const json_t *value, const char *message);

/* A member that is a finite number, and not below `least`. */
int
model_file_number(const struct json_document *document, const json_t *object, const char *key, double least,
                  double *number);

/* A member that is an object with none but these keys. */
int
model_file_object(const struct json_document *document, const json_t *object, const char *key, const char *const *keys,
                  const json_t **member);

/* A member from 1 to MODEL_MAX_DOF. */
int
model_file_count(const struct json_document *document, const json_t *object, const char *key, int64_t *count);

/* An array of objects or arrays with 1 to `most` items. */
int
model_file_list(const struct json_document *document, const json_t *object, const char *key, size_t most,
                const json_t **array);

/* All of an array's items, finite. */
int
model_file_numbers(const struct json_document *document, const json_t *array, double *numbers);

/* A text that is a formula in the model's inputs. */
int
model_file_term(const struct json_document *document, const json_t *item, memmodel_model *model, expression *term);

/* The member "bound" (bound_json.c). NULL: out of memory. */
json_t *
bound_to_json(const memmodel_model *model);

/* After the terms and what says whether errors are relative. */
int
bound_from_json(const struct json_document *document, memmodel_model *model);

#endif
