/* Which formulas a bound beyond the samples is above. */
#include "regression/bound/alternatives.h"

#include "regression/select/selection.h"

#include <math.h>

enum { MAX_ROWS = 16 /* from which points beyond the samples are made */ };

struct finder {
    struct fit *fit;
    memmodel_model *model;
    memmodel_model *list[CANDIDATES_MAX];
    size_t wins[CANDIDATES_MAX]; /* points beyond the samples where it predicts most */
    size_t count;
};

/* ---- which are as good ---- */

static bool
is_as_good(const struct comparison *comparison, size_t i)
{
    const struct candidate *candidate = &comparison->candidates[i];

    return i != comparison->chosen && !candidate->refused && candidate->source == SOURCE_TERMS &&
           selection_advantage(comparison, comparison->loss, matrix_column(&comparison->left_out, comparison->chosen),
                               matrix_column(&comparison->left_out, i)) <= 1;
}

static int
list_alternatives(struct finder *finder)
{
    const struct comparison *comparison = &finder->fit->comparison;
    int status = 0;

    for (size_t i = 0; !status && i < comparison->count; i++) {
        bool proven;

        if (!is_as_good(comparison, i))
            continue;
        status = fit_write_proven(finder->fit, &comparison->candidates[i], &finder->list[finder->count], &proven);
        finder->count += !status && proven;
    }
    return status;
}

/* ---- which say most beyond the samples ---- */

static void
compare_at(struct finder *finder, const double *inputs)
{
    double max = memmodel_model_evaluate(finder->model, inputs);
    size_t best = finder->count;

    for (size_t i = 0; i < finder->count; i++) {
        double value = memmodel_model_evaluate(finder->list[i], inputs);

        if (value > max && isfinite(value)) {
            max = value;
            best = i;
        }
    }
    if (best < finder->count)
        finder->wins[best]++;
}

/* At a sample with one input above all samples by their range, and with all inputs. */
static void
compare_beyond(struct finder *finder, size_t row)
{
    const double *least = finder->model->least, *most = finder->model->most;
    double at[MODEL_MAX_INPUTS] = {0}, above[MODEL_MAX_INPUTS] = {0};

    for (size_t i = 0; i < finder->model->input_count; i++) {
        at[i] = matrix_column(&finder->fit->table.columns, i)[row];
        above[i] = at[i] + most[i] - least[i];
    }
    compare_at(finder, above);
    for (size_t i = 0; i < finder->model->input_count; i++) {
        double sample = at[i];

        at[i] = most[i] + (most[i] - least[i]);
        compare_at(finder, at);
        at[i] = sample;
    }
}

/* ---- into the model ---- */

static int
add_alternative(memmodel_model *model, const memmodel_model *other)
{
    struct model_sum *sum = &model->alternatives[model->alternative_count];

    sum->count = other->term_count;
    for (size_t k = 0; k < sum->count; k++) {
        sum->coefficients[k] = other->coefficients[k];
        sum->terms[k] = expression_copy_assuming(other->pool, other->terms[k], model->pool, NULL, NULL, 0);
        if (sum->terms[k] < 0)
            return sum->terms[k];
    }
    return model_add_alternative(model);
}

/* Those that win most often; of equal ones the first. */
static int
add_alternatives(struct finder *finder)
{
    int status = 0;

    while (!status && finder->model->alternative_count < MODEL_MAX_ALTERNATIVES) {
        size_t best = 0;

        for (size_t i = 1; i < finder->count; i++)
            if (finder->wins[i] > finder->wins[best])
                best = i;
        if (finder->wins[best] == 0)
            break;
        finder->wins[best] = 0;
        status = add_alternative(finder->model, finder->list[best]);
    }
    return status;
}

int
alternatives_find(struct fit *fit, memmodel_model *model)
{
    struct finder *finder;
    size_t rows = fit->table.columns.rows, taken = rows < MAX_ROWS ? rows : MAX_ROWS;
    int status;

    if (!model->relative || model_has_limits(model))
        return 0;
    finder = workspace_take(&fit->workspace, 1, sizeof *finder);
    if (!finder)
        return fit->workspace.status;
    finder->fit = fit;
    finder->model = model;
    status = list_alternatives(finder);
    for (size_t i = 0; !status && i < taken; i++)
        compare_beyond(finder, (i + 1) * rows / taken - 1);
    if (!status)
        status = add_alternatives(finder);
    for (size_t i = 0; i < finder->count; i++)
        memmodel_model_unref(finder->list[i]);
    return status;
}
