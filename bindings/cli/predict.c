/* memmodel predict: what a fitted formula says about a job, with an upper bound, and what fits. */
#include "json.h"
#include "model.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 64 };

struct predict_options {
    struct option_list set;
    const char *points, *max, *bound, *budget, *columns;
    double level;
    bool json;
};

static const struct option options[] = {
    {"set", 's', OPTION_LIST, "NAME=NUMBER", "value of an input, such as batch=8; may be repeated",
     offsetof(struct predict_options, set)},
    {"points", 0, OPTION_TEXT, "FILE.csv",
     "predict each row of a table with a column per input that --set does not give",
     offsetof(struct predict_options, points)},
    COLUMNS_OPTION(offsetof(struct predict_options, columns)),
    {"level", 0, OPTION_NUMBER, "P", "probability that a run stays below the bound, 0.5 to 0.999; 0.95 unless given",
     offsetof(struct predict_options, level)},
    {"bound", 0, OPTION_TEXT, "METHOD", "of the bound: conformal, student-t; default: the larger of both",
     offsetof(struct predict_options, bound)},
    {"budget", 'b', OPTION_TEXT, "BYTES",
     "what a run may take, such as 16GiB: says whether the bound fits; a plain number where the model knows no unit",
     offsetof(struct predict_options, budget)},
    {"max", 0, OPTION_TEXT, "NAME", "find the maximum whole value of this input whose bound fits the budget",
     offsetof(struct predict_options, max)},
    {"json", 'j', OPTION_FLAG, NULL, "the answer as JSON", offsetof(struct predict_options, json)},
    {0},
};

/* What a run of the command works with. */
struct predict {
    const struct command *command;
    const struct predict_options *options;
    memmodel_context *context;
    const memmodel_model *model;
    size_t input_count;
    double *inputs;        /* NaN until it is known */
    const double **places; /* of each of them */
    struct memmodel_predict_options asked;
    int64_t budget; /* 0: none */
    int64_t max;    /* for --max */
};

/* ---- the bound's method ---- */

static int
set_method(struct predict *predict)
{
    const char *name = predict->options->bound;
    int method = MEMMODEL_BOUND_METHOD_DEFAULT;

    while (name && memmodel_bound_method_name(method) && strcmp(memmodel_bound_method_name(method), name) != 0)
        method++;
    predict->asked = (struct memmodel_predict_options){
        .size = sizeof predict->asked, .level = predict->options->level, .method = method};
    if (memmodel_bound_method_name(method))
        return EXIT_OK;
    return usage_error(predict->command, "--bound is default, conformal or student-t, not '%s'", name);
}

/* ---- inputs ---- */

/* The index of an input; input_count after a message if there is none of that name. */
static size_t
find_input(const struct predict *predict, const char *name)
{
    for (size_t i = 0; i < predict->input_count; i++)
        if (strcmp(model_input(predict->model, i).name, name) == 0)
            return i;
    fprintf(stderr, "memmodel predict: the model has no input '%s'; it was trained on ", name);
    model_print_domain(stderr, predict->model);
    fputs("\n", stderr);
    return predict->input_count;
}

/* NAME=NUMBER; a name may have a '=' in it, a number has none. */
static int
set_input(struct predict *predict, const char *text)
{
    const char *equals = strrchr(text, '=');
    char *name, *end;
    double number;
    size_t input;

    if (!equals || equals == text)
        return usage_error(predict->command, "'--set %s' is not NAME=NUMBER, such as batch=8", text);
    number = strtod(equals + 1, &end);
    if (end == equals + 1 || *end || !isfinite(number))
        return usage_error(predict->command, "'%s' is no number (in --set %s)", equals + 1, text);
    name = strndup(text, (size_t)(equals - text));
    if (!name)
        return EXIT_FAILED;
    input = find_input(predict, name);
    free(name);
    if (input == predict->input_count)
        return EXIT_USAGE;
    if (!isnan(predict->inputs[input]))
        return usage_error(predict->command, "the input '%s' is given twice", model_input(predict->model, input).name);
    predict->inputs[input] = number;
    return EXIT_OK;
}

static int
set_inputs(struct predict *predict)
{
    int status = EXIT_OK;

    for (size_t i = 0; i < predict->input_count; i++) {
        predict->inputs[i] = NAN;
        predict->places[i] = &predict->inputs[i];
    }
    for (size_t i = 0; !status && i < predict->options->set.count; i++)
        status = set_input(predict, predict->options->set.values[i]);
    return status;
}

