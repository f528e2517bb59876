/* Candidates and their errors: on all rows, and again without each part. */
#include "regression/select/judge.h"

#include "base/shuffle.h"
#include "regression/linear/logarithm.h"
#include "regression/select/beam.h"

#include <math.h>

enum {
    ROWS_PER_TERM = 3,
    USUAL_POSITIVE_TERMS = 4,
    USUAL_TERMS = 12,
    TEMPERING_TERMS = 5,
    TERMS_BEYOND = 2,
    NO_FOLD = ROWS_MAX_FOLDS
};

static const double limit_margin = 0.1; /* of the target's range, by which a prediction may leave it */

/* The best support of a library and a number of terms. */
struct best {
    bool found;
    struct support support;
    double merit;
};

struct judging {
    struct comparison *comparison;
    int status;       /* the first error; then nothing is done any more */
    struct rows rows; /* that are seen */
    struct shortlist shortlist;
    struct best best[BASIS_LIBRARIES][SUPPORT_COLUMNS];
    size_t most[BASIS_LIBRARIES]; /* terms that are worth a search */
    double *predictions;          /* of the rows that are seen, and as much room again */
    struct regimes_search search;
    struct regimes found[REGIMES_MAX], without[REGIMES_MAX];
};

/* ---- losses ---- */

/* What predicting so counts, with the row's weight. */
static double
comparison_loss(const struct comparison *comparison, size_t row, double predicted)
{
    const struct training *table = comparison->table;

    return comparison->weights[row] * loss_of(comparison->loss, table->measured[row], predicted);
}

double
comparison_mean(const struct comparison *comparison, const double *predictions)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < comparison->table->columns.rows; i++) {
        if (comparison->folds[i] == comparison->hidden)
            continue;
        sum += comparison_loss(comparison, i, predictions[i]);
        count++;
    }
    return sum / (double)count;
}

void
comparison_weigh(struct comparison *comparison, size_t row, double factor)
{
    comparison->sqrt_weights[row] = factor * comparison->basis->sqrt_weights[row];
    comparison->weights[row] = factor * comparison->table->weights[row];
}

void
judge_losses(struct comparison *comparison, size_t candidate)
{
    comparison->candidates[candidate].loo =
        comparison_mean(comparison, matrix_column(&comparison->left_out, candidate));
    comparison->candidates[candidate].nested =
        comparison_mean(comparison, matrix_column(&comparison->held_out, candidate));
}

double
description_length(const struct comparison *comparison, const struct candidate *candidate, double loo, double nested)
{
    double rows = (double)comparison->table->columns.rows, floor = loss_floor(comparison->loss);
    double evidence = logarithm(nested + floor) + logarithm(loo + floor);

    return rows / (loss_is_linear(comparison->loss) ? 2 : 4) * evidence + candidate->penalty;
}

/* A little beyond the measurements, but not beyond zero where all lie on one side of it. */
void
comparison_limit(const struct comparison *comparison, struct candidate *candidate)
{
    double least, most, margin;

    candidate->least = -INFINITY;
    candidate->most = INFINITY;
    if (comparison->basis->relative || (candidate->source == SOURCE_TERMS && candidate->support.library == 0))
        return;
    training_measured_range(comparison->table, &least, &most);
    margin = limit_margin * (most - least);
    candidate->least = least >= 0 ? fmax(least - margin, 0) : least - margin;
    candidate->most = most <= 0 ? fmin(most + margin, 0) : most + margin;
    if (comparison->structure->non_negative) {
        candidate->least = fmax(candidate->least, 0);
        candidate->most = fmax(candidate->most, 0);
    }
}

double
comparison_clamp(const struct candidate *candidate, double value)
{
    return value < candidate->least ? candidate->least : value > candidate->most ? candidate->most : value;
}

/* ---- supports of the rows that are seen ---- */

/*
 * Terms of a sum besides the constant: as many as are asked or the table has rows for; of sums of single inputs all, of
 * others, each from hundreds, `usual` ones.
 */
