/* From samples to a model: read the table, offer terms, list subsets, select one, fit it, and see how wrong it is. */
#include "base/environment.h"
#include "base/choice.h"
#include "measure/samples.h"
#include "regression/bound.h"
#include "regression/censored.h"
#include "regression/fit_general.h"
#include "regression/fit_positive.h"
#include "regression/jackknife.h"
#include "regression/noise.h"
#include "regression/path.h"
#include "regression/robust.h"
#include "regression/settle.h"
#include "regression/shorten.h"
#include "regression/widen.h"
#include "regression/values.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_TERMS = 4, MOST_GIVEN = 1024, ROWS_PER_TERM = 3 };

#define DEFAULT_QUANTILE 0.95

static int
check_choices(memmodel_context *context, const struct memmodel_fit_options *options)
{
    static const char *const bases[] = {"posynomial", "user", "general", NULL};
    static const char *const losses[] = {"default",   "relative", "squared", "mape",
                                         "log-ratio", "absolute", "pinball", NULL};
    static const char *const searches[] = {"none", "enumerate", "evolve", "all", NULL};
    static const char *const selections[] = {"default", "one standard error", "description length", NULL};
    int status = choice_check(context, NULL, "basis", options->basis, bases);

    status = status ? status : choice_check(context, NULL, "loss", options->loss, losses);
    status = status ? status : choice_check(context, NULL, "search", options->search, searches);
    status = status ? status : choice_check(context, NULL, "selection", options->selection, selections);
    status = status ? status : flag_check(context, NULL, "integer_exponents", options->integer_exponents);
    status = status ? status : flag_check(context, NULL, "non_negative", options->non_negative);
    return status ? status : flag_check(context, NULL, "change_points", options->change_points);
}

static int
read_options(memmodel_context *context, const struct memmodel_fit_options *given, struct memmodel_fit_options *own)
{
    int status = options_copy(context, "memmodel_fit_options", given, own, sizeof *own);

    if (status)
        return status;
    if (own->quantile != 0 && (own->loss != MEMMODEL_FIT_LOSS_PINBALL || !(own->quantile > 0 && own->quantile < 1)))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "quantile is %g; it must be above 0 and below 1, and the loss pinball", own->quantile);
    if (own->term_count > MOST_GIVEN || (own->term_count > 0 && !own->terms))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "%zu terms given; 0 to %d may be",
                             own->term_count, MOST_GIVEN);
    if (!(own->capacity >= 0) || isinf(own->capacity))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "capacity is %g; it is a finite number of bytes", own->capacity);
    if (own->max_evaluations < 0 || !(own->max_seconds >= 0))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "max_evaluations and max_seconds must not be negative");
    if (own->reserved != 0 || own->reserved_2 != 0 || own->reserved_3 != 0 || own->threads < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "threads must not be negative, and reserved must be 0");
    return check_choices(context, own);
}

/* What the caller left open. */
static void
set_defaults(struct memmodel_fit_options *options)
{
    if (options->quantile == 0)
        options->quantile = DEFAULT_QUANTILE;
    if (options->loss == MEMMODEL_FIT_LOSS_SQUARED && options->basis == MEMMODEL_FIT_BASIS_POSYNOMIAL)
        options->basis = MEMMODEL_FIT_BASIS_GENERAL;
    if (options->loss == MEMMODEL_FIT_LOSS_DEFAULT)
        options->loss =
            options->basis == MEMMODEL_FIT_BASIS_GENERAL ? MEMMODEL_FIT_LOSS_SQUARED : MEMMODEL_FIT_LOSS_RELATIVE;
    if (options->selection == MEMMODEL_FIT_SELECTION_DEFAULT)
        options->selection = fit_is_general(options) ? MEMMODEL_FIT_SELECTION_DESCRIPTION_LENGTH
                                                     : MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR;
}

