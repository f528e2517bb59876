/* What `memmodel estimate` and `memmodel layers` share. */
#include "job.h"
#include "table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

/* Cuts "batch=8" in two where it stands in argv. */
static int
parse_symbol(const struct command *command, const char *text, struct memmodel_symbol_value *symbol)
{
    char *equals = strchr(text, '='), *end;

    if (!equals || equals == text || equals[1] == '\0')
        return usage_error(command, "'--set %s' is not NAME=VALUE, such as batch=8", text);
    errno = 0;
    symbol->value = strtoll(equals + 1, &end, 10);
    if (*end != '\0' || end == equals + 1)
        return usage_error(command, "'%s' is no whole number (in --set %s)", equals + 1, text);
    if (errno)
        return usage_error(command, "'%s' does not fit in 63 bits (in --set %s)", equals + 1, text);
    *equals = '\0';
    symbol->name = text;
    return EXIT_OK;
}

/* NULL leaves the default. */
static int
find_measure(const struct command *command, const char *name, int32_t *measure)
{
    *measure = MEMMODEL_MEASURE_DEFAULT;
    if (!name)
        return EXIT_OK;
    for (int32_t i = MEMMODEL_MEASURE_LIVE; memmodel_measure_name(i); i++) {
        if (strcmp(memmodel_measure_name(i), name) == 0) {
            *measure = i;
            return EXIT_OK;
        }
    }
    return usage_error(command, "--measure is live, reserved or process, not '%s'", name);
}

int
job_from_options(const struct command *command, const struct job_options *options,
                 struct memmodel_symbol_value *symbols, struct memmodel_job *job)
{
    for (size_t i = 0; i < options->set.count; i++) {
        int status = parse_symbol(command, options->set.values[i], &symbols[i]);

        if (status)
            return status;
    }
    *job = (struct memmodel_job){
        .size = sizeof *job,
        .framework = options->framework,
        .rule = options->rule,
        .device = options->device,
        .optimizer = options->optimizer,
        .isa = options->isa,
        .symbols = symbols,
        .symbol_count = options->set.count,
        .inference = options->inference,
        .steps = (int32_t)options->steps,
        .threads = (int32_t)options->threads,
        .base_bytes = options->base_bytes,
        .precision = options->precision,
        .checkpoint = options->checkpoint,
        .gpu = options->gpu,
        .allocator = options->allocator,
        .optimization = options->optimization,
        .accumulate = (int32_t)options->accumulate,
        .keep_gradients = options->keep_gradients,
    };
    if (options->steps != job->steps || options->threads != job->threads || options->accumulate != job->accumulate)
        return usage_error(command, "--steps, --threads and --accumulate take small numbers");
    return find_measure(command, options->measure, &job->measure);
}

static bool
ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), of_end = strlen(end);

    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

int
job_load_network(const struct command *command, memmodel_context *context, char **operands, int count,
                 memmodel_network **network)
{
    int status;

    if (count == 0)
        return usage_error(command, "which network? Give a file in JSON or ONNX");
    if (count > 1)
        return usage_error(command, "one network at a time; '%s' is too many", operands[1]);
    status = ends_with(operands[0], ".onnx") ? memmodel_network_load_onnx(context, operands[0], NULL, network)
                                             : memmodel_network_load(context, operands[0], network);
    return status ? library_error(command, context) : EXIT_OK;
}

/* ---- what is not known ---- */

static void
print_unmodelled(const memmodel_report *report)
{
    const char *op;
    int64_t bytes;

    for (size_t i = 0; (op = memmodel_report_unmodelled(report, i, &bytes)) != NULL; i++) {
        char quantity[QUANTITY_BYTES];

        printf("%s  %s: estimated by its outputs alone, %s\n", i ? "" : "\nnot modelled\n", op,
               format_bytes(bytes, quantity));
    }
}

static void
print_verified(const memmodel_report *report)
{
    if (!memmodel_report_verified(report))
        printf("\nunverified: these bytes have not been compared with measured ones on such a device\n");
}

void
job_print_doubts(const memmodel_report *report)
{
    print_unmodelled(report);
    print_verified(report);
}

/* ---- the per-layer table ---- */

enum { LAYER_COLUMNS = 7, MOST_COLUMNS = 100 };

typedef const char *(*format)(int64_t number, char text[NUMBER_BYTES]);

static void
add_layer(struct table *table, const struct memmodel_report_layer *layer, format format_number)
{
    char parameters[NUMBER_BYTES], activations[NUMBER_BYTES], multiply_adds[NUMBER_BYTES];
    char bytes[QUANTITY_BYTES];
    const char *cells[LAYER_COLUMNS] = {
        layer->name,
        layer->op,
        layer->shape,
        format_number(layer->parameters, parameters),
        format_number(layer->activations, activations),
        format_number(layer->multiply_adds, multiply_adds),
        format_bytes(layer->peak_bytes, bytes),
    };

    table_add(table, cells);
}

static void
fill_table(struct table *table, const memmodel_report *report, bool exact)
{
    const char *const heads[LAYER_COLUMNS] = {
        "<layer",      "<operator",
        "<output",     exact ? "parameters" : "params",
        "activations", exact ? "multiply-adds" : "mult-adds",
        "at the peak",
    };
    format format_number = exact ? format_count : format_short;
    struct memmodel_report_layer layer = {.size = sizeof layer};

    table_start(table, heads, memmodel_report_trace(report) ? LAYER_COLUMNS : LAYER_COLUMNS - 1);
    table->most = MOST_COLUMNS;
    for (size_t i = 0; memmodel_report_layer(report, i, &layer) == 0; i++)
        add_layer(table, &layer, format_number);
    memmodel_report_total(report, &layer);
    add_layer(table, &layer, format_number);
}

/* Where there is no room for exact numbers they are rounded before names lose letters: the JSON has them. */
int
job_print_layers(const struct command *command, const memmodel_report *report)
{
    struct table table;

    fill_table(&table, report, true);
    if (!table_fits(&table)) {
        table_clear(&table);
        fill_table(&table, report, false);
    }
    if (table_print(&table, stdout))
        return EXIT_OK;
    fprintf(stderr, "memmodel %s: out of memory\n", command->name);
    return EXIT_FAILED;
}
