/* From samples to a model: read the table, offer terms, list subsets, select one, fit it, and see how wrong it is. */
#include "regression/basis.h"
#include "regression/fit_general.h"
#include "regression/bound.h"
#include "regression/jackknife.h"
#include "regression/leave_one_out.h"
#include "regression/model.h"
#include "regression/moments.h"
#include "regression/noise.h"
#include "regression/robust.h"
#include "regression/settle.h"
#include "regression/training.h"
#include "regression/widen.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_TERMS = 4, MOST_GIVEN = 1024, ROWS_PER_TERM = 3 };

#define DEFAULT_QUANTILE 0.95

/* What the options may ask for and no fit does yet. */
static int
check_supported(memmodel_context *context, const struct memmodel_fit_options *options)
{
    bool searches = options->search != MEMMODEL_FIT_SEARCH_TERMS;
    const struct {
        bool wanted;
        const char *name;
    } missing[] = {
        {searches && options->loss > MEMMODEL_FIT_LOSS_SQUARED, "a search under this loss"},
        {searches && options->change_points != 0, "a search with change points"},
    };

    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (missing[i].wanted)
            return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, NULL, "%s: not supported yet", missing[i].name);
    return 0;
}

static int
read_options(memmodel_context *context, const struct memmodel_fit_options *given, struct memmodel_fit_options *own)
{
    int status = options_copy(context, "memmodel_fit_options", given, own, sizeof *own);

    if (status)
        return status;
    if (own->max_terms < 0 || own->max_terms > SUBSET_TERMS)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "max_terms is %d; it may be 1 to %d",
                             own->max_terms, SUBSET_TERMS);
    if (own->basis < MEMMODEL_BASIS_POSYNOMIAL || own->basis > MEMMODEL_BASIS_GENERAL)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "basis is no enum memmodel_basis: %d",
                             own->basis);
    if (own->loss < MEMMODEL_FIT_LOSS_DEFAULT || own->loss > MEMMODEL_FIT_LOSS_PINBALL)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "loss is no enum memmodel_fit_loss: %d",
                             own->loss);
    if (own->quantile != 0 && (own->loss != MEMMODEL_FIT_LOSS_PINBALL || !(own->quantile > 0 && own->quantile < 1)))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "quantile is %g; it must be above 0 and below 1, and the loss pinball", own->quantile);
    if (own->search < MEMMODEL_FIT_SEARCH_TERMS || own->search > MEMMODEL_FIT_SEARCH_ALL)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "search is no enum memmodel_fit_search: %d", own->search);
    if (own->term_count > MOST_GIVEN || (own->term_count > 0 && !own->terms))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "%zu terms given; 0 to %d may be",
                             own->term_count, MOST_GIVEN);
    if (own->evaluations < 0 || !(own->seconds >= 0))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "evaluations and seconds must not be negative");
    if (own->reserved != 0 || own->reserved_2 != 0 || own->threads < 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL,
                             "threads must not be negative, and reserved must be 0");
    return check_supported(context, own);
}

/* What the caller left open. */
static void
set_defaults(struct memmodel_fit_options *options)
{
    if (options->quantile == 0)
        options->quantile = DEFAULT_QUANTILE;
    if (options->loss == MEMMODEL_FIT_LOSS_SQUARED && options->basis == MEMMODEL_BASIS_POSYNOMIAL)
        options->basis = MEMMODEL_BASIS_GENERAL;
    if (options->loss == MEMMODEL_FIT_LOSS_DEFAULT)
        options->loss =
            options->basis == MEMMODEL_BASIS_GENERAL ? MEMMODEL_FIT_LOSS_SQUARED : MEMMODEL_FIT_LOSS_RELATIVE;
}

/* A fit under way. */
struct fit {
    memmodel_context *context;
    struct training training;
    struct structure structure;
    struct basis basis;
    struct shortlist *shortlist;
    struct subset subset;
    struct leave_one_out work;
    struct row_groups groups;
    struct reweighing reweighing; /* of other losses than squared relative errors */
    struct loss loss;
    double *roots; /* of every row: what its columns are multiplied by */
    double *errors;
    struct held_out held_out;
    double scale;   /* not 0: the coefficient of the only term, which has all other numbers of the formula in it */
    size_t numbers; /* of these */
};

static bool
is_reweighed(const struct fit *fit)
{
    return fit->roots != NULL;
}

