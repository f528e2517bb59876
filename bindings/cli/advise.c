/* memmodel advise: which configuration to measure next. */
#include "command.h"
#include "json.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 64, INPUTS_SHOWN = TABLE_COLUMNS - 3 };

struct advise_options {
    struct option_list domain;
    const char *target, *candidates, *cost, *output;
    double accuracy, noise;
    int64_t count;
    bool json;
};

static const struct option options[] = {
    {"target", 't', OPTION_TEXT, "COLUMN", "measured column of the samples; their last numeric one unless given",
     offsetof(struct advise_options, target)},
    {"domain", 'd', OPTION_LIST, "INPUT=NUMBERS",
     "what an input may be: 1,2,4 or FROM:TO:STEP; several with commas, as in dim=32:144:16,batch=1,2,4, or repeated",
     offsetof(struct advise_options, domain)},
    {"candidates", 'c', OPTION_TEXT, "FILE.csv", "the configurations themselves, in place of --domain",
     offsetof(struct advise_options, candidates)},
    {"cost", 0, OPTION_TEXT, "FORMULA", "what a measurement costs, in the inputs, or 'prediction'; 1 unless given",
     offsetof(struct advise_options, cost)},
    {"accuracy", 0, OPTION_NUMBER, "F", "wanted mean relative error of a prediction; 0.03 unless given",
     offsetof(struct advise_options, accuracy)},
    {"noise", 0, OPTION_NUMBER, "F", "relative error of a measurement; that of a fit to the samples unless given",
     offsetof(struct advise_options, noise)},
    {"count", 'n', OPTION_INTEGER, "N", "configurations to advise; 10 unless given",
     offsetof(struct advise_options, count)},
    {"output", 'o', OPTION_TEXT, "FILE.csv", "write the advice as a table, too",
     offsetof(struct advise_options, output)},
    {"json", 'j', OPTION_FLAG, NULL, "the answer as JSON", offsetof(struct advise_options, json)},
    {0},
};

