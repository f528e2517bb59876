/*
 * Models as JSON, format "memmodel-model" (doc/guide/formats.md): version 1 for positive coefficients and relative
 * errors, version 2 for others. Whatever a file may hold is checked before it is used.
 */
#include "base/json.h"
#include "base/file.h"
#include "regression/model/model_file.h"
#include "regression/model/values.h"

#include <math.h>
#include <string.h>

enum { FORMAT_VERSION = 2, VERSION_OF_POSITIVE = 1 };

static const char format_name[] = "memmodel-model";
static const char *const loss_names[] = {"squared", "relative"};
static const char *const objective_names[] = {[MEMMODEL_FIT_LOSS_MAPE] = "mape",
                                              [MEMMODEL_FIT_LOSS_LOG_RATIO] = "log-ratio",
                                              [MEMMODEL_FIT_LOSS_ABSOLUTE] = "absolute",
                                              [MEMMODEL_FIT_LOSS_PINBALL] = "pinball"};

static const char *const sign_names[] = {
    [MODEL_SIGN_ANY] = "any", [MODEL_SIGN_NOT_NEGATIVE] = "not negative", [MODEL_SIGN_POSITIVE] = "positive"};

enum { OBJECTIVES = sizeof objective_names / sizeof objective_names[0] };

int
model_check_name(memmodel_context *context, const char *name)
{
    json_t *string = json_string(name);

    if (!string)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "the name of a column is not UTF-8");
    json_decref(string);
    return 0;
}

/* ---- write ---- */

static json_t *
input_to_json(const struct model_input *input)
{
    json_t *object = json_pack("{s:s, s:f, s:f}", "name", input->name, "min", input->least, "max", input->most);

    if (input->values.whole)
        json_object_set_new(object, "is_whole", json_true());
    if (input->values.sign != MODEL_SIGN_ANY)
        json_object_set_new(object, "sign", json_string(sign_names[input->values.sign]));
    return object;
}

static json_t *
inputs_to_json(const memmodel_model *model)
{
    json_t *array = json_array();

    for (size_t i = 0; i < model->input_count; i++)
        json_array_append_new(array, input_to_json(&model->inputs[i]));
    return array;
}

static json_t *
limit_to_json(double limit)
{
    return isfinite(limit) ? json_real(limit) : json_null();
}

static json_t *
response_to_json(const struct model_response *response)
{
    return json_pack("{s:o, s:o}", "min", limit_to_json(response->least), "max", limit_to_json(response->most));
}

static json_t *
front_to_json(const memmodel_model *model)
{
    json_t *array = json_array();

    for (size_t i = 0; i < model->front_count; i++) {
        const struct memmodel_model_front_entry *entry = &model->front[i];

        json_array_append_new(array,
                              json_pack("{s:I, s:I, s:f, s:f, s:b, s:s}", "node_count", (json_int_t)entry->node_count,
                                        "term_count", (json_int_t)entry->term_count, "loo_error", entry->loo_error,
                                        "nested_cv_error", entry->nested_cv_error, "selected", entry->selected,
                                        "formula", entry->formula));
    }
    return array;
}

static json_t *
errors_to_json(const memmodel_model *model)
{
    return json_pack("{s:I, s:f, s:f, s:f, s:f}", "sample_count", (json_int_t)model->scores.sample_count,
                     "training_error", model->scores.training_error, "loo_error", model->scores.loo_error,
                     "nested_cv_error", model->scores.nested_cv_error, "baseline_error", model->scores.baseline_error);
}

static json_t *
scores_to_json(const memmodel_model *model)
{
    if (model->general)
        return errors_to_json(model);
    return json_pack("{s:I, s:f, s:f}", "sample_count", (json_int_t)model->scores.sample_count, "training_mape",
                     model->scores.training_mape, "loo_mape", model->scores.loo_mape);
}

static int
append_term(const memmodel_model *model, expression term, double coefficient, json_t *array)
{
    struct text text = TEXT_INIT(model->context);
    int failed = -1;

    expression_print(model->pool, term, EXPRESSION_TEXT, &text);
    if (!text.failed)
        failed = json_array_append_new(array, json_pack("{s:f, s:s}", "coefficient", coefficient, "term", text.bytes));
    text_release(&text);
    return failed ? MEMMODEL_ERROR_NO_MEMORY : 0;
}

