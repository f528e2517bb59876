/*
 * A formula for a table of any kind.
 *
 * The candidates are the mean, the sum of all inputs, and the best sums on paths in three nested libraries. Which terms
 * there are is chosen again in every fold: errors of a formula whose terms were picked from hundreds with
 * the row in view say little about rows that come. Of the readings of the target, the libraries and the sizes, the one
 * with the least
 *
 *   rows / 4 (ln held-out error + ln leave-one-out error) + terms ln(columns to choose from)
 *
 * becomes the formula: a description length in which half the evidence is the exact leave-one-out error, of little noise
 * and blind to the search, and half the held-out error, which sees it. The constant is chosen where nothing predicts
 * rows held out better than it does. By the rule of one standard error it is the smallest whose held-out error exceeds the
 * least by no more than the standard error of their difference; the constant or the line, if that is no larger and within one
 * standard error of it.
 */
#include "base/shuffle.h"
#include "regression/general_choice.h"
#include "regression/logarithm.h"
#include "regression/reweigh.h"

#include <math.h>
#include <string.h>

enum { LEFT_OUT_WORK = 16384, LEAST_LEFT_OUT = 8, MOST_LEFT_OUT = 64 }; /* parts that fits step by step leave out */
enum {
    REWEIGHED_REPEATS = 2,
    FOLDS = GENERAL_FOLDS,
    MOST_REPEATS = 5,
    REPEATED_ROWS = 5000,
    ROWS_PER_TERM = 3,
    NO_FOLD = FOLDS,
    MOST_VAIN_TERMS = 5, /* that a path may go on by without becoming shorter to describe */
    TEMPERING_TERMS = 5
};

static const double exact = 1e-24;     /* share of the target's variance that counts as no error */
static const double least_left = 1e-9; /* of 1 - leverage: of less, nothing but the row itself says anything about it */
static const double limit_margin = 0.1; /* of the target's range, by which a prediction may leave it */

struct work {
    const struct training *training;
    const struct basis *basis;
    struct general *general;
    size_t most_terms; /* 0: the defaults */
    struct path path;
    size_t *order;                      /* of the rows: those of the part at hand first */
    unsigned char *folds, *group_folds; /* of every row, and of what is dealt */
    double *right_side;
    const struct loss *loss;                  /* NULL: squares */
    struct reweighing reweighing;             /* of other losses */
    double *measured, *weights, *predictions; /* of the part's rows, for those */
    struct model_response response;           /* of the part at hand */
    double floor;                             /* an error below counts as this */
    struct general_choice choice;
};

/* ---- readings of the target ---- */

/*
 * A little beyond the measurements, but not beyond zero where all lie on one side of it. They are those of all rows also
 * where a part of them is fitted: else a formula that is right could not be exact.
 */
static void
set_limits(const struct training *training, bool non_negative, struct model_response *response)
{
    double least, most, margin;

    training_measured_range(training, &least, &most);
    margin = limit_margin * (most - least);
    response->least = least >= 0 ? fmax(least - margin, 0) : least - margin;
    response->most = most <= 0 ? fmin(most + margin, 0) : most + margin;
    if (non_negative) {
        response->least = fmax(response->least, 0);
        response->most = fmax(response->most, 0);
    }
}

static int
read_target(const struct general_problem *problem, bool square, struct reading *reading)
{
    const struct training *training = problem->training;
    bool relative = loss_is_relative(problem->loss->kind);
    size_t rows = training->columns.rows;
    double least, most;

    training_measured_range(training, &least, &most);
    reading->aims = memory_allocate_zeroed(training->context, rows, sizeof *reading->aims);
    reading->roots = memory_allocate_zeroed(training->context, rows, sizeof *reading->roots);
    if (!reading->aims || !reading->roots)
        return MEMMODEL_ERROR_NO_MEMORY;
    reading->response.square = square;
    set_limits(training, problem->basis->structure->non_negative, &reading->response);
    if (square)
        reading->response.offset = fmin(0, least);
    for (size_t i = 0; i < rows; i++) {
        double measured = training->measured[i], root = sqrt(training->weights[i]);

        reading->aims[i] = square ? sqrt(measured - reading->response.offset) : measured;
        reading->roots[i] = !relative ? root : square ? 2 * root / sqrt(measured) : root / measured;
    }
    return 0;
}

