/* The bound in a model's file. */
#include "regression/bound/bound.h"
#include "regression/model/model_file.h"

#include <math.h>

/* ---- write ---- */

static json_t *
numbers_to_json(const double *numbers, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_real(numbers[i]));
    return array;
}

static json_t *
triangle_to_json(const double *triangle, size_t rows)
{
    const double *row = triangle;
    json_t *array = json_array();

    for (size_t k = 0; k < rows; row += ++k)
        json_array_append_new(array, numbers_to_json(row, k + 1));
    return array;
}

static bool
repeats(const struct model_bound *bound)
{
    return (size_t)bound->points < bound->ratio_count;
}

static json_t *
repeats_to_json(const uint32_t *repeats, size_t count)
{
    json_t *array = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer(repeats[i]));
    return array;
}

/* Parts that not every bound has. */
static int
add_parts(const struct model_bound *bound, json_t *object)
{
    const struct model_variance *variance = &bound->variance;
    int failed = 0;

    if (repeats(bound))
        failed |= json_object_set_new(object, "repeats", repeats_to_json(bound->repeats, bound->ratio_count));
    if (variance->slope > 0)
        failed |= json_object_set_new(object, "variance",
                                      json_pack("{s:f, s:f}", "slope", variance->slope, "sigma", variance->sigma));
    return failed;
}

json_t *
bound_to_json(const memmodel_model *model)
{
    const struct model_bound *bound = &model->bound;
    json_t *object = json_pack("{s:I, s:f, s:o, s:o}", "dof", (json_int_t)bound->dof, "sigma", bound->sigma, "leverage",
                               triangle_to_json(bound->leverage, model->term_count), "ratios",
                               numbers_to_json(bound->ratios, bound->ratio_count));

    if (!object || !add_parts(bound, object))
        return object;
    json_decref(object);
    return NULL;
}

/* ---- read ---- */

static int
read_triangle(const struct json_document *document, const json_t *rows, size_t count, double *triangle)
{
    double *row = triangle;
    int status = 0;

    if (json_array_size(rows) != count)
        return model_file_wrong(document, rows, "\"leverage\" must have one row for each term");
    for (size_t k = 0; !status && k < count; row += ++k) {
        const json_t *item = json_array_get(rows, k);

        if (!json_is_array(item) || json_array_size(item) != k + 1)
            status = model_file_wrong(document, item, "row k of \"leverage\" must be an array of k numbers");
        else
            status = model_file_numbers(document, item, row);
    }
    return status;
}

static int
read_ratios(const struct json_document *document, const json_t *array, bool relative, double *ratios)
{
    int status = model_file_numbers(document, array, ratios);

    for (size_t i = 0; !status && i < json_array_size(array); i++)
        if ((relative && ratios[i] <= 0) || (i > 0 && ratios[i] < ratios[i - 1]))
            status = model_file_wrong(document, json_array_get(array, i),
                                      relative ? "\"ratios\" must be above 0 and rising" : "\"ratios\" must be rising");
    return status;
}

/* Of `count` ratios; 1 each where nothing is said. */
static int
read_repeats(const struct json_document *document, const json_t *object, size_t count, uint32_t *repeats)
{
    const json_t *array = json_object_get(object, "repeats");

    for (size_t i = 0; i < count; i++)
        repeats[i] = 1;
    if (!array)
        return 0;
    if (!json_is_array(array) || json_array_size(array) != count)
        return model_file_wrong(document, array, "\"repeats\" must have a number for each ratio");
    for (size_t i = 0; i < count; i++) {
        json_int_t number = json_integer_value(json_array_get(array, i));

        if (number < 1 || number > MODEL_MAX_DOF)
            return model_file_wrong(document, json_array_get(array, i), "expected a count from 1");
        repeats[i] = (uint32_t)number;
    }
    return 0;
}

/* The ratios of a point are as many as each of them says, so that their shares add up to points. */
static void
count_points(struct model_bound *bound)
{
    double points = 0;

    for (size_t i = 0; i < bound->ratio_count; i++)
        points += 1.0 / bound->repeats[i];
    bound->points = points < 1 ? 1 : llround(points);
}

/* Nothing where errors are as great everywhere. It is of relative ones. */
static int
read_variance(const struct json_document *document, const json_t *bound, memmodel_model *model)
{
    static const char *const keys[] = {"slope", "sigma", NULL};
    struct model_variance *variance = &model->bound.variance;
    const json_t *object;
    int status;

    if (!json_object_get(bound, "variance"))
        return 0;
    status = model_file_object(document, bound, "variance", keys, &object);
    if (!status)
        status = model_file_number(document, object, "slope", 0, &variance->slope);
    if (!status)
        status = model_file_number(document, object, "sigma", 0, &variance->sigma);
    if (!status && !model->relative)
        status = model_file_wrong(document, object, "\"variance\" needs relative errors");
    return status;
}

static int
read_arrays(const struct json_document *document, const json_t *object, memmodel_model *model)
{
    struct model_bound *bound = &model->bound;
    const json_t *ratios, *leverage;
    int status = model_file_list(document, object, "ratios", MODEL_MAX_DOF, &ratios);

    if (!status)
        status = model_file_list(document, object, "leverage", MODEL_MAX_TERMS, &leverage);
    if (!status)
        status = model_allocate_bound(model, json_array_size(ratios));
    if (!status)
        status = read_triangle(document, leverage, model->term_count, bound->leverage);
    if (!status)
        status = read_ratios(document, ratios, model->relative, bound->ratios);
    if (!status)
        status = read_repeats(document, object, bound->ratio_count, bound->repeats);
    if (!status)
        count_points(bound);
    return status;
}

int
bound_from_json(const struct json_document *document, memmodel_model *model)
{
    static const char *const keys[] = {"dof", "sigma", "leverage", "ratios", "repeats", "variance", NULL};
    struct model_bound *bound = &model->bound;
    const json_t *object;
    int status = model_file_object(document, document->root, "bound", keys, &object);

    if (!status)
        status = model_file_count(document, object, "dof", &bound->dof);
    if (!status)
        status = model_file_number(document, object, "sigma", 0, &bound->sigma);
    if (!status)
        status = read_arrays(document, object, model);
    if (!status)
        status = read_variance(document, object, model);
    if (!status)
        bound_prepare(bound);
    return status;
}