static int
append_alternative(const memmodel_model *model, const struct model_sum *sum, json_t *alternatives)
{
    json_t *terms = json_array();
    int status = 0;

    for (size_t k = 0; !status && k < sum->count; k++)
        status = append_term(model, sum->terms[k], sum->coefficients[k], terms);
    return json_array_append_new(alternatives, terms) ? MEMMODEL_ERROR_NO_MEMORY : status;
}

/* NULL: out of memory. */
static json_t *
terms_to_json(const memmodel_model *model)
{
    json_t *array = json_array();
    int status = 0;

    for (size_t k = 0; !status && k < model->term_count; k++)
        status = append_term(model, model->terms[k], model->coefficients[k], array);
    if (!status)
        return array;
    json_decref(array);
    return NULL;
}

static int
add_alternatives(const memmodel_model *model, json_t *root)
{
    json_t *array = json_array();
    int status = 0;

    for (size_t i = 0; !status && i < model->alternative_count; i++)
        status = append_alternative(model, &model->alternatives[i], array);
    return json_object_set_new(root, "alternatives", array) || status ? -1 : 0;
}

/* Whether the version and its "loss" say it. */
static bool
is_usual_loss(const memmodel_model *model)
{
    return model->scores.loss == (model->relative ? MEMMODEL_FIT_LOSS_RELATIVE : MEMMODEL_FIT_LOSS_SQUARED);
}

static json_t *
objective_to_json(const memmodel_model *model)
{
    json_t *object = json_pack("{s:s}", "loss", objective_names[model->scores.loss]);

    if (object && model->scores.loss == MEMMODEL_FIT_LOSS_PINBALL)
        json_object_set_new(object, "quantile", json_real(model->quantile));
    if (object && !model->general)
        json_object_update_new(object,
                               json_pack("{s:f, s:f, s:f}", "training_error", model->scores.training_error, "loo_error",
                                         model->scores.loo_error, "nested_cv_error", model->scores.nested_cv_error));
    return object;
}

/* What not every model has. */
static int
optional_to_json(const memmodel_model *model, json_t *root)
{
    if (!is_usual_loss(model) && json_object_set_new(root, "objective", objective_to_json(model)))
        return -1;
    if (model->unit && json_object_set_new(root, "unit", json_string(model->unit->name)))
        return -1;
    if (model->scores.censored &&
        json_object_set_new(root, "censored", json_integer((json_int_t)model->scores.censored)))
        return -1;
    if (model->scores.certified && json_object_set_new(root, "certified", json_true()))
        return -1;
    if ((model->general || model->front_count > 0) && json_object_set_new(root, "front", front_to_json(model)))
        return -1;
    if (model->alternative_count > 0 && add_alternatives(model, root))
        return -1;
    if (isnan(model->scores.noise))
        return 0;
    return json_object_set_new(
        root, "noise",
        json_pack("{s:f, s:I}", "deviation", model->scores.noise, "dof", (json_int_t)model->scores.noise_dof));
}

static int
write_root(const memmodel_model *model, json_t *terms, json_t *bound, memmodel_context *context, char **text)
{
    json_t *root = json_pack("{s:s, s:i, s:s, s:s, s:o, s:O, s:O, s:o}", "format", format_name, "version",
                             model->general ? FORMAT_VERSION : VERSION_OF_POSITIVE, "target", model->target, "formula",
                             model->formulas[MEMMODEL_LANGUAGE_TEXT], "inputs", inputs_to_json(model), "terms", terms,
                             "bound", bound, "scores", scores_to_json(model));
    bool failed = root && optional_to_json(model, root);

    if (root && model->general)
        failed = failed || json_object_set_new(root, "loss", json_string(loss_names[model->relative])) ||
                 json_object_set_new(root, "response", response_to_json(&model->response));
    if (failed) {
        json_decref(root);
        root = NULL;
    }
    return json_write_numbers(context, root, text);
}