/* ---- parts of the rows ---- */

/* Puts the rows that are not in the fold into the path; `order` has them first, then the others. */
static void
take_part(struct work *work, const struct reading *reading, size_t fold)
{
    const struct matrix *columns = &work->basis->columns;
    struct path *path = &work->path;
    size_t rows = columns->rows, kept = 0, left = rows;

    for (size_t i = rows; i-- > 0;)
        if (work->folds[i] == fold)
            work->order[--left] = i;
    for (size_t i = 0; i < rows; i++)
        if (work->folds[i] != fold)
            work->order[kept++] = i;
    path->columns.rows = kept;
    for (size_t i = 0; i < kept; i++) {
        path->roots[i] = reading->roots[work->order[i]];
        work->right_side[i] = path->roots[i] * reading->aims[work->order[i]];
        work->measured[i] = work->training->measured[work->order[i]];
        work->weights[i] = work->training->weights[work->order[i]];
    }
    for (size_t j = 0; j < columns->columns; j++) {
        const double *from = matrix_column(columns, j);
        double *to = matrix_column(&path->columns, j);

        for (size_t i = 0; i < kept; i++)
            to[i] = from[work->order[i]] * path->roots[i];
    }
    path_set(path, work->right_side);
}

/* What predicting the row so counts. */
static double
weighted_loss(const struct work *work, size_t row, double value)
{
    double error = (work->training->measured[row] - value) * work->general->readings[0].roots[row];

    if (work->loss)
        return work->training->weights[row] * loss_of(work->loss, work->training->measured[row], value);
    return error * error;
}

/* The error of part row i in a sum that did not see it. */
static double
left_out_error(const struct path *path, size_t i)
{
    return path->residuals[i] / fmax(1 - path->leverages[i], least_left) / path->roots[i];
}

/*
 * The square of a sum that is right on average is too small on average, by the variance of the sum; one that is exact is not.
 * Of a quantile the square is one.
 */
static double
smear(const struct work *work)
{
    double squares = 0, aims = 0;
    size_t rows = work->path.columns.rows;

    for (size_t i = 0; i < rows; i++) {
        double aim = work->right_side[i] / work->path.roots[i], error = left_out_error(&work->path, i);

        squares += error * error;
        aims += aim * aim;
    }
    return squares > exact * aims ? squares / (double)rows : 0;
}

static bool
is_straight(const struct work *work, size_t reading, size_t library)
{
    return !work->general->readings[reading].response.square && (library == 0 || library == LINE);
}

/* A straight line goes on as it is; of what bends nobody knows how. */
static void
set_response(struct work *work, size_t reading, size_t library)
{
    work->response = work->general->readings[reading].response;
    if (is_straight(work, reading, library)) {
        work->response.least = -INFINITY;
        work->response.most = INFINITY;
    }
    if (work->response.square && !work->loss)
        work->response.offset += smear(work);
}

/* ---- errors ---- */

static struct reweigh_problem
part_problem(const struct work *work, const double **columns)
{
    const struct path *path = &work->path;

    for (size_t k = 0; k < path->count; k++)
        columns[k] = matrix_column(&path->columns, path->chosen[k]);
    columns[path->count] = path->roots;
    return (struct reweigh_problem){.loss = work->loss,
                                    .rows = path->columns.rows,
                                    .count = path->count + 1,
                                    .columns = columns,
                                    .right_side = work->right_side,
                                    .roots = path->roots,
                                    .measured = work->measured,
                                    .weights = work->weights,
                                    .response = &work->response};
}

