/* memmodel advise: which configuration to measure next. */
#include "command.h"
#include "json.h"
#include "progress.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 64, INPUTS_SHOWN = TABLE_COLUMNS - 3 };

struct advise_options {
    struct option_list domain;
    const char *target, *candidates, *cost, *output, *columns;
    double target_error, noise;
    int64_t count;
    bool json;
};

static const struct option options[] = {
    {"target", 0, OPTION_TEXT, "COLUMN", "measured column of the samples; their last numeric one unless given",
     offsetof(struct advise_options, target)},
    COLUMNS_OPTION(offsetof(struct advise_options, columns)),
    {"domain", 0, OPTION_LIST, "INPUT=NUMBERS",
     "what an input may be: 1,2,4 or FROM:TO:STEP; several with commas, as in dim=32:144:16,batch=1,2,4, or repeated",
     offsetof(struct advise_options, domain)},
    {"candidates", 0, OPTION_TEXT, "FILE.csv", "the configurations themselves, in place of --domain",
     offsetof(struct advise_options, candidates)},
    {"cost", 0, OPTION_TEXT, "FORMULA", "what a measurement costs, in the inputs, or 'prediction'; 1 unless given",
     offsetof(struct advise_options, cost)},
    {"target-error", 0, OPTION_NUMBER, "F", "wanted mean relative error of a prediction; 0.03 unless given",
     offsetof(struct advise_options, target_error)},
    {"noise", 0, OPTION_NUMBER, "F", "relative error of a measurement; that of a fit to the samples unless given",
     offsetof(struct advise_options, noise)},
    {"count", 0, OPTION_COUNT, "N", "configurations of the design; 10 unless given",
     offsetof(struct advise_options, count)},
    {"output", 'o', OPTION_TEXT, "FILE.csv", "write the design as a table, too",
     offsetof(struct advise_options, output)},
    {"json", 'j', OPTION_FLAG, NULL, "the answer as JSON", offsetof(struct advise_options, json)},
    {0},
};

/* What a run of the command works with. */
struct advise {
    const struct command *command;
    const struct advise_options *options;
    memmodel_context *context;
    memmodel_samples *samples, *candidates, *design;
    struct memmodel_advise_result result;
};

/* ---- the domain ---- */

/* Inputs of all options, each a text of its own. */
struct domain {
    char *text; /* all of them, cut at their ends */
    const char **inputs;
    size_t count;
};

/* A comma that a name and '=' follow before the next comma ends an input. */
static char *
end_of_input(char *text)
{
    for (char *comma = strchr(text, ','); comma; comma = strchr(comma + 1, ',')) {
        size_t length = strcspn(comma + 1, ",=");

        if (comma[1 + length] == '=')
            return comma;
    }
    return NULL;
}

static size_t
text_bytes(const struct option_list *list, size_t *max)
{
    size_t bytes = 0;

    *max = list->count;
    for (size_t i = 0; i < list->count; i++) {
        bytes += strlen(list->values[i]) + 1;
        for (const char *comma = list->values[i]; (comma = strchr(comma, ',')) != NULL; comma++)
            ++*max;
    }
    return bytes;
}

static bool
cut_domain(const struct option_list *list, struct domain *domain)
{
    size_t max, bytes = text_bytes(list, &max);
    char *to;

    domain->text = malloc(bytes + 1);
    domain->inputs = calloc(max + 1, sizeof *domain->inputs);
    if (!domain->text || !domain->inputs)
        return false;
    to = domain->text;
    for (size_t i = 0; i < list->count; i++) {
        size_t length = strlen(list->values[i]) + 1;
        char *begin = memcpy(to, list->values[i], length);

        for (char *end; (end = end_of_input(begin)) != NULL; begin = end + 1) {
            *end = '\0';
            domain->inputs[domain->count++] = begin;
        }
        domain->inputs[domain->count++] = begin;
        to += length;
    }
    return true;
}

/* ---- the answer ---- */

static size_t
input_count(const struct advise *advise)
{
    return memmodel_samples_column_count(advise->design) - 2;
}

static double
cell(const struct advise *advise, size_t column, size_t row)
{
    return memmodel_samples_column(advise->design, memmodel_samples_column_name(advise->design, column))[row];
}

static void
start_table(const struct advise *advise, size_t shown, struct table *table)
{
    const char *heads[TABLE_COLUMNS];

    for (size_t i = 0; i < shown; i++)
        heads[i] = memmodel_samples_column_name(advise->design, i);
    heads[shown] = "cost";
    heads[shown + 1] = "expected error after";
    table_start(table, heads, shown + 2);
}

static bool
print_table(const struct advise *advise)
{
    size_t inputs = input_count(advise), shown = inputs < INPUTS_SHOWN ? inputs : INPUTS_SHOWN;
    struct table table;

    start_table(advise, shown, &table);
    for (size_t row = 0; row < memmodel_samples_row_count(advise->design); row++) {
        char texts[TABLE_COLUMNS][TEXT_BYTES];
        const char *cells[TABLE_COLUMNS];

        for (size_t i = 0; i < shown + 2; i++)
            cells[i] = texts[i];
        for (size_t i = 0; i < shown; i++)
            snprintf(texts[i], TEXT_BYTES, "%g", cell(advise, i, row));
        snprintf(texts[shown], TEXT_BYTES, "%.6g", cell(advise, inputs, row));
        snprintf(texts[shown + 1], TEXT_BYTES, "%.2f %%", 100 * cell(advise, inputs + 1, row));
        table_add(&table, cells);
    }
    return table_print(&table, stdout);
}