static int
json_of_model(const void *object, memmodel_context *context, char **text)
{
    const memmodel_model *model = object;
    json_t *terms = terms_to_json(model), *bound = terms ? bound_to_json(model) : NULL;
    int status;

    if (!bound)
        status = memory_failed(context, "writing a model");
    else
        status = write_root(model, terms, bound, context, text);
    json_decref(terms);
    json_decref(bound);
    return status;
}

int
memmodel_model_to_json(const memmodel_model *model, memmodel_context *context, char **text)
{
    return file_hand_out(model, context || !model ? context : model->context, json_of_model, text);
}

int
memmodel_model_save(const memmodel_model *model, const char *path, memmodel_context *context)
{
    return file_save(model, context || !model ? context : model->context, json_of_model, path);
}

/* ---- read ---- */

static int
read_names(const struct json_document *document, const json_t *array, const char **names)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);
        int status = json_get_string(document, item, "name", &names[i]);

        if (status)
            return status;
        for (size_t before = 0; before < i; before++)
            if (strcmp(names[before], names[i]) == 0)
                return model_file_wrong(document, json_object_get(item, "name"), "two inputs have the same name");
    }
    return 0;
}

static int
begin_model(const struct json_document *document, memmodel_model **model)
{
    const char *target, *names[MODEL_MAX_INPUTS];
    const json_t *inputs;
    int status = json_get_string(document, document->root, "target", &target);

    if (!status)
        status = model_file_list(document, document->root, "inputs", MODEL_MAX_INPUTS, &inputs);
    if (!status)
        status = read_names(document, inputs, names);
    return status ? status : model_begin(document->context, target, names, json_array_size(inputs), model);
}

static int
read_sign(const struct json_document *document, const json_t *item, enum model_sign *sign)
{
    const char *name;
    int status = json_get_string(document, item, "sign", &name);

    if (status)
        return status;
    *sign = MODEL_SIGN_POSITIVE;
    while (*sign > MODEL_SIGN_ANY && strcmp(name, sign_names[*sign]) != 0)
        (*sign)--;
    return *sign > MODEL_SIGN_ANY
               ? 0
               : model_file_wrong(document, json_object_get(item, "sign"), "\"sign\" is positive or not negative");
}

/* Files of before say nothing of them: then all are allowed. */
static int
read_values(const struct json_document *document, const json_t *item, struct model_input *input)
{
    int status = 0;

    if (json_object_get(item, "is_whole"))
        status = json_get_bool(document, item, "is_whole", &input->values.whole);
    if (!status && json_object_get(item, "sign"))
        status = read_sign(document, item, &input->values.sign);
    if (!status && !values_allow_range(&input->values, input->least, input->most))
        status = model_file_wrong(document, item, "the range is not of such values");
    return status;
}

static int
read_domain(const struct json_document *document, memmodel_model *model)
{
    static const char *const keys[] = {"name", "min", "max", "is_whole", "sign", NULL};
    const json_t *inputs = json_object_get(document->root, "inputs");
    int status = 0;

    for (size_t i = 0; !status && i < model->input_count; i++) {
        const json_t *item = json_array_get(inputs, i);

        status = json_check_keys(document, item, keys);
        if (!status)
            status = model_file_number(document, item, "min", -INFINITY, &model->inputs[i].least);
        if (!status)
            status = model_file_number(document, item, "max", model->inputs[i].least, &model->inputs[i].most);
        if (!status)
            status = read_values(document, item, &model->inputs[i]);
    }
    return status;
}

static int
read_term(const struct json_document *document, const json_t *item, memmodel_model *model, expression *term,
          double *coefficient)
{
    static const char *const keys[] = {"coefficient", "term", NULL};
    const char *text;
    int status = json_get_string(document, item, "term", &text);

    if (!status)
        status = json_check_keys(document, item, keys);
    if (!status)
        status = model_file_number(document, item, "coefficient", model->general ? -INFINITY : 0, coefficient);
    return status ? status : model_file_term(document, json_object_get(item, "term"), model, term);
}

static int
read_terms(const struct json_document *document, memmodel_model *model)
{
    const json_t *terms;
    int status = model_file_list(document, document->root, "terms", MODEL_MAX_TERMS, &terms);

    for (size_t k = 0; !status && k < json_array_size(terms); k++)
        status = read_term(document, json_array_get(terms, k), model, &model->terms[k], &model->coefficients[k]);
    if (!status)
        model->term_count = json_array_size(terms);
    return status;
}