static size_t
max_terms(const struct comparison *comparison, size_t library, size_t usual)
{
    size_t affordable = comparison->table->columns.rows / ROWS_PER_TERM;
    size_t most = comparison->max_terms > 0     ? comparison->max_terms
                  : comparison->basis->positive ? USUAL_POSITIVE_TERMS
                  : library > 0                 ? usual
                                                : SUPPORT_MAX;

    if (comparison->basis->relative)
        affordable = affordable < 2 ? 1 : affordable - 1;
    return most < affordable ? most : affordable;
}

/*
 * Mean loss of the rows that are seen, left out in turn, or of other losses than squares with what they are fitted
 * to.
 */
static double
merit_of(struct judging *judging, const struct support *support)
{
    struct rows *rows = &judging->rows;
    double coefficients[SUPPORT_COLUMNS], loss = rows_fit(rows, support, coefficients), sum = 0;

    if (!rows->basis->relative || !loss_is_square(rows->loss) || isinf(loss))
        return loss;
    if (!rows_leave_out(rows, support, judging->predictions))
        return INFINITY;
    for (size_t i = 0; i < rows->columns.rows; i++)
        sum += comparison_loss(judging->comparison, rows->indices[i], judging->predictions[i]);
    return sum / (double)rows->columns.rows;
}

static bool
is_new_library(const struct basis *basis, size_t library)
{
    return library == 0 || basis->ends[library] > basis->ends[library - 1];
}

/* Work of a fit to all rows. */
static void
spend_fit(struct judging *judging, size_t columns)
{
    if (!judging->status)
        judging->status = context_check(judging->comparison->table->context,
                                        matrix_work(judging->rows.columns.rows, columns * columns));
}

static void
search_library(struct judging *judging, size_t library)
{
    struct best *best = judging->best[library];

    if (judging->status || !is_new_library(judging->comparison->basis, library))
        return;
    judging->status = beam_search(&judging->rows, library, judging->most[library], &judging->shortlist);
    for (size_t i = 0; !judging->status && i < judging->shortlist.count; i++) {
        const struct support *support = &judging->shortlist.supports[i];
        size_t terms = support_terms(support);
        double merit = merit_of(judging, support);

        spend_fit(judging, support->count);
        if (merit < (best[terms].found ? best[terms].merit : INFINITY) || (terms == 0 && !best[terms].found))
            best[terms] = (struct best){true, *support, merit};
    }
}

/*
 * Of linear losses: rows that a few terms do not explain count less, as least squares would be led astray by them. An
 * error beyond the bound counts as much as one at it.
 */
static void
temper(struct judging *judging)
{
    struct rows *rows = &judging->rows;
    size_t count = rows->columns.rows;
    double coefficients[SUPPORT_COLUMNS], *errors = judging->predictions, bound;
    const struct support *support = NULL;

    judging->status = beam_search(rows, is_new_library(rows->basis, 1), TEMPERING_TERMS, &judging->shortlist);
    for (size_t i = 0; i < judging->shortlist.count; i++)
        if (!support || judging->shortlist.supports[i].squares < support->squares)
            support = &judging->shortlist.supports[i];
    if (judging->status || !support || isinf(rows_fit(rows, support, coefficients)))
        return;
    for (size_t i = 0; i < count; i++)
        errors[i] = rows_predict(rows, support, coefficients, rows->indices[i]);
    bound = loss_wild_beyond(rows->loss, rows->measured, errors, count);
    for (size_t i = 0; i < count; i++)
        if (errors[i] > bound)
            rows_weigh(rows, i, bound / errors[i]);
}

static void
search_rows(struct judging *judging, unsigned fold)
{
    rows_take(&judging->rows, judging->comparison->folds, fold, false);
    memset(judging->best, 0, sizeof judging->best);
    if (loss_is_linear(judging->comparison->loss))
        temper(judging);
    for (size_t library = 0; library < BASIS_LIBRARIES; library++)
        search_library(judging, library);
}

/* ---- candidates ---- */

