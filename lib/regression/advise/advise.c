/* Which configuration to measure next. */
#include "memmodel/advise.h"
#include "base/environment.h"
#include "base/text.h"
#include "measure/samples.h"
#include "memmodel/model.h"
#include "regression/basis/basis.h"
#include "regression/advise/design.h"
#include "regression/advise/domain.h"
#include "regression/model/model.h"

#include <math.h>
#include <string.h>

enum { MAX_TERMS = 64, MAX_ADVISED = 1000, DEFAULT_COUNT = 10 };

static const double usual_target_error = 0.03, usual_noise = 0.03;
static const double min_noise = 1e-3;                /* below, what is not known of a share would drown all else */
static const double mean_size = 0.79788456080286541; /* of a normal error of standard deviation 1: sqrt(2 / pi) */
static const char prediction[] = "prediction";       /* as the cost */

struct advising {
    memmodel_context *context;
    struct workspace workspace;
    struct memmodel_advise_options options;
    const memmodel_samples *samples, *candidates;
    memmodel_samples *listed; /* the candidates, where they come from the domain */
    memmodel_model *model;    /* a fit to the samples; NULL: there are too few */
    size_t candidate_count;   /* rows of `training`: first the candidates, then samples, then the middle */
    struct training table;    /* measured: what is to be expected there */
    struct structure structure;
    struct basis basis;
    struct design design;
    double *costs;
    double noise;
};

/* ---- what is asked ---- */

static int
read_options(memmodel_context *context, const struct memmodel_advise_options *given,
             struct memmodel_advise_options *own)
{
    int status = options_copy(context, "memmodel_advise_options", given, own, sizeof *own);

    if (status)
        return status;
    if (own->count < 0 || own->count > MAX_ADVISED)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "%lld configurations are asked for; 1 to %d may be", (long long)own->count, MAX_ADVISED);
    if (!(own->target_error >= 0 && own->target_error < 1))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "target_error is a fraction above 0 and below 1, such as 0.03, not %g", own->target_error);
    if (!(own->noise >= 0 && own->noise < 1))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "noise is a fraction above 0 and below 1, such as 0.03, not %g", own->noise);
    own->count = own->count ? own->count : DEFAULT_COUNT;
    own->target_error = own->target_error > 0 ? own->target_error : usual_target_error;
    return 0;
}

/* ---- rows ---- */

static bool
is_complete(const double *const *columns, size_t count, size_t row)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(columns[i][row]))
            return false;
    return true;
}

/* The samples' columns of the inputs, and last that of the target. */
static int
find_columns(const struct advising *advising, const double **columns)
{
    const struct training *table = &advising->table;
    int status = 0;

    for (size_t i = 0; !status && i <= table->input_count; i++)
        status = samples_need_numbers(advising->samples, i < table->input_count ? table->inputs[i] : table->target,
                                      advising->context, &columns[i]);
    return status;
}

/* The last numeric column unless one is named. */
static int
find_target(struct advising *advising)
{
    const memmodel_samples *samples = advising->samples;

    advising->table.target = advising->options.target;
    if (!advising->table.target)
        advising->table.target = training_last_column(samples, NULL);
    if (!advising->table.target)
        return context_error(advising->context, MEMMODEL_ERROR_DATA, NULL, "the samples have no numeric column");
    for (size_t i = 0; i < advising->table.input_count; i++)
        if (strcmp(advising->table.inputs[i], advising->table.target) == 0)
            return context_error(advising->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                                 "\"%.200s\" cannot be an input and the target", advising->table.target);
    return 0;
}

/* An input's middle among the candidates: half of them lie below or at it, the others above or at it. */
static double
middle_of(const double *column, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, equal = 0;

        for (size_t j = 0; j < count; j++) {
            below += column[j] < column[i];
            equal += column[j] == column[i];
        }
        if (below <= count / 2 && below + equal > count / 2)
            return column[i];
    }
    return column[0];
}

