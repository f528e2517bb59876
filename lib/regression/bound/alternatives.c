/* Which formulas a bound beyond the samples is above. */
#include "regression/bound/alternatives.h"

#include "regression/select/beam.h"
#include "regression/select/selection.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_ROWS = 16 /* from which points beyond the samples are made */ };

struct alternative {
    struct support support;
    double coefficients[SUPPORT_COLUMNS];
    struct expression_program *value;
    size_t index, wins; /* points beyond the samples where it predicts most */
};

struct finder {
    const struct comparison *comparison;
    memmodel_model *model;
    struct rows rows;
    struct shortlist shortlist;
    struct alternative *list;
    size_t count;
    double *predictions; /* of rows left out */
    double ranges[MODEL_MAX_INPUTS];
};

/* ---- which are as good ---- */

static bool
is_of_library(const struct basis *basis, const struct support *support, size_t library)
{
    return library == 0 || support->columns[support->count - 1] >= basis->ends[library - 1];
}

static bool
is_as_good(const struct finder *finder)
{
    const struct comparison *comparison = finder->comparison;

    return selection_advantage(comparison, comparison->loss, matrix_column(&comparison->left_out, comparison->chosen),
                               finder->predictions) <= 1;
}

static bool
fit_alternative(struct finder *finder, struct alternative *alternative)
{
    struct rows *rows = &finder->rows;
    size_t count = rows->columns.rows;

    if (isinf(rows_fit(rows, &alternative->support, alternative->coefficients)))
        return false;
    if (!loss_is_square(rows->loss)) { /* a fit that is worse than the chosen one without each row is not refitted */
        for (size_t i = 0; i < count; i++)
            finder->predictions[i] = rows_predict(rows, &alternative->support, alternative->coefficients, i);
        if (!is_as_good(finder))
            return false;
    }
    return rows_leave_out(rows, &alternative->support, finder->predictions) && is_as_good(finder);
}

/* Counts it if it is one. */
static int
offer(struct finder *finder, const struct support *support)
{
    const struct basis *basis = finder->rows.basis;
    struct alternative *alternative = &finder->list[finder->count];
    expression terms[SUPPORT_COLUMNS];
    int status;

    *alternative = (struct alternative){.support = *support, .index = finder->count};
    if (!fit_alternative(finder, alternative))
        return 0;
    for (size_t k = 0; k < support->count; k++) {
        terms[k] = basis->terms[support->columns[k]];
        alternative->coefficients[k] = ldexp(alternative->coefficients[k], -basis->exponents[support->columns[k]]);
    }
    status = expression_compile_sum(
        basis->pool,
        &(struct expression_sum){.terms = terms, .coefficients = alternative->coefficients, .count = support->count},
        &alternative->value);
    finder->count += status == 0;
    return status == MEMMODEL_ERROR_OVERFLOW ? 0 : status;
}

static int
list_alternatives(struct finder *finder)
{
    const struct basis *basis = finder->rows.basis;

    for (size_t library = 0; library < BASIS_LIBRARIES; library++) {
        int status;

        if (library > 0 && basis->ends[library] == basis->ends[library - 1])
            continue;
        status =
            beam_search(&finder->rows, library, comparison_max_terms(finder->comparison, library), &finder->shortlist);
        if (status)
            return status;
        for (size_t i = 0; !status && i < finder->shortlist.count; i++)
            if (is_of_library(basis, &finder->shortlist.supports[i], library))
                status = offer(finder, &finder->shortlist.supports[i]);
        if (status)
            return status;
    }
    return 0;
}

/* ---- which say most beyond the samples ---- */

static void
compare_at(struct finder *finder, const double *inputs)
{
    double max = memmodel_model_evaluate(finder->model, inputs);
    struct alternative *best = NULL;

    for (size_t i = 0; i < finder->count; i++) {
        double value;

        expression_program_run(finder->list[i].value, inputs, &value);
        if (value > max && isfinite(value)) {
            max = value;
            best = &finder->list[i];
        }
    }
    if (best)
        best->wins++;
}