/* When the basis is known. */
static int
check_max_terms(memmodel_context *context, const struct memmodel_fit_options *options)
{
    int most = fit_is_general(options) ? PATH_MOST : SUBSET_TERMS;

    if (options->max_terms < 0 || options->max_terms > most)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "max_terms is %d; it may be 1 to %d",
                             options->max_terms, most);
    return 0;
}

struct select_problem
fit_selection(const struct fit *fit)
{
    return (struct select_problem){
        .columns = &fit->basis.columns,
        .right_side = fit->basis.right_side,
        .sizes = fit->basis.sizes,
        .plain = fit->basis.plain,
        .groups = fit->structure.change_point ? fit->basis.groups : NULL,
        .points = fit->training.points,
        .point_count = fit->training.point_count,
        .loss = fit_is_reweighed(fit) ? &fit->loss : NULL,
        .measured = fit->training.measured,
        .weights = fit->training.weights,
        .roots = fit->roots,
        .rule = fit->rule,
        .line = &fit->line,
    };
}

/* Makes room for fits step by step, unless least squares will do. */
static int
prepare_loss(struct fit *fit, const struct memmodel_fit_options *options)
{
    size_t rows = fit->training.columns.rows;

    fit->loss = training_loss(&fit->training, options);
    if (loss_is_square(&fit->loss))
        return 0;
    fit->roots = memory_allocate_zeroed(fit->context, rows, sizeof *fit->roots);
    if (!fit->roots)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < rows; i++)
        fit->roots[i] = sqrt(fit->training.weights[i]) / fit->training.measured[i];
    return reweighing_new(fit->context, rows, SUBSET_TERMS + 1, &fit->reweighing);
}

/* At least three rows for every term, the constant included, and two terms in any case. */
static size_t
affordable_terms(size_t rows, int32_t asked)
{
    size_t terms = rows / ROWS_PER_TERM, wanted = asked > 0 ? (size_t)asked : DEFAULT_TERMS;

    if (terms < 2)
        terms = 2;
    return terms - 1 < wanted ? terms - 1 : wanted;
}

/* The constant and the inputs as they are, in rising order of their columns; 0 if the basis lacks one. */
static size_t
list_line(const struct basis *basis, size_t inputs, uint16_t columns[SUBSET_TERMS + 1])
{
    size_t count = 1;

    columns[0] = 0;
    for (size_t j = 1; j < basis->count && count <= inputs; j++)
        for (size_t i = 0; i < inputs; i++)
            if (basis->terms[j] == expression_symbol(basis->pool, expression_symbol_name(basis->pool, i)))
                columns[count++] = (uint16_t)j;
    return count == inputs + 1 ? count : 0;
}

/* The constant and all inputs, those that least squares leaves above 0: a candidate whatever the search lists. */
static int
draw_line(struct fit *fit, const struct memmodel_fit_options *options)
{
    uint16_t columns[SUBSET_TERMS + 1];
    const double *values[SUBSET_TERMS + 1];
    double coefficients[SUBSET_TERMS + 1];
    size_t inputs = fit->training.input_count, rows = fit->training.columns.rows, count;
    struct leave_one_out work;
    int status;

    if (options->max_terms > 0 || inputs > SUBSET_TERMS || rows < ROWS_PER_TERM * (inputs + 1))
        return 0;
    count = list_line(&fit->basis, inputs, columns);
    status = leave_one_out_new(fit->context, rows, &work);
    for (size_t k = 0; k < count; k++)
        values[k] = matrix_column(&fit->basis.columns, columns[k]);
    if (!status)
        nnls_solve(&work.nnls, rows, values, count, fit->basis.right_side, coefficients);
    for (size_t k = 0; !status && k < count; k++)
        if (coefficients[k] > 0)
            fit->line.columns[fit->line.count++] = columns[k];
    leave_one_out_release(&work);
    return status;
}