/* As path_solve(), by the loss. */
static double
solve_part(struct work *work, double *coefficients)
{
    const struct path *path = &work->path;
    const double *columns[PATH_MOST + 1];
    double solution[PATH_MOST + 1], constant;
    struct reweigh_problem problem;

    if (!work->loss)
        return path_solve(path, coefficients);
    problem = part_problem(work, columns);
    reweigh_fit(&work->reweighing, &problem, solution);
    constant = solution[path->count];
    for (size_t k = 0; k < path->count; k++) {
        coefficients[k] = solution[k] / path->norms[path->chosen[k]];
        constant -= coefficients[k] * path->means[path->chosen[k]];
    }
    return constant;
}

size_t
general_left_out_parts(const struct training *training)
{
    size_t points = training->point_count, parts = LEFT_OUT_WORK / training->columns.rows;

    parts = parts > MOST_LEFT_OUT ? MOST_LEFT_OUT : parts < LEAST_LEFT_OUT ? LEAST_LEFT_OUT : parts;
    return parts < points ? parts : points;
}

/* While the part is all rows. */
static double
left_out_loss(struct work *work)
{
    const double *columns[PATH_MOST + 1];
    double sum = 0;
    struct reweigh_problem problem = part_problem(work, columns);

    reweigh_leave_out(&work->reweighing, &problem, work->training->points, general_left_out_parts(work->training),
                      work->predictions);
    for (size_t row = 0; row < problem.rows; row++)
        sum += weighted_loss(work, row, fmin(fmax(work->predictions[row], work->response.least), work->response.most));
    return sum / (double)problem.rows;
}

/* Mean squared error of the part's rows, each predicted by the path's columns fitted to the others. */
static double
loo_error(struct work *work, const struct reading *reading)
{
    size_t rows = work->path.columns.rows;
    double sum = 0;

    if (work->loss)
        return left_out_loss(work);
    for (size_t i = 0; i < rows; i++) {
        size_t row = work->order[i];
        double aim = reading->aims[row] - left_out_error(&work->path, i);

        sum += weighted_loss(work, row, model_respond(&work->response, aim));
    }
    return sum / (double)rows;
}

static double
predict_row(const struct work *work, const double *coefficients, double constant, size_t row)
{
    double sum = constant;

    for (size_t k = 0; k < work->path.count; k++)
        sum += coefficients[k] * matrix_column(&work->basis->columns, work->path.chosen[k])[row];
    return model_respond(&work->response, sum);
}

/* The sum of squared errors of the rows that are not in the part; their errors, and what they count more, if asked for. */
static double
held_out_error(struct work *work, double *errors, double *losses)
{
    double coefficients[PATH_MOST], constant = solve_part(work, coefficients), sum = 0;

    for (size_t i = work->path.columns.rows; i < work->basis->columns.rows; i++) {
        size_t row = work->order[i];
        double value = predict_row(work, coefficients, constant, row);

        double loss = weighted_loss(work, row, value);

        sum += loss;
        if (errors)
            errors[row] = work->training->measured[row] - value;
        if (losses)
            losses[row] += loss;
    }
    return sum;
}

/* ---- candidates ---- */

/* Constant, and of each term its coefficient, times and plus. */
static unsigned
count_nodes(const struct work *work, const struct path *path, bool square)
{
    unsigned nodes = 1 + square;

    for (size_t k = 0; k < path->count; k++)
        nodes += work->basis->sizes[path->chosen[k]] + 3;
    return nodes;
}

/* As many terms as are asked for, or if none are as `usual`, and as there are rows for. */
static size_t
longest_path(const struct work *work, size_t usual)
{
    size_t most = work->most_terms ? work->most_terms : usual, affordable = work->basis->columns.rows / ROWS_PER_TERM;

    return most < affordable ? most : affordable;
}

