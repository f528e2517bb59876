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
    const char *points, *solve, *rule, *budget;
    double level;
    bool json;
};

static const struct option options[] = {
    {"set", 's', OPTION_LIST, "NAME=NUMBER", "value of an input, such as batch=8; may be repeated",
     offsetof(struct predict_options, set)},
    {"points", 'p', OPTION_TEXT, "FILE.csv",
     "predict each row of a table with a column per input that --set does not give",
     offsetof(struct predict_options, points)},
    {"level", 'l', OPTION_NUMBER, "P", "probability that a run stays below the bound, 0.5 to 0.999; 0.95 unless given",
     offsetof(struct predict_options, level)},
    {"bound", 0, OPTION_TEXT, "RULE",
     "rule of the bound: held-out, student, wide, jackknife-plus; unless given the larger of the first two or three",
     offsetof(struct predict_options, rule)},
    {"solve", 0, OPTION_TEXT, "NAME", "find the largest whole value of this input whose bound fits the budget",
     offsetof(struct predict_options, solve)},
    {"budget", 'b', OPTION_TEXT, "BYTES", "for --solve, such as 16GiB; a plain number where the model knows no unit",
     offsetof(struct predict_options, budget)},
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
    double *inputs;         /* NaN until it is known */
    const double **places;  /* of each of them */
    int32_t rule;           /* enum memmodel_bound */
    int64_t budget, solved; /* for --solve */
};

/* ---- the bound's rule ---- */

static const char *const rules[] = {
    [MEMMODEL_BOUND_LARGER] = "larger",
    [MEMMODEL_BOUND_HELD_OUT] = "held-out",
    [MEMMODEL_BOUND_STUDENT] = "student",
    [MEMMODEL_BOUND_WIDE] = "wide",
    [MEMMODEL_BOUND_JACKKNIFE_PLUS] = "jackknife-plus",
};

enum { RULES = sizeof rules / sizeof rules[0] };

static int
set_rule(struct predict *predict)
{
    const char *name = predict->options->rule;

    predict->rule = MEMMODEL_BOUND_LARGER;
    if (!name)
        return EXIT_OK;
    while (predict->rule < RULES && strcmp(rules[predict->rule], name) != 0)
        predict->rule++;
    if (predict->rule < RULES)
        return EXIT_OK;
    return usage_error(predict->command,
                       "no such rule: '--bound %s'; there are larger, held-out, student, wide and jackknife-plus",
                       name);
}

/* ---- inputs ---- */

