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
    const char *target;
    double capacity; /* in the target's unit; 0: not known */
    size_t rows, count;
    double *limits; /* NaN: the row is not censored */
    bool *active;
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

    if (is_out_of_memory_word(status) || is_out_of_memory_word(text_of(censored->samples, censored->target, row)))
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
    censored->limits[row] = limit;
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
find_rows(struct censored *censored)
{
    const double *target = samples_numbers(censored->samples, censored->target);
    const char *noted = NULL;

    if (!target)
        return memmodel_context_error(censored->context)->status;
    censored->limits = memory_allocate_zeroed(censored->context, censored->rows + 1, sizeof *censored->limits);
    censored->active = memory_allocate_zeroed(censored->context, censored->rows + 1, sizeof *censored->active);
    if (!censored->limits || !censored->active)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t row = 0; row < censored->rows; row++) {
        censored->limits[row] = (double)NAN;
        if (!ended_early(censored, row))
            continue;
        note_status(censored, row, &noted);
        find_limit(censored, target, row);
    }
    return 0;
}

/* ---- the table of a turn ---- */

/*
 * The columns that a fit may use, without text: all that are numeric but for what is noted besides, unless it is
 * named.
 */
static size_t
list_columns(const struct censored *censored, const char **names, const double **columns)
{
    size_t count = 0;

    for (size_t i = 0; i < memmodel_samples_column_count(censored->samples); i++) {
        const char *name = memmodel_samples_column_name(censored->samples, i);

        columns[count] = samples_numbers(censored->samples, name);
        if (columns[count] && training_may_use(censored->samples, censored->options, censored->target, name))
            names[count++] = name;
    }
    return count;
}

/* All rows but the limits that are not in the set. */
static int
fill_table(const struct censored *censored, const char *const *names, const double *const *columns, size_t count,
           double *values, memmodel_samples *table)
{
    int status = 0;

    for (size_t row = 0; row < censored->rows && !status; row++) {
        double limit = censored->limits[row];

        if (!isnan(limit) && !censored->active[row])
            continue;
        for (size_t i = 0; i < count; i++)
            values[i] = !isnan(limit) && strcmp(names[i], censored->target) == 0 ? limit : columns[i][row];
        status = memmodel_samples_add_row(table, values);
    }
    return status;
}

static int
make_table(const struct censored *censored, memmodel_samples **table)
{
    size_t count = memmodel_samples_column_count(censored->samples);
    const char **names = memory_allocate_zeroed(censored->context, count, sizeof *names);
    const double **columns = memory_allocate_zeroed(censored->context, count, sizeof *columns);
    double *values = memory_allocate_zeroed(censored->context, count, sizeof *values);
    int status = names && columns && values ? 0 : MEMMODEL_ERROR_NO_MEMORY;

    *table = NULL;
    if (!status) {
        count = list_columns(censored, names, columns);
        status = memmodel_samples_new(censored->context, names, count, table);
    }
    if (!status)
        status = fill_table(censored, names, columns, count, values, *table);
    memory_release(censored->context, names);
    memory_release(censored->context, columns);
    memory_release(censored->context, values);
    return status;
}

/* ---- turns ---- */

static int
fit_once(const struct censored *censored, const struct memmodel_fit_options *options, censored_fit fit,
         memmodel_model **model)
{
    memmodel_samples *table;
    int status = make_table(censored, &table);

    if (!status)
        status = fit(table, options, censored->context, model);
    memmodel_samples_unref(table);
    return status;
}

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
        if (!censored->active[row] && predicted < limit - slack * fabs(limit)) {
            censored->active[row] = true;
            stays = false;
        } else if (may_leave && censored->active[row] && predicted > limit + slack * fabs(limit)) {
            censored->active[row] = false;
            stays = false;
        }
    }
    return stays;
}

/* Of a prediction, relative where the model's errors are; above a limit there is none. */
static double
error_of(const struct censored *censored, const memmodel_model *model, const double *target, size_t row)
{
    bool is_limit = !isnan(censored->limits[row]);
    double measured = is_limit ? censored->limits[row] : target[row], predicted = predict_row(censored, model, row);

    if (isnan(measured) || isnan(predicted) || (is_limit && predicted > measured))
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
    const double *target = samples_numbers(censored->samples, censored->target);
    double measured = 0, squares = 0, dof;

    for (size_t row = 0; row < censored->rows; row++) {
        double error = error_of(censored, model, target, row);

        squares += error * error;
        measured += isnan(censored->limits[row]) && !isnan(target[row]);
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
    memmodel_model *later = NULL;
    int status = fit_once(censored, options, fit, &later);

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
    const double *target = samples_numbers(censored->samples, censored->target);

    for (size_t row = 0; row < censored->rows; row++) {
        measured += isnan(censored->limits[row]) && !isnan(target[row]);
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
    struct memmodel_fit_options named = *options;
    struct censored censored = {
        .context = context, .samples = samples, .options = &named, .rows = memmodel_samples_row_count(samples)};
    memmodel_model *new = NULL;
    int status;

    censored.target = named.target ? named.target : training_last_column(samples, named.weight_column);
    if (!censored.target || !samples_numbers(samples, censored.target))
        return fit(samples, options, context, model); /* which says what is wrong */
    named.target = censored.target;
    censored.capacity = capacity_in_unit(samples, options, censored.target);
    status = find_rows(&censored);
    if (!status)
        status = censored.count ? take_turns(&censored, fit, &new) : fit(samples, options, context, &new);
    if (!status && censored.count)
        note_counts(&censored, new);
    memory_release(censored.context, censored.limits);
    memory_release(censored.context, censored.active);
    return model_hand_over(new, status, model);
}
