/* A network's own closed formula as a term of a fit. */
#include "network_terms.h"

#include <stdlib.h>
#include <string.h>

/* The formula does not depend on the numbers, but a report is of numbers: those of the first row will do. */
static int
take_first_row(const struct command *command, const memmodel_network *network, const char *path,
               const memmodel_samples *samples, struct memmodel_symbol_value *symbols)
{
    for (size_t i = 0; i < memmodel_network_symbol_count(network); i++) {
        const char *name = memmodel_network_symbol_name(network, i);
        const double *column = memmodel_samples_column(samples, name);

        if (!column) {
            fprintf(stderr, "memmodel %s: %s: its symbol '%s' is no numeric column of the samples\n", command->name,
                    path, name);
            return EXIT_FAILED;
        }
        symbols[i].name = name;
        symbols[i].value = column[0] >= 1 && column[0] < 9e15 ? (int64_t)column[0] : 1;
    }
    return EXIT_OK;
}

static const char *
find_formula(const memmodel_report *report, const char *name)
{
    size_t i = 0;

    while (i < memmodel_report_formula_count(report) && strcmp(memmodel_report_formula_name(report, i), name) != 0)
        i++;
    return memmodel_report_formula(report, i, MEMMODEL_LANGUAGE_TEXT);
}

static int
report_of(const struct command *command, memmodel_context *context, const memmodel_network *network, const char *path,
          const memmodel_samples *samples, memmodel_report **report)
{
    size_t count = memmodel_network_symbol_count(network);
    struct memmodel_symbol_value *symbols = calloc(count + 1, sizeof *symbols);
    struct memmodel_job job = {.size = sizeof job, .framework = "textbook", .symbols = symbols, .symbol_count = count};
    int status = symbols ? take_first_row(command, network, path, samples, symbols) : EXIT_FAILED;

    if (!status && memmodel_estimate(network, &job, context, report))
        status = library_error(command, context);
    free(symbols);
    return status;
}

int
network_term(const struct command *command, memmodel_context *context, const char *path,
             const memmodel_samples *samples, memmodel_report **report, const char **term)
{
    memmodel_network *network;
    int status;

    if (memmodel_network_load(context, path, &network))
        return library_error(command, context);
    status = report_of(command, context, network, path, samples, report);
    memmodel_network_unref(network);
    if (!status)
        *term = find_formula(*report, "layer outputs");
    return status;
}
