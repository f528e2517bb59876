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

static void
read_triangle(struct model_reader *reader, const json_t *rows, size_t count, double *triangle)
{
    double *row = triangle;

    if (json_array_size(rows) != count)
        model_reader_wrong(reader, rows, "\"leverage\" must have one row for each term");
    for (size_t k = 0; !reader->status && k < count; row += ++k) {
        const json_t *item = json_array_get(rows, k);

        if (json_is_array(item) && json_array_size(item) == k + 1)
            model_reader_numbers(reader, item, row);
        else
            model_reader_wrong(reader, item, "row k of \"leverage\" must be an array of k numbers");
    }
}

static void
read_ratios(struct model_reader *reader, const json_t *array, double *ratios)
{
    bool relative = reader->model->relative;

    model_reader_numbers(reader, array, ratios);
    for (size_t i = 0; i < json_array_size(array); i++)
        if ((relative && ratios[i] <= 0) || (i > 0 && ratios[i] < ratios[i - 1]))
            model_reader_wrong(reader, json_array_get(array, i),
                               relative ? "\"ratios\" must be above 0 and rising" : "\"ratios\" must be rising");
}

/* Of `count` ratios; 1 each where nothing is said. */
static void
read_repeats(struct model_reader *reader, const json_t *object, size_t count, uint32_t *repeats)
{
    const json_t *array = json_object_get(object, "repeats");

    if (array && (!json_is_array(array) || json_array_size(array) != count))
        model_reader_wrong(reader, array, "\"repeats\" must have a number for each ratio");
    for (size_t i = 0; i < count; i++) {
        json_int_t number = array ? json_integer_value(json_array_get(array, i)) : 1;

        if (number < 1 || number > MODEL_MAX_DOF)
            model_reader_wrong(reader, json_array_get(array, i), "expected a count from 1");
        repeats[i] = (uint32_t)number;
    }
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
static void
read_variance(struct model_reader *reader, const json_t *bound)
{
    static const char *const keys[] = {"slope", "sigma", NULL};
    struct model_variance *variance = &reader->model->bound.variance;
    const json_t *object;

    if (!json_object_get(bound, "variance"))
        return;
    object = model_reader_object(reader, bound, "variance", keys);
    variance->slope = model_reader_number(reader, object, "slope", 0);
    variance->sigma = model_reader_number(reader, object, "sigma", 0);
    if (!reader->model->relative)
        model_reader_wrong(reader, object, "\"variance\" needs relative errors");
}

void
bound_from_json(struct model_reader *reader)
{
    static const char *const keys[] = {"dof", "sigma", "leverage", "ratios", "repeats", "variance", NULL};
    memmodel_model *model = reader->model;
    struct model_bound *bound = &model->bound;
    const json_t *object = model_reader_object(reader, reader->document->root, "bound", keys), *ratios, *leverage;

    bound->dof = model_reader_count(reader, object, "dof");
    bound->sigma = model_reader_number(reader, object, "sigma", 0);
    ratios = model_reader_list(reader, object, "ratios", MODEL_MAX_DOF);
    leverage = model_reader_list(reader, object, "leverage", MODEL_MAX_TERMS);
    if (!reader->status)
        reader->status = model_allocate_bound(model, json_array_size(ratios));
    if (reader->status)
        return;
    read_triangle(reader, leverage, model->term_count, bound->leverage);
    read_ratios(reader, ratios, bound->ratios);
    read_repeats(reader, object, bound->ratio_count, bound->repeats);
    read_variance(reader, object);
    if (reader->status)
        return;
    count_points(bound);
    bound_prepare(bound);
}