static int
list_inputs(struct advising *advising, const double **columns)
{
    const memmodel_samples *candidates = advising->candidates;
    struct training *table = &advising->table;

    for (size_t i = 0; i < memmodel_samples_column_count(candidates); i++) {
        const char *name = memmodel_samples_column_name(candidates, i);

        if (!samples_numbers(candidates, name))
            continue;
        if (table->input_count == TRAINING_MAX_INPUTS)
            return context_error(advising->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                                 "there are more than %d inputs", TRAINING_MAX_INPUTS);
        columns[table->input_count] = samples_numbers(candidates, name);
        table->inputs[table->input_count++] = name;
    }
    return 0;
}

static int
check_candidates(const struct advising *advising, const double *const *columns)
{
    size_t rows = memmodel_samples_row_count(advising->candidates);

    if (advising->table.input_count == 0 || rows == 0)
        return context_error(advising->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "there are no configurations to choose from");
    if (rows > DOMAIN_MAX)
        return context_error(advising->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "there are more than %d configurations", DOMAIN_MAX);
    for (size_t row = 0; row < rows; row++)
        if (!is_complete(columns, advising->table.input_count, row))
            return context_error(advising->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                                 "a number is missing in configuration %zu", row + 1);
    return 0;
}

/* Candidates, samples without a missing number, and the middle. */
static int
fill_rows(struct advising *advising, const double *const *columns, const double *const *sampled)
{
    struct workspace *workspace = &advising->workspace;
    struct training *table = &advising->table;
    size_t candidates = memmodel_samples_row_count(advising->candidates), inputs = table->input_count, rows;
    size_t most = advising->samples ? memmodel_samples_row_count(advising->samples) : 0;

    rows = candidates + 1;
    for (size_t row = 0; row < most; row++)
        rows += is_complete(sampled, inputs + 1, row);
    advising->candidate_count = candidates;
    table->columns = matrix_new(workspace, rows, inputs);
    table->measured = workspace_take(workspace, rows, sizeof *table->measured);
    table->weights = workspace_take(workspace, rows, sizeof *table->weights);
    for (size_t i = 0; !workspace->status && i < inputs; i++) {
        double *column = matrix_column(&table->columns, i), *next = column + candidates;

        memcpy(column, columns[i], candidates * sizeof *column);
        for (size_t row = 0; row < most; row++)
            if (is_complete(sampled, inputs + 1, row))
                *next++ = sampled[i][row];
        *next = middle_of(column, candidates);
    }
    for (size_t row = 0; !workspace->status && row < rows; row++)
        table->measured[row] = table->weights[row] = 1;
    return workspace->status;
}

static int
read_rows(struct advising *advising)
{
    const double *columns[TRAINING_MAX_INPUTS], *sampled[TRAINING_MAX_INPUTS + 1];
    int status = list_inputs(advising, columns);

    if (!status)
        status = check_candidates(advising, columns);
    if (!status && advising->samples)
        status = find_target(advising);
    if (!status && advising->samples)
        status = find_columns(advising, sampled);
    return status ? status : fill_rows(advising, columns, sampled);
}

static size_t
sample_count(const struct advising *advising)
{
    return advising->table.columns.rows - 1 - advising->candidate_count;
}

/* ---- what is to be expected ---- */

static bool
varies(const struct advising *advising, size_t input)
{
    const double *column = matrix_column(&advising->table.columns, input) + advising->candidate_count;
    size_t row = 1;

    while (row < sample_count(advising) && column[row] == column[0])
        row++;
    return row < sample_count(advising);
}

/* Inputs that differ among the samples. */
static size_t
list_varied(const struct advising *advising, const char **names)
{
    size_t count = 0;

    for (size_t i = 0; i < advising->table.input_count; i++)
        if (varies(advising, i))
            names[count++] = advising->table.inputs[i];
    return count;
}

