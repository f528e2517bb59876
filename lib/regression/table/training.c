/* The rows of a table that a fit can use, checked: every refusal names the column and the row. */
#include "regression/table/training.h"
#include "measure/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A fit's columns in the table of samples; a row is used if none of them is missing there. */
struct source {
    const memmodel_samples *samples;
    memmodel_context *context;
    size_t rows;
    bool positive; /* whether the target must be */
    bool relative; /* because errors are divided by it */
    const double *target_column, *weight;
    const double *target; /* what it is taken for */
    const bool *hidden;   /* of every row; NULL: none is */
    const double *inputs[TRAINING_MAX_INPUTS];
};

static bool
is_hidden(const struct source *source, size_t row)
{
    return source->hidden && source->hidden[row];
}

static bool
row_complete(const struct source *source, size_t input_count, size_t row)
{
    if (is_hidden(source, row) || isnan(source->target[row]) || (source->weight && !(source->weight[row] != 0)))
        return false;
    for (size_t i = 0; i < input_count; i++)
        if (isnan(source->inputs[i][row]))
            return false;
    return !source->weight || !isnan(source->weight[row]);
}

/* ---- which columns ---- */

static bool
varies(const struct source *source, const double *column)
{
    const double *first = NULL;

    for (size_t i = 0; i < source->rows; i++) {
        if (isnan(column[i]) || is_hidden(source, i))
            continue;
        if (!first)
            first = &column[i];
        else if (column[i] != *first)
            return true;
    }
    return false;
}

static bool
same_numbers(const struct source *source, const double *a, const double *b)
{
    for (size_t i = 0; i < source->rows; i++)
        if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])) || is_hidden(source, i)))
            return false;
    return true;
}

/* Sizes whose squares and cubes, and those of their relative errors, are numbers still. */
static const double min_size = 1e-100, max_size = 1e100;

/* The row of the greatest number in size, if no term could be made of that column; else the number of rows. */
static size_t
extreme_row(const struct source *source, const double *column)
{
    double greatest = 0;
    size_t row = source->rows;

    for (size_t i = 0; i < source->rows; i++)
        if (fabs(column[i]) > greatest && !is_hidden(source, i)) {
            greatest = fabs(column[i]);
            row = i;
        }
    return greatest > max_size || greatest < min_size ? row : source->rows;
}

/* The name of an input that has the same numbers; NULL if there is none. */
static const char *
find_duplicate(const struct source *source, const struct training *table, const double *column)
{
    for (size_t i = 0; i < table->input_count; i++)
        if (same_numbers(source, source->inputs[i], column))
            return table->inputs[i];
    return NULL;
}

static int
add_input(struct source *source, struct training *table, const char *name, const double *column)
{
    if (table->input_count == TRAINING_MAX_INPUTS)
        return context_error(source->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name,
                             "more than %d inputs; name those that matter", TRAINING_MAX_INPUTS);
    source->inputs[table->input_count] = column;
    table->inputs[table->input_count++] = name;
    return 0;
}

/* The caller named this input: what is wrong with it is an error. */
static int
add_named_input(struct source *source, struct training *table, const char *name)
{
    const double *column;
    const char *duplicate;
    size_t row;
    int status;

    if (!name)
        return context_error(source->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "an input without a name");
    status = samples_need_numbers(source->samples, name, source->context, &column);
    if (status)
        return status;
    if (column == source->target_column || column == source->weight)
        return context_error(source->context, MEMMODEL_ERROR_INVALID_ARGUMENT, name,
                             "this column is the target or the weight and cannot be an input too");
    duplicate = find_duplicate(source, table, column);
    if (duplicate)
        return context_error(source->context, MEMMODEL_ERROR_DATA, name,
                             "has the same numbers as \"%s\": leave one of them out", duplicate);
    if (!varies(source, column))
        return context_error(source->context, MEMMODEL_ERROR_DATA, name,
                             "is constant: nothing can be learnt from it; leave it out or measure more values");
    row = extreme_row(source, column);
    if (row < source->rows)
        return context_error(source->context, MEMMODEL_ERROR_DATA, name,
                             "is %g in row %zu; terms need inputs from %g to %g in size: choose another unit",
                             column[row], row + 1, min_size, max_size);
    return add_input(source, table, name, column);
}

static int
add_found_input(struct source *source, struct training *table, const char *name, const double *column)
{
    if (extreme_row(source, column) < source->rows)
        context_log(source->context,
                    "column \"%s\" has numbers beyond %g to %g in size: hardly a term can be made of it in this unit",
                    name, min_size, max_size);
    return add_input(source, table, name, column);
}