static int
missing_input(const struct predict *predict, size_t input)
{
    struct memmodel_model_input missing = model_input(predict->model, input);

    return usage_error(predict->command, "the input '%s' has no value: add --set %s=NUMBER (the samples had %g to %g)",
                       missing.name, missing.name, missing.min, missing.max);
}

/* That no input has a value that its column could not have held. */
static int
check_values(const struct predict *predict)
{
    if (memmodel_model_check_points(predict->model, predict->places, 1, predict->context) == 0)
        return EXIT_OK;
    library_error(predict->command, predict->context);
    return EXIT_USAGE;
}

/* All inputs must be known, but for the one whose maximum is asked for, which has no value yet. */
static int
check_inputs(const struct predict *predict, size_t unknown)
{
    for (size_t i = 0; i < predict->input_count; i++)
        if (isnan(predict->inputs[i]) && i != unknown)
            return missing_input(predict, i);
    if (unknown < predict->input_count)
        predict->inputs[unknown] = NAN;
    return check_values(predict);
}

/* ---- text ---- */

static const char *
format_target(const struct predict *predict, double number, char text[TEXT_BYTES])
{
    double bytes = number * memmodel_model_unit_bytes(predict->model);

    if (isnan(number))
        snprintf(text, TEXT_BYTES, "undefined");
    else if (memmodel_model_unit(predict->model) && fabs(bytes) < 0x1p62)
        format_bytes((int64_t)bytes, text);
    else
        snprintf(text, TEXT_BYTES, "%.6g", number);
    return text;
}

static void
print_extrapolated(const struct predict *predict)
{
    fputs("  extrapolated: the bound is not guaranteed outside the training domain, ", stdout);
    model_print_domain(stdout, predict->model);
    fputs("\n", stdout);
}

/* What decided, and what so few points support. */
static void
print_method(const struct predict *predict, const struct memmodel_prediction *prediction)
{
    static const char *const grounds[] = {
        [MEMMODEL_BOUND_METHOD_CONFORMAL] = "ranks of the calibration points' errors",
        [MEMMODEL_BOUND_METHOD_STUDENT_T] = "Student's t and the leverage of the point",
    };
    bool distribution_free = prediction->distribution_free_level > predict->options->level - 1e-9;

    if (prediction->method == MEMMODEL_BOUND_METHOD_DEFAULT)
        return;
    printf("  method: %s, %s\n", memmodel_bound_method_name(prediction->method), grounds[prediction->method]);
    printf("  %" PRId64 " calibration points: distribution-free up to %.3g %%%s\n", prediction->calibration_count,
           100 * prediction->distribution_free_level, distribution_free ? "" : "; beyond it the tail is Student's");
}

/* A model of an unknown unit has its budget in that. */
static double
budget_in_unit(const struct predict *predict)
{
    double unit = memmodel_model_unit_bytes(predict->model);

    return (double)predict->budget / (unit > 0 ? unit : 1);
}

static int32_t
verdict_of(const struct predict *predict, const struct memmodel_prediction *prediction)
{
    if (!predict->budget)
        return MEMMODEL_VERDICT_NONE;
    if (isnan(prediction->upper))
        return MEMMODEL_VERDICT_UNKNOWN;
    return prediction->upper <= budget_in_unit(predict) ? MEMMODEL_VERDICT_FITS : MEMMODEL_VERDICT_EXCEEDS;
}

static void
print_answer(const struct predict *predict, const struct memmodel_prediction *prediction)
{
    double limit = budget_in_unit(predict);
    char budget[TEXT_BYTES], upper[TEXT_BYTES], takes[TEXT_BYTES + 8], headroom[TEXT_BYTES];

    format_target(predict, limit, budget);
    format_target(predict, prediction->upper, upper);
    format_target(predict, fabs(limit - prediction->upper), headroom);
    snprintf(takes, sizeof takes, "up to %s", upper);
    print_verdict(verdict_of(predict, prediction), takes, budget, headroom, NULL);
}

static void
print_text_row(const struct predict *predict, const struct memmodel_prediction *prediction)
{
    char text[TEXT_BYTES], bound[TEXT_BYTES];

    for (size_t i = 0; i < predict->input_count; i++)
        printf("%s%s=%g", i ? ", " : "", model_input(predict->model, i).name, predict->inputs[i]);
    snprintf(bound, sizeof bound, "%g %% upper prediction bound", 100 * predict->options->level);
    printf("\n  %-30s %s\n", memmodel_model_target(predict->model), format_target(predict, prediction->value, text));
    printf("  %-30s %s\n", bound, format_target(predict, prediction->upper, text));
    print_method(predict, prediction);
    if (prediction->extrapolated)
        print_extrapolated(predict);
}