/* What the path has now. */
static void
set_candidate(struct work *work, size_t reading, size_t library, struct candidate *candidate)
{
    struct general *general = work->general;
    const struct path *path = &work->path;

    set_response(work, reading, library);
    *candidate = (struct candidate){.reading = reading,
                                    .library = library,
                                    .terms = path->count,
                                    .nodes = count_nodes(work, path, general->readings[reading].response.square),
                                    .response = work->response,
                                    .loo_error = loo_error(work, &general->readings[reading])};
    memcpy(candidate->chosen, path->chosen, path->count * sizeof *path->chosen);
}

/* Searches a library for as many terms; the sum of all inputs is there without a search. false if that cannot be. */
static bool
walk(struct work *work, size_t library, size_t terms)
{
    struct path *path = &work->path;

    path_begin(path, work->basis->ends[library == LINE ? 0 : library]);
    if (library == LINE)
        return path_take(path, work->basis->first_input, work->basis->ends[0]);
    while (path_step(path, terms))
        ;
    return true;
}

static bool
is_new_library(const struct basis *basis, size_t library)
{
    return library == 0 || basis->ends[library] > basis->ends[library - 1];
}

/* The sum of all inputs is found without a search, if there are rows enough, and terms are not limited. */
static bool
line_is_offered(const struct work *work)
{
    size_t inputs = work->basis->ends[0] - work->basis->first_input;

    return work->most_terms == 0 && inputs > 1 && inputs <= PATH_MOST &&
           work->basis->columns.rows >= ROWS_PER_TERM * inputs;
}

/* Terms that have the target's unit do not have that of its root. */
static size_t
readings_of(const struct work *work)
{
    const struct structure *structure = work->basis->structure;

    return structure->has_units && !dimension_is_number(&structure->target) ? 1 : GENERAL_TARGETS;
}

/* Of the line nothing was chosen: a nat a term lets the shorter of two equally good formulas win. */
static double
term_price(const struct basis *basis, size_t library)
{
    size_t terms = basis->ends[library == LINE ? 0 : library] - 1;

    return library == LINE ? 1 : terms > 0 ? logarithm((double)terms) : 0;
}

static double
score(const struct work *work, const struct candidate *candidate, double held_out_error)
{
    double rows = (double)work->basis->columns.rows;
    double evidence = logarithm(held_out_error + work->floor) + logarithm(candidate->loo_error + work->floor);
    size_t terms = candidate->terms; /* those with a change point count twice, as in select.h */

    if (work->loss && loss_is_linear(work->loss))
        rows *= 2;
    for (size_t k = 0; k < candidate->terms; k++)
        terms += work->basis->groups[candidate->chosen[k]] != 0;
    return rows / 4 * evidence + (double)terms * term_price(work->basis, candidate->library);
}

/* The best sums that a path comes by, as long as some of the last have become shorter to describe, by errors left out. */
static void
list_path(struct work *work, size_t reading, size_t library)
{
    struct general *general = work->general;
    struct candidate *candidates = &general->candidates[general->candidate_count];
    struct path *path = &work->path;
    size_t first = reading > 0 || library > 0, most = longest_path(work, PATH_MOST), limit = most;
    double least = INFINITY;

    path_begin(path, work->basis->ends[library]);
    if (first > 0 && !path_step(path, most))
        return;
    do {
        struct candidate *candidate = &candidates[path->count - first];
        double length;

        set_candidate(work, reading, library, candidate);
        length = score(work, candidate, candidate->loo_error);
        if (length < least) {
            least = length;
            limit = path->count + MOST_VAIN_TERMS < most ? path->count + MOST_VAIN_TERMS : most;
        }
    } while (path_step(path, limit));
    general->candidate_count += path->longest + 1 - first;
}

/* All rows: which candidates there are. */
static void
list_candidates(struct work *work)
{
    struct general *general = work->general;

    for (size_t reading = 0; reading < readings_of(work); reading++) {
        take_part(work, &general->readings[reading], NO_FOLD);
        for (size_t library = 0; library < BASIS_LIBRARIES; library++)
            if (is_new_library(work->basis, library))
                list_path(work, reading, library);
        if (line_is_offered(work) && walk(work, LINE, 0))
            set_candidate(work, reading, LINE, &general->candidates[general->candidate_count++]);
    }
}