static bool
has_column(const memmodel_samples *samples, const char *name)
{
    const char *column = "";

    for (size_t i = 0; column && strcmp(column, name) != 0; i++)
        column = memmodel_samples_column_name(samples, i);
    return column != NULL;
}

/* A column that `memmodel run --append` or `memmodel import` writes besides the peak, where there are seconds and status. */
static bool
is_bookkeeping(const memmodel_samples *samples, const char *column)
{
    static const char *const columns[] = {"seconds",      "status", "rss_bytes",      "pss_bytes",
                                          "cgroup_bytes", "job_id", "requested_bytes"};
    size_t i = 0;

    while (i < sizeof columns / sizeof columns[0] && strcmp(columns[i], column) != 0)
        i++;
    return i < sizeof columns / sizeof columns[0] && has_column(samples, "seconds") && has_column(samples, "status");
}

/* Every other numeric column is an input, unless it is constant or repeats another: the log says so. */
static int
add_found_inputs(struct source *source, struct training *table)
{
    int status = 0;

    for (size_t i = 0; !status && i < memmodel_samples_column_count(source->samples); i++) {
        const char *name = memmodel_samples_column_name(source->samples, i), *duplicate;
        const double *column = samples_numbers(source->samples, name);

        if (!column || column == source->target_column || column == source->weight)
            continue;
        if (is_bookkeeping(source->samples, name)) {
            context_log(source->context, "column \"%s\" is what memmodel run notes besides the peak: name it to use it",
                        name);
            continue;
        }
        duplicate = find_duplicate(source, table, column);
        if (duplicate)
            context_log(source->context, "column \"%s\" repeats \"%s\" and is left out", name, duplicate);
        else if (!varies(source, column))
            context_log(source->context, "column \"%s\" is constant and is left out", name);
        else
            status = add_found_input(source, table, name, column);
    }
    if (!status && table->input_count == 0)
        status = context_error(source->context, MEMMODEL_ERROR_DATA, table->target,
                               "there is no other numeric column that varies to predict it from");
    return status;
}

const struct byte_unit *
training_unit(const memmodel_samples *samples, const struct memmodel_fit_options *options, const char *target)
{
    const char *unit = memmodel_samples_unit(samples, target);

    for (size_t i = 0; !unit && options->units && i < options->unit_count; i++) {
        const char *equals = options->units[i] ? strrchr(options->units[i], '=') : NULL;

        if (equals && strlen(target) == (size_t)(equals - options->units[i]) &&
            strncmp(options->units[i], target, strlen(target)) == 0)
            unit = equals + 1;
    }
    return unit ? byte_unit_find(unit) : NULL;
}

const char *
training_last_column(const memmodel_samples *samples, const char *weight)
{
    for (size_t i = memmodel_samples_column_count(samples); i-- > 0;) {
        const char *name = memmodel_samples_column_name(samples, i);

        if (!is_bookkeeping(samples, name) && samples_numbers(samples, name) && !(weight && strcmp(name, weight) == 0))
            return name;
    }
    return NULL;
}

/* A column of text that stands behind a target which nobody named may have been meant in its place. */
void
training_note_texts(const memmodel_samples *samples, const struct memmodel_fit_options *options,
                    memmodel_context *context)
{
    const char *target = options->target ? options->target : training_last_column(samples, options->weight_column);
    bool behind = false;

    for (size_t i = 0; target && i < memmodel_samples_column_count(samples); i++) {
        const char *name = memmodel_samples_column_name(samples, i);

        if (is_bookkeeping(samples, name) || strcmp(name, "status") == 0)
            continue;
        behind |= !options->target && strcmp(name, target) == 0;
        if (memmodel_samples_column(samples, name))
            continue;
        if (behind)
            context_log(context, "column \"%s\" is text: the target is \"%s\", the last column of numbers", name,
                        target);
        else if (!options->inputs)
            context_log(context, "column \"%s\" is text and is left out", name);
    }
}

static int
find_target(struct source *source, const struct memmodel_fit_options *options, struct training *table)
{
    int status;

    table->target = options->target ? options->target : training_last_column(source->samples, options->weight_column);
    if (!table->target)
        return context_error(source->context, MEMMODEL_ERROR_DATA, NULL, "the table has no numeric column");
    status = samples_need_numbers(source->samples, table->target, source->context, &source->target_column);
    if (!source->target)
        source->target = source->target_column;
    if (status || !options->weight_column)
        return status;
    return samples_need_numbers(source->samples, options->weight_column, source->context, &source->weight);
}

static int
find_columns(struct source *source, const struct memmodel_fit_options *options, struct training *table)
{
    int status = find_target(source, options, table);

    if (status)
        return status;
    if (!options->inputs)
        return add_found_inputs(source, table);
    for (size_t i = 0; !status && i < options->input_count; i++)
        status = add_named_input(source, table, options->inputs[i]);
    if (!status && options->input_count == 0)
        status = context_error(source->context, MEMMODEL_ERROR_INVALID_ARGUMENT, NULL, "no inputs are named");
    return status;
}