static void
print_text_max(const struct predict *predict)
{
    char budget[TEXT_BYTES];

    printf("max %s within %s: %" PRId64 "%s\n", predict->options->max,
           format_target(predict, budget_in_unit(predict), budget), predict->max,
           predict->max ? "" : "; not even 1 fits");
}

/* ---- JSON ---- */

static void
print_json_unit(const struct predict *predict)
{
    if (memmodel_model_unit(predict->model))
        printf("\"unit\": \"%s\", ", memmodel_model_unit(predict->model));
}

/* NaN is null. */
static void
print_json_row(const struct memmodel_prediction *prediction)
{
    fputs("{\"value\": ", stdout);
    print_json_number(prediction->value);
    fputs(", \"upper\": ", stdout);
    print_json_number(prediction->upper);
    printf(", \"extrapolated\": %s, \"method\": \"%s\", \"calibration_count\": %" PRId64
           ", \"distribution_free_level\": ",
           prediction->extrapolated ? "true" : "false", memmodel_bound_method_name(prediction->method),
           prediction->calibration_count);
    print_json_number(prediction->distribution_free_level);
    putchar('}');
}

static void
print_json_max(const struct predict *predict)
{
    fputs("\"predict_max\": {\"input\": ", stdout);
    print_json_text(predict->options->max);
    printf(", \"budget\": %" PRId64 ", \"max\": %" PRId64 "},\n ", predict->budget, predict->max);
}

static void
print_json_verdict(const struct predict *predict, const struct memmodel_prediction *prediction)
{
    printf("\"budget\": %" PRId64 ", \"verdict\": \"%s\", ", predict->budget,
           memmodel_verdict_name(verdict_of(predict, prediction)));
}

/* ---- one point ---- */

/* Of a call that writes nothing into the context. */
static int
failed(const struct predict *predict, int status)
{
    fprintf(stderr, "memmodel %s: %s\n", predict->command->name, memmodel_status_message(status));
    return EXIT_FAILED;
}

static int
predict_here(const struct predict *predict, struct memmodel_prediction *prediction)
{
    int status;

    prediction->size = sizeof *prediction;
    status = memmodel_model_predict(predict->model, predict->inputs, &predict->asked, prediction);
    if (status == MEMMODEL_ERROR_UNSUPPORTED)
        return usage_error(predict->command, "the model's file has no bound '%s': fit it again",
                           predict->options->bound);
    return status ? failed(predict, status) : EXIT_OK;
}

/* In the unit of the target, whatever it is. */
static int
read_plain_budget(struct predict *predict, const char *text, const char *target)
{
    char *end;
    double number = strtod(text, &end);

    if (end == text || *end || !(number >= 1 && number < 0x1p63))
        return usage_error(
            predict->command,
            "nobody knows in which unit '%s' is, so --budget is a plain number in that unit, not '%s'; memmodel fit "
            "reads units in names (peak_MiB), in fields (1.2 GiB) and in --unit '%s=MiB'",
            target, text, target);
    predict->budget = (int64_t)number;
    return EXIT_OK;
}

static int
read_budget(struct predict *predict)
{
    const char *text = predict->options->budget, *target = memmodel_model_target(predict->model);
    char message[MESSAGE_BYTES];

    if (!text && predict->options->max)
        return usage_error(predict->command, "--max %s needs a --budget, such as 16GiB", predict->options->max);
    if (!text)
        return EXIT_OK;
    if (!memmodel_model_unit(predict->model))
        return read_plain_budget(predict, text, target);
    if (!parse_bytes(text, &predict->budget, message))
        return usage_error(predict->command, "--budget: %s", message);
    return predict->budget ? EXIT_OK : usage_error(predict->command, "--budget: nothing is within 0 bytes");
}

static int
find_max(struct predict *predict)
{
    size_t input = find_input(predict, predict->options->max);
    int status;

    if (input == predict->input_count)
        return EXIT_USAGE;
    status = check_inputs(predict, input);
    if (status)
        return status;
    status = memmodel_model_predict_max(predict->model, predict->inputs, predict->options->max, &predict->asked,
                                        budget_in_unit(predict), predict->context, &predict->max);
    if (status)
        return failed(predict, status);
    predict->inputs[input] = (double)predict->max;
    return EXIT_OK;
}