static int
fit_samples(struct advising *advising)
{
    const char *names[TRAINING_MAX_INPUTS];
    struct memmodel_fit_options options = {.size = sizeof options, .target = advising->table.target, .inputs = names};

    if (!advising->samples || sample_count(advising) < TRAINING_MIN_ROWS)
        return 0;
    options.input_count = list_varied(advising, names);
    if (options.input_count == 0)
        return 0;
    return memmodel_fit(advising->samples, &options, advising->context, &advising->model);
}

/* By the fit. */
static int
expect_fitted(struct advising *advising, double *expected)
{
    const struct training *table = &advising->table;
    const double *inputs[MODEL_MAX_INPUTS];
    int status;

    for (size_t k = 0; k < advising->model->input_count; k++)
        for (size_t i = 0; i < table->input_count; i++)
            if (strcmp(table->inputs[i], advising->model->inputs[k].name) == 0)
                inputs[k] = matrix_column(&table->columns, i);
    status = memmodel_model_check_points(advising->model, inputs, advising->candidate_count, advising->context);
    if (status)
        return status;
    memmodel_model_evaluate_many(advising->model, inputs, 1, table->columns.rows, expected);
    for (size_t i = 0; i < table->columns.rows; i++)
        if (!(expected[i] > 0 && isfinite(expected[i])))
            return context_error(advising->context, MEMMODEL_ERROR_DATA, table->target,
                                 "a fit to the samples has no value above 0 at configuration %zu", i + 1);
    return 0;
}

/* Without a fit: all terms have the same share in the middle. */
static void
expect_equal_shares(const struct advising *advising, double *expected)
{
    size_t rows = advising->table.columns.rows;

    for (size_t i = 0; i < rows; i++)
        expected[i] = 0;
    for (size_t j = 0; j < advising->basis.ends[0]; j++) {
        const double *column = matrix_column(&advising->basis.columns, j);
        double unit = fabs(column[rows - 1]);

        for (size_t i = 0; unit == 0 && i < rows; i++)
            unit = fabs(column[i]);
        for (size_t i = 0; unit > 0 && i < rows; i++)
            expected[i] += fabs(column[i]) / unit;
    }
}

static int
expect(struct advising *advising)
{
    int status = fit_samples(advising);

    if (status)
        return status;
    advising->noise = advising->options.noise;
    if (!(advising->noise > 0))
        advising->noise = advising->model ? advising->model->bound.sigma : usual_noise;
    advising->noise = fmax(advising->noise, min_noise);
    if (advising->model)
        return expect_fitted(advising, advising->table.measured);
    expect_equal_shares(advising, advising->table.measured);
    return 0;
}

/* ---- the design ---- */

/* Simple terms, the shortest first. */
static size_t
list_terms(const struct basis *basis, size_t terms[MAX_TERMS])
{
    size_t count = 0;
    unsigned longest = 0;

    for (size_t j = 0; j < basis->ends[0]; j++)
        longest = basis->sizes[j] > longest ? basis->sizes[j] : longest;
    for (unsigned size = 1; size <= longest; size++)
        for (size_t j = 0; j < basis->ends[0] && count < MAX_TERMS; j++)
            if (basis->sizes[j] == size)
                terms[count++] = j;
    return count;
}

/* Each term's share of what is to be expected; its greatest among the candidates counts as 1. */
static void
fill_shares(const struct advising *advising, size_t term, size_t k, struct matrix *shares)
{
    const double *column = matrix_column(&advising->basis.columns, term);
    double greatest = 0;

    for (size_t i = 0; i < shares->columns; i++)
        matrix_column(shares, i)[k] = column[i] / advising->table.measured[i];
    for (size_t i = 0; i < advising->candidate_count; i++)
        greatest = fmax(greatest, fabs(matrix_column(shares, i)[k]));
    for (size_t i = 0; greatest > 0 && i < shares->columns; i++)
        matrix_column(shares, i)[k] /= greatest;
}

