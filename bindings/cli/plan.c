/* memmodel plan: in how little memory buffers can live together, and where each lies. */
#include "command.h"
#include "json.h"

#include <inttypes.h>
#include <string.h>

struct plan_options {
    int64_t capacity, nodes;
    double seconds;
    const char *output, *picture;
    bool json;
};

static const struct option options[] = {
    {"capacity", 'c', OPTION_BYTES, "BYTES", "stop at a plan within this; the least there is unless given",
     offsetof(struct plan_options, capacity)},
    {"nodes", 'n', OPTION_INTEGER, "N", "most placements to try; 1000000 unless given",
     offsetof(struct plan_options, nodes)},
    {"seconds", 's', OPTION_NUMBER, "S", "most time to take; the answer then depends on the machine",
     offsetof(struct plan_options, seconds)},
    {"output", 'o', OPTION_TEXT, "OFFSETS.csv", "write the buffers with their offsets",
     offsetof(struct plan_options, output)},
    {"svg", 0, OPTION_TEXT, "PICTURE.svg", "draw the plan: time across, offsets up",
     offsetof(struct plan_options, picture)},
    {"json", 'j', OPTION_FLAG, NULL, "the answer as JSON", offsetof(struct plan_options, json)},
    {0},
};

/* How much more than the lower bound a plan takes. */
static double
gap(const struct memmodel_plan_result *result)
{
    return result->lower_bound ? (double)(result->peak - result->lower_bound) / (double)result->lower_bound : 0;
}

static void
print_json(const struct memmodel_plan_result *result, size_t buffers)
{
    printf("{\"status\": \"%s\", \"peak\": %" PRId64 ", \"lower_bound\": %" PRId64 ", \"gap\": ",
           memmodel_plan_status_name(result->status), result->peak, result->lower_bound);
    print_json_number(gap(result));
    printf(", \"total\": %" PRId64 ", \"buffers\": %zu, \"seconds\": ", result->total, buffers);
    print_json_number(result->seconds);
    printf(", \"nodes\": %" PRId64 "}\n", result->nodes);
}

static const char *
meaning(int status)
{
    switch (status) {
    case MEMMODEL_PLAN_OPTIMAL:
        return "optimal: no smaller arena holds the buffers";
    case MEMMODEL_PLAN_FEASIBLE:
        return "within the capacity";
    case MEMMODEL_PLAN_INFEASIBLE:
        return "no plan is within the capacity";
    case MEMMODEL_PLAN_CANCELLED:
        return "the best so far, cancelled";
    default:
        return "the best found within the limit of nodes or seconds";
    }
}

static void
print_bytes(const char *what, int64_t bytes, const char *after)
{
    char text[QUANTITY_BYTES];

    printf("%-16s%16" PRId64 " bytes  %s%s\n", what, bytes, format_bytes(bytes, text), after);
}

static void
print_text(const struct memmodel_plan_result *result, size_t buffers)
{
    char after[64];

    snprintf(after, sizeof after, ", %.4f %% above the lower bound", 100 * gap(result));
    print_bytes("peak", result->peak, result->peak > result->lower_bound ? after : "");
    print_bytes("lower bound", result->lower_bound, "");
    snprintf(after, sizeof after, ", %.2f times the peak", (double)result->total / (double)result->peak);
    print_bytes("without reuse", result->total, after);
    printf("%-16s%16zu\n", "buffers", buffers);
    printf("%s (%" PRId64 " nodes, %.3f s)\n", meaning(result->status), result->nodes, result->seconds);
}

static int
write_plan(const struct command *command, const struct plan_options *given, memmodel_context *context,
           const memmodel_plan *plan)
{
    char *svg;
    int status;

    if (given->output && memmodel_plan_write(plan, given->output))
        return library_error(command, context);
    if (!given->picture)
        return EXIT_OK;
    if (memmodel_plan_to_svg(plan, &svg))
        return library_error(command, context);
    status = write_file(command, given->picture, svg);
    memmodel_free(context, svg);
    return status;
}

static int
solve(const struct command *command, const struct plan_options *given, memmodel_context *context, memmodel_plan *plan)
{
    const struct memmodel_plan_options asked = {
        .size = sizeof asked, .capacity = given->capacity, .nodes = given->nodes, .seconds = given->seconds};
    struct memmodel_plan_result result = {.size = sizeof result};

    if (memmodel_plan_solve(plan, &asked) || memmodel_plan_result(plan, &result))
        return library_error(command, context);
    (given->json ? print_json : print_text)(&result, memmodel_plan_buffer_count(plan));
    return write_plan(command, given, context, plan);
}

static int
plan_operand(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    memmodel_plan *plan = NULL;
    int status;

    if (count != 1)
        return usage_error(command, "one table of buffers at a time");
    if (memmodel_plan_read(context, operands[0], &plan))
        return library_error(command, context);
    status = solve(command, given, context, plan);
    memmodel_plan_unref(plan);
    return status;
}

static int
run(const struct command *command, int argc, char **argv)
{
    struct plan_options given = {0};

    return command_run(command, argc, argv, &given, plan_operand);
}

const struct command plan_command = {
    .name = "plan",
    .usage = "BUFFERS.csv [--capacity N] [--seconds S] [-o OFFSETS.csv]",
    .summary = "place buffers with known lifetimes in as little memory as can be",
    .description =
        "BUFFERS.csv has the columns id, lower, upper and size: a buffer of so many bytes is in use from lower up to,\n"
        "not including, upper. Says how little memory holds them all, how far from proven best that is, and where each\n"
        "lies. The same table and number of nodes give the same answer on every machine; --seconds does not.",
    .examples = "  memmodel plan buffers.csv -o offsets.csv\n"
                "  memmodel plan buffers.csv --capacity 1MiB --json\n",
    .options = options,
    .run = run,
};