static int
print_text(const struct advise *advise)
{
    double target = advise->options->target_error > 0 ? advise->options->target_error : 0.03;

    printf("measure next; expected mean error of a prediction now %.2f %%\n\n", 100 * advise->result.expected_error);
    if (!print_table(advise))
        return EXIT_FAILED;
    if (advise->result.expected_error <= target)
        printf("\n%.3g %% is reached with the samples there are\n", 100 * target);
    else if (advise->result.needed_count >= 0)
        printf("\n%.3g %% probably needs %" PRId64 " samples in all\n", 100 * target, advise->result.needed_count);
    else
        printf("\n%.3g %% is more than samples can give: the noise of a measurement alone is too large\n",
               100 * target);
    return EXIT_OK;
}

static void
print_json_row(const struct advise *advise, size_t row)
{
    size_t inputs = input_count(advise);

    fputs("{\"inputs\": {", stdout);
    for (size_t i = 0; i < inputs; i++) {
        fputs(i ? ", " : "", stdout);
        print_json_text(memmodel_samples_column_name(advise->design, i));
        fputs(": ", stdout);
        print_json_number(cell(advise, i, row));
    }
    fputs("}, \"cost\": ", stdout);
    print_json_number(cell(advise, inputs, row));
    fputs(", \"expected_error\": ", stdout);
    print_json_number(cell(advise, inputs + 1, row));
    putchar('}');
}

static int
print_json(const struct advise *advise)
{
    fputs("{\"expected_error\": ", stdout);
    print_json_number(advise->result.expected_error);
    fputs(", \"needed_count\": ", stdout);
    if (advise->result.needed_count >= 0)
        printf("%" PRId64, advise->result.needed_count);
    else
        fputs("null", stdout);
    fputs(", \"design\": [", stdout);
    for (size_t row = 0; row < memmodel_samples_row_count(advise->design); row++) {
        fputs(row ? ",\n  " : "\n  ", stdout);
        print_json_row(advise, row);
    }
    fputs("]}\n", stdout);
    return EXIT_OK;
}

/* ---- the command ---- */

static int
ask(struct advise *advise, const struct domain *domain)
{
    const struct memmodel_advise_options asked = {
        .size = sizeof asked,
        .target = advise->options->target,
        .domain = domain->inputs,
        .domain_count = domain->count,
        .cost = advise->options->cost,
        .target_error = advise->options->target_error,
        .noise = advise->options->noise,
        .count = advise->options->count,
        .candidates = advise->candidates,
    };
    int status;

    advise->result.size = sizeof advise->result;
    progress_show(advise->context);
    status = memmodel_advise(advise->samples, &asked, advise->context, &advise->result, &advise->design);
    if (progress_clear(advise->context, status))
        return library_error(advise->command, advise->context);
    if (advise->options->output && memmodel_samples_save(advise->design, advise->options->output))
        return library_error(advise->command, advise->context);
    return advise->options->json ? print_json(advise) : print_text(advise);
}

static int
read_tables(struct advise *advise, char **operands, int count)
{
    int status = EXIT_OK;

    if (count > 1)
        return usage_error(advise->command, "one table of samples at a time");
    if ((advise->options->domain.count == 0) == (advise->options->candidates == NULL))
        return usage_error(advise->command, "give --domain, such as dim=32:144:16,batch=1,2,4, or --candidates");
    if (count == 1)
        status = read_table(advise->command, advise->context, operands[0], advise->options->columns, &advise->samples);
    if (!status && advise->options->candidates)
        status = read_table(advise->command, advise->context, advise->options->candidates, NULL, &advise->candidates);
    return status;
}

static int
work(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    struct advise advise = {
        .command = command, .context = context, .options = given, .result = {.size = sizeof advise.result}};
    struct domain domain = {NULL, NULL, 0};
    int status = read_tables(&advise, operands, count);

    if (!status)
        status = cut_domain(&advise.options->domain, &domain) ? ask(&advise, &domain) : EXIT_FAILED;
    free(domain.text);
    free(domain.inputs);
    memmodel_samples_unref(advise.samples);
    memmodel_samples_unref(advise.candidates);
    memmodel_samples_unref(advise.design);
    return status;
}

const struct command advise_command = {
    .name = "advise",
    .usage = "[SAMPLES.csv] --domain INPUT=NUMBERS[,INPUT=NUMBERS...]",
    .summary = "say which configuration to measure next, and how many a wanted accuracy needs",
    .description =
        "Of the configurations that may be measured, says which are most informative, given the samples so\n"
        "far, if there are any. One after the other: each takes all before it as measured. With --cost, most per cost.\n"
        "'expected error after' is the expected mean error of a prediction in the domain once the row is measured.",
    .examples =
        "  memmodel advise --domain dim=32:144:16,batch=1,2,4 -o next.csv\n"
        "  memmodel advise samples.csv --target peak_bytes --domain dim=32:144:16,batch=1,2,4 --cost 'dim^3*batch'\n",
    .options = options,
    .options_bytes = sizeof(struct advise_options),
    .work = work,
};