/* ln of what each term was picked from; a term with a change point counts twice, as that is a claim of its own. */
static double
penalty_of(const struct basis *basis, const struct support *support)
{
    size_t picks = support_terms(support), from = basis->ends[support->library] - 1;

    for (size_t k = 0; k < support->count; k++)
        picks += basis->groups[support->columns[k]] != 0;
    return from > 0 ? (double)picks * logarithm((double)from) : 0;
}

static void
add_terms(struct judging *judging, const struct best *best, size_t size)
{
    struct comparison *comparison = judging->comparison;
    struct candidate *candidate = &comparison->candidates[comparison->count];
    double *left_out = matrix_column(&comparison->left_out, comparison->count), sum = 0;

    *candidate = (struct candidate){
        .source = SOURCE_TERMS,
        .support = best->support,
        .size = size,
        .nodes = basis_sum_nodes(comparison->basis, best->support.columns, best->support.count),
        .penalty = penalty_of(comparison->basis, &best->support),
    };
    if (!rows_leave_out(&judging->rows, &best->support, left_out)) {
        if (size > 0)
            return;
        memset(left_out, 0, comparison->left_out.rows * sizeof *left_out); /* a constant that one point determines */
    }
    comparison_limit(comparison, candidate);
    for (size_t i = 0; i < comparison->left_out.rows; i++) {
        left_out[i] = comparison_clamp(candidate, left_out[i]);
        sum += comparison_loss(comparison, i, left_out[i]);
    }
    candidate->loo = sum / (double)comparison->left_out.rows;
    candidate->score = description_length(comparison, candidate, candidate->loo, candidate->loo);
    comparison->count++;
}

/* Those of a library, up to a few terms more than those of the shortest description by rows left out. */
static void
list_library(struct judging *judging, size_t library)
{
    struct comparison *comparison = judging->comparison;
    size_t first = comparison->count, longest = 0;
    double least = INFINITY;

    for (size_t size = library > 0; !judging->status && size <= judging->most[library]; size++) {
        if (judging->best[library][size].found)
            add_terms(judging, &judging->best[library][size], size);
        spend_fit(judging, size);
    }
    for (size_t c = first; c < comparison->count; c++)
        if (comparison->candidates[c].score < least) {
            least = comparison->candidates[c].score;
            longest = comparison->candidates[c].size + TERMS_BEYOND;
        }
    while (comparison->count > first && comparison->candidates[comparison->count - 1].size > longest)
        comparison->count--;
    judging->most[library] = longest < judging->most[library] ? longest : judging->most[library];
}

static void
list_terms(struct judging *judging)
{
    judging->comparison->count = 0;
    for (size_t library = 0; library < BASIS_LIBRARIES; library++)
        if (is_new_library(judging->comparison->basis, library))
            list_library(judging, library);
}

/* Where sums of the usual length still gain by their last terms, longer ones are looked for. */
static void
look_further(struct judging *judging)
{
    struct comparison *comparison = judging->comparison;
    bool longer = false;

    for (size_t library = 0; library < BASIS_LIBRARIES; library++) {
        size_t usual = max_terms(comparison, library, USUAL_TERMS), most = max_terms(comparison, library, SUPPORT_MAX);

        if (judging->most[library] < usual || usual == most || !is_new_library(comparison->basis, library))
            continue;
        longer = true;
        judging->most[library] = most;
        search_library(judging, library);
    }
    if (longer)
        list_terms(judging);
}

/* What was found in the candidate's place without the fold; if nothing was, with fewer terms. */
static const struct best *
found_instead(const struct judging *judging, const struct candidate *candidate)
{
    const struct best *best = judging->best[candidate->support.library];
    size_t size = candidate->size;

    while (size > 0 && !best[size].found)
        size--;
    return size == 0 ? &judging->best[0][0] : &best[size];
}