/* The most terms of the candidates that are of its reading and library. */
static size_t
most_terms(const struct general *general, const struct candidate *candidate)
{
    size_t most = 0;

    for (size_t i = 0; i < general->candidate_count; i++) {
        const struct candidate *other = &general->candidates[i];

        if (other->reading == candidate->reading && other->library == candidate->library && other->terms > most)
            most = other->terms;
    }
    return most;
}

/* As many terms as the candidate has, searched for in the part at hand. */
static void
repeat_candidate(struct work *work, const struct candidate *candidate)
{
    const struct path *path = &work->path;

    if (candidate->library < LINE)
        path_recall(&work->path, candidate->terms < path->longest ? candidate->terms : path->longest);
    set_response(work, candidate->reading, candidate->library);
}

/* Adds the fold's errors to the candidates of a reading, whose paths are searched again without the fold. */
static void
judge_fold(struct work *work, size_t reading, size_t fold)
{
    struct general *general = work->general;
    size_t library = TREES;

    take_part(work, &general->readings[reading], fold);
    for (size_t i = 0; i < general->candidate_count; i++) {
        struct candidate *candidate = &general->candidates[i];

        if (candidate->reading != reading)
            continue;
        if (candidate->library != library)
            walk(work, candidate->library, most_terms(general, candidate));
        library = candidate->library;
        repeat_candidate(work, candidate);
        candidate->held_out_error +=
            held_out_error(work, NULL, work->choice.losses.values ? matrix_column(&work->choice.losses, i) : NULL);
    }
}

/* Was at least every other point measured more than once? Fewer repeats than that come about by chance. */
static bool
repeats_by_design(const struct training *training)
{
    size_t repeated = 0;

    for (size_t i = 1; i < training->columns.rows; i++)
        repeated += training->points[i] == training->points[i - 1] &&
                    (i == 1 || training->points[i - 2] != training->points[i]);
    return 2 * repeated >= training->point_count;
}

/* Rows of one point are in one fold if it was measured repeatedly: these tell each other, whatever the formula. */
void
general_deal_folds(const struct training *training, size_t repeat, size_t *order, unsigned char *group_folds,
                   unsigned char *folds)
{
    size_t rows = training->columns.rows, count = repeats_by_design(training) ? training->point_count : rows;

    shuffle_numbers(repeat, count, order);
    for (size_t i = 0; i < count; i++)
        group_folds[order[i]] = (unsigned char)(i % FOLDS);
    for (size_t i = 0; i < rows; i++)
        folds[i] = group_folds[count < rows ? training->points[i] : i];
}

static void
deal_folds(struct work *work, size_t repeat)
{
    general_deal_folds(work->training, repeat, work->order, work->group_folds, work->folds);
}

/* Of many rows one partition says as much as five do of few. */
static size_t
repeats(const struct work *work)
{
    size_t most = REPEATED_ROWS / work->basis->columns.rows, limit = work->loss ? REWEIGHED_REPEATS : MOST_REPEATS;

    return most > limit ? limit : most < 1 ? 1 : most;
}

static void
judge_candidates(struct work *work)
{
    struct general *general = work->general;
    size_t rows = work->basis->columns.rows;

    for (size_t repeat = 0; repeat < repeats(work); repeat++) {
        deal_folds(work, repeat);
        for (size_t reading = 0; reading < GENERAL_TARGETS; reading++)
            for (size_t fold = 0; fold < FOLDS; fold++)
                judge_fold(work, reading, fold);
    }
    for (size_t i = 0; i < general->candidate_count; i++)
        general->candidates[i].held_out_error /= (double)(repeats(work) * rows);
}

/* ---- choice ---- */

static void
choose(struct work *work)
{
    struct general *general = work->general;

    for (size_t i = 0; i < general->candidate_count; i++) {
        struct candidate *candidate = &general->candidates[i];

        candidate->score = score(work, candidate, candidate->held_out_error);
    }
    if (work->choice.losses.values)
        general_choose_smallest(&work->choice, work->training, general);
    else
        general_choose_shortest(general);
}