static int
search(struct fit *fit, const struct memmodel_fit_options *options)
{
    struct select_problem problem = fit_selection(fit);

    fit->library = (struct subset_library){
        .columns = &fit->basis.columns,
        .right_side = fit->basis.right_side,
        .plain = fit->basis.plain,
        .max_terms = affordable_terms(fit->training.columns.rows, options->max_terms),
        .groups = fit->structure.change_point ? fit->basis.groups : NULL,
    };
    fit->shortlist = memory_allocate(fit->context, sizeof *fit->shortlist);
    if (!fit->shortlist)
        return MEMMODEL_ERROR_NO_MEMORY;
    return robust_search(fit->context, &fit->library, &problem, fit->shortlist);
}

/* ---- a formula that is proven to be sound ---- */

/* The constant is read last. */
static void
put_constant_last(struct subset *subset)
{
    if (subset->columns[0] != 0)
        return;
    memmove(subset->columns, subset->columns + 1, (subset->count - 1) * sizeof *subset->columns);
    subset->columns[subset->count - 1] = 0;
}

/* With few digits, unless one is not above 0 then. While the factors are those of the subset. */
static void
shorten(const struct fit *fit, const struct subset *subset, double *coefficients)
{
    int exponents[SUBSET_TERMS + 1];
    double shorter[SUBSET_TERMS + 1];
    bool positive = true;

    for (size_t k = 0; k < subset->count; k++)
        exponents[k] = fit->basis.exponents[subset->columns[k]];
    shorten_solve(&fit->work.qr, &(struct shorten_columns){.exponents = exponents}, fit->basis.right_side, shorter);
    for (size_t k = 0; k < subset->count; k++)
        positive = positive && shorter[k] > 0;
    if (positive)
        memcpy(coefficients, shorter, subset->count * sizeof *coefficients);
}

/* Coefficients of the formula's terms; the factors are those of their least squares. */
static bool
solve(struct fit *fit, const struct sum *formula, double *coefficients)
{
    const struct subset *subset = &formula->subset;
    double scaled[SUBSET_TERMS + 1];
    struct select_problem problem = fit_selection(fit);
    bool solved = subset_fit(&fit->work, &fit->basis.columns, fit->basis.right_side, subset, scaled);

    if (fit_is_reweighed(fit))
        solved = fit->work.qr.count == subset->count && select_fit(&fit->reweighing, &problem, subset, scaled);
    else if (solved && formula->scale == 0)
        shorten(fit, subset, scaled);
    if (!solved)
        return false;
    for (size_t k = 0; k < subset->count; k++)
        coefficients[k] =
            ldexp(formula->scale > 0 ? formula->scale : scaled[k], -fit->basis.exponents[subset->columns[k]]);
    return true;
}

struct sum
fit_sum(const struct fit *fit, const struct subset *subset)
{
    return (struct sum){.subset = *subset, .nodes = basis_sum_nodes(&fit->basis, subset->columns, subset->count)};
}

int
fit_prove_sum(struct fit *fit, const struct subset *subset, const double *coefficients, bool *proven)
{
    expression terms[SUBSET_TERMS + 1];
    const struct expression_sum sum = {.terms = terms, .coefficients = coefficients, .count = subset->count};
    struct expression_program *program;
    int status;

    for (size_t k = 0; k < sum.count; k++)
        terms[k] = fit->basis.terms[subset->columns[k]];
    status = expression_compile_sum(fit->basis.pool, &sum, &program);
    if (status)
        return status;
    status = structure_proves(&fit->structure, program, true, proven);
    expression_program_free(program);
    return status;
}

int
fit_prove(struct fit *fit, const struct sum *formula, bool *proven)
{
    struct sum last = *formula;
    double coefficients[SUBSET_TERMS + 1];

    put_constant_last(&last.subset);
    *proven = solve(fit, &last, coefficients);
    return *proven ? fit_prove_sum(fit, &last.subset, coefficients, proven) : 0;
}

void
fit_leave_out(struct fit *fit, const struct subset *subset, double *errors)
{
    struct select_problem problem = fit_selection(fit);

    if (fit_is_reweighed(fit))
        select_left_out(&fit->reweighing, &problem, subset, errors);
    else
        leave_one_out_errors(&fit->work, &fit->basis.columns, fit->basis.right_side, subset, errors);
}