static void
hold_out_terms(struct judging *judging)
{
    struct comparison *comparison = judging->comparison;
    struct rows *rows = &judging->rows;

    for (size_t c = 0; !judging->status && c < comparison->count; c++) {
        const struct candidate *candidate = &comparison->candidates[c];
        const struct best *best = found_instead(judging, candidate);
        double coefficients[SUPPORT_COLUMNS];

        if (candidate->source != SOURCE_TERMS)
            continue;
        rows_fit(rows, &best->support, coefficients);
        for (size_t i = rows->columns.rows; i < comparison->held_out.rows; i++)
            matrix_column(&comparison->held_out, c)[rows->indices[i]] =
                comparison_clamp(candidate, rows_predict(rows, &best->support, coefficients, rows->indices[i]));
        spend_fit(judging, best->support.count);
    }
}

/* ---- regimes ---- */

/* As its column; a formula that cannot be written is none. */
static int
add_regimes(struct judging *judging, const struct regimes *regimes)
{
    struct comparison *comparison = judging->comparison;
    struct candidate *candidate = &comparison->candidates[comparison->count];
    double unit;
    expression term = regimes_express(&judging->search, regimes, &unit);
    size_t column;
    int status = term < 0 ? term : basis_append(comparison->basis, comparison->table, term, 1, &column);

    if (status)
        return status == MEMMODEL_ERROR_OVERFLOW ? 0 : status;
    *candidate = (struct candidate){
        .source = SOURCE_REGIMES,
        .support = {.columns = {(uint16_t)column}, .count = 1},
        .size = regimes->count,
        .scale = ldexp(unit, comparison->basis->exponents[column]),
        .numbers = regimes_numbers(&judging->search, regimes) - 1,
        .nodes = regimes_nodes(&judging->search, regimes),
        .exact = regimes_are_exact(&judging->search, regimes),
    };
    comparison_limit(comparison, candidate);
    comparison->count++;
    return 0;
}

static void
list_regimes(struct judging *judging)
{
    for (size_t m = 0; !judging->status && m < REGIMES_MAX; m++) {
        regimes_find(&judging->search, judging->comparison->folds, NO_FOLD, m > 0 ? &judging->found[m - 1] : NULL,
                     &judging->found[m]);
        if (judging->found[m].count == 0)
            break;
        judging->status = add_regimes(judging, &judging->found[m]);
    }
}

/* What rounding leaves of a row that is met would decide between formulas that both meet it. */
static double
regimes_prediction(const struct judging *judging, const struct regimes *regimes, size_t row)
{
    double share = regimes_predict(&judging->search, regimes, row);

    return judging->comparison->table->measured[row] * (regimes_is_met(share) ? 1 : share);
}

static void
hold_out_regimes(struct judging *judging, unsigned fold)
{
    struct comparison *comparison = judging->comparison;
    size_t rows = comparison->held_out.rows, most = 0;

    for (size_t c = 0; c < comparison->count; c++)
        most = comparison->candidates[c].source == SOURCE_REGIMES ? comparison->candidates[c].size : most;
    for (size_t m = 0; m < most; m++) {
        regimes_find(&judging->search, comparison->folds, fold, m > 0 ? &judging->without[m - 1] : NULL,
                     &judging->without[m]);
        if (judging->without[m].count == 0 && m > 0)
            judging->without[m] = judging->without[m - 1];
    }
    for (size_t c = 0; c < comparison->count; c++)
        for (size_t i = 0; i < rows && comparison->candidates[c].source == SOURCE_REGIMES; i++)
            if (comparison->folds[i] == fold)
                matrix_column(&comparison->held_out, c)[i] =
                    regimes_prediction(judging, &judging->without[comparison->candidates[c].size - 1], i);
}

/* ---- the loop ---- */

/* Into ten parts of points, dealt at random. */
static int
deal_folds(struct workspace *workspace, struct judging *judging)
{
    const struct training *table = judging->comparison->table;
    size_t points = table->point_count;
    size_t *order = workspace_take(workspace, 2 * points, sizeof *order);

    if (!order)
        return workspace->status;
    judging->comparison->fold_count = points < ROWS_MAX_FOLDS ? points : ROWS_MAX_FOLDS;
    shuffle_numbers(0, points, order);
    for (size_t i = 0; i < points; i++)
        order[points + order[i]] = i % judging->comparison->fold_count;
    for (size_t i = 0; i < table->columns.rows; i++)
        judging->comparison->folds[i] = (unsigned char)order[points + table->points[i]];
    return 0;
}