static void
repeat_path(struct work *work, const struct candidate *candidate, size_t fold)
{
    take_part(work, &work->general->readings[candidate->reading], fold);
    walk(work, candidate->library, most_terms(work->general, candidate));
    repeat_candidate(work, candidate);
}

/* What predicts the rows of the fold, if it has any. */
static void
keep_formula(struct work *work)
{
    struct general *general = work->general;
    struct left_out_formula *formula = &general->formulas[general->formula_count];
    const struct path *path = &work->path;
    size_t rows = work->basis->columns.rows;

    if (path->columns.rows == rows)
        return;
    formula->coefficients[path->count] =
        solve_part(work, formula->coefficients) / matrix_column(&work->basis->columns, 0)[0];
    memcpy(formula->columns, path->chosen, path->count * sizeof *path->chosen);
    formula->columns[path->count] = 0;
    formula->count = path->count + 1;
    formula->offset = work->response.offset;
    for (size_t i = path->columns.rows; i < rows; i++)
        general->folds[work->order[i]] = general->formula_count;
    general->formula_count++;
}

/* The errors of the chosen candidate, row by row. */
static void
hold_out_rows(struct work *work)
{
    struct general *general = work->general;
    const struct candidate *chosen = &general->candidates[general->chosen];

    deal_folds(work, 0);
    for (size_t fold = 0; fold < FOLDS; fold++) {
        repeat_path(work, chosen, fold);
        held_out_error(work, general->held_out, NULL);
        keep_formula(work);
    }
}

/* ---- the whole ---- */

static double
error_floor(const struct work *work, size_t rows)
{
    const struct reading *reading = &work->general->readings[0];
    double largest = 0;

    if (work->loss)
        return loss_floor(work->loss);

    for (size_t i = 0; i < rows; i++)
        largest = fmax(largest, fabs(reading->aims[i] * reading->roots[i]));
    return fmax(largest * largest * exact, 1e-300);
}

/* Rows that a few curves do not explain count less in the search, as in Huber's estimate. */
static void
temper(struct work *work, struct reading *reading, size_t index)
{
    double coefficients[PATH_MOST], constant, mean = 0;
    size_t rows = work->basis->columns.rows;

    take_part(work, reading, NO_FOLD);
    walk(work, 1, longest_path(work, TEMPERING_TERMS));
    path_recall(&work->path, work->path.longest);
    set_response(work, index, 1);
    constant = solve_part(work, coefficients);
    for (size_t row = 0; row < rows; row++) {
        double measured = work->training->measured[row];

        work->predictions[row] =
            fabs(measured - predict_row(work, coefficients, constant, row)) / loss_scale(work->loss, measured);
        mean += work->predictions[row] / (double)rows;
    }
    for (size_t row = 0; row < rows; row++)
        if (work->predictions[row] > mean && mean > work->floor)
            reading->roots[row] *= sqrt(mean / work->predictions[row]);
}

static int
allocate_reweighing(memmodel_context *context, struct work *work)
{
    size_t rows = work->basis->columns.rows;

    work->measured = memory_allocate_zeroed(context, rows, sizeof *work->measured);
    work->weights = memory_allocate_zeroed(context, rows, sizeof *work->weights);
    work->predictions = memory_allocate_zeroed(context, rows, sizeof *work->predictions);
    if (!work->measured || !work->weights || !work->predictions)
        return MEMMODEL_ERROR_NO_MEMORY;
    return work->loss ? reweighing_new(context, rows, PATH_MOST + 1, &work->reweighing) : 0;
}

static void
work_release(memmodel_context *context, struct work *work)
{
    path_release(context, &work->path);
    if (work->loss)
        reweighing_release(context, &work->reweighing);
    memory_release(context, work->measured);
    memory_release(context, work->weights);
    memory_release(context, work->predictions);
    memory_release(context, work->order);
    memory_release(context, work->folds);
    memory_release(context, work->group_folds);
    memory_release(context, work->right_side);
    general_choice_release(context, &work->choice);
}