/* ---- which rows ---- */

static const double max_squared = 1e140; /* sums of squares, and of their inverses, stay finite */

static int
check_row(const struct source *source, const struct training *table, const char *weight, size_t row)
{
    if (!isfinite(source->target[row]))
        return context_error(source->context, MEMMODEL_ERROR_DATA, table->target, "is not finite in row %zu", row + 1);
    if (!source->positive && fabs(source->target[row]) > max_squared)
        return context_error(source->context, MEMMODEL_ERROR_DATA, table->target,
                             "is %g in row %zu; squared errors need numbers up to %g: choose a larger unit",
                             source->target[row], row + 1, max_squared);
    if (source->positive && source->target[row] > 0 &&
        (source->target[row] > max_squared || source->target[row] < 1 / max_squared))
        return context_error(source->context, MEMMODEL_ERROR_DATA, table->target,
                             "is %g in row %zu; relative errors need numbers from %g to %g: choose another unit",
                             source->target[row], row + 1, 1 / max_squared, max_squared);
    if (source->positive && !(source->target[row] > 0))
        return context_error(source->context, MEMMODEL_ERROR_DATA, table->target, "is %g in row %zu; %s",
                             source->target[row], row + 1,
                             source->relative ? "relative errors need a number above 0, squared ones (the loss "
                                                "\"squared\") do not"
                                              : "a sum of positive terms needs a number above 0, one of any sign (the "
                                                "basis \"general\") does not");
    if (source->weight && (source->weight[row] < 0 || !isfinite(source->weight[row])))
        return context_error(source->context, MEMMODEL_ERROR_DATA, weight,
                             "is %g in row %zu; a weight is a finite number not below 0", source->weight[row], row + 1);
    for (size_t i = 0; i < table->input_count; i++)
        if (!isfinite(source->inputs[i][row]))
            return context_error(source->context, MEMMODEL_ERROR_DATA, table->inputs[i], "is not finite in row %zu",
                                 row + 1);
    return 0;
}

/* Row numbers start at 1, as in a table without its head. */
static int
check_rows(const struct source *source, const struct training *table, const char *weight, size_t *used)
{
    size_t row, shown = 0;

    *used = 0;
    for (row = 0; row < source->rows; row++) {
        int status = row_complete(source, table->input_count, row) ? check_row(source, table, weight, row) : 0;

        if (status)
            return status;
        *used += row_complete(source, table->input_count, row);
        shown += !is_hidden(source, row);
    }
    row = extreme_row(source, source->target);
    if (row < source->rows && fabs(source->target[row]) < min_size)
        return context_error(
            source->context, MEMMODEL_ERROR_DATA, table->target,
            "is nowhere larger than the %g of row %zu, whose square is no number: choose a smaller unit",
            source->target[row], row + 1);
    if (*used < shown)
        context_log(source->context, "%zu of %zu rows are left out: a value is missing or their weight is 0",
                    shown - *used, shown);
    if (*used < TRAINING_MIN_ROWS)
        return context_error(source->context, MEMMODEL_ERROR_DATA, table->target,
                             "%zu complete rows are too few: a fit needs %d", *used, TRAINING_MIN_ROWS);
    return 0;
}

static int
allocate(struct training *table, size_t rows, struct workspace *workspace)
{
    table->columns = matrix_new(workspace, rows, table->input_count);
    table->measured = workspace_take(workspace, rows, sizeof *table->measured);
    table->weights = workspace_take(workspace, rows, sizeof *table->weights);
    table->points = workspace_take(workspace, rows, sizeof *table->points);
    return workspace->status;
}

static void
copy_rows(const struct source *source, struct training *table)
{
    size_t to = 0;

    for (size_t row = 0; row < source->rows; row++) {
        if (!row_complete(source, table->input_count, row))
            continue;
        for (size_t i = 0; i < table->input_count; i++)
            matrix_column(&table->columns, i)[to] = source->inputs[i][row];
        table->measured[to] = source->target[row];
        table->weights[to++] = source->weight ? source->weight[row] : 1;
    }
}

/* A row to be put in order. */
struct place {
    const struct training *table;
    size_t row;
};

/* By inputs, measurement and weight. */
static int
compare_rows(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const struct training *table = x->table;

    for (size_t i = 0; i < table->input_count + 2; i++) {
        const double *numbers = i < table->input_count    ? matrix_column(&table->columns, i)
                                : i == table->input_count ? table->measured
                                                          : table->weights;

        if (numbers[x->row] != numbers[y->row])
            return numbers[x->row] < numbers[y->row] ? -1 : 1;
    }
    return 0;
}