static int
read_alternative(const struct json_document *document, const json_t *terms, memmodel_model *model)
{
    struct model_sum *sum = &model->alternatives[model->alternative_count];
    int status = 0;

    sum->count = json_array_size(terms);
    if (sum->count == 0 || sum->count > MODEL_MAX_TERMS)
        return model_file_wrong(document, terms, "an alternative must be an array of 1 to 32 terms");
    for (size_t k = 0; !status && k < sum->count; k++)
        status = read_term(document, json_array_get(terms, k), model, &sum->terms[k], &sum->coefficients[k]);
    return status ? status : model_add_alternative(model);
}

/* Nothing where the samples say which formula it is. */
static int
read_alternatives(const struct json_document *document, memmodel_model *model)
{
    const json_t *array = json_object_get(document->root, "alternatives");
    int status;

    if (!array)
        return 0;
    if (!model->relative || model_has_limits(model))
        return model_file_wrong(document, array, "\"alternatives\" need relative errors and no limits");
    status = model_file_list(document, document->root, "alternatives", MODEL_MAX_ALTERNATIVES, &array);
    for (size_t i = 0; !status && i < json_array_size(array); i++)
        status = read_alternative(document, json_array_get(array, i), model);
    return status;
}

/* The formula is there for people; one that says something else than the terms would mislead them. */
static int
check_formula(const struct json_document *document, const memmodel_model *model)
{
    const char *found;
    int status = json_get_string(document, document->root, "formula", &found);

    if (status || strcmp(found, model->formulas[MEMMODEL_LANGUAGE_TEXT]) == 0)
        return status;
    return model_file_wrong(document, json_object_get(document->root, "formula"),
                            "the formula is not that of the terms");
}

/* Both numbers, or both null: then there are none. */
static int
read_limits(const struct json_document *document, const json_t *object, struct model_response *response)
{
    int status;

    if (json_is_null(json_object_get(object, "min")) && json_is_null(json_object_get(object, "max")))
        return 0;
    status = model_file_number(document, object, "min", -INFINITY, &response->least);
    return status ? status : model_file_number(document, object, "max", response->least, &response->most);
}

/* The loss, and how a sum becomes a prediction: what the other members are checked by. */
static int
read_response(const struct json_document *document, memmodel_model *model)
{
    static const char *const keys[] = {"min", "max", NULL};
    struct model_response *response = &model->response;
    const char *loss;
    const json_t *object;
    int status = json_get_string(document, document->root, "loss", &loss);

    if (!status && strcmp(loss, loss_names[0]) != 0 && strcmp(loss, loss_names[1]) != 0)
        status = model_file_wrong(document, json_object_get(document->root, "loss"), "\"loss\" is squared or relative");
    if (!status)
        status = model_file_object(document, document->root, "response", keys, &object);
    if (!status)
        status = read_limits(document, object, response);
    model->general = true;
    if (!status)
        model->relative = strcmp(loss, loss_names[1]) == 0;
    model->scores.loss = model->relative ? MEMMODEL_FIT_LOSS_RELATIVE : MEMMODEL_FIT_LOSS_SQUARED;
    return status;
}

static int
read_entry(const struct json_document *document, const json_t *item, memmodel_model *model,
           struct memmodel_model_front_entry *entry)
{
    static const char *const keys[] = {"node_count", "term_count", "loo_error", "nested_cv_error",
                                       "selected",   "formula",    NULL};
    const char *formula;
    bool selected = false;
    int status = json_check_keys(document, item, keys);

    *entry = (struct memmodel_model_front_entry){.size = sizeof *entry};
    if (!status)
        status = model_file_count(document, item, "node_count", &entry->node_count);
    if (!status)
        status = model_file_count(document, item, "term_count", &entry->term_count);
    if (!status)
        status = model_file_number(document, item, "loo_error", 0, &entry->loo_error);
    if (!status)
        status = model_file_number(document, item, "nested_cv_error", 0, &entry->nested_cv_error);
    if (!status)
        status = json_get_bool(document, item, "selected", &selected);
    if (!status)
        status = json_get_string(document, item, "formula", &formula);
    if (status)
        return status;
    entry->selected = selected;
    entry->formula = arena_copy_text(&model->arena, formula);
    return entry->formula ? 0 : MEMMODEL_ERROR_NO_MEMORY;
}