static struct select_problem
selection_of(const struct fit *fit)
{
    return (struct select_problem){
        .columns = &fit->basis.columns,
        .right_side = fit->basis.right_side,
        .sizes = fit->basis.sizes,
        .plain = fit->basis.plain,
        .groups = fit->structure.change_point ? fit->basis.groups : NULL,
        .points = fit->training.points,
        .point_count = fit->training.point_count,
        .loss = is_reweighed(fit) ? &fit->loss : NULL,
        .measured = fit->training.measured,
        .weights = fit->training.weights,
        .roots = fit->roots,
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
        return MEMMODEL_ERROR_NOMEM;
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

static int
search(struct fit *fit, const struct memmodel_fit_options *options)
{
    struct subset_library library = {
        .columns = &fit->basis.columns,
        .right_side = fit->basis.right_side,
        .plain = fit->basis.plain,
        .max_terms = affordable_terms(fit->training.columns.rows, options->max_terms),
        .groups = fit->structure.change_point ? fit->basis.groups : NULL,
    };
    struct select_problem problem = selection_of(fit);

    fit->shortlist = memory_allocate(fit->context, sizeof *fit->shortlist);
    if (!fit->shortlist)
        return MEMMODEL_ERROR_NOMEM;
    if (!is_reweighed(fit))
        return subset_search(fit->context, &library, fit->shortlist);
    return robust_search(fit->context, &library, &problem, fit->shortlist);
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

/* Coefficients of the subset's terms; the factors are those of their least squares. */
static bool
solve(struct fit *fit, const struct subset *subset, double *coefficients)
{
    double scaled[SUBSET_TERMS + 1];
    struct select_problem problem = selection_of(fit);
    bool solved = subset_fit(&fit->work, &fit->basis.columns, fit->basis.right_side, subset, scaled);

    if (is_reweighed(fit))
        solved = fit->work.qr.count == subset->count && select_fit(&fit->reweighing, &problem, subset, scaled);
    if (!solved)
        return false;
    for (size_t k = 0; k < subset->count; k++)
        coefficients[k] = ldexp(fit->scale > 0 ? fit->scale : scaled[k], -fit->basis.exponents[subset->columns[k]]);
    return true;
}

/* Sets *proven, of the selected subset with its coefficients as they become the model's. 0 or an error. */
static int
prove(struct fit *fit, bool *proven)
{
    struct subset subset = fit->subset;
    double coefficients[SUBSET_TERMS + 1];
    expression terms[SUBSET_TERMS + 1];
    const struct expression_sum sum = {.terms = terms, .coefficients = coefficients, .count = subset.count};
    struct expression_program *program;
    int status;

    put_constant_last(&subset);
    *proven = solve(fit, &subset, coefficients);
    if (!*proven)
        return 0;
    for (size_t k = 0; k < subset.count; k++)
        terms[k] = fit->basis.terms[subset.columns[k]];
    status = expression_compile_sum(fit->basis.pool, &sum, &program);
    if (status)
        return status;
    *proven = structure_proves(&fit->structure, program, true);
    expression_program_free(program);
    return 0;
}

static void
drop(struct subset_bin *bin, const struct subset *subset)
{
    for (size_t i = 0; i < bin->count; i++)
        if (bin->subsets[i].count == subset->count &&
            memcmp(bin->subsets[i].columns, subset->columns, subset->count * sizeof *subset->columns) == 0) {
            bin->count--;
            memmove(&bin->subsets[i], &bin->subsets[i + 1], (bin->count - i) * sizeof *bin->subsets);
        }
}

/* Takes the selected subset from the list. */
static void
refuse(struct fit *fit)
{
    for (size_t kind = 0; kind < 2; kind++)
        for (size_t size = 0; size <= SUBSET_TERMS; size++)
            drop(&fit->shortlist->bins[kind][size], &fit->subset);
}

/* The best formula that is defined, finite and not negative on the whole box of the samples. */
static int
select_proven(struct fit *fit)
{
    struct select_problem problem = selection_of(fit);
    size_t refused = 0;
    bool proven = false;
    int status = leave_one_out_new(fit->context, fit->training.columns.rows, &fit->work);

    while (!status && !proven) {
        status = select_subset(fit->context, &problem, fit->shortlist, &fit->subset);
        if (!status)
            status = prove(fit, &proven);
        if (status || proven)
            break;
        refuse(fit);
        refused++;
    }
    if (!status && refused > 0)
        context_log(fit->context,
                    "%zu formulas are left out: it could not be proven that they are what they must be wherever the "
                    "inputs are in their ranges",
                    refused);
    return status;
}

/* How wrong the selected formula, and formulas selected like it, are on rows they did not see. */
static int
judge(struct fit *fit)
{
    struct select_problem problem = selection_of(fit);
    const struct training *training = &fit->training;
    size_t rows = training->columns.rows;
    int status = row_groups_new(fit->context, training->points, rows, training->point_count, &fit->groups);

    if (status)
        return status;
    fit->work.groups = &fit->groups;
    fit->errors = memory_allocate_zeroed(fit->context, rows, sizeof *fit->errors);
    fit->held_out.ratios = memory_allocate_zeroed(fit->context, rows, sizeof *fit->held_out.ratios);
    fit->held_out.groups = memory_allocate_zeroed(fit->context, rows, sizeof *fit->held_out.groups);
    fit->held_out.formulas =
        memory_allocate_zeroed(fit->context, SELECT_MOST_GROUPS + MOMENTS_FOLDS, sizeof *fit->held_out.formulas);
    if (!fit->errors || !fit->held_out.ratios || !fit->held_out.groups || !fit->held_out.formulas)
        return MEMMODEL_ERROR_NOMEM;
    if (is_reweighed(fit))
        select_left_out(&fit->reweighing, &problem, &fit->subset, fit->errors);
    else
        leave_one_out_errors(&fit->work, &fit->basis.columns, fit->basis.right_side, &fit->subset, fit->errors);
    return select_held_out_ratios(fit->context, &problem, fit->shortlist, &fit->held_out);
}

/* ---- a formula of several moments ---- */

/* A term that is the formula but for a factor, and that factor: of the basis' column. */
static int
append_moments(struct fit *fit, const struct moments_problem *problem, const struct moments *moments, uint16_t *column,
               double *scale)
{
    double unit;
    expression term = moments_express(problem, moments, &unit);
    size_t index;
    int status = term < 0 ? term : basis_append(&fit->basis, &fit->training, term, 1, &index);

    if (status)
        return status;
    *column = (uint16_t)index;
    *scale = ldexp(unit, fit->basis.exponents[index]);
    return 0;
}

/* The formula without the fold, and what its rows are to it as it is written; without a formula of moments as they were. */
static int
hold_out_moments(struct fit *fit, const struct moments_problem *problem, const struct moments_choice *choice,
                 size_t fold, struct held_out *held_out)
{
    struct held_out_formula *formula = &held_out->formulas[held_out->count];
    int status;

    if (choice->without[fold].count == 0)
        return 0;
    *formula = (struct held_out_formula){.subset.count = 1};
    status = append_moments(fit, problem, &choice->without[fold], formula->subset.columns, formula->coefficients);
    for (size_t i = 0; !status && i < fit->training.columns.rows; i++)
        if (fit->training.points[i] % choice->folds == fold) {
            held_out->ratios[i] =
                select_ratio(&fit->basis.columns, fit->basis.right_side, &formula->subset, formula->coefficients, i);
            held_out->groups[i] = held_out->count;
        }
    held_out->count++;
    return status;
}

/* Formulas that all of their rows have left are no more. */
static void
drop_idle(struct held_out *held_out, size_t rows)
{
    size_t places[SELECT_MOST_GROUPS + MOMENTS_FOLDS], kept = 0;
    bool used[SELECT_MOST_GROUPS + MOMENTS_FOLDS] = {false};

    for (size_t i = 0; i < rows; i++)
        used[held_out->groups[i]] = true;
    for (size_t g = 0; g < held_out->count; g++) {
        places[g] = kept;
        if (used[g])
            held_out->formulas[kept++] = held_out->formulas[g];
    }
    for (size_t i = 0; i < rows; i++)
        held_out->groups[i] = places[held_out->groups[i]];
    held_out->count = kept;
}

/* The chosen moments become the formula, if that can be written and proven. */
static int
take_moments(struct fit *fit, const struct moments_problem *problem, const struct moments *moments)
{
    const struct subset before = fit->subset;
    bool proven = false;
    int status;

    fit->subset = (struct subset){.count = 1};
    status = append_moments(fit, problem, moments, fit->subset.columns, &fit->scale);
    if (!status)
        status = prove(fit, &proven);
    if (!status && proven) {
        fit->numbers = moments_numbers(problem, moments) - 1;
        return 0;
    }
    fit->subset = before;
    fit->scale = 0;
    return status == MEMMODEL_ERROR_OVERFLOW ? 0 : status;
}

/* The formula, and what rows held out know of the choice. A formula that cannot be written without a fold leaves the rival's. */
static int
take_choice(struct fit *fit, const struct moments_problem *problem, const struct moments_choice *choice)
{
    size_t rows = fit->training.columns.rows;
    int status = 0;

    for (size_t fold = 0; !status && fold < choice->folds; fold++) {
        status = hold_out_moments(fit, problem, choice, fold, &fit->held_out);
        status = status == MEMMODEL_ERROR_OVERFLOW ? 0 : status;
    }
    if (status)
        return status;
    drop_idle(&fit->held_out, rows);
    if (choice->formula.count > 0)
        status = take_moments(fit, problem, &choice->formula);
    for (size_t i = 0; fit->scale > 0 && i < rows; i++)
        fit->errors[i] = sqrt(fit->training.weights[i]) * (1 - 1 / fit->held_out.ratios[i]);
    return status;
}

/* A limit of terms is a wish for a short formula, a change point a claim of its own, and units are those of single terms. */
static bool
may_have_moments(const struct fit *fit, const struct memmodel_fit_options *options)
{
    return options->basis == MEMMODEL_BASIS_POSYNOMIAL && options->max_terms == 0 && !fit->structure.change_point &&
           !fit->structure.has_units;
}

static int
consider_moments(struct fit *fit, const struct memmodel_fit_options *options)
{
    struct moments_problem problem;
    struct moments_choice *choice;
    int status;

    if (!may_have_moments(fit, options) || !moments_prepare(&fit->training, &fit->basis, &problem))
        return 0;
    choice = memory_allocate_zeroed(fit->context, 1, sizeof *choice);
    if (!choice)
        return MEMMODEL_ERROR_NOMEM;
    status = moments_choose(&problem, &fit->loss, fit->held_out.ratios, choice);
    if (!status)
        status = take_choice(fit, &problem, choice);
    memory_release(fit->context, choice);
    return status;
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

/* What rows count on average that are predicted with these relative errors, by the root of their weight. */
static double
told_loss(const struct fit *fit, const double *errors)
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

/* While `errors` has those of rows left out. */
static void
set_left_out_scores(const struct fit *fit, memmodel_model *model)
{
    const struct training *training = &fit->training;
    size_t rows = training->columns.rows;
    double sum = 0;

    model->loo_mape = mean_absolute(fit, fit->errors);
    if (!is_reweighed(fit))
        return;
    for (size_t i = 0; i < rows; i++)
        sum += training->weights[i] *
               loss_of(&fit->loss, training->measured[i], training->measured[i] / fit->held_out.ratios[i]);
    model->errors.loo = told_loss(fit, fit->errors);
    model->errors.held_out = loss_told(&fit->loss, sum / (double)rows);
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
    memmodel_model_evaluate_many(model, inputs, rows, fit->errors);
    for (size_t i = 0; i < rows; i++)
        fit->errors[i] = (1 - fit->errors[i] / fit->training.measured[i]) * sqrt(fit->training.weights[i]);
    model->training_mape = mean_absolute(fit, fit->errors);
    if (is_reweighed(fit))
        model->errors.training = told_loss(fit, fit->errors);
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
        return MEMMODEL_ERROR_NOMEM;
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

/* The terms of the formula, those that it had without some of the rows, and those like them. */
static int
set_wide(const struct fit *fit, memmodel_model *model)
{
    struct wide_list list = {.count = 0};
    const struct wide_rows rows = {.error = model->bound.sigma};
    double point[MODEL_MOST_INPUTS];
    int status;

    for (size_t k = 0; k < fit->subset.count; k++)
        widen_add(&list, fit->subset.columns[k]);
    for (size_t i = 0; i < fit->held_out.count; i++)
        for (size_t k = 0; k < fit->held_out.formulas[i].subset.count; k++)
            widen_add(&list, fit->held_out.formulas[i].subset.columns[k]);
    for (size_t i = 0; i < model->input_count; i++)
        point[i] = model->inputs[i].most;
    status = widen_add_simple(&list, fit->context, &fit->basis, point, model->input_count);
    return status ? status : widen_fill(model, &fit->basis, &list, &rows);
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
        .numbers = fit->numbers,
    };
    int status = model_allocate_bound(model, fit->training.columns.rows);

    if (!status)
        status = bound_fill(model, &rows);
    if (!status)
        status = set_wide(fit, model);
    return status ? status : set_left_out(fit, model);
}

static int
copy_terms(const struct fit *fit, memmodel_model *model, int *exponents)
{
    model->term_count = fit->subset.count;
    for (size_t k = 0; k < model->term_count; k++) {
        size_t column = fit->subset.columns[k];

        exponents[k] = fit->basis.exponents[column];
        model->terms[k] =
            expression_copy_assuming(fit->basis.pool, fit->basis.terms[column], model->pool, NULL, NULL, 0);
        if (model->terms[k] < 0)
            return model->terms[k];
        if (!isfinite(model->coefficients[k]))
            return context_error(fit->context, MEMMODEL_ERROR_DATA, model->target, "a coefficient is out of range");
    }
    return fit->scale > 0 ? model_settle(model) : 0;
}

static int
set_terms(struct fit *fit, memmodel_model *model)
{
    int exponents[SUBSET_TERMS + 1], status;

    put_constant_last(&fit->subset);
    if (!solve(fit, &fit->subset, model->coefficients))
        return context_error(fit->context, MEMMODEL_ERROR_DATA, model->target, "the terms cannot be told apart");
    status = copy_terms(fit, model, exponents);
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
    for (size_t i = 0; i < training->input_count; i++)
        training_range(training, i, &new->inputs[i].least, &new->inputs[i].most);
    status = set_terms(fit, new);
    if (!status)
        status = model_finish(new);
    if (!status)
        status = compare_with_noise(fit, new);
    if (status) {
        memmodel_model_unref(new);
        return status;
    }
    set_scores(fit, new);
    *model = new;
    return 0;
}

static void
fit_release(struct fit *fit)
{
    leave_one_out_release(&fit->work);
    row_groups_release(fit->context, &fit->groups);
    if (is_reweighed(fit))
        reweighing_release(fit->context, &fit->reweighing);
    memory_release(fit->context, fit->roots);
    basis_release(fit->context, &fit->basis);
    training_release(&fit->training);
    memory_release(fit->context, fit->shortlist);
    memory_release(fit->context, fit->errors);
    memory_release(fit->context, fit->held_out.ratios);
    memory_release(fit->context, fit->held_out.groups);
    memory_release(fit->context, fit->held_out.formulas);
}

static int
fit_positive(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_model **model)
{
    struct fit fit = {.context = memmodel_samples_context(samples)};
    int status = training_read(samples, options, &fit.training);

    if (!status)
        status = structure_read(samples, &fit.training, options, &fit.structure);
    if (!status) {
        training_number_points(&fit.training, false);
        status = basis_new(&fit.training, options, &fit.structure, &fit.basis);
    }
    if (!status)
        status = prepare_loss(&fit, options);
    if (!status)
        status = search(&fit, options);
    if (!status)
        status = select_proven(&fit);
    if (!status)
        status = judge(&fit);
    if (!status)
        status = consider_moments(&fit, options);
    if (!status)
        status = make_model(&fit, model);
    fit_release(&fit);
    return status;
}

/*
 * A formula that adds positive terms gives way to one that a search found if that one's errors on rows held out are smaller by
 * more than twice the standard error of a mean of squares: the former goes on sensibly beyond the samples, the latter hardly.
 */
static bool
is_surely_better(const memmodel_model *other, const memmodel_model *positive)
{
    double rows = (double)positive->bound.ratio_count, margin = 1 - 2 * sqrt(2 / rows);

    return other->bound.sigma < positive->bound.sigma * sqrt(fmax(margin, 0));
}

static int
fit_both(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_model **model)
{
    struct memmodel_fit_options any = *options;
    memmodel_model *positive, *other = NULL;
    int status = fit_positive(samples, options, &positive);

    if (status)
        return status;
    any.basis = MEMMODEL_BASIS_GENERAL;
    any.max_terms = 0;
    status = fit_searched(samples, &any, &other);
    if (status && status != MEMMODEL_ERROR_DATA) { /* there may be no formula of another kind */
        memmodel_model_unref(positive);
        return status;
    }
    if (other && is_surely_better(other, positive)) {
        memmodel_model_unref(positive);
        *model = other;
    } else {
        memmodel_model_unref(other);
        *model = positive;
    }
    return 0;
}

int
memmodel_fit(const memmodel_samples *samples, const struct memmodel_fit_options *options, memmodel_model **model)
{
    struct memmodel_fit_options own;
    int status = read_options(memmodel_samples_context(samples), options, &own);

    if (status)
        return status;
    set_defaults(&own);
    if (fit_is_general(&own))
        return fit_general(samples, &own, model);
    return own.search == MEMMODEL_FIT_SEARCH_TERMS ? fit_positive(samples, &own, model)
                                                   : fit_both(samples, &own, model);
}
