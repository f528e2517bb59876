/*
 * Fits with censored rows. Which of them the formula is below depends on the formula: the set is found by turns, a
 * fit and a look at its predictions, until it stays. Then each row in the set is below its limit and each other is
 * not, which is the condition of a minimum of the one-sided loss for the terms that were chosen. Compare the active
 * sets of quadratic programming (Nocedal and Wright, Numerical Optimization, 16.5) and tobit (Tobin 1958), which
 * knows the errors' distribution besides.
 */
#include "regression/table/censored.h"

#include "base/quantity.h"
#include "measure/samples.h"
#include "regression/model/model.h"
#include "regression/table/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* After so many fits rows are only added to the set, and after so many it stays: terms may come and go by turns. */
enum { FREE_TURNS = 5, MAX_TURNS = 12, SEARCHES = 2 };

/* As near as this to a limit is on both of its sides. */
static const double slack = 1e-3;

struct censored {
    memmodel_context *context;
    const memmodel_samples *samples;
    const struct memmodel_fit_options *options;
    const char *name; /* of the target */
    double capacity;  /* in the target's unit; 0: not known */
    size_t rows, count;
    double *limits; /* NaN: the row is not censored */
    double *target; /* what was measured, or the limit */
    bool *hidden;   /* limits that are not in the set */
};

/* ---- which rows ---- */

static const char *
text_of(const memmodel_samples *samples, const char *column, size_t row)
{
    const char *text = memmodel_samples_text(samples, column, row);

    return text ? text : "";
}

/* As memmodel run writes it: "exit 7", "signal 9". */
static bool
ended_with(const char *status, const char *word, long *number)
{
    size_t length = strlen(word);
    char *end;

    if (strncmp(status, word, length) != 0 || status[length] != ' ')
        return false;
    *number = strtol(status + length + 1, &end, 10);
    return *end == '\0' && *number != 0;
}

enum { KILLED = 9, KILLED_EXIT = 128 + KILLED };

/* SIGKILL is what a system or a container sends when memory runs out. */
static bool
ended_out_of_memory(const struct censored *censored, size_t row)
{
    const char *status = text_of(censored->samples, "status", row);
    long number = 0;

    if (is_out_of_memory_word(status) || is_out_of_memory_word(text_of(censored->samples, censored->name, row)))
        return true;
    return (ended_with(status, "signal", &number) && number == KILLED) ||
           (ended_with(status, "exit", &number) && number == KILLED_EXIT);
}

/* As memmodel run or a system writes it. */
static bool
is_usual_end(const char *status)
{
    long number;

    return is_out_of_memory_word(status) || strcmp(status, "limit") == 0 || ended_with(status, "signal", &number) ||
           ended_with(status, "exit", &number);
}

/* Whatever else than success a status says. */
static bool
ended_early(const struct censored *censored, size_t row)
{
    const char *status = text_of(censored->samples, "status", row);

    if (!status[0] || is_missing_word(status) || is_success_word(status) || strcmp(status, "exit 0") == 0)
        return ended_out_of_memory(censored, row);
    return true;
}

static void
find_limit(struct censored *censored, const double *target, size_t row)
{
    double limit = target[row];

    if (censored->capacity > 0 && ended_out_of_memory(censored, row) && !(limit > censored->capacity))
        limit = censored->capacity;
    if (isnan(limit)) {
        context_log(censored->context,
                    "row %zu ended early, but neither a reading nor a capacity says at what: it is left out", row + 1);
        return;
    }
    censored->limits[row] = censored->target[row] = limit;
    censored->hidden[row] = true;
    censored->count++;
}

/* Of a status that nobody might have meant so; of the same one only once in a line. */
static void
note_status(const struct censored *censored, size_t row, const char **noted)
{
    const char *status = text_of(censored->samples, "status", row);

    if (!status[0] || is_usual_end(status) || (*noted && strcmp(*noted, status) == 0))
        return;
    *noted = status;
    context_log(censored->context,
                "row %zu has the status \"%s\", which is not \"ok\": it counts as a run that ended early", row + 1,
                status);
}

static int
find_rows(struct censored *censored, struct workspace *workspace)
{
    const double *target = samples_numbers(censored->samples, censored->name);
    const char *noted = NULL;

    censored->limits = workspace_take(workspace, censored->rows, sizeof *censored->limits);
    censored->target = workspace_take(workspace, censored->rows, sizeof *censored->target);
    censored->hidden = workspace_take(workspace, censored->rows, sizeof *censored->hidden);
    if (workspace->status)
        return workspace->status;
    for (size_t row = 0; row < censored->rows; row++) {
        censored->limits[row] = (double)NAN;
        censored->target[row] = target[row];
        if (!ended_early(censored, row))
            continue;
        note_status(censored, row, &noted);
        find_limit(censored, target, row);
    }
    return 0;
}

/* ---- turns ---- */

/* NaN where an input is missing. */
static double
predict_row(const struct censored *censored, const memmodel_model *model, size_t row)
{
    double inputs[MODEL_MAX_INPUTS];

    for (size_t i = 0; i < memmodel_model_input_count(model); i++) {
        inputs[i] = samples_numbers(censored->samples, model->inputs[i].name)[row];
        if (isnan(inputs[i]))
            return (double)NAN;
    }
    return memmodel_model_evaluate(model, inputs);
}

