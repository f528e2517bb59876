/* Members of a model's file, checked. */
#include "regression/model/model_file.h"

#include <math.h>
#include <string.h>

void
model_reader_wrong(struct model_reader *reader, const json_t *value, const char *message)
{
    if (!reader->status)
        reader->status = json_error_at(reader->document, value, MEMMODEL_ERROR_PARSE, "%s", message);
}

void
model_reader_wrong_member(struct model_reader *reader, const json_t *object, const char *key, const char *message)
{
    model_reader_wrong(reader, json_object_get(object, key), message);
}

double
model_reader_number(struct model_reader *reader, const json_t *object, const char *key, double least)
{
    double number = 0;

    if (!reader->status)
        reader->status = json_get_double(reader->document, object, key, &number);
    if (!reader->status && number < least)
        reader->status = json_error_at(reader->document, json_object_get(object, key), MEMMODEL_ERROR_PARSE,
                                       "\"%s\" is %g; it must not be below %g", key, number, least);
    return number;
}

int64_t
model_reader_count(struct model_reader *reader, const json_t *object, const char *key)
{
    int64_t count = 0;

    if (!reader->status)
        reader->status = json_get_int64(reader->document, object, key, &count);
    if (!reader->status && (count < 1 || count > MODEL_MAX_DOF))
        reader->status = json_error_at(reader->document, json_object_get(object, key), MEMMODEL_ERROR_PARSE,
                                       "\"%s\" must be 1 to %d", key, MODEL_MAX_DOF);
    return count;
}

bool
model_reader_flag(struct model_reader *reader, const json_t *object, const char *key)
{
    bool flag = false;

    if (!reader->status)
        reader->status = json_get_bool(reader->document, object, key, &flag);
    return flag;
}

const char *
model_reader_text(struct model_reader *reader, const json_t *object, const char *key)
{
    const char *text = "";

    if (!reader->status)
        reader->status = json_get_string(reader->document, object, key, &text);
    return text;
}

int
model_reader_choice(struct model_reader *reader, const json_t *object, const char *key, const char *const *names,
                    const char *message)
{
    const char *name = model_reader_text(reader, object, key);

    for (int i = 0; names[i]; i++)
        if (*name && strcmp(names[i], name) == 0)
            return i;
    model_reader_wrong_member(reader, object, key, message);
    return 0;
}

const json_t *
model_reader_object(struct model_reader *reader, const json_t *object, const char *key, const char *const *keys)
{
    const json_t *member = NULL;

    if (!reader->status)
        reader->status = json_get_object(reader->document, object, key, &member);
    model_reader_check_keys(reader, member, keys);
    return member;
}

void
model_reader_check_keys(struct model_reader *reader, const json_t *object, const char *const *keys)
{
    if (!reader->status)
        reader->status = json_check_keys(reader->document, object, keys);
}

const json_t *
model_reader_list(struct model_reader *reader, const json_t *object, const char *key, size_t most)
{
    const json_t *array = NULL;

    if (!reader->status)
        reader->status = json_get_array(reader->document, object, key, &array);
    if (!reader->status && (json_array_size(array) == 0 || json_array_size(array) > most))
        reader->status =
            json_error_at(reader->document, array, MEMMODEL_ERROR_PARSE, "\"%s\" must have 1 to %zu items", key, most);
    return reader->status ? NULL : array;
}

void
model_reader_numbers(struct model_reader *reader, const json_t *array, double *numbers)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);

        if (!json_is_number(item) || !isfinite(json_number_value(item)))
            model_reader_wrong(reader, item, "expected a finite number");
        numbers[i] = json_number_value(item);
    }
}