/* Room for what becomes known of rows. */
static int
allocate_judgement(struct fit *fit)
{
    size_t rows = fit->training.columns.rows;
    int status = row_groups_new(fit->context, fit->training.points, rows, fit->training.point_count, &fit->groups);

    if (!status)
        status = leave_one_out_new(fit->context, rows, &fit->work);
    if (!status)
        status = matrix_new(fit->context, rows, HELD_OUT_COLUMNS, &fit->held_out.front);
    if (status)
        return status;
    fit->errors = memory_allocate_zeroed(fit->context, rows, sizeof *fit->errors);
    fit->held_out.ratios = memory_allocate_zeroed(fit->context, rows, sizeof *fit->held_out.ratios);
    fit->held_out.groups = memory_allocate_zeroed(fit->context, rows, sizeof *fit->held_out.groups);
    fit->held_out.formulas =
        memory_allocate_zeroed(fit->context, SELECT_MOST_GROUPS + MOMENTS_FOLDS, sizeof *fit->held_out.formulas);
    fit->rivals = memory_allocate_zeroed(fit->context, FIT_MOST_RIVALS, sizeof *fit->rivals);
    return fit->errors && fit->held_out.ratios && fit->held_out.groups && fit->held_out.formulas && fit->rivals
               ? 0
               : MEMMODEL_ERROR_NO_MEMORY;
}

/* ---- the model ---- */

/* Row errors carry the root of their weight. */
static double
mean_absolute(const struct fit *fit, const double *errors)
{
    size_t rows = fit->training.columns.rows;
    double sum = 0;

    for (size_t i = 0; i < rows; i++)
        sum += fabs(errors[i]) * sqrt(fit->training.weights[i]);
    return sum / (double)rows;
}

double
fit_told_of_errors(const struct fit *fit, const double *errors)
{
    const struct training *training = &fit->training;
    size_t rows = training->columns.rows;
    double sum = 0;

    for (size_t i = 0; i < rows; i++) {
        double predicted = training->measured[i] * (1 - errors[i] / sqrt(training->weights[i]));

        sum += training->weights[i] * loss_of(&fit->loss, training->measured[i], predicted);
    }
    return loss_told(&fit->loss, sum / (double)rows);
}

double
fit_told_of_ratios(const struct fit *fit, const double *ratios)
{
    const struct training *training = &fit->training;
    size_t rows = training->columns.rows;
    double sum = 0;

    for (size_t i = 0; i < rows; i++)
        sum += training->weights[i] * loss_of(&fit->loss, training->measured[i], training->measured[i] / ratios[i]);
    return loss_told(&fit->loss, sum / (double)rows);
}

/* While `errors` has those of rows left out. */
static void
set_left_out_scores(const struct fit *fit, memmodel_model *model)
{
    model->loo_mape = mean_absolute(fit, fit->errors);
    if (!fit_is_reweighed(fit))
        return;
    model->errors.loo = fit_told_of_errors(fit, fit->errors);
    model->errors.held_out = fit_told_of_ratios(fit, fit->held_out.ratios);
}

static void
set_scores(struct fit *fit, memmodel_model *model)
{
    size_t rows = fit->training.columns.rows;
    const double *inputs[MODEL_MOST_INPUTS];

    model->samples = (int64_t)rows;
    model->loss = fit->loss.kind;
    model->quantile = fit->loss.quantile;
    set_left_out_scores(fit, model);
    for (size_t i = 0; i < model->input_count; i++)
        inputs[i] = matrix_column(&fit->training.columns, i);
    memmodel_model_evaluate_many(model, inputs, 1, rows, fit->errors);
    for (size_t i = 0; i < rows; i++)
        fit->errors[i] = (1 - fit->errors[i] / fit->training.measured[i]) * sqrt(fit->training.weights[i]);
    model->training_mape = mean_absolute(fit, fit->errors);
    if (fit_is_reweighed(fit))
        model->errors.training = fit_told_of_errors(fit, fit->errors);
}