/* Whether the set stays with these predictions; if not it is changed. */
static bool
settle(struct censored *censored, const memmodel_model *model, bool may_leave)
{
    bool stays = true;

    for (size_t row = 0; row < censored->rows; row++) {
        double limit = censored->limits[row],
               predicted = isnan(limit) ? (double)NAN : predict_row(censored, model, row);

        if (isnan(predicted))
            continue;
        if (censored->hidden[row] && predicted < limit - slack * fabs(limit)) {
            censored->hidden[row] = false;
            stays = false;
        } else if (may_leave && !censored->hidden[row] && predicted > limit + slack * fabs(limit)) {
            censored->hidden[row] = true;
            stays = false;
        }
    }
    return stays;
}

/* Of a prediction, relative where the model's errors are; above a limit there is none. */
static double
error_of(const struct censored *censored, const memmodel_model *model, size_t row)
{
    double measured = censored->target[row], predicted = predict_row(censored, model, row);

    if (isnan(measured) || isnan(predicted) || predicted > censored->limits[row])
        return 0;
    return (measured - predicted) / (model->relative ? measured : 1);
}

/*
 * The one-sided loss of a model on all rows, generalized cross-validation's (Craven and Wahba 1978): squared errors,
 * more for the terms that the rows measured in full had to pay for.
 */
static double
loss_on_rows(const struct censored *censored, const memmodel_model *model)
{
    double measured = 0, squares = 0, dof;

    for (size_t row = 0; row < censored->rows; row++) {
        double error = error_of(censored, model, row);

        squares += error * error;
        measured += isnan(censored->limits[row]) && !isnan(censored->target[row]);
    }
    dof = fmax(measured - (double)model->term_count, 0.5) / measured;
    return squares / (dof * dof);
}

/* Keeps the better of two models; rows that are taken to be at their limit may have misled the later one. */
static void
keep_better(const struct censored *censored, memmodel_model *later, memmodel_model **best)
{
    if (!*best || loss_on_rows(censored, later) < loss_on_rows(censored, *best)) {
        memmodel_model *other = *best;

        *best = later;
        later = other;
    }
    memmodel_model_unref(later);
}

/* One fit and what it says of the set. */
static int
take_turn(struct censored *censored, const struct memmodel_fit_options *options, censored_fit fit, bool may_leave,
          bool *stays, memmodel_model **best)
{
    const struct training_limits limits = {.target = censored->target, .hidden = censored->hidden};
    memmodel_model *later = NULL;
    int status = fit(censored->samples, options, &limits, censored->context, &later);

    if (status)
        return status;
    *stays = settle(censored, later, may_leave);
    keep_better(censored, later, best);
    return 0;
}

/* Searches take long: the set is found with the terms of the basis, and a search changes it only by what it adds. */
static int
take_turns(struct censored *censored, censored_fit fit, memmodel_model **model)
{
    const struct memmodel_fit_options *given = censored->options;
    struct memmodel_fit_options options = *given;
    bool stays = false, searches = given->search != 0;
    int status = 0;

    options.search = 0;
    for (int turn = 0; turn < MAX_TURNS && !stays && !status; turn++) {
        context_set_quiet(censored->context, turn > 0);
        status = take_turn(censored, &options, fit, turn < FREE_TURNS, &stays, model);
    }
    context_set_quiet(censored->context, false);
    stays = !searches;
    for (int turn = 0; turn < SEARCHES && !stays && !status; turn++)
        status = take_turn(censored, given, fit, false, &stays, model);
    return status;
}

/* Limits that a fit could use, those that it lies below, and the rows that were measured in full. */
static void
note_counts(const struct censored *censored, memmodel_model *model)
{
    int64_t below = 0, measured = 0;

    for (size_t row = 0; row < censored->rows; row++) {
        measured += isnan(censored->limits[row]) && !isnan(censored->target[row]);
        below += predict_row(censored, model, row) < censored->limits[row] * (1 - slack);
    }
    model->scores.censored = (int64_t)censored->count;
    context_log(
        censored->context,
        "%zu rows ended early: what they took is a lower limit; the formula lies above it for %lld of them, and these "
        "count no further",
        censored->count, (long long)((int64_t)censored->count - below));
    if (model->scores.sample_count > measured)
        model->scores.sample_count = measured;
}

static double
capacity_in_unit(const memmodel_samples *samples, const struct memmodel_fit_options *options, const char *target)
{
    const struct byte_unit *unit = training_unit(samples, options, target);

    return options->capacity / (unit ? unit->bytes : 1);
}

int
censored_rows_fit(const memmodel_samples *samples, const struct memmodel_fit_options *options, censored_fit fit,
                  memmodel_context *context, memmodel_model **model)
{
    struct workspace workspace = WORKSPACE_INIT(context);
    struct censored censored = {
        .context = context, .samples = samples, .options = options, .rows = memmodel_samples_row_count(samples)};
    memmodel_model *new = NULL;
    int status;

    censored.name = options->target ? options->target : training_last_column(samples, options->weight_column);
    if (!censored.name || !samples_numbers(samples, censored.name))
        return fit(samples, options, NULL, context, model); /* which says what is wrong */
    censored.capacity = capacity_in_unit(samples, options, censored.name);
    status = find_rows(&censored, &workspace);
    if (!status)
        status = censored.count ? take_turns(&censored, fit, &new) : fit(samples, options, NULL, context, &new);
    if (!status && censored.count)
        note_counts(&censored, new);
    workspace_release(&workspace);
    return model_hand_over(new, status, model);
}