/* At a sample with one input above all samples by their range, and with all inputs. */
static void
compare_beyond(struct finder *finder, size_t row)
{
    const struct training *table = finder->comparison->table;
    size_t inputs = finder->model->input_count;
    double at[MODEL_MAX_INPUTS] = {0}, above[MODEL_MAX_INPUTS] = {0};

    for (size_t i = 0; i < inputs; i++) {
        at[i] = matrix_column(&table->columns, i)[row];
        above[i] = at[i] + finder->ranges[i];
    }
    compare_at(finder, above);
    for (size_t i = 0; i < inputs; i++) {
        double sample = at[i];

        at[i] = finder->model->inputs[i].most + finder->ranges[i];
        compare_at(finder, at);
        at[i] = sample;
    }
}

static int
compare_wins(const void *a, const void *b)
{
    const struct alternative *x = a, *y = b;

    if (x->wins != y->wins)
        return x->wins < y->wins ? 1 : -1;
    return x->index > y->index ? 1 : -1;
}

static void
rank_alternatives(struct finder *finder)
{
    const struct model_input *inputs = finder->model->inputs;
    size_t rows = finder->comparison->table->columns.rows, taken = rows < MAX_ROWS ? rows : MAX_ROWS;

    for (size_t i = 0; i < finder->model->input_count; i++)
        finder->ranges[i] = inputs[i].most - inputs[i].least;
    for (size_t i = 0; i < taken; i++)
        compare_beyond(finder, (i + 1) * rows / taken - 1);
    qsort(finder->list, finder->count, sizeof *finder->list, compare_wins);
}

/* ---- into the model ---- */

static int
add_alternative(const struct finder *finder, const struct alternative *alternative)
{
    const struct basis *basis = finder->rows.basis;
    memmodel_model *model = finder->model;
    struct model_sum *sum = &model->alternatives[model->alternative_count];

    sum->count = alternative->support.count;
    for (size_t k = 0; k < sum->count; k++) {
        size_t column = alternative->support.columns[k];

        sum->coefficients[k] = alternative->coefficients[k];
        sum->terms[k] = expression_copy_assuming(basis->pool, basis->terms[column], model->pool, NULL, NULL, 0);
        if (sum->terms[k] < 0)
            return sum->terms[k];
    }
    return model_add_alternative(model);
}

static int
find(struct finder *finder)
{
    int status =
        rows_new(finder->comparison->table, finder->comparison->basis, finder->comparison->loss, &finder->rows);

    if (status)
        return status;
    finder->list =
        memory_allocate_zeroed(finder->model->context, BASIS_LIBRARIES * SHORTLIST_MAX + 1, sizeof *finder->list);
    finder->predictions =
        memory_allocate_zeroed(finder->model->context, finder->rows.columns.rows, sizeof *finder->predictions);
    if (!finder->list || !finder->predictions)
        return MEMMODEL_ERROR_NO_MEMORY;
    rows_take(&finder->rows, finder->comparison->folds, ROWS_MAX_FOLDS);
    status = list_alternatives(finder);
    if (status)
        return status;
    rank_alternatives(finder);
    for (size_t i = 0; !status && i < finder->count && i < MODEL_MAX_ALTERNATIVES && finder->list[i].wins > 0; i++)
        status = add_alternative(finder, &finder->list[i]);
    return status;
}

int
alternatives_find(const struct comparison *comparison, memmodel_model *model)
{
    struct finder *finder;
    int status;

    if (!model->relative || model_has_limits(model))
        return 0;
    finder = memory_allocate_zeroed(model->context, 1, sizeof *finder);
    if (!finder)
        return MEMMODEL_ERROR_NO_MEMORY;
    finder->comparison = comparison;
    finder->model = model;
    status = find(finder);
    for (size_t i = 0; i < finder->count; i++)
        expression_program_free(finder->list[i].value);
    if (finder->rows.table)
        rows_release(&finder->rows);
    memory_release(model->context, finder->list);
    memory_release(model->context, finder->predictions);
    memory_release(model->context, finder);
    return status;
}