static int
set_left_out(const struct fit *fit, memmodel_model *model)
{
    size_t count = fit->held_out.count;
    struct left_out_formula *formulas = memory_allocate_zeroed(fit->context, count, sizeof *formulas);
    const struct left_out_rows rows = {
        .formulas = formulas,
        .count = count,
        .groups = fit->held_out.groups,
        .ratios = fit->held_out.ratios,
        .points = fit->training.points,
        .point_count = fit->training.point_count,
    };
    int status;

    if (!formulas)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const struct held_out_formula *from = &fit->held_out.formulas[i];

        formulas[i].count = from->subset.count;
        memcpy(formulas[i].columns, from->subset.columns, from->subset.count * sizeof *from->subset.columns);
        memcpy(formulas[i].coefficients, from->coefficients, from->subset.count * sizeof *from->coefficients);
    }
    status = jackknife_fill(model, &fit->basis, &rows);
    memory_release(fit->context, formulas);
    return status;
}

/* The terms of the formula, and those that it had without some of the rows. */
static void
list_found(const struct fit *fit, struct wide_list *found)
{
    for (size_t k = 0; k < fit->formula.subset.count; k++)
        widen_add(found, fit->formula.subset.columns[k]);
    for (size_t i = 0; i < fit->held_out.count; i++)
        for (size_t k = 0; k < fit->held_out.formulas[i].subset.count; k++)
            widen_add(found, fit->held_out.formulas[i].subset.columns[k]);
}

static const double same = 1 + 1e-9;           /* times that, growth is the same */
static const double same_power = 0x1.6a09e6p0; /* the same whole power, of what doubles: the root of two */

/* Those and the simple ones like them. */
static int
set_wide(const struct fit *fit, memmodel_model *model, const double *most)
{
    const struct wide_rows rows = {.error = model->bound.sigma};
    struct wide_list list = {.count = 0};
    int status;

    list_found(fit, &list);
    status = widen_add_simple(&list, &list, same, fit->context, &fit->basis, most, model->input_count);
    return status ? status : widen_fill(model, &model->bound.wide, &fit->basis, &list, &rows);
}

/* By simple terms alone: those that were found tell more of rows that were seen than of others. */
static int
set_spread(const struct fit *fit, memmodel_model *model, const struct bound_rows *bound, const double *most)
{
    size_t count = fit->training.columns.rows;
    double *leverages = memory_allocate_zeroed(fit->context, count, sizeof *leverages);
    const struct wide_rows rows = {.error = model->bound.sigma, .leverages = leverages};
    struct wide_list found = {.count = 0}, simple = {.count = 0};
    struct model_wide open = {.term_count = 0};
    int status = leverages ? 0 : MEMMODEL_ERROR_NO_MEMORY;

    list_found(fit, &found);
    if (!status)
        status = widen_add_simple(&simple, &found, same_power, fit->context, &fit->basis, most, model->input_count);
    if (!status)
        status = widen_fill(model, &open, &fit->basis, &simple, &rows);
    if (!status)
        status = bound_spread(model, bound, &open, leverages);
    memory_release(fit->context, leverages);
    return status;
}

/* While the factors are those of the subset, whose columns were divided by 2^exponents. */
static int
set_bound(struct fit *fit, const int *exponents, memmodel_model *model)
{
    const struct bound_rows rows = {
        .qr = &fit->work.qr,
        .exponents = exponents,
        .ratios = fit->held_out.ratios,
        .weights = fit->training.weights,
        .points = fit->training.points,
        .point_count = fit->training.point_count,
        .numbers = fit->formula.numbers,
    };
    double most[MODEL_MOST_INPUTS];
    int status = model_allocate_bound(model, fit->training.columns.rows);

    for (size_t i = 0; i < model->input_count; i++)
        most[i] = model->inputs[i].most;
    if (!status)
        status = bound_fill(model, &rows);
    if (!status)
        status = set_wide(fit, model, most);
    if (!status)
        status = set_spread(fit, model, &rows, most);
    return status ? status : set_left_out(fit, model);
}