static int
read_front(const struct json_document *document, memmodel_model *model)
{
    const json_t *array;
    int status = model_file_list(document, document->root, "front", MODEL_MAX_FRONT, &array);

    if (status)
        return status;
    model->front_count = json_array_size(array);
    status = model_allocate_front(model);
    for (size_t i = 0; !status && i < model->front_count; i++)
        status = read_entry(document, json_array_get(array, i), model, &model->front[i]);
    return status;
}

/* Of positive terms: files of before have none. */
static int
read_optional_front(const struct json_document *document, memmodel_model *model)
{
    return json_object_get(document->root, "front") ? read_front(document, model) : 0;
}

static int
read_errors(const struct json_document *document, memmodel_model *model)
{
    static const char *const keys[] = {"sample_count",    "training_error", "loo_error",
                                       "nested_cv_error", "baseline_error", NULL};
    double *const errors[] = {&model->scores.training_error, &model->scores.loo_error, &model->scores.nested_cv_error,
                              &model->scores.baseline_error};
    const json_t *object;
    int status = model_file_object(document, document->root, "scores", keys, &object);

    if (!status)
        status = model_file_count(document, object, "sample_count", &model->scores.sample_count);
    for (size_t i = 0; !status && i < sizeof errors / sizeof errors[0]; i++)
        status = model_file_number(document, object, keys[i + 1], 0, errors[i]);
    return status;
}

static int
read_scores(const struct json_document *document, memmodel_model *model)
{
    static const char *const keys[] = {"sample_count", "training_mape", "loo_mape", NULL};
    const json_t *object;
    int status = model_file_object(document, document->root, "scores", keys, &object);

    if (!status)
        status = model_file_count(document, object, "sample_count", &model->scores.sample_count);
    if (!status)
        status = model_file_number(document, object, "training_mape", 0, &model->scores.training_mape);
    return status ? status : model_file_number(document, object, "loo_mape", 0, &model->scores.loo_mape);
}

static int
read_noise(const struct json_document *document, memmodel_model *model)
{
    static const char *const keys[] = {"deviation", "dof", NULL};
    const json_t *object;
    int status;

    if (!json_object_get(document->root, "noise"))
        return 0;
    status = model_file_object(document, document->root, "noise", keys, &object);
    if (!status)
        status = model_file_number(document, object, "deviation", 0, &model->scores.noise);
    return status ? status : model_file_count(document, object, "dof", &model->scores.noise_dof);
}

static int
read_objective_loss(const struct json_document *document, const json_t *object, memmodel_model *model)
{
    const char *loss;
    int32_t kind = MEMMODEL_FIT_LOSS_MAPE;
    int status = json_get_string(document, object, "loss", &loss);

    if (status)
        return status;
    while (kind < OBJECTIVES && strcmp(loss, objective_names[kind]) != 0)
        kind++;
    if (kind == OBJECTIVES)
        return model_file_wrong(document, json_object_get(object, "loss"), "no such loss");
    model->scores.loss = kind;
    if (kind != MEMMODEL_FIT_LOSS_PINBALL)
        return 0;
    status = model_file_number(document, object, "quantile", 0, &model->quantile);
    if (!status && !(model->quantile > 0 && model->quantile < 1))
        status = model_file_wrong(document, json_object_get(object, "quantile"), "a quantile is above 0 and below 1");
    return status;
}

/* Of a loss that the version does not say; models with coefficients above 0 have its errors here. */
static int
read_objective(const struct json_document *document, memmodel_model *model)
{
    static const char *const keys[] = {"loss", "quantile", "training_error", "loo_error", "nested_cv_error", NULL};
    double *const errors[] = {&model->scores.training_error, &model->scores.loo_error, &model->scores.nested_cv_error};
    const json_t *object;
    int status;

    if (!json_object_get(document->root, "objective"))
        return 0;
    status = model_file_object(document, document->root, "objective", keys, &object);
    if (!status)
        status = read_objective_loss(document, object, model);
    for (size_t i = 0; !status && !model->general && i < sizeof errors / sizeof errors[0]; i++)
        status = model_file_number(document, object, keys[i + 2], 0, errors[i]);
    return status;
}