static int
allocate(memmodel_context *context, struct work *work)
{
    size_t rows = work->basis->columns.rows;
    int status = path_new(context, rows, work->basis->count, work->basis->sizes, &work->path);

    if (status)
        return status;
    work->path.signs = work->basis->structure->directed ? work->basis->signs : NULL;
    work->path.groups = work->basis->groups;
    work->order = memory_allocate_zeroed(context, rows, sizeof *work->order);
    work->folds = memory_allocate_zeroed(context, rows, 1);
    work->group_folds = memory_allocate_zeroed(context, rows, 1);
    work->right_side = memory_allocate_zeroed(context, rows, sizeof *work->right_side);
    work->general->held_out = memory_allocate_zeroed(context, rows, sizeof *work->general->held_out);
    work->general->folds = memory_allocate_zeroed(context, rows, sizeof *work->general->folds);
    if (!work->order || !work->folds || !work->group_folds || !work->right_side || !work->general->held_out ||
        !work->general->folds)
        return MEMMODEL_ERROR_NO_MEMORY;
    return 0;
}

/* Refuses the candidates that may not become the formula. */
static int
accept_candidates(const struct general_problem *problem, struct general *general)
{
    memmodel_context *context = problem->training->context;
    size_t refused = 0;

    for (size_t i = 0; i < general->candidate_count; i++) {
        bool accepted;
        int status = problem->accept(problem->user, &general->candidates[i], &accepted);

        if (status)
            return status;
        general->candidates[i].refused = !accepted;
        refused += !accepted;
    }
    if (refused == general->candidate_count)
        return context_error(context, MEMMODEL_ERROR_DATA, problem->training->target,
                             "no formula can be proven to be what it must be wherever the inputs are in their ranges");
    if (refused > 0)
        context_log(
            context,
            "left out: %zu of %zu formulas, for it could not be proven that they are what they must be wherever "
            "the inputs are in their ranges",
            refused, general->candidate_count);
    return 0;
}

static int
prepare(const struct general_problem *problem, struct work *work)
{
    const struct training *training = problem->training;
    struct general *general = work->general;
    int status = read_target(problem, false, &general->readings[0]);

    if (!status)
        status = read_target(problem, true, &general->readings[1]);
    if (!status)
        status = allocate(training->context, work);
    if (!status)
        status = allocate_reweighing(training->context, work);
    if (status)
        return status;
    work->floor = work->choice.floor = error_floor(work, training->columns.rows);
    work->choice.inputs = work->basis->ends[0] - work->basis->first_input;
    for (size_t i = 0; work->loss && loss_is_linear(work->loss) && i < GENERAL_TARGETS; i++)
        temper(work, &general->readings[i], i);
    return 0;
}

int
general_fit(const struct general_problem *problem, struct general *general)
{
    struct work work = {
        .training = problem->training,
        .basis = problem->basis,
        .general = general,
        .most_terms = problem->most_terms,
        .loss = loss_is_square(problem->loss) ? NULL : problem->loss,
    };
    int status = prepare(problem, &work);

    if (!status) {
        list_candidates(&work);
        status = accept_candidates(problem, general);
    }
    if (!status && problem->rule == MEMMODEL_FIT_SELECTION_ONE_STANDARD_ERROR)
        status = general_choice_new(work.training, general->candidate_count, &work.choice);
    if (!status) {
        judge_candidates(&work);
        choose(&work);
        hold_out_rows(&work);
    }
    work_release(problem->training->context, &work);
    return status;
}

void
general_release(memmodel_context *context, struct general *general)
{
    memory_release(context, general->held_out);
    memory_release(context, general->folds);
    for (size_t i = 0; i < GENERAL_TARGETS; i++) {
        memory_release(context, general->readings[i].aims);
        memory_release(context, general->readings[i].roots);
    }
}
