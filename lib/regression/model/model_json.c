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

enum { FORMAT_VERSION = 2, VERSION_OF_POSITIVE = 1, OF_ANY_SIGN = 2 /* keys of the former alone */ };

static const char format_name[] = "memmodel-model";
static const char *const loss_names[] = {"squared", "relative", NULL};
static const char *const objective_names[] = {"", "", "", "mape", "log-ratio", "absolute", "pinball", NULL};
static const char *const sign_names[] = {
    [MODEL_SIGN_ANY] = "", [MODEL_SIGN_NOT_NEGATIVE] = "not negative", [MODEL_SIGN_POSITIVE] = "positive", NULL};

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
input_to_json(const memmodel_model *model, size_t index)
{
    const struct model_input *input = &model->inputs[index];
    json_t *object =
        json_pack("{s:s, s:f, s:f}", "name", input->name, "min", model->least[index], "max", model->most[index]);

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
        json_array_append_new(array, input_to_json(model, i));
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

static json_t *
term_to_json(const memmodel_model *model, expression term, double coefficient)
{
    struct text text = TEXT_INIT(model->context);
    json_t *object = NULL;

    expression_print(model->pool, term, EXPRESSION_TEXT, &text);
    if (!text.failed)
        object = json_pack("{s:f, s:s}", "coefficient", coefficient, "term", text.bytes);
    text_release(&text);
    return object;
}

/* NULL: out of memory. */
static json_t *
sum_to_json(const memmodel_model *model, const expression *terms, const double *coefficients, size_t count)
{
    json_t *array = json_array();

    for (size_t k = 0; array && k < count; k++)
        if (json_array_append_new(array, term_to_json(model, terms[k], coefficients[k]))) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static int
add_alternatives(const memmodel_model *model, json_t *root)
{
    json_t *array = json_array();
    int failed = json_object_set_new(root, "alternatives", array);

    for (size_t i = 0; !failed && i < model->alternative_count; i++) {
        const struct model_sum *sum = &model->alternatives[i];

        failed = json_array_append_new(array, sum_to_json(model, sum->terms, sum->coefficients, sum->count));
    }
    return failed;
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
    const struct memmodel_model_scores *scores = &model->scores;
    int failed = 0;

    if (!is_usual_loss(model))
        failed |= json_object_set_new(root, "objective", objective_to_json(model));
    if (model->unit)
        failed |= json_object_set_new(root, "unit", json_string(model->unit->name));
    if (scores->censored)
        failed |= json_object_set_new(root, "censored", json_integer((json_int_t)scores->censored));
    if (scores->certified)
        failed |= json_object_set_new(root, "certified", json_true());
    if (model->general || model->front_count > 0)
        failed |= json_object_set_new(root, "front", front_to_json(model));
    if (model->alternative_count > 0)
        failed |= add_alternatives(model, root);
    if (!isnan(scores->noise))
        failed |= json_object_set_new(
            root, "noise", json_pack("{s:f, s:I}", "deviation", scores->noise, "dof", (json_int_t)scores->noise_dof));
    if (model->general) {
        failed |= json_object_set_new(root, "loss", json_string(loss_names[model->relative]));
        failed |= json_object_set_new(root, "response", response_to_json(&model->response));
    }
    return failed;
}

static json_t *
model_to_json(const memmodel_model *model)
{
    json_t *root = json_pack("{s:s, s:i, s:s, s:s, s:o, s:o, s:o, s:o}", "format", format_name, "version",
                             model->general ? FORMAT_VERSION : VERSION_OF_POSITIVE, "target", model->target, "formula",
                             model->formulas[MEMMODEL_LANGUAGE_TEXT], "inputs", inputs_to_json(model), "terms",
                             sum_to_json(model, model->terms, model->coefficients, model->term_count), "bound",
                             bound_to_json(model), "scores", scores_to_json(model));

    if (root && !optional_to_json(model, root))
        return root;
    json_decref(root);
    return NULL;
}

static int
json_of_model(const void *model, memmodel_context *context, char **text)
{
    return json_write_numbers(context, model_to_json(model), text);
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

static size_t
read_names(struct model_reader *reader, const json_t *array, const char **names)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *item = json_array_get(array, i);

        names[i] = model_reader_text(reader, item, "name");
        for (size_t before = 0; before < i; before++)
            if (strcmp(names[before], names[i]) == 0)
                model_reader_wrong_member(reader, item, "name", "two inputs have the same name");
    }
    return json_array_size(array);
}

static void
begin_model(struct model_reader *reader)
{
    const struct json_document *document = reader->document;
    const char *names[MODEL_MAX_INPUTS], *target = model_reader_text(reader, document->root, "target");
    const json_t *inputs = model_reader_list(reader, document->root, "inputs", MODEL_MAX_INPUTS);
    size_t count = read_names(reader, inputs, names);

    if (!reader->status)
        reader->status = model_begin(document->context, target, names, count, &reader->model);
}

/* Files of before say nothing of whole numbers and signs: then all are allowed. */
static void
read_input(struct model_reader *reader, const json_t *item, size_t index)
{
    static const char *const keys[] = {"name", "min", "max", "is_whole", "sign", NULL};
    struct model_input *input = &reader->model->inputs[index];
    double *least = &reader->model->least[index], *most = &reader->model->most[index];

    model_reader_check_keys(reader, item, keys);
    *least = model_reader_number(reader, item, "min", -INFINITY);
    *most = model_reader_number(reader, item, "max", *least);
    if (json_object_get(item, "is_whole"))
        input->values.whole = model_reader_flag(reader, item, "is_whole");
    if (json_object_get(item, "sign"))
        input->values.sign = (enum model_sign)model_reader_choice(reader, item, "sign", sign_names,
                                                                  "\"sign\" is positive or not negative");
    if (!values_allow_range(&input->values, *least, *most))
        model_reader_wrong(reader, item, "the range is not of such values");
}

static void
read_domain(struct model_reader *reader)
{
    const json_t *inputs = json_object_get(reader->document->root, "inputs");

    for (size_t i = 0; i < reader->model->input_count; i++)
        read_input(reader, json_array_get(inputs, i), i);
}

static expression
parse_term(struct model_reader *reader, const json_t *item)
{
    const struct json_document *document = reader->document;
    struct expression_pool *pool = reader->model->pool;
    const char *text = model_reader_text(reader, item, "term");
    expression term = reader->status ? 0 : expression_parse(pool, document->name, text);

    if (status_ends_call(term))
        reader->status = term;
    else if (term < 0)
        reader->status =
            json_error_at(document, json_object_get(item, "term"), MEMMODEL_ERROR_PARSE, "not a term: %.200s", text);
    else if (!reader->status && expression_symbol_count(pool) > reader->model->input_count)
        reader->status = json_error_at(document, json_object_get(item, "term"), MEMMODEL_ERROR_PARSE,
                                       "the term has \"%.64s\" in it, which is no input",
                                       expression_symbol_name(pool, reader->model->input_count));
    return term;
}

static size_t
read_sum(struct model_reader *reader, const json_t *items, expression *terms, double *coefficients)
{
    static const char *const keys[] = {"coefficient", "term", NULL};
    size_t count = json_array_size(items);

    for (size_t k = 0; k < count; k++) {
        const json_t *item = json_array_get(items, k);

        model_reader_check_keys(reader, item, keys);
        coefficients[k] = model_reader_number(reader, item, "coefficient", reader->model->general ? -INFINITY : 0);
        terms[k] = parse_term(reader, item);
    }
    return count;
}

static void
read_terms(struct model_reader *reader)
{
    memmodel_model *model = reader->model;
    const json_t *terms = model_reader_list(reader, reader->document->root, "terms", MODEL_MAX_TERMS);

    model->term_count = read_sum(reader, terms, model->terms, model->coefficients);
}

static void
read_alternative(struct model_reader *reader, const json_t *terms)
{
    memmodel_model *model = reader->model;
    struct model_sum *sum = &model->alternatives[model->alternative_count];

    if (json_array_size(terms) == 0 || json_array_size(terms) > MODEL_MAX_TERMS) {
        model_reader_wrong(reader, terms, "an alternative must be an array of 1 to 32 terms");
        return;
    }
    sum->count = read_sum(reader, terms, sum->terms, sum->coefficients);
    if (!reader->status)
        reader->status = model_add_alternative(model);
}

/* Nothing where the samples say which formula it is. */
static void
read_alternatives(struct model_reader *reader)
{
    const json_t *root = reader->document->root, *array;

    if (!json_object_get(root, "alternatives"))
        return;
    if (!reader->model->relative || model_has_limits(reader->model))
        model_reader_wrong_member(reader, root, "alternatives", "\"alternatives\" need relative errors and no limits");
    array = model_reader_list(reader, root, "alternatives", MODEL_MAX_ALTERNATIVES);
    for (size_t i = 0; i < json_array_size(array); i++)
        read_alternative(reader, json_array_get(array, i));
}

/* The loss, and how a sum becomes a prediction within limits, both null where there are none. */
static void
read_response(struct model_reader *reader)
{
    static const char *const keys[] = {"min", "max", NULL};
    memmodel_model *model = reader->model;
    const json_t *root = reader->document->root, *object;

    model->relative = model_reader_choice(reader, root, "loss", loss_names, "\"loss\" is squared or relative");
    model->scores.loss = model->relative ? MEMMODEL_FIT_LOSS_RELATIVE : MEMMODEL_FIT_LOSS_SQUARED;
    object = model_reader_object(reader, root, "response", keys);
    if (json_is_null(json_object_get(object, "min")) && json_is_null(json_object_get(object, "max")))
        return;
    model->response.least = model_reader_number(reader, object, "min", -INFINITY);
    model->response.most = model_reader_number(reader, object, "max", model->response.least);
}

static void
read_entry(struct model_reader *reader, const json_t *item, struct memmodel_model_front_entry *entry)
{
    static const char *const keys[] = {"node_count", "term_count", "loo_error", "nested_cv_error",
                                       "selected",   "formula",    NULL};

    model_reader_check_keys(reader, item, keys);
    *entry = (struct memmodel_model_front_entry){
        .size = sizeof *entry,
        .node_count = model_reader_count(reader, item, "node_count"),
        .term_count = model_reader_count(reader, item, "term_count"),
        .loo_error = model_reader_number(reader, item, "loo_error", 0),
        .nested_cv_error = model_reader_number(reader, item, "nested_cv_error", 0),
        .selected = model_reader_flag(reader, item, "selected"),
        .formula = arena_copy_text(&reader->model->arena, model_reader_text(reader, item, "formula")),
    };
    if (!reader->status && !entry->formula)
        reader->status = MEMMODEL_ERROR_NO_MEMORY;
}

/* Of positive terms files of before have none. */
static void
read_front(struct model_reader *reader)
{
    memmodel_model *model = reader->model;
    const json_t *array;

    if (!model->general && !json_object_get(reader->document->root, "front"))
        return;
    array = model_reader_list(reader, reader->document->root, "front", MODEL_MAX_FRONT);
    model->front_count = json_array_size(array);
    if (!reader->status)
        reader->status = model_allocate_front(model);
    for (size_t i = 0; !reader->status && i < model->front_count; i++)
        read_entry(reader, json_array_get(array, i), &model->front[i]);
}

static void
read_errors(struct model_reader *reader)
{
    static const char *const keys[] = {"sample_count",    "training_error", "loo_error",
                                       "nested_cv_error", "baseline_error", NULL};
    struct memmodel_model_scores *scores = &reader->model->scores;
    const json_t *object = model_reader_object(reader, reader->document->root, "scores", keys);

    scores->sample_count = model_reader_count(reader, object, "sample_count");
    scores->training_error = model_reader_number(reader, object, "training_error", 0);
    scores->loo_error = model_reader_number(reader, object, "loo_error", 0);
    scores->nested_cv_error = model_reader_number(reader, object, "nested_cv_error", 0);
    scores->baseline_error = model_reader_number(reader, object, "baseline_error", 0);
}

static void
read_scores(struct model_reader *reader)
{
    static const char *const keys[] = {"sample_count", "training_mape", "loo_mape", NULL};
    struct memmodel_model_scores *scores = &reader->model->scores;
    const json_t *object = model_reader_object(reader, reader->document->root, "scores", keys);

    scores->sample_count = model_reader_count(reader, object, "sample_count");
    scores->training_mape = model_reader_number(reader, object, "training_mape", 0);
    scores->loo_mape = model_reader_number(reader, object, "loo_mape", 0);
}

static void
read_noise(struct model_reader *reader)
{
    static const char *const keys[] = {"deviation", "dof", NULL};
    const json_t *object;

    if (!json_object_get(reader->document->root, "noise"))
        return;
    object = model_reader_object(reader, reader->document->root, "noise", keys);
    reader->model->scores.noise = model_reader_number(reader, object, "deviation", 0);
    reader->model->scores.noise_dof = model_reader_count(reader, object, "dof");
}

/* Of a loss that the version does not say; models with coefficients above 0 have its errors here. */
static void
read_objective(struct model_reader *reader)
{
    static const char *const keys[] = {"loss", "quantile", "training_error", "loo_error", "nested_cv_error", NULL};
    memmodel_model *model = reader->model;
    const json_t *object;

    if (!json_object_get(reader->document->root, "objective"))
        return;
    object = model_reader_object(reader, reader->document->root, "objective", keys);
    model->scores.loss = model_reader_choice(reader, object, "loss", objective_names, "no such loss");
    if (model->scores.loss == MEMMODEL_FIT_LOSS_PINBALL) {
        model->quantile = model_reader_number(reader, object, "quantile", 0);
        if (!(model->quantile > 0 && model->quantile < 1))
            model_reader_wrong_member(reader, object, "quantile", "a quantile is above 0 and below 1");
    }
    if (model->general)
        return;
    model->scores.training_error = model_reader_number(reader, object, "training_error", 0);
    model->scores.loo_error = model_reader_number(reader, object, "loo_error", 0);
    model->scores.nested_cv_error = model_reader_number(reader, object, "nested_cv_error", 0);
}

static void
read_unit(struct model_reader *reader)
{
    const json_t *root = reader->document->root;

    if (!json_object_get(root, "unit"))
        return;
    reader->model->unit = byte_unit_find(model_reader_text(reader, root, "unit"));
    if (!reader->model->unit)
        model_reader_wrong_member(reader, root, "unit", "no unit of sizes");
}

/*
 * The formula is there for people; one that says something else than the terms would mislead them. A file may say that
 * it is certified only if it is.
 */
static void
finish_model(struct model_reader *reader)
{
    memmodel_model *model = reader->model;
    const json_t *root = reader->document->root;
    const char *formula;

    if (!reader->status)
        reader->status = model_keep_formulas(model);
    formula = model_reader_text(reader, root, "formula");
    if (!reader->status && strcmp(formula, model->formulas[MEMMODEL_LANGUAGE_TEXT]) != 0)
        model_reader_wrong_member(reader, root, "formula", "the formula is not that of the terms");
    if (!reader->status)
        reader->status = model_finish(model);
    if (json_object_get(root, "certified") && model_reader_flag(reader, root, "certified") && !model->scores.certified)
        model_reader_wrong_member(reader, root, "certified", "the formula cannot be certified");
}

/* In this order: what comes later is checked by what came before. */
static void
read_members(struct model_reader *reader)
{
    const json_t *root = reader->document->root;

    if (reader->model->general)
        read_response(reader);
    read_domain(reader);
    read_terms(reader);
    bound_from_json(reader);
    if (reader->model->general)
        read_errors(reader);
    else
        read_scores(reader);
    read_front(reader);
    read_noise(reader);
    read_objective(reader);
    read_unit(reader);
    read_alternatives(reader);
    if (json_object_get(root, "censored"))
        reader->model->scores.censored = model_reader_count(reader, root, "censored");
    finish_model(reader);
}

static int
read_model(const struct json_document *document, memmodel_model **model)
{
    static const char *const keys[] = {"loss",      "response", "format", "version",  "target",       "formula",
                                       "inputs",    "terms",    "bound",  "scores",   "certified",    "noise",
                                       "objective", "front",    "unit",   "censored", "alternatives", NULL};
    struct model_reader reader = {.document = document,
                                  .status = json_check_format(document, format_name, FORMAT_VERSION)};
    bool general = model_reader_count(&reader, document->root, "version") == FORMAT_VERSION;

    model_reader_check_keys(&reader, document->root, general ? keys : keys + OF_ANY_SIGN);
    begin_model(&reader);
    if (!reader.status) {
        reader.model->general = general;
        read_members(&reader);
    }
    return model_hand_over(reader.model, reader.status, model);
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
