/* The bound in a model's file. Files of before have neither "repeats" nor "wide" nor "spread" nor "left_out". */
#include "regression/bound.h"
#include "regression/model_file.h"

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

/* NULL where a term cannot be written. */
static json_t *
terms_to_json(const memmodel_model *model, memmodel_context *context, const expression *terms, size_t count)
{
    json_t *array = json_array();

    for (size_t k = 0; k < count; k++) {
        struct text text = TEXT_INIT(context);

        expression_print(model->pool, terms[k], EXPRESSION_TEXT, &text);
        if (!text.failed)
            json_array_append_new(array, json_string(text.bytes));
        text_release(&text);
    }
    if (json_array_size(array) == count)
        return array;
    json_decref(array);
    return NULL;
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

static json_t *
wide_to_json(const memmodel_model *model, memmodel_context *context, const struct model_wide *wide)
{
    json_t *object = json_pack("{s:o, s:o}", "terms", terms_to_json(model, context, wide->terms, wide->term_count),
                               "leverage", triangle_to_json(wide->leverage, wide->term_count));

    if (wide->coefficients) {
        json_object_set_new(object, "coefficients", numbers_to_json(wide->coefficients, wide->term_count));
        json_object_set_new(object, "sigma", json_real(wide->sigma));
    }
    return object;
}

static json_t *
formula_to_json(const memmodel_model *model, size_t formula)
{
    const struct model_left_out *left_out = &model->bound.left_out;
    size_t first = formula > 0 ? left_out->ends[formula - 1] : 0, count = left_out->ends[formula] - first;
    json_t *object =
        json_pack("{s:o, s:o}", "coefficients",
                  numbers_to_json(left_out->coefficients + formula * left_out->term_count, left_out->term_count),
                  "ratios", numbers_to_json(left_out->ratios + first, count));

    if (model->response.square)
        json_object_set_new(object, "offset", json_real(left_out->offsets[formula]));
    if (repeats(&model->bound))
        json_object_set_new(object, "repeats", repeats_to_json(left_out->repeats + first, count));
    return object;
}

static json_t *
left_out_to_json(const memmodel_model *model, memmodel_context *context)
{
    const struct model_left_out *left_out = &model->bound.left_out;
    json_t *formulas = json_array();

    for (size_t i = 0; i < left_out->count; i++)
        json_array_append_new(formulas, formula_to_json(model, i));
    return json_pack("{s:o, s:o}", "terms", terms_to_json(model, context, left_out->terms, left_out->term_count),
                     "formulas", formulas);
}

static json_t *
spread_to_json(const memmodel_model *model, memmodel_context *context)
{
    const struct model_spread *spread = &model->bound.spread;

    return json_pack("{s:f, s:f, s:o}", "growth", spread->growth, "sigma", spread->sigma, "open",
                     wide_to_json(model, context, &spread->open));
}

/* Parts that not every bound has. */
static int
add_parts(const memmodel_model *model, memmodel_context *context, json_t *object)
{
    const struct model_bound *bound = &model->bound;
    int failed = 0;

    if (repeats(bound))
        failed |= json_object_set_new(object, "repeats", repeats_to_json(bound->repeats, bound->ratio_count));
    if (bound->wide.term_count > 0)
        failed |= json_object_set_new(object, "wide", wide_to_json(model, context, &bound->wide));
    if (bound->spread.growth > 0)
        failed |= json_object_set_new(object, "spread", spread_to_json(model, context));
    if (bound->left_out.count > 0)
        failed |= json_object_set_new(object, "left_out", left_out_to_json(model, context));
    return failed;
}

json_t *
bound_to_json(const memmodel_model *model, memmodel_context *context)
{
    const struct model_bound *bound = &model->bound;
    json_t *object = json_pack("{s:I, s:f, s:o, s:o}", "dof", (json_int_t)bound->freedom, "sigma", bound->sigma,
                               "leverage", triangle_to_json(bound->leverage, model->term_count), "ratios",
                               numbers_to_json(bound->ratios, bound->ratio_count));

    if (!object || !add_parts(model, context, object))
        return object;
    json_decref(object);
    return NULL;
}

/* ---- read ---- */

static int
read_triangle(const struct json_document *document, const json_t *rows, size_t count, double *triangle)
{
    double *row = triangle;

    if (json_array_size(rows) != count)
        return model_file_wrong(document, rows, "\"leverage\" must have one row for each term");
    for (size_t k = 0; k < count; row += ++k) {
        const json_t *item = json_array_get(rows, k);
        int status;

        if (!json_is_array(item) || json_array_size(item) != k + 1)
            return model_file_wrong(document, item, "row k of \"leverage\" must be an array of k numbers");
        status = model_file_numbers(document, item, row);
        if (status)
            return status;
    }
    return 0;
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

        if (number < 1 || number > MODEL_MOST_FREEDOM)
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

static int
read_terms(const struct json_document *document, const json_t *array, memmodel_model *model, expression *terms)
{
    int status = 0;

    for (size_t k = 0; !status && k < json_array_size(array); k++)
        status = model_file_term(document, json_array_get(array, k), model, &terms[k]);
    return status;
}

/* Nothing where the bound does not have the part. */
static int
get_part(const struct json_document *document, const json_t *bound, const char *key, const char *const *keys,
         const json_t **part)
{
    int status;

    *part = NULL;
    if (!json_object_get(bound, key))
        return 0;
    status = json_get_object(document, bound, key, part);
    return status ? status : json_check_keys(document, *part, keys);
}

/* Nothing where the bound has none. */
static int
read_plane(const struct json_document *document, const json_t *object, size_t count, struct model_wide *wide)
{
    const json_t *coefficients;
    int status = model_file_list(document, object, "coefficients", MODEL_MOST_WIDE_TERMS, &coefficients);

    if (!status && json_array_size(coefficients) != count)
        status = model_file_wrong(document, coefficients, "\"coefficients\" must have one number for each term");
    if (!status)
        status = model_file_numbers(document, coefficients, wide->coefficients);
    return status ? status : model_file_number(document, object, "sigma", 0, &wide->sigma);
}

/* The part of `from`, if there is one. */
static int
read_wide(const struct json_document *document, const json_t *from, const char *key, memmodel_model *model,
          struct model_wide *wide)
{
    static const char *const keys[] = {"terms", "leverage", "coefficients", "sigma", NULL};
    const json_t *object, *terms, *leverage;
    bool plane;
    int status = get_part(document, from, key, keys, &object);

    if (status || !object)
        return status;
    plane = json_object_get(object, "coefficients");
    status = model_file_list(document, object, "terms", MODEL_MOST_WIDE_TERMS, &terms);
    if (!status)
        status = model_file_list(document, object, "leverage", MODEL_MOST_WIDE_TERMS, &leverage);
    if (!status)
        status = read_terms(document, terms, model, wide->terms);
    if (!status)
        status = model_allocate_wide(model, wide, json_array_size(terms), plane);
    if (!status)
        status = read_triangle(document, leverage, json_array_size(terms), wide->leverage);
    if (!status && plane)
        status = read_plane(document, object, json_array_size(terms), wide);
    if (!status)
        wide->term_count = json_array_size(terms);
    return status;
}

/* It is of relative errors. */
static int
read_spread(const struct json_document *document, const json_t *bound, memmodel_model *model)
{
    static const char *const keys[] = {"growth", "sigma", "open", NULL};
    struct model_spread *spread = &model->bound.spread;
    const json_t *object;
    int status = get_part(document, bound, "spread", keys, &object);

    if (status || !object)
        return status;
    status = model_file_number(document, object, "growth", 0, &spread->growth);
    if (!status)
        status = model_file_number(document, object, "sigma", 0, &spread->sigma);
    if (!status)
        status = read_wide(document, object, "open", model, &spread->open);
    if (status)
        return status;
    if (!model->relative || spread->open.term_count == 0 || spread->open.coefficients)
        return model_file_wrong(document, object,
                                "\"spread\" needs relative errors, and an \"open\" of terms without a plane");
    return 0;
}

static int
read_formula(const struct json_document *document, const json_t *item, memmodel_model *model, size_t i)
{
    static const char *const keys[] = {"coefficients", "ratios", "offset", "repeats", NULL};
    struct model_left_out *left_out = &model->bound.left_out;
    size_t first = i > 0 ? left_out->ends[i - 1] : 0;
    const json_t *coefficients, *ratios;
    int status = json_check_keys(document, item, keys);

    if (!status)
        status = model_file_list(document, item, "coefficients", MODEL_MOST_LEFT_OUT_TERMS, &coefficients);
    if (!status && json_array_size(coefficients) != left_out->term_count)
        status = model_file_wrong(document, coefficients, "\"coefficients\" must have one number for each term");
    if (!status)
        status = model_file_numbers(document, coefficients, left_out->coefficients + i * left_out->term_count);
    if (!status)
        status = model_file_list(document, item, "ratios", model->bound.ratio_count - first, &ratios);
    if (!status)
        status = read_ratios(document, ratios, model->relative, left_out->ratios + first);
    if (!status)
        status = read_repeats(document, item, json_array_size(ratios), left_out->repeats + first);
    if (status)
        return status;
    left_out->ends[i] = first + json_array_size(ratios);
    left_out->offsets[i] = 0;
    if (json_object_get(item, "offset"))
        status = model_file_number(document, item, "offset", -INFINITY, &left_out->offsets[i]);
    return status;
}

static int
read_formulas(const struct json_document *document, const json_t *formulas, memmodel_model *model)
{
    struct model_left_out *left_out = &model->bound.left_out;
    size_t count = json_array_size(formulas);
    int status = 0;

    for (size_t i = 0; !status && i < count; i++) {
        if (i > 0 && left_out->ends[i - 1] == model->bound.ratio_count)
            return model_file_wrong(document, json_array_get(formulas, i),
                                    "\"left_out\" has more ratios than the bound");
        status = read_formula(document, json_array_get(formulas, i), model, i);
    }
    if (!status && left_out->ends[count - 1] != model->bound.ratio_count)
        status = model_file_wrong(document, formulas, "\"left_out\" has fewer ratios than the bound");
    return status;
}

static int
read_left_out(const struct json_document *document, const json_t *bound, memmodel_model *model)
{
    static const char *const keys[] = {"terms", "formulas", NULL};
    struct model_left_out *left_out = &model->bound.left_out;
    const json_t *object, *terms, *formulas;
    int status = get_part(document, bound, "left_out", keys, &object);

    if (status || !object)
        return status;
    status = model_file_list(document, object, "terms", MODEL_MOST_LEFT_OUT_TERMS, &terms);
    if (!status)
        status = model_file_list(document, object, "formulas", MODEL_MOST_LEFT_OUT, &formulas);
    if (!status)
        status = model_allocate_left_out(model, json_array_size(formulas), json_array_size(terms));
    if (!status)
        status = read_terms(document, terms, model, left_out->terms);
    if (status)
        return status;
    left_out->term_count = json_array_size(terms);
    status = read_formulas(document, formulas, model);
    if (!status)
        left_out->count = json_array_size(formulas);
    return status;
}

static int
read_arrays(const struct json_document *document, const json_t *object, memmodel_model *model)
{
    struct model_bound *bound = &model->bound;
    const json_t *ratios, *leverage;
    int status = model_file_list(document, object, "ratios", MODEL_MOST_FREEDOM, &ratios);

    if (!status)
        status = model_file_list(document, object, "leverage", MODEL_MOST_TERMS, &leverage);
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
    static const char *const keys[] = {"dof",  "sigma",  "leverage", "ratios", "repeats",
                                       "wide", "spread", "left_out", NULL};
    struct model_bound *bound = &model->bound;
    const json_t *object;
    int status = json_get_object(document, document->root, "bound", &object);

    if (!status)
        status = json_check_keys(document, object, keys);
    if (!status)
        status = model_file_count(document, object, "dof", &bound->freedom);
    if (!status)
        status = model_file_number(document, object, "sigma", 0, &bound->sigma);
    if (!status)
        status = read_arrays(document, object, model);
    if (!status)
        status = read_wide(document, object, "wide", model, &model->bound.wide);
    if (!status)
        status = read_spread(document, object, model);
    if (!status)
        status = read_left_out(document, object, model);
    if (!status)
        bound_prepare(bound);
    return status;
}