static int
make_design(struct advising *advising)
{
    size_t terms[MAX_TERMS], count = list_terms(&advising->basis, terms), samples = sample_count(advising);
    struct workspace *workspace = &advising->workspace;
    struct matrix shares = matrix_new(workspace, count, advising->candidate_count + samples);
    int status;

    if (workspace->status)
        return workspace->status;
    for (size_t k = 0; k < count; k++)
        fill_shares(advising, terms[k], k, &shares);
    status = design_new(workspace, shares, advising->candidate_count, advising->noise, &advising->design);
    for (size_t i = 0; !status && i < samples; i++)
        design_measure(&advising->design, advising->candidate_count + i);
    return status;
}

/* ---- costs ---- */

static int
evaluate_cost(struct advising *advising, const char *text)
{
    expression cost = expression_parse(advising->basis.pool, "cost", text);

    if (cost < 0)
        return cost;
    if (expression_symbol_count(advising->basis.pool) > advising->table.input_count)
        return context_error(advising->context, MEMMODEL_ERROR_NOT_FOUND, text,
                             "the cost has \"%.64s\" in it, which is no input",
                             expression_symbol_name(advising->basis.pool, advising->table.input_count));
    return terms_evaluate(advising->basis.pool, &cost, 1, &advising->table, &advising->costs);
}

static int
check_costs(const struct advising *advising)
{
    for (size_t i = 0; i < advising->candidate_count; i++)
        if (!(advising->costs[i] > 0 && isfinite(advising->costs[i])))
            return context_error(advising->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                                 "the cost \"%.200s\" is %g at configuration %zu; it must be above 0",
                                 advising->options.cost, advising->costs[i], i + 1);
    return 0;
}

static int
find_costs(struct advising *advising)
{
    const char *text = advising->options.cost;
    int status = 0;

    advising->costs = workspace_take(&advising->workspace, advising->table.columns.rows, sizeof *advising->costs);
    if (!advising->costs)
        return advising->workspace.status;
    for (size_t i = 0; i < advising->candidate_count; i++)
        advising->costs[i] = 1;
    if (!text)
        return 0;
    if (strcmp(text, prediction) != 0)
        status = evaluate_cost(advising, text);
    else if (advising->model)
        memcpy(advising->costs, advising->table.measured, advising->candidate_count * sizeof *advising->costs);
    else
        status = context_error(advising->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                               "a cost of \"prediction\" needs at least %d samples to fit", TRAINING_MIN_ROWS);
    return status ? status : check_costs(advising);
}

/* ---- the advice ---- */

/* Of a prediction at some candidate, with the error of the measurement that it is compared with. */
static double
expected_error(const struct advising *advising)
{
    return mean_size * advising->noise * sqrt(1 + design_leverage(&advising->design));
}

static int
advise_one(struct advising *advising, memmodel_samples *table)
{
    double values[TRAINING_MAX_INPUTS + 2];
    size_t inputs = advising->table.input_count, chosen = design_choose(&advising->design, advising->costs);

    design_measure(&advising->design, chosen);
    for (size_t i = 0; i < inputs; i++)
        values[i] = matrix_column(&advising->table.columns, i)[chosen];
    values[inputs] = advising->costs[chosen];
    values[inputs + 1] = expected_error(advising);
    return memmodel_samples_add_row(table, values);
}

static void
note_needed(const struct advising *advising, int64_t *needed)
{
    if (*needed < 0 && expected_error(advising) <= advising->options.target_error)
        *needed = (int64_t)advising->design.measured;
}

/* What would be measured beyond the advice says how many are needed. */
static int
advise_all(struct advising *advising, memmodel_samples *table, int64_t *needed)
{
    int status = 0;

    *needed = -1;
    note_needed(advising, needed);
    for (int64_t i = 0; !status && i < advising->options.count; i++) {
        context_report(advising->context, "configurations", i, advising->options.count, NAN);
        status = advise_one(advising, table);
        note_needed(advising, needed);
    }
    if (mean_size * advising->noise >= advising->options.target_error)
        return status;
    for (int64_t i = advising->options.count; !status && i < MAX_ADVISED && *needed < 0; i++) {
        design_measure(&advising->design, design_choose(&advising->design, advising->costs));
        note_needed(advising, needed);
    }
    return status;
}