static void
print_point_text(const struct predict *predict, const struct memmodel_prediction *prediction)
{
    if (predict->options->max)
        print_text_max(predict);
    else if (predict->budget)
        print_answer(predict, prediction);
    if (prediction)
        print_text_row(predict, prediction);
}

static void
print_point_json(const struct predict *predict, const struct memmodel_prediction *prediction)
{
    putchar('{');
    if (predict->options->max)
        print_json_max(predict);
    else if (predict->budget)
        print_json_verdict(predict, prediction);
    print_json_unit(predict);
    fputs("\"rows\": [", stdout);
    if (prediction)
        print_json_row(prediction);
    fputs("]}\n", stdout);
}

static int
print_nothing_fits(const struct predict *predict)
{
    (predict->options->json ? print_point_json : print_point_text)(predict, NULL);
    return EXIT_EXCEEDS;
}

/* With --max that of the maximum that fits. */
static int
predict_point(struct predict *predict)
{
    struct memmodel_prediction prediction;
    int status = predict->options->max ? find_max(predict) : check_inputs(predict, predict->input_count);

    if (!status && predict->options->max && predict->max == 0)
        return print_nothing_fits(predict);
    if (!status)
        status = predict_here(predict, &prediction);
    if (status)
        return status;
    (predict->options->json ? print_point_json : print_point_text)(predict, &prediction);
    if (predict->options->max)
        return EXIT_OK;
    return verdict_of(predict, &prediction) == MEMMODEL_VERDICT_EXCEEDS ? EXIT_EXCEEDS : EXIT_OK;
}

/* ---- many points ---- */

/* The points' columns in the order of the inputs; NULL where --set gives the value. */
static int
find_columns(const struct predict *predict, const memmodel_samples *points, const double **columns)
{
    for (size_t i = 0; i < predict->input_count; i++) {
        columns[i] = NULL;
        if (!isnan(predict->inputs[i]))
            continue;
        columns[i] = memmodel_samples_column(points, model_input(predict->model, i).name);
        if (!columns[i])
            return library_error(predict->command, predict->context);
    }
    return EXIT_OK;
}

static int
take_row(const struct predict *predict, const double *const *columns, size_t row)
{
    for (size_t i = 0; i < predict->input_count; i++) {
        if (!columns[i])
            continue;
        predict->inputs[i] = columns[i][row];
        if (isnan(predict->inputs[i])) {
            fprintf(stderr, "memmodel predict: %s: '%s' is missing in row %zu\n", predict->options->points,
                    model_input(predict->model, i).name, row + 1);
            return EXIT_FAILED;
        }
    }
    if (memmodel_model_check_points(predict->model, predict->places, 1, predict->context) == 0)
        return EXIT_OK;
    fprintf(stderr, "memmodel predict: %s: row %zu: '%s' %s\n", predict->options->points, row + 1,
            memmodel_context_error(predict->context)->object, memmodel_context_error(predict->context)->message);
    return EXIT_FAILED;
}

static void
start_table(const struct predict *predict, struct table *table)
{
    const char *heads[TABLE_COLUMNS];
    size_t shown = predict->input_count < TABLE_COLUMNS - 3 ? predict->input_count : TABLE_COLUMNS - 3;

    for (size_t i = 0; i < shown; i++)
        heads[i] = model_input(predict->model, i).name;
    heads[shown] = memmodel_model_target(predict->model);
    heads[shown + 1] = "bound";
    heads[shown + 2] = "<";
    table_start(table, heads, shown + 3);
}

static void
add_table_row(const struct predict *predict, const struct memmodel_prediction *prediction, struct table *table)
{
    char texts[TABLE_COLUMNS][TEXT_BYTES];
    const char *cells[TABLE_COLUMNS];
    size_t shown = table->columns - 3;

    for (size_t i = 0; i < shown; i++) {
        snprintf(texts[i], TEXT_BYTES, "%g", predict->inputs[i]);
        cells[i] = texts[i];
    }
    cells[shown] = format_target(predict, prediction->value, texts[shown]);
    cells[shown + 1] = format_target(predict, prediction->upper, texts[shown + 1]);
    cells[shown + 2] = prediction->extrapolated ? "extrapolated" : "";
    table_add(table, cells);
}

/* Every row is looked at before the first is printed: an answer is whole or is not given. */
static int
check_rows(const struct predict *predict, const double *const *columns, size_t rows)
{
    struct memmodel_prediction prediction;
    int status = EXIT_OK;

    for (size_t row = 0; !status && row < rows; row++)
        status = take_row(predict, columns, row);
    return status ? status : predict_here(predict, &prediction);
}

