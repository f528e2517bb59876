/* What the example programs share: reading options, the table of layers, saving. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include "networks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One option of a program: a flag, a number or a text, whichever is set. */
struct example_option {
    const char *name; /* "--filters" */
    const char *help;
    bool *flag;
    int64_t *number; /* positive */
    const char **text;
};

static inline int
example_usage(const char *program, const struct example_option *options, size_t count)
{
    fprintf(stderr, "usage: %s [OPTION]...\n", program);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "  %-18s %s\n", options[i].name, options[i].help);
    return 2;
}

static inline bool
example_read_number(const char *text, int64_t *number)
{
    char *end;
    long long value = strtoll(text, &end, 10);

    *number = value;
    return *text && !*end && value > 0;
}

/* Reads one option and what follows it; false if it is none or its value is wrong. */
static inline bool
example_read_option(const struct example_option *options, size_t count, int argc, char **argv, int *at)
{
    for (size_t i = 0; i < count; i++) {
        const struct example_option *option = &options[i];

        if (strcmp(option->name, argv[*at]) != 0)
            continue;
        if (option->flag)
            return *option->flag = true;
        if (*at + 1 == argc)
            return false;
        ++*at;
        if (option->number)
            return example_read_number(argv[*at], option->number);
        *option->text = argv[*at];
        return true;
    }
    return false;
}

static inline bool
example_read_options(const struct example_option *options, size_t count, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!example_read_option(options, count, argc, argv, &i)) {
            example_usage(argv[0], options, count);
            return false;
        }
    return true;
}

static inline int
example_print(const memmodel_report *report)
{
    struct memmodel_report_layer row = {.size = sizeof row}, total = {.size = sizeof total};

    printf("%-28s %-15s %-24s %12s\n", "layer", "operator", "output", "parameters");
    for (size_t i = 0; i < memmodel_report_layer_count(report); i++) {
        if (memmodel_report_get_layer(report, i, &row))
            return 1;
        printf("%-28s %-15s %-24s %12" PRId64 "\n", row.name, row.op, row.shape, row.parameter_count);
    }
    if (memmodel_report_get_total(report, &total))
        return 1;
    printf("\n%" PRId64 " parameters, %" PRId64 " of them trained; layer outputs %" PRId64 " bytes\n",
           total.parameter_count, total.trainable_count, total.output_bytes);
    return 0;
}

/* The table of a network whose constructor returned `status`, and the network itself as JSON if `path` is given. */
static inline int
example_show(memmodel_context *context, int status, memmodel_network *network, const char *path,
             const struct memmodel_symbol_value *symbols, size_t symbol_count)
{
    struct memmodel_job job = {
        .size = sizeof job, .framework = "textbook", .symbols = symbols, .symbol_count = symbol_count};
    memmodel_report *report = NULL;

    if (!status)
        status = memmodel_estimate(network, &job, NULL, &report);
    if (!status && path)
        status = memmodel_network_save(network, path, NULL);
    if (!status)
        status = example_print(report);
    else
        fprintf(stderr, "%s: %s\n", memmodel_context_error(context)->object, memmodel_context_error(context)->message);
    memmodel_report_unref(report);
    memmodel_network_unref(network);
    memmodel_context_unref(context);
    return status ? 1 : 0;
}

/* The whole program of a classifier of images: `construct` has the symbols batch and dim. */
static inline int
example_classifier(int argc, char **argv, int (*construct)(memmodel_context *context, memmodel_network **network))
{
    int64_t batch = 1, dim = 224;
    const char *path = NULL;
    const struct example_option options[] = {
        {"--batch", "images, default 1", .number = &batch},
        {"--dim", "pixels along an edge, default 224", .number = &dim},
        {"-o", "save the network as JSON", .text = &path},
    };
    struct memmodel_symbol_value symbols[2] = {{.name = "batch"}, {.name = "dim"}};
    memmodel_context *context;
    memmodel_network *network = NULL;
    int status;

    if (!example_read_options(options, sizeof options / sizeof options[0], argc, argv))
        return 2;
    if (memmodel_context_new(NULL, &context))
        return 1;
    symbols[0].value = batch;
    symbols[1].value = dim;
    status = construct(context, &network);
    return example_show(context, status, network, path, symbols, 2);
}

#endif