static void
look_at_context(struct judging *judging)
{
    if (!judging->status)
        judging->status = context_look(judging->comparison->table->context, 0);
}

/* What all rows give. */
static void
find_candidates(struct judging *judging)
{
    struct comparison *comparison = judging->comparison;

    for (size_t library = 0; library < BASIS_LIBRARIES; library++)
        judging->most[library] = max_terms(comparison, library, USUAL_TERMS);
    search_rows(judging, NO_FOLD);
    for (size_t i = 0; i < judging->rows.columns.rows; i++)
        comparison_weigh(comparison, i, judging->rows.sqrt_weights[i] / comparison->basis->sqrt_weights[i]);
    list_terms(judging);
    look_further(judging);
    if (comparison->regimes)
        list_regimes(judging);
}

static void
judge_all(struct judging *judging)
{
    struct comparison *comparison = judging->comparison;

    find_candidates(judging);
    for (unsigned fold = 0; !judging->status && fold < comparison->fold_count; fold++) {
        search_rows(judging, fold);
        hold_out_terms(judging);
        if (!judging->status && comparison->regimes)
            hold_out_regimes(judging, fold);
        look_at_context(judging);
    }
    for (size_t c = 0; !judging->status && c < comparison->count; c++) {
        if (comparison->candidates[c].source == SOURCE_REGIMES) /* is fitted to all rows at once */
            memcpy(matrix_column(&comparison->left_out, c), matrix_column(&comparison->held_out, c),
                   comparison->left_out.rows * sizeof(double));
        judge_losses(comparison, c);
        look_at_context(judging);
    }
}

static int
judging_new(struct workspace *workspace, struct comparison *comparison, struct judging *judging)
{
    size_t rows = comparison->table->columns.rows;

    *judging = (struct judging){
        .comparison = comparison,
        .rows = rows_new(workspace, comparison->table, comparison->basis, comparison->loss,
                         comparison->basis->columns.columns),
        .predictions = workspace_take(workspace, 2 * rows, sizeof *judging->predictions),
    };
    comparison->regimes = comparison->regimes && regimes_may_be(comparison->table, comparison->basis);
    if (comparison->regimes)
        regimes_search_new(workspace, comparison->table, comparison->basis, &judging->search);
    return workspace->status ? workspace->status : deal_folds(workspace, judging);
}

int
judge(struct comparison *comparison)
{
    struct workspace workspace = WORKSPACE_INIT(comparison->table->context);
    struct judging *judging = workspace_take(&workspace, 1, sizeof *judging);
    int status = workspace.status;

    if (!status)
        status = judging_new(&workspace, comparison, judging);
    if (!status) {
        judge_all(judging);
        status = judging->status;
    }
    workspace_release(&workspace);
    return status;
}

int
comparison_new(struct workspace *workspace, struct comparison *comparison)
{
    const struct training *table = comparison->table;
    size_t rows = table->columns.rows;

    comparison->hidden = ROWS_MAX_FOLDS;
    comparison->left_out = matrix_new(workspace, rows, CANDIDATES_MAX);
    comparison->held_out = matrix_new(workspace, rows, CANDIDATES_MAX);
    comparison->folds = workspace_take(workspace, rows, 1);
    comparison->nested = workspace_take(workspace, rows, sizeof *comparison->nested);
    comparison->sqrt_weights = workspace_take(workspace, rows, sizeof *comparison->sqrt_weights);
    comparison->weights = workspace_take(workspace, rows, sizeof *comparison->weights);
    if (workspace->status)
        return workspace->status;
    memcpy(comparison->weights, table->weights, rows * sizeof *comparison->weights);
    return 0;
}
