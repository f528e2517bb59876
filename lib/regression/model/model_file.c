/* Members of a model's file, checked. */
#include "regression/model/model_file.h"

#include <math.h>

int
model_file_wrong(const struct json_document *document, const json_t *value, const char *message)
{
    return json_error_at(document, value, MEMMODEL_ERROR_PARSE, "%s", message);
}

/* A member that is a finite number, and not below `least`. */
int
model_file_number(const struct json_document *document, const json_t *object, const char *key, double least,
                  double *number)
{
    int status = json_get_double(document, object, key, number);

    if (!status && *number < least)
        status = json_error_at(document, json_object_get(object, key), MEMMODEL_ERROR_PARSE,
                               "\"%s\" is %g; it must not be below %g", key, *number, least);
    return status;
}

int
model_file_object(const struct json_document *document, const json_t *object, const char *key, const char *const *keys,
                  const json_t **member)
{
    int status = json_get_object(document, object, key, member);

    return status ? status : json_check_keys(document, *member, keys);
}

int
model_file_count(const struct json_document *document, const json_t *object, const char *key, int64_t *count)
{
    int status = json_get_int64(document, object, key, count);

    if (!status && (*count < 1 || *count > MODEL_MAX_DOF))
        status = json_error_at(document, json_object_get(object, key), MEMMODEL_ERROR_PARSE, "\"%s\" must be 1 to %d",
                               key, MODEL_MAX_DOF);
    return status;
}

/* An array of objects or arrays with 1 to `most` items. */
int
model_file_list(const struct json_document *document, const json_t *object, const char *key, size_t most,
                const json_t **array)
{
    int status = json_get_array(document, object, key, array);

    if (!status && (json_array_size(*array) == 0 || json_array_size(*array) > most))
        status = json_error_at(document, *array, MEMMODEL_ERROR_PARSE, "\"%s\" must have 1 to %zu items", key, most);
    return status;
}

int
model_file_numbers(const struct json_document *document, const json_t *array, double *numbers)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);

        if (!json_is_number(item) || !isfinite(json_number_value(item)))
            return model_file_wrong(document, item, "expected a finite number");
        numbers[i] = json_number_value(item);
    }
    return 0;
}

int
model_file_term(const struct json_document *document, const json_t *item, memmodel_model *model, expression *term)
{
    if (!json_is_string(item))
        return model_file_wrong(document, item, "expected a term");
    *term = expression_parse(model->pool, document->name, json_string_value(item));
    if (status_ends_call(*term))
        return *term;
    if (*term < 0)
        return json_error_at(document, item, MEMMODEL_ERROR_PARSE, "not a term: %.200s", json_string_value(item));
    if (expression_symbol_count(model->pool) > model->input_count)
        return json_error_at(document, item, MEMMODEL_ERROR_PARSE, "the term has \"%.64s\" in it, which is no input",
                             expression_symbol_name(model->pool, model->input_count));
    return 0;
}