/* The index of an input; input_count after a message if there is none of that name. */
static size_t
find_input(const struct predict *predict, const char *name)
{
    for (size_t i = 0; i < predict->input_count; i++)
        if (strcmp(memmodel_model_input_name(predict->model, i), name) == 0)
            return i;
    fprintf(stderr, "memmodel predict: the model has no input '%s'; it was trained on ", name);
    model_print_domain(stderr, predict->model, memmodel_model_input_name);
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
        return usage_error(predict->command, "the input '%s' is given twice",
                           memmodel_model_input_name(predict->model, input));
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
    double least = 0, most = 0;

    memmodel_model_domain(predict->model, input, &least, &most);
    return usage_error(predict->command, "the input '%s' has no value: add --set %s=NUMBER (the samples had %g to %g)",
                       memmodel_model_input_name(predict->model, input),
                       memmodel_model_input_name(predict->model, input), least, most);
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

/* All inputs must be known, but for the one that is solved for, which has no value yet. */
static int
check_inputs(const struct predict *predict, size_t solved)
{
    for (size_t i = 0; i < predict->input_count; i++)
        if (isnan(predict->inputs[i]) && i != solved)
            return missing_input(predict, i);
    if (solved < predict->input_count)
        predict->inputs[solved] = NAN;
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
print_outside(const struct predict *predict)
{
    fputs("  outside the samples, which had ", stdout);
    model_print_domain(stdout, predict->model, memmodel_model_input_name);
    fputs(": the bound is a guess\n", stdout);
}

/* What decided, and what so few points can vouch for. */
static void
print_grounds(const struct predict *predict, const struct memmodel_prediction *prediction)
{
    static const char *const grounds[] = {
        [MEMMODEL_BOUND_HELD_OUT] = "the errors of points held out",
        [MEMMODEL_BOUND_STUDENT] = "Student's t and the leverage of the point",
        [MEMMODEL_BOUND_WIDE] = "Student's t and the leverage of all terms that might set in",
        [MEMMODEL_BOUND_JACKKNIFE_PLUS] = "what each formula found without a point says (jackknife+)",
    };
    bool vouched = prediction->attained > predict->options->level - 1e-9;

    if (prediction->rule <= MEMMODEL_BOUND_LARGER || prediction->rule >= RULES)
        return;
    printf("  decided by             %s\n", grounds[prediction->rule]);
    printf("  from                   %" PRId64 " points, which vouch for %.3g %% whatever the errors' distribution%s\n",
           prediction->points, 100 * prediction->attained, vouched ? "" : "; beyond it the tail is Student's");
}

static void
print_text_row(const struct predict *predict, const struct memmodel_prediction *prediction)
{
    char value[TEXT_BYTES], upper[TEXT_BYTES];

    for (size_t i = 0; i < predict->input_count; i++)
        printf("%s%s=%g", i ? ", " : "", memmodel_model_input_name(predict->model, i), predict->inputs[i]);
    printf("\n  %-22s %s\n", memmodel_model_target(predict->model), format_target(predict, prediction->value, value));
    printf("  with %g %% below        %s\n", 100 * predict->options->level,
           format_target(predict, prediction->upper, upper));
    print_grounds(predict, prediction);
    if (prediction->outside)
        print_outside(predict);
}

/* A model of an unknown unit has its budget in that. */
static double
budget_in_unit(const struct predict *predict)
{
    double unit = memmodel_model_unit_bytes(predict->model);

    return (double)predict->budget / (unit > 0 ? unit : 1);
}

static void
print_text_solution(const struct predict *predict)
{
    char budget[TEXT_BYTES];

    printf("largest %s within %s: %" PRId64 "%s\n", predict->options->solve,
           format_target(predict, budget_in_unit(predict), budget), predict->solved,
           predict->solved ? "" : "; not even 1 fits");
}

/* ---- JSON ---- */

static void
print_json_unit(const struct predict *predict)
{
    if (memmodel_model_unit(predict->model))
        printf("\"unit\": \"%s\", ", memmodel_model_unit(predict->model));
}

/* A number that is none has no JSON. */
static void
print_json_row(const struct memmodel_prediction *prediction)
{
    fputs("{\"prediction\": ", stdout);
    print_json_number(prediction->value);
    fputs(", \"upper\": ", stdout);
    print_json_number(prediction->upper);
    printf(", \"outside\": %s, \"rule\": \"%s\", \"points\": %" PRId64 ", \"attained\": ",
           prediction->outside ? "true" : "false",
           prediction->rule >= 0 && prediction->rule < RULES ? rules[prediction->rule] : "", prediction->points);
    print_json_number(prediction->attained);
    putchar('}');
}

static void
print_json_solution(const struct predict *predict)
{
    fputs("\"solution\": {\"symbol\": ", stdout);
    print_json_text(predict->options->solve);
    printf(", \"budget\": %" PRId64 ", \"largest\": %" PRId64 "},\n ", predict->budget, predict->solved);
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
    status =
        memmodel_model_predict_by(predict->model, predict->inputs, predict->rule, predict->options->level, prediction);
    if (status == MEMMODEL_ERROR_UNSUPPORTED)
        return usage_error(predict->command, "the model's file has no bound '%s': fit it again", rules[predict->rule]);
    return status ? failed(predict, status) : EXIT_OK;
}

static int
read_budget(struct predict *predict)
{
    const char *text = predict->options->budget;

    if (!text)
        return usage_error(predict->command, "--solve %s needs a --budget, such as 16GiB", predict->options->solve);
    if (!parse_bytes(text, &predict->budget) || predict->budget == 0)
        return usage_error(predict->command, "--budget takes a size such as 16GiB, 14GB, 512M or 1000000, not '%s'",
                           text);
    if (!memmodel_model_unit(predict->model) && text[strspn(text, ".0123456789")] != '\0')
        return usage_error(
            predict->command,
            "nobody knows in which unit '%s' is, so --budget is a plain number in that unit; memmodel fit "
            "reads units in names (peak_MiB), in fields (1.2 GiB) and in --unit '%s=MiB'",
            memmodel_model_target(predict->model), memmodel_model_target(predict->model));
    return EXIT_OK;
}

static int
solve(struct predict *predict)
{
    size_t input = find_input(predict, predict->options->solve);
    int status;

    if (input == predict->input_count)
        return EXIT_USAGE;
    status = read_budget(predict);
    if (!status)
        status = check_inputs(predict, input);
    if (status)
        return status;
    status = memmodel_model_solve(predict->model, predict->inputs, predict->options->solve, predict->options->level,
                                  budget_in_unit(predict), &predict->solved);
    if (status)
        return failed(predict, status);
    predict->inputs[input] = (double)predict->solved;
    return EXIT_OK;
}

/* `prediction` is NULL where nothing fits. */
static void
print_point(const struct predict *predict, const struct memmodel_prediction *prediction)
{
    if (!predict->options->json) {
        if (predict->options->solve)
            print_text_solution(predict);
        if (prediction)
            print_text_row(predict, prediction);
        return;
    }
    putchar('{');
    if (predict->options->solve)
        print_json_solution(predict);
    print_json_unit(predict);
    fputs("\"rows\": [", stdout);
    if (prediction)
        print_json_row(prediction);
    fputs("]}\n", stdout);
}

/* With --solve that of the largest value that fits. */
static int
predict_point(struct predict *predict)
{
    bool solves = predict->options->solve != NULL;
    struct memmodel_prediction prediction;
    int status = solves ? solve(predict) : check_inputs(predict, predict->input_count);
    bool nothing_fits = solves && predict->solved == 0;

    if (!status && !nothing_fits)
        status = predict_here(predict, &prediction);
    if (!status)
        print_point(predict, nothing_fits ? NULL : &prediction);
    return status;
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
        columns[i] = memmodel_samples_column(points, memmodel_model_input_name(predict->model, i));
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
                    memmodel_model_input_name(predict->model, i), row + 1);
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
        heads[i] = memmodel_model_input_name(predict->model, i);
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
    cells[shown + 2] = prediction->outside ? "outside the samples" : "";
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
    if (memmodel_samples_read(predict->context, predict->options->points, &points)) {
        status = library_error(predict->command, predict->context);
    } else {
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
    if (given->points && given->solve)
        return usage_error(predict->command, "--solve answers for one point; leave out --points");
    if (given->budget && !given->solve)
        return usage_error(predict->command, "--budget is for --solve NAME, such as --solve batch");
    return EXIT_OK;
}

static int
predict_model(struct predict *predict)
{
    int status;

    predict->input_count = memmodel_model_input_count(predict->model);
    predict->inputs = calloc(predict->input_count, sizeof *predict->inputs);
    predict->places = calloc(predict->input_count, sizeof *predict->places);
    status = predict->inputs && predict->places ? set_rule(predict) : EXIT_FAILED;
    if (!status)
        status = check_options(predict);
    if (!status)
        status = set_inputs(predict);
    if (!status)
        status = predict->options->points ? predict_points(predict) : predict_point(predict);
    free(predict->inputs);
    free(predict->places);
    return status;
}

static int
predict_operand(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
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

static int
run(const struct command *command, int argc, char **argv)
{
    struct predict_options given = {.level = 0.95};

    return command_run(command, argc, argv, &given, predict_operand);
}

const struct command predict_command = {
    .name = "predict",
    .usage = "MODEL [--set NAME=NUMBER ... | --points FILE.csv] [--solve NAME --budget BYTES]",
    .summary = "what a fitted formula predicts, with an upper bound, and what fits",
    .description = "Evaluates a model that `memmodel fit` wrote. The bound holds for a new run with the probability of "
                   "--level, as far as\n"
                   "runs are like the samples; outside their range it is a guess and marked as such.",
    .examples = "  memmodel predict model.json --set dim=144 --set batch=8\n"
                "  memmodel predict model.json --set dim=144 --solve batch --budget 16GiB\n"
                "  memmodel predict model.json --points points.csv --level 0.99 --json\n",
    .options = options,
    .run = run,
};