/* What a run of the command works with. */
struct advise {
    const struct command *command;
    const struct advise_options *options;
    memmodel_context *context;
    memmodel_samples *samples, *candidates, *advised;
    double error;
    int64_t needed;
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
text_bytes(const struct option_list *list, size_t *most)
{
    size_t bytes = 0;

    *most = list->count;
    for (size_t i = 0; i < list->count; i++) {
        bytes += strlen(list->values[i]) + 1;
        for (const char *comma = list->values[i]; (comma = strchr(comma, ',')) != NULL; comma++)
            ++*most;
    }
    return bytes;
}

static bool
cut_domain(const struct option_list *list, struct domain *domain)
{
    size_t most, bytes = text_bytes(list, &most);
    char *to;

    domain->text = malloc(bytes + 1);
    domain->inputs = calloc(most + 1, sizeof *domain->inputs);
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
    return memmodel_samples_column_count(advise->advised) - 2;
}

static double
cell(const struct advise *advise, size_t column, size_t row)
{
    return memmodel_samples_column(advise->advised, memmodel_samples_column_name(advise->advised, column))[row];
}

static void
start_table(const struct advise *advise, size_t shown, struct table *table)
{
    const char *heads[TABLE_COLUMNS];

    for (size_t i = 0; i < shown; i++)
        heads[i] = memmodel_samples_column_name(advise->advised, i);
    heads[shown] = "cost";
    heads[shown + 1] = "error then";
    table_start(table, heads, shown + 2);
}

static bool
print_table(const struct advise *advise)
{
    size_t inputs = input_count(advise), shown = inputs < INPUTS_SHOWN ? inputs : INPUTS_SHOWN;
    struct table table;

    start_table(advise, shown, &table);
    for (size_t row = 0; row < memmodel_samples_row_count(advise->advised); row++) {
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
    double accuracy = advise->options->accuracy > 0 ? advise->options->accuracy : 0.03;

    printf("measure next, expected mean error of a prediction now %.2f %%\n\n", 100 * advise->error);
    if (!print_table(advise))
        return EXIT_FAILED;
    if (advise->error <= accuracy)
        printf("\n%.3g %% is reached with the samples there are\n", 100 * accuracy);
    else if (advise->needed >= 0)
        printf("\n%.3g %% probably needs %" PRId64 " samples in all\n", 100 * accuracy, advise->needed);
    else
        printf("\n%.3g %% is more than samples can give: the noise of a measurement alone is too large\n",
               100 * accuracy);
    return EXIT_OK;
}

static void
print_json_row(const struct advise *advise, size_t row)
{
    size_t inputs = input_count(advise);

    fputs("{\"inputs\": {", stdout);
    for (size_t i = 0; i < inputs; i++) {
        fputs(i ? ", " : "", stdout);
        print_json_text(memmodel_samples_column_name(advise->advised, i));
        fputs(": ", stdout);
        print_json_number(cell(advise, i, row));
    }
    fputs("}, \"cost\": ", stdout);
    print_json_number(cell(advise, inputs, row));
    fputs(", \"error\": ", stdout);
    print_json_number(cell(advise, inputs + 1, row));
    putchar('}');
}

static int
print_json(const struct advise *advise)
{
    fputs("{\"error\": ", stdout);
    print_json_number(advise->error);
    fputs(", \"needed\": ", stdout);
    if (advise->needed >= 0)
        printf("%" PRId64, advise->needed);
    else
        fputs("null", stdout);
    fputs(", \"advised\": [", stdout);
    for (size_t row = 0; row < memmodel_samples_row_count(advise->advised); row++) {
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
        .accuracy = advise->options->accuracy,
        .noise = advise->options->noise,
        .count = advise->options->count,
    };

    if (memmodel_advise(advise->context, advise->samples, advise->candidates, &asked, &advise->advised, &advise->error,
                        &advise->needed))
        return library_error(advise->command, advise->context);
    if (advise->options->output && memmodel_samples_write(advise->advised, advise->options->output))
        return library_error(advise->command, advise->context);
    return advise->options->json ? print_json(advise) : print_text(advise);
}

static int
read_tables(struct advise *advise, char **operands, int count)
{
    if (count > 1)
        return usage_error(advise->command, "one table of samples at a time");
    if ((advise->options->domain.count == 0) == (advise->options->candidates == NULL))
        return usage_error(advise->command, "give --domain, such as dim=32:144:16,batch=1,2,4, or --candidates");
    if ((count == 1 && memmodel_samples_read(advise->context, operands[0], &advise->samples)) ||
        (advise->options->candidates &&
         memmodel_samples_read(advise->context, advise->options->candidates, &advise->candidates)))
        return library_error(advise->command, advise->context);
    return EXIT_OK;
}

static int
advise_operands(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    struct advise advise = {.command = command, .context = context, .options = given};
    struct domain domain = {NULL, NULL, 0};
    int status = read_tables(&advise, operands, count);

    if (!status)
        status = cut_domain(&advise.options->domain, &domain) ? ask(&advise, &domain) : EXIT_FAILED;
    free(domain.text);
    free(domain.inputs);
    memmodel_samples_unref(advise.samples);
    memmodel_samples_unref(advise.candidates);
    memmodel_samples_unref(advise.advised);
    return status;
}

static int
run(const struct command *command, int argc, char **argv)
{
    struct advise_options given = {0};

    return command_run(command, argc, argv, &given, advise_operands);
}

const struct command advise_command = {
    .name = "advise",
    .usage = "[SAMPLES.csv] --domain INPUT=NUMBERS[,INPUT=NUMBERS...]",
    .summary = "say which configuration to measure next, and how many a wanted accuracy needs",
    .description =
        "Of the configurations that may be measured, says which tell most about the formula, given the samples so\n"
        "far, if there are any. One after the other: each takes all before it as measured. With --cost, most per cost.\n"
        "'error then' is the expected mean error of a prediction in the domain once the row is measured.",
    .examples =
        "  memmodel advise --domain dim=32:144:16,batch=1,2,4 -o next.csv\n"
        "  memmodel advise samples.csv -t peak_bytes -d dim=32:144:16 -d batch=1,2,4 --cost 'dim^3*batch' -n 5\n",
    .options = options,
    .run = run,
};
