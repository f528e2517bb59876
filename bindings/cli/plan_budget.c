/* memmodel plan NETWORK --budget: what has to be done so that it is within so many bytes. */
#include "json.h"
#include "plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WIDTH = 100 };

/* The paragraph, broken at spaces. */
static void
print_paragraph(const char *text)
{
    int column = 0;

    while (*text) {
        int length = (int)strcspn(text, " ");

        if (column > 0 && column + 1 + length > LINE_WIDTH) {
            putchar('\n');
            column = 0;
        }
        column += printf("%s%.*s", column > 0 ? " " : "", length, text);
        text += length + (text[length] == ' ');
    }
    putchar('\n');
}

static void
print_text(const memmodel_budget *budget, const struct memmodel_budget_result *result)
{
    char text[QUANTITY_BYTES];

    for (size_t i = 0; i < memmodel_budget_step_count(budget); i++) {
        struct memmodel_budget_step step = {.size = sizeof step};

        memmodel_budget_step(budget, i, &step);
        printf("%-12s%12s  %s\n", memmodel_budget_means_name(step.means),
               step.taken ? format_bytes(step.peak, text) : "-", step.what);
    }
    putchar('\n');
    print_paragraph(memmodel_budget_text(budget));
    if (*result->checkpoint)
        printf("checkpoint: %s\n", result->checkpoint);
}

static void
print_step(const struct memmodel_budget_step *step)
{
    printf("{\"means\": \"%s\", \"taken\": %s, \"peak\": %" PRId64 ", \"extra\": ",
           memmodel_budget_means_name(step->means), step->taken ? "true" : "false", step->peak);
    print_json_number(step->extra);
    fputs(", \"what\": ", stdout);
    print_json_text(step->what);
    putchar('}');
}

static void
print_json(const memmodel_budget *budget, const struct memmodel_budget_result *result, int64_t bytes)
{
    printf("{\"fits\": %s, \"budget\": %" PRId64 ", ", result->fits ? "true" : "false", bytes);
    if (result->measure)
        printf("\"measure\": \"%s\", ", memmodel_measure_name(result->measure));
    printf("\"peak\": %" PRId64 ", \"extra\": ", result->peak);
    print_json_number(result->extra);
    printf(", \"batch\": %" PRId64 ", \"checkpoint\": ", result->batch);
    print_json_text(result->checkpoint);
    fputs(", \"steps\": [", stdout);
    for (size_t i = 0; i < memmodel_budget_step_count(budget); i++) {
        struct memmodel_budget_step step = {.size = sizeof step};

        memmodel_budget_step(budget, i, &step);
        fputs(i ? ", " : "", stdout);
        print_step(&step);
    }
    fputs("], \"text\": ", stdout);
    print_json_text(memmodel_budget_text(budget));
    puts("}");
}

static int
answer(const struct command *command, const struct plan_options *given, memmodel_context *context,
       memmodel_network *network, struct memmodel_symbol_value *symbols)
{
    struct memmodel_budget_result result = {.size = sizeof result};
    struct memmodel_job job;
    memmodel_budget *budget;
    int status = job_from_options(command, &given->job, symbols, &job);

    if (status)
        return status;
    job.inference = !given->training;
    if (memmodel_budget_new(network, &job, given->budget, &budget))
        return library_error(command, context);
    memmodel_budget_result(budget, &result);
    if (given->json)
        print_json(budget, &result, given->budget);
    else
        print_text(budget, &result);
    memmodel_budget_unref(budget);
    return result.fits ? EXIT_OK : EXIT_TOO_LARGE;
}

int
plan_within_budget(const struct command *command, const struct plan_options *given, memmodel_context *context,
                   char **operands, int count)
{
    struct memmodel_symbol_value *symbols;
    memmodel_network *network = NULL;
    int status = plan_check_network(command, given, operands, count);

    if (status)
        return status;
    symbols = calloc(given->job.set.count + 1, sizeof *symbols);
    status = symbols ? job_load_network(command, context, operands, 1, &network) : EXIT_FAILED;
    if (!status)
        status = answer(command, given, context, network, symbols);
    memmodel_network_unref(network);
    free(symbols);
    return status;
}