static int
new_table(const struct advising *advising, memmodel_samples **table)
{
    const char *names[TRAINING_MAX_INPUTS + 2];
    size_t inputs = advising->table.input_count;

    for (size_t i = 0; i < inputs; i++)
        names[i] = advising->table.inputs[i];
    names[inputs] = "cost";
    names[inputs + 1] = "error";
    return memmodel_samples_new(advising->context, names, inputs + 2, table);
}

/* Whole powers of the inputs and their products. */
static int
list_basis(struct advising *advising)
{
    const struct memmodel_fit_options posynomial = {.size = sizeof posynomial, .loss = MEMMODEL_FIT_LOSS_RELATIVE};
    struct structure *structure = &advising->structure;

    structure->input_count = advising->table.input_count;
    structure->integer_exponents = true;
    for (size_t i = 0; i < structure->input_count; i++)
        training_range(&advising->table, i, &structure->least[i], &structure->most[i]);
    return basis_new(&advising->workspace, &advising->table, &posynomial, structure, &advising->basis);
}

static int
prepare(struct advising *advising)
{
    int status = read_rows(advising);

    if (!status)
        status = list_basis(advising);
    if (!status)
        status = expect(advising);
    if (!status)
        status = find_costs(advising);
    return status ? status : make_design(advising);
}

static int
advise(struct advising *advising, struct memmodel_advise_result *result, memmodel_samples **design)
{
    memmodel_samples *table;
    int status = prepare(advising);

    if (!status)
        status = new_table(advising, &table);
    if (status)
        return status;
    context_log(advising->context, "assumed measurement noise: %.3g %%", 100 * advising->noise);
    result->expected_error = expected_error(advising);
    status = advise_all(advising, table, &result->needed_count);
    if (status)
        memmodel_samples_unref(table);
    else
        *design = table;
    return status;
}

static void
release(struct advising *advising)
{
    if (advising->basis.pool)
        expression_pool_free(advising->basis.pool);
    workspace_release(&advising->workspace);
    memmodel_model_unref(advising->model);
    memmodel_samples_unref(advising->listed);
    memory_release(advising->context, advising);
}

/* Without candidates they are all that the domain has. */
static int
begin(struct advising *advising, const struct memmodel_advise_options *options)
{
    int status = read_options(advising->context, options, &advising->options);

    if (status)
        return status;
    advising->candidates = advising->options.candidates;
    if (advising->candidates)
        return 0;
    status =
        domain_list(advising->context, advising->options.domain, advising->options.domain_count, &advising->listed);
    advising->candidates = advising->listed;
    return status;
}

static int
advise_within(const memmodel_samples *samples, const struct memmodel_advise_options *options, memmodel_context *context,
              struct memmodel_advise_result *result, memmodel_samples **design)
{
    OWN_ENVIRONMENT;
    struct advising *advising = memory_allocate_zeroed(context, 1, sizeof *advising);
    int status;

    if (!advising)
        return MEMMODEL_ERROR_NO_MEMORY;
    advising->context = advising->table.context = context;
    advising->workspace = WORKSPACE_INIT(context);
    advising->samples = samples;
    status = begin(advising, options);
    if (!status)
        status = advise(advising, result, design);
    release(advising);
    return status;
}

int
memmodel_advise(const memmodel_samples *samples, const struct memmodel_advise_options *options,
                memmodel_context *context, struct memmodel_advise_result *result, memmodel_samples **design)
{
    struct memmodel_advise_result own = {.size = sizeof own};
    memmodel_samples *table = NULL;
    int status;

    if (!context && samples)
        context = samples->context;
    if (!context || !result || !design)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    status = context_begin(context);
    if (!status)
        status = result_check(context, "memmodel_advise_result", result);
    if (!status)
        status = advise_within(samples, options, context, &own, &table);
    if (!status) {
        result_copy(&own, sizeof own, result);
        *design = table;
    }
    return context_end(context, status);
}