static void
print_rows_json(const struct predict *predict, const double *const *columns, size_t rows)
{
    struct memmodel_prediction prediction;

    putchar('{');
    print_json_unit(predict);
    fputs("\"rows\": [", stdout);
    for (size_t row = 0; row < rows; row++) {
        take_row(predict, columns, row);
        predict_here(predict, &prediction);
        fputs(row ? ",\n  " : "\n  ", stdout);
        print_json_row(&prediction);
    }
    fputs("]}\n", stdout);
}

static int
print_rows_table(const struct predict *predict, const double *const *columns, size_t rows)
{
    struct memmodel_prediction prediction;
    struct table table;

    start_table(predict, &table);
    for (size_t row = 0; row < rows; row++) {
        take_row(predict, columns, row);
        predict_here(predict, &prediction);
        add_table_row(predict, &prediction, &table);
    }
    return table_print(&table, stdout) ? EXIT_OK : EXIT_FAILED;
}

static int
predict_rows(const struct predict *predict, const double *const *columns, size_t rows)
{
    int status = check_rows(predict, columns, rows);

    if (status)
        return status;
    if (!predict->options->json)
        return print_rows_table(predict, columns, rows);
    print_rows_json(predict, columns, rows);
    return EXIT_OK;
}

static int
predict_points(const struct predict *predict)
{
    memmodel_samples *points;
    const double **columns = calloc(predict->input_count, sizeof *columns);
    int status;

    if (!columns)
        return EXIT_FAILED;
    status =
        read_table(predict->command, predict->context, predict->options->points, predict->options->columns, &points);
    if (!status) {
        status = find_columns(predict, points, columns);
        if (!status)
            status = predict_rows(predict, columns, memmodel_samples_row_count(points));
        memmodel_samples_unref(points);
    }
    free(columns);
    return status;
}

/* ---- the command ---- */

static int
check_options(const struct predict *predict)
{
    const struct predict_options *given = predict->options;

    if (!(given->level >= 0.5 && given->level <= 0.999))
        return usage_error(predict->command, "--level is a probability from 0.5 to 0.999, not %g", given->level);
    if (given->points && (given->max || given->budget))
        return usage_error(predict->command, "--%s is for one point; leave out --points",
                           given->max ? "max" : "budget");
    if (given->columns && !given->points)
        return usage_error(predict->command, "--columns names those of a table: add --points FILE.csv");
    return EXIT_OK;
}

static int
predict_model(struct predict *predict)
{
    int status;

    predict->input_count = memmodel_model_input_count(predict->model);
    predict->inputs = calloc(predict->input_count, sizeof *predict->inputs);
    predict->places = calloc(predict->input_count, sizeof *predict->places);
    status = predict->inputs && predict->places ? set_method(predict) : EXIT_FAILED;
    if (!status)
        status = check_options(predict);
    if (!status)
        status = read_budget(predict);
    if (!status)
        status = set_inputs(predict);
    if (!status)
        status = predict->options->points ? predict_points(predict) : predict_point(predict);
    free(predict->inputs);
    free(predict->places);
    return status;
}

static int
work(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    struct predict predict = {.command = command, .context = context, .options = given};
    memmodel_model *model;
    int status = model_load_operand(command, context, operands, count, &model);

    if (status)
        return status;
    predict.model = model;
    status = predict_model(&predict);
    memmodel_model_unref(model);
    return status;
}

const struct command predict_command = {
    .name = "predict",
    .usage = "MODEL [--set NAME=NUMBER ... | --points FILE.csv] [--budget BYTES [--max NAME]]",
    .summary = "what a fitted formula predicts, with an upper bound, and what fits",
    .description =
        "Evaluates a model that `memmodel fit` wrote. The bound holds for a new run with the probability of "
        "--level, as far as\n"
        "runs are like the samples; outside their range it is extrapolated, not guaranteed, and marked as such.",
    .examples = "  memmodel predict model.json --set dim=144 --set batch=8\n"
                "  memmodel predict model.json --set dim=144 --max batch --budget 16GiB\n"
                "  memmodel predict model.json --points points.csv --level 0.99 --json\n",
    .exits = "  3    the bound does not fit in --budget; with --max, not even 1 does\n",
    .options = options,
    .options_bytes = sizeof(struct predict_options),
    .defaults = &(const struct predict_options){.level = 0.95},
    .work = work,
};