static void
permute(double *numbers, const struct place *places, size_t count, double *spare)
{
    for (size_t i = 0; i < count; i++)
        spare[i] = numbers[places[i].row];
    memcpy(numbers, spare, count * sizeof *numbers);
}

/* An order that does not depend on the one in which the rows came. */
static int
put_in_order(struct training *table, struct workspace *workspace)
{
    size_t count = table->columns.rows;
    struct place *places = workspace_take(workspace, count, sizeof *places);
    double *spare = workspace_take(workspace, count, sizeof *spare);

    if (workspace->status)
        return workspace->status;
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){table, i};
    qsort(places, count, sizeof *places, compare_rows);
    for (size_t i = 0; i < table->input_count; i++)
        permute(matrix_column(&table->columns, i), places, count, spare);
    permute(table->measured, places, count, spare);
    permute(table->weights, places, count, spare);
    return 0;
}

static void
find_range(const double *numbers, size_t count, double *least, double *most)
{
    *least = *most = numbers[0];
    for (size_t i = 1; i < count; i++) {
        *least = fmin(*least, numbers[i]);
        *most = fmax(*most, numbers[i]);
    }
}

/*
 * To a mean of 1. A power of two before, which rounds nothing, keeps sums of the largest and smallest numbers in
 * range.
 */
static void
scale_weights(struct training *table)
{
    size_t rows = table->columns.rows;
    double total = 0, least, most;
    int exponent;

    find_range(table->weights, rows, &least, &most);
    frexp(most, &exponent);
    for (size_t i = 0; i < rows; i++)
        total += table->weights[i] = ldexp(table->weights[i], -exponent);
    for (size_t i = 0; i < rows; i++)
        table->weights[i] *= (double)rows / total;
}

static bool
same_point(const struct training *table, size_t a, size_t b)
{
    for (size_t i = 0; i < table->input_count; i++)
        if (matrix_column(&table->columns, i)[a] != matrix_column(&table->columns, i)[b])
            return false;
    return true;
}

/* Of rows in order those of one point stand next to each other. */
static void
number_points(struct training *table)
{
    table->point_count = 0;
    for (size_t row = 0; row < table->columns.rows; row++)
        table->points[row] = row > 0 && same_point(table, row - 1, row) ? table->points[row - 1] : table->point_count++;
}

/* A column may vary in the table and not in the complete rows. */
static int
check_varying(const struct training *table)
{
    const struct source complete = {.rows = table->columns.rows};

    for (size_t i = 0; i < table->input_count; i++)
        if (!varies(&complete, matrix_column(&table->columns, i)))
            return context_error(table->context, MEMMODEL_ERROR_DATA, table->inputs[i],
                                 "is constant in the complete rows: leave it out or measure more values");
    return 0;
}

int
training_read(const memmodel_samples *samples, const struct memmodel_fit_options *options,
              const struct training_limits *limits, struct workspace *workspace, struct training *table)
{
    memmodel_context *context = workspace->arena.context;
    struct source source = {
        .samples = samples,
        .context = context,
        .rows = memmodel_samples_row_count(samples),
        .positive = loss_is_relative(options->loss) || !fit_is_general(options),
        .relative = loss_is_relative(options->loss),
        .target = limits ? limits->target : NULL,
        .hidden = limits ? limits->hidden : NULL,
    };
    size_t used;
    int status;

    *table = (struct training){.context = source.context};
    status = find_columns(&source, options, table);
    if (!status)
        status = check_rows(&source, table, options->weight_column, &used);
    if (!status)
        status = allocate(table, used, workspace);
    if (status)
        return status;
    copy_rows(&source, table);
    status = context_look(context, 0);
    if (!status)
        status = put_in_order(table, workspace);
    if (!status)
        status = context_look(context, 0);
    if (status)
        return status;
    scale_weights(table);
    number_points(table);
    return check_varying(table);
}

struct loss
training_loss(const struct training *table, const struct memmodel_fit_options *options)
{
    size_t rows = table->columns.rows;
    double sum = 0;

    for (size_t i = 0; i < rows; i++)
        sum += table->weights[i] * (fabs(table->measured[i]) / (double)rows);
    return (struct loss){.kind = options->loss, .quantile = options->quantile, .unit = sum > 0 ? sum : 1};
}

void
training_range(const struct training *table, size_t input, double *least, double *most)
{
    find_range(matrix_column(&table->columns, input), table->columns.rows, least, most);
}

void
training_measured_range(const struct training *table, double *least, double *most)
{
    find_range(table->measured, table->columns.rows, least, most);
}