int
fit_write(struct fit *fit, const struct sum *formula, memmodel_model *model, int exponents[SUBSET_TERMS + 1])
{
    struct sum last = *formula;

    put_constant_last(&last.subset);
    if (!solve(fit, &last, model->coefficients))
        return context_error(fit->context, MEMMODEL_ERROR_DATA, model->target, "the terms cannot be told apart");
    model->term_count = last.subset.count;
    for (size_t k = 0; k < model->term_count; k++) {
        size_t column = last.subset.columns[k];

        exponents[k] = fit->basis.exponents[column];
        model->terms[k] =
            expression_copy_assuming(fit->basis.pool, fit->basis.terms[column], model->pool, NULL, NULL, 0);
        if (model->terms[k] < 0)
            return model->terms[k];
        if (!isfinite(model->coefficients[k]))
            return context_error(fit->context, MEMMODEL_ERROR_DATA, model->target, "a coefficient is out of range");
    }
    return last.scale > 0 ? model_settle(model) : 0;
}

static int
set_terms(struct fit *fit, memmodel_model *model)
{
    int exponents[SUBSET_TERMS + 1], status;

    put_constant_last(&fit->formula.subset);
    status = fit_write(fit, &fit->formula, model, exponents);
    return status ? status : set_bound(fit, exponents, model);
}

/* While `errors` has those of rows left out. */
static int
compare_with_noise(struct fit *fit, memmodel_model *model)
{
    const struct training *training = &fit->training;
    bool relative = loss_is_relative(fit->loss.kind);
    double squares = 0;
    int status = noise_measure(training, relative, &model->noise);

    if (status || fit->loss.kind == MEMMODEL_FIT_LOSS_PINBALL)
        return status;
    for (size_t i = 0; i < training->columns.rows; i++) {
        double error = fit->errors[i] * (relative ? 1 : training->measured[i]);

        squares += error * error;
    }
    noise_compare(training, relative, &model->noise, sqrt(squares / (double)training->columns.rows));
    return 0;
}

static int
make_model(struct fit *fit, memmodel_model **model)
{
    const struct training *training = &fit->training;
    memmodel_model *new;
    int status = model_begin(fit->context, training->target, training->inputs, training->input_count, &new);

    if (status)
        return status;
    for (size_t i = 0; i < training->input_count; i++) {
        training_range(training, i, &new->inputs[i].least, &new->inputs[i].most);
        new->inputs[i].values = values_of_column(matrix_column(&training->columns, i), training->columns.rows);
    }
    status = set_terms(fit, new);
    if (!status)
        status = model_finish(new);
    if (!status)
        status = model_keep_formulas(new);
    if (!status)
        status = compare_with_noise(fit, new);
    if (!status)
        status = fit_set_front(fit, new);
    if (status) {
        memmodel_model_unref(new);
        return status;
    }
    set_scores(fit, new);
    *model = new;
    return 0;
}

static void
fit_free(struct fit *fit)
{
    leave_one_out_release(&fit->work);
    row_groups_release(fit->context, &fit->groups);
    if (fit_is_reweighed(fit))
        reweighing_release(fit->context, &fit->reweighing);
    memory_release(fit->context, fit->roots);
    basis_release(fit->context, &fit->basis);
    training_release(&fit->training);
    memory_release(fit->context, fit->shortlist);
    memory_release(fit->context, fit->errors);
    memory_release(fit->context, fit->held_out.ratios);
    memory_release(fit->context, fit->held_out.groups);
    memory_release(fit->context, fit->held_out.formulas);
    matrix_release(&fit->held_out.front);
    memory_release(fit->context, fit->rivals);
    memory_release(fit->context, fit);
}

