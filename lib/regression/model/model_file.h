/* Reading and writing the parts of a model's file (model_json.c). */
#ifndef REGRESSION_MODEL_FILE_H
#define REGRESSION_MODEL_FILE_H

#include "base/json.h"
#include "regression/model/model.h"

/*
 * A file under reading. The first error, with its line and column, is remembered in `status`: what is read from then on
 * is nothing (0, "", NULL), so that whoever reads asks for it once, at the end.
 */
struct model_reader {
    const struct json_document *document;
    memmodel_model *model;
    int status;
};

/* MEMMODEL_ERROR_PARSE at this value. */
void
model_reader_wrong(struct model_reader *reader, const json_t *value, const char *message);

/* The same at that member. */
void
model_reader_wrong_member(struct model_reader *reader, const json_t *object, const char *key, const char *message);

/* A member that is a finite number, and not below `least`. */
double
model_reader_number(struct model_reader *reader, const json_t *object, const char *key, double least);

/* A member from 1 to MODEL_MAX_DOF. */
int64_t
model_reader_count(struct model_reader *reader, const json_t *object, const char *key);

bool
model_reader_flag(struct model_reader *reader, const json_t *object, const char *key);

/* It stays the document's. */
const char *
model_reader_text(struct model_reader *reader, const json_t *object, const char *key);

/* Which of the names, ended by NULL, it is; empty ones are of numbers that no file has. */
int
model_reader_choice(struct model_reader *reader, const json_t *object, const char *key, const char *const *names,
                    const char *message);

/* A member that is an object with none but these keys. */
const json_t *
model_reader_object(struct model_reader *reader, const json_t *object, const char *key, const char *const *keys);

/* Refuses an object that has others. */
void
model_reader_check_keys(struct model_reader *reader, const json_t *object, const char *const *keys);

/* An array of objects or arrays with 1 to `most` items. */
const json_t *
model_reader_list(struct model_reader *reader, const json_t *object, const char *key, size_t most);

/* All of an array's items, finite. */
void
model_reader_numbers(struct model_reader *reader, const json_t *array, double *numbers);

/* The member "bound" (bound_json.c). NULL: out of memory. */
json_t *
bound_to_json(const memmodel_model *model);

/* After the terms and what says whether errors are relative. */
void
bound_from_json(struct model_reader *reader);

#endif