static int
read_unit(const struct json_document *document, memmodel_model *model)
{
    const char *name;
    int status;

    if (!json_object_get(document->root, "unit"))
        return 0;
    status = json_get_string(document, document->root, "unit", &name);
    if (status)
        return status;
    model->unit = byte_unit_find(name);
    return model->unit ? 0 : model_file_wrong(document, json_object_get(document->root, "unit"), "no unit of sizes");
}

/* A file may say that its formula is certified only if it is. */
static int
check_certificate(const struct json_document *document, const memmodel_model *model)
{
    bool certified = false;
    int status = 0;

    if (json_object_get(document->root, "certified"))
        status = json_get_bool(document, document->root, "certified", &certified);
    if (!status && certified && !model->scores.certified)
        status =
            model_file_wrong(document, json_object_get(document->root, "certified"), "the formula cannot be certified");
    return status;
}

enum { MAX_PARTS = 8 };

/* What a version has, in the order in which it is read. */
struct layout {
    const char *const *keys;
    int (*parts[MAX_PARTS])(const struct json_document *document, memmodel_model *model);
};

static const char *const keys_1[] = {"format", "version",  "target",       "formula", "inputs",    "terms",
                                     "bound",  "scores",   "certified",    "noise",   "objective", "front",
                                     "unit",   "censored", "alternatives", NULL};
static const char *const keys_2[] = {"format", "version",   "target", "formula",  "inputs",       "terms",
                                     "bound",  "scores",    "loss",   "front",    "response",     "certified",
                                     "noise",  "objective", "unit",   "censored", "alternatives", NULL};

static const struct layout layouts[FORMAT_VERSION] = {
    {keys_1, {read_domain, read_terms, bound_from_json, read_scores, read_optional_front, read_noise, read_objective}},
    {keys_2,
     {read_response, read_domain, read_terms, bound_from_json, read_errors, read_front, read_noise, read_objective}},
};

static int
read_members(const struct json_document *document, const struct layout *layout, memmodel_model *model)
{
    int status = 0;

    for (size_t i = 0; !status && i < MAX_PARTS && layout->parts[i]; i++)
        status = layout->parts[i](document, model);
    if (!status)
        status = read_unit(document, model);
    if (!status)
        status = read_alternatives(document, model);
    if (!status && json_object_get(document->root, "censored"))
        status = model_file_count(document, document->root, "censored", &model->scores.censored);
    if (!status)
        status = model_keep_formulas(model);
    if (!status)
        status = check_formula(document, model);
    if (!status)
        status = model_finish(model);
    return status ? status : check_certificate(document, model);
}

static int
read_model(const struct json_document *document, memmodel_model **model)
{
    const struct layout *layout;
    memmodel_model *new;
    int64_t version = 1;
    int status = json_check_format(document, format_name, FORMAT_VERSION);

    if (!status)
        status = json_get_int64(document, document->root, "version", &version);
    layout = &layouts[status ? 0 : version - 1];
    if (!status)
        status = json_check_keys(document, document->root, layout->keys);
    if (!status)
        status = begin_model(document, &new);
    if (status)
        return status;
    status = read_members(document, layout, new);
    return model_hand_over(new, status, model);
}

static int
parse(memmodel_context *context, const char *name, const char *text, size_t length, void *model)
{
    struct json_document document;
    int status;

    status = json_document_parse(&document, context, name, text, length);
    if (status)
        return status;
    status = read_model(&document, model);
    json_document_release(&document);
    return status;
}

int
memmodel_model_from_json(memmodel_context *context, const char *name, const char *text, size_t length,
                         memmodel_model **model)
{
    return file_parse_text(context, name, text, length, parse, model);
}

int
memmodel_model_load(memmodel_context *context, const char *path, memmodel_model **model)
{
    return file_parse(context, path, parse, model);
}