static int
find_formula(struct fit *fit, const memmodel_samples *samples, const struct memmodel_fit_options *options)
{
    int status = training_read(samples, options, fit->context, &fit->training);

    if (!status)
        status = structure_read(samples, &fit->training, options, &fit->structure);
    if (!status)
        status = basis_new(&fit->training, options, &fit->structure, &fit->basis);
    if (!status)
        status = prepare_loss(fit, options);
    if (!status)
        status = search(fit, options);
    if (!status)
        status = draw_line(fit, options);
    if (!status)
        status = allocate_judgement(fit);
    if (!status)
        status = fit_choose(fit);
    return status ? status : fit_consider_moments(fit, options);
}

static int
fit_positive(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
             memmodel_model **model)
{
    struct fit *fit = memory_allocate_zeroed(context, 1, sizeof *fit);
    int status;

    if (!fit)
        return MEMMODEL_ERROR_NO_MEMORY;
    fit->context = context;
    fit->rule = options->selection;
    status = find_formula(fit, samples, options);
    if (!status)
        status = make_model(fit, model);
    fit_free(fit);
    return status;
}

/*
 * A formula that adds positive terms gives way to one that a search found if that one's errors on rows held out are smaller by
 * more than twice the standard error of a mean of squares: the former goes on sensibly beyond the samples, the latter hardly.
 */
static bool
is_surely_better(const memmodel_model *other, const memmodel_model *positive, int32_t loss)
{
    double rows = (double)positive->bound.ratio_count, margin = sqrt(fmax(1 - 2 * sqrt(2 / rows), 0));

    if (loss != MEMMODEL_FIT_LOSS_RELATIVE)
        return other->errors.held_out < positive->errors.held_out * margin;
    return other->bound.sigma < positive->bound.sigma * margin;
}

static int
fit_both(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
         memmodel_model **model)
{
    struct memmodel_fit_options any = *options;
    memmodel_model *positive, *other = NULL;
    int status = fit_positive(samples, options, context, &positive);

    if (status)
        return status;
    any.basis = MEMMODEL_FIT_BASIS_GENERAL;
    any.max_terms = 0;
    status = fit_searched(samples, &any, context, &other);
    if (status && status != MEMMODEL_ERROR_DATA) { /* there may be no formula of another kind */
        memmodel_model_unref(positive);
        return status;
    }
    if (other && is_surely_better(other, positive, options->loss)) {
        memmodel_model_unref(positive);
        *model = other;
    } else {
        memmodel_model_unref(other);
        *model = positive;
    }
    return 0;
}

static int
fit_by_basis(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
             memmodel_model **model)
{
    if (fit_is_general(options))
        return fit_general(samples, options, context, model);
    return options->search == MEMMODEL_FIT_SEARCH_NONE ? fit_positive(samples, options, context, model)
                                                       : fit_both(samples, options, context, model);
}

/* Searches that have to end leave their loops without a word: what they found by then is no answer. */
static int
fit(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
    memmodel_model **model)
{
    OWN_ENVIRONMENT;
    struct memmodel_fit_options own;
    memmodel_model *fitted;
    int status = read_options(context, options, &own), ended;

    if (status)
        return status;
    set_defaults(&own);
    status = check_max_terms(context, &own);
    if (!status)
        training_note_texts(samples, &own, context);
    if (!status)
        status = censored_rows_fit(samples, &own, fit_by_basis, context, &fitted);
    ended = context_look(context, 0);
    if (!status && ended)
        memmodel_model_unref(fitted);
    if (status || ended)
        return ended ? ended : status;
    fitted->unit = training_unit(samples, &own, fitted->target);
    *model = fitted;
    return 0;
}

int
memmodel_fit(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_context *context,
             memmodel_model **model)
{
    int status;

    if (!samples || !model)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : samples->context;
    status = context_begin(context);
    return context_end(context, status ? status : fit(samples, options, context, model));
}
