/* memmodel plan: in how little memory buffers can live together, and where each lies. */
#include "json.h"
#include "limits.h"
#include "plan.h"
#include "table.h"

#include <inttypes.h>
#include <string.h>

enum { TABLE_NAME_BYTES = 64 };

static const char LETTERS_AND_DIGITS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

static const struct option options[] = {
    JOB_OPTIONS(struct plan_options),
    {"training", 0, OPTION_FLAG, NULL, "a network's simulated step by the options above, in place of its forward pass",
     offsetof(struct plan_options, training)},
    {"tile", 0, OPTION_FLAG, NULL, "cut its input into tiles whose plan is within --budget",
     offsetof(struct plan_options, tile)},
    {"without", 'w', OPTION_LIST, "RULE",
     "of a network's forward pass: fusion, sums, views, in-place, concatenation, order",
     offsetof(struct plan_options, without)},
    {"alignment", 'a', OPTION_BYTES, "BYTES", "of its buffers; 1 unless given",
     offsetof(struct plan_options, alignment)},
    {"parameters", 0, OPTION_FLAG, NULL, "weights lie in the same memory", offsetof(struct plan_options, parameters)},
    {"budget", 'b', OPTION_BYTES, "BYTES", "what to do so that a network is within them, such as 16GiB",
     offsetof(struct plan_options, budget)},
    MEASURE_OPTION(struct plan_options),
    {"capacity", 0, OPTION_BYTES, "BYTES", "stop at a plan within this; the least there is unless given",
     offsetof(struct plan_options, capacity)},
    {"nodes", 'n', OPTION_INTEGER, "N", "most placements to try; 1000000 unless given",
     offsetof(struct plan_options, nodes)},
    {"seconds", 0, OPTION_NUMBER, "S", "most time to take; the answer then depends on the machine",
     offsetof(struct plan_options, seconds)},
    {"output", 'o', OPTION_TEXT, "OFFSETS.csv", "write the buffers with their offsets",
     offsetof(struct plan_options, output)},
    {"svg", 0, OPTION_TEXT, "PICTURE.svg", "draw the plan: time across, offsets up",
     offsetof(struct plan_options, picture)},
    {"c", 0, OPTION_TEXT, "TABLE.h", "write the plan as a table in C, for programs with memmodel_arena.h",
     offsetof(struct plan_options, table)},
    {"json", 'j', OPTION_FLAG, NULL, "the answer as JSON", offsetof(struct plan_options, json)},
    {0},
};

/* How much more than the lower bound a plan takes. */
static double
gap(const struct memmodel_plan_result *result)
{
    return result->lower_bound ? (double)(result->peak - result->lower_bound) / (double)result->lower_bound : 0;
}

/* How many times the peak everything would take without reuse. */
static double
reuse(const struct memmodel_plan_result *result, const struct memmodel_schedule_summary *summary)
{
    int64_t without = summary ? summary->tensors : result->total;

    return result->peak ? (double)without / (double)result->peak : 0;
}

static void
print_json(const struct plan_source *source, const struct memmodel_plan_result *result,
           const struct memmodel_schedule_summary *summary)
{
    printf("{\"status\": \"%s\", \"peak\": %" PRId64 ", \"lower_bound\": %" PRId64 ", \"gap\": ",
           memmodel_plan_status_name(result->status), result->peak, result->lower_bound);
    print_json_number(gap(result));
    printf(", \"total\": %" PRId64 ", \"reuse\": ", result->total);
    print_json_number(reuse(result, summary));
    if (summary)
        printf(", \"tensors\": %" PRId64 ", \"parameters\": %" PRId64 ", \"operators\": %zu, \"built_peak\": %" PRId64,
               summary->tensors, summary->parameters, memmodel_schedule_operator_count(source->schedule),
               summary->built_peak);
    if (source->reserved >= 0)
        printf(", \"reserved\": %" PRId64, source->reserved);
    printf(", \"buffers\": %zu, \"seconds\": ", memmodel_plan_buffer_count(source->plan));
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
    char text[QUANTITY_BYTES], count[NUMBER_BYTES];

    printf("%-16s%12s  %20s bytes%s\n", what, format_bytes(bytes, text), format_count(bytes, count), after);
}

/* Where there is a schedule, all tensors of the network are what reuse is measured by. */
static void
print_without_reuse(const struct memmodel_plan_result *result, const struct memmodel_schedule_summary *summary)
{
    char after[64];

    snprintf(after, sizeof after, ", %.2f times the peak", reuse(result, summary));
    if (summary)
        print_bytes("all tensors", summary->tensors, after);
    else
        print_bytes("without reuse", result->total, after);
}

static void
print_text(const struct plan_source *source, const struct memmodel_plan_result *result,
           const struct memmodel_schedule_summary *summary)
{
    char after[64];

    print_without_reuse(result, summary);
    if (source->reserved >= 0)
        print_bytes("reserved", source->reserved, " by the framework's allocator");
    if (summary && summary->built_peak > summary->peak)
        print_bytes("as built", summary->built_peak, " would be the peak in the network's own order");
    snprintf(after, sizeof after, ", %.4f %% above the lower bound", 100 * gap(result));
    print_bytes("peak", result->peak, result->peak > result->lower_bound ? after : "");
    print_bytes("lower bound", result->lower_bound, "");
    if (summary) {
        print_bytes("parameters", summary->parameters, "");
        printf("%-16s%12zu\n", "operators", memmodel_schedule_operator_count(source->schedule));
    }
    printf("%-16s%12zu\n", "buffers", memmodel_plan_buffer_count(source->plan));
    printf("%s (%" PRId64 " nodes, %.3f s)\n", meaning(result->status), result->nodes, result->seconds);
}

/* What the table in a file of this name is called: "out/small-net.h" has small_net. */
static void
name_table(const char *path, char name[TABLE_NAME_BYTES])
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
    size_t length = 0;

    if (*from >= '0' && *from <= '9')
        name[length++] = '_';
    for (; *from && *from != '.' && length < TABLE_NAME_BYTES - 1; from++)
        name[length++] = strchr(LETTERS_AND_DIGITS, *from) ? *from : '_';
    name[length] = 0;
}

/* Writes what the library made, and gives it back. */
static int
write_made(const struct command *command, memmodel_context *context, int status, const char *path, char *text)
{
    int written;

    if (status)
        return library_error(command, context);
    written = write_file(command, path, text);
    memmodel_free(context, text);
    return written;
}

static int
write_table(const struct command *command, const char *path, memmodel_context *context, const memmodel_plan *plan)
{
    char name[TABLE_NAME_BYTES], *text = NULL;
    int status;

    name_table(path, name);
    status = memmodel_plan_to_c(plan, name, &text);
    return write_made(command, context, status, path, text);
}

static int
write_plan(const struct command *command, const struct plan_options *given, memmodel_context *context,
           const memmodel_plan *plan)
{
    char *svg = NULL;
    int status = EXIT_OK;

    if (given->output && memmodel_plan_write(plan, given->output))
        return library_error(command, context);
    if (given->table)
        status = write_table(command, given->table, context, plan);
    if (!given->picture || status)
        return status;
    status = memmodel_plan_to_svg(plan, &svg);
    return write_made(command, context, status, given->picture, svg);
}

/* ---- tiles ---- */

static void
print_tiles_json(const struct plan_source *source, const struct memmodel_tiling_result *result)
{
    struct memmodel_tiling_axis axis = {.size = sizeof axis};

    printf("{\"peak\": %" PRId64 ", \"whole_peak\": %" PRId64 ", \"tensors\": %" PRId64 ", \"tiles\": %" PRId64
           ", \"overhead\": ",
           result->peak, result->whole_peak, result->tensors, result->tiles);
    print_json_number(result->overhead);
    printf(", \"axes\": [");
    for (size_t i = 0; memmodel_tiling_axis(source->tiling, i, &axis) == 0; i++)
        printf("%s{\"extent\": %" PRId64 ", \"alignment\": %" PRId64 ", \"before\": %" PRId64 ", \"after\": %" PRId64
               ", \"step\": %" PRId64 ", \"count\": %" PRId64 ", \"largest\": %" PRId64 "}",
               i ? ", " : "", axis.extent, axis.alignment, axis.before, axis.after, axis.step, axis.count,
               axis.largest);
    printf("]}\n");
}

static void
print_tiles_text(const struct plan_source *source, const struct memmodel_tiling_result *result)
{
    struct memmodel_tiling_axis axis = {.size = sizeof axis};
    char after[64];

    snprintf(after, sizeof after, ", %.2f times the peak", (double)result->tensors / (double)result->peak);
    print_bytes("all tensors", result->tensors, after);
    snprintf(after, sizeof after, ", %.2f times the peak", (double)result->whole_peak / (double)result->peak);
    print_bytes("without tiles", result->whole_peak, after);
    print_bytes("peak", result->peak, " of the largest tile");
    printf("%-16s%12" PRId64 "  %.2f %% more multiplications\n", "tiles", result->tiles, 100 * result->overhead);
    for (size_t i = 0; memmodel_tiling_axis(source->tiling, i, &axis) == 0; i++)
        printf("axis %zu: %" PRId64 " tiles of %" PRId64 ", with %" PRId64 " before and %" PRId64
               " behind, at multiples of %" PRId64 "; the largest is %" PRId64 " of %" PRId64 "\n",
               i, axis.count, axis.step, axis.before, axis.after, axis.alignment, axis.largest, axis.extent);
}

static int
print_tiles(const struct command *command, const struct plan_options *given, memmodel_context *context,
            const struct plan_source *source)
{
    struct memmodel_tiling_result result = {.size = sizeof result};

    if (memmodel_tiling_result(source->tiling, &result))
        return library_error(command, context);
    (given->json ? print_tiles_json : print_tiles_text)(source, &result);
    return write_plan(command, given, context, source->plan);
}

/* A schedule has been planned already, but by the defaults. */
static bool
is_solved(const struct plan_source *source, const struct plan_options *given)
{
    return source->schedule && !given->capacity && !given->nodes && !(given->seconds > 0);
}

static int
solve(const struct command *command, const struct plan_options *given, memmodel_context *context,
      const struct plan_source *source)
{
    const struct memmodel_plan_options asked = {
        .size = sizeof asked, .capacity = given->capacity, .nodes = given->nodes, .seconds = given->seconds};
    struct memmodel_plan_result result = {.size = sizeof result};
    struct memmodel_schedule_summary summary = {.size = sizeof summary};
    int status;

    limits_add_seconds(context, given->seconds);
    if ((!is_solved(source, given) && memmodel_plan_solve(source->plan, &asked)) ||
        memmodel_plan_result(source->plan, &result) ||
        (source->schedule && memmodel_schedule_summary(source->schedule, &summary)))
        return library_error(command, context);
    (given->json ? print_json : print_text)(source, &result, source->schedule ? &summary : NULL);
    status = write_plan(command, given, context, source->plan);
    return !status && given->capacity && result.peak > given->capacity ? EXIT_TOO_LARGE : status;
}

static int
plan_operand(const struct command *command, memmodel_context *context, void *given, char **operands, int count)
{
    const struct plan_options *options_given = given;
    struct plan_source source;
    int status;

    if (options_given->budget && !options_given->tile)
        return plan_within_budget(command, given, context, operands, count);
    status = plan_source_open(command, given, context, operands, count, &source);
    if (!status)
        status = (source.tiling ? print_tiles : solve)(command, given, context, &source);
    plan_source_close(&source);
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
    .usage = "BUFFERS.csv|NETWORK|TRACE [--set NAME=VALUE ...] [--capacity N] [-o OFFSETS.csv]",
    .summary = "place buffers with known lifetimes in as little memory as can be",
    .description =
        "Says how little memory holds them all, how far from proven best that is, and where each lies.\n"
        "NETWORK, in JSON or ONNX: the tensors of its forward pass, or with --training the blocks of a simulated step.\n"
        "TRACE: the blocks of a recorded step. BUFFERS.csv has the columns id, lower, upper and size: a buffer of so many\n"
        "bytes is in use from lower up to, not including, upper. The same file and number of nodes give the same answer\n"
        "on every machine; --seconds does not. What comes through a pipe is taken for BUFFERS.csv.",
    .examples = "  memmodel plan unet3d.json --set batch=1 --set dim=144 --svg plan.svg\n"
                "  memmodel plan unet3d.json --set batch=1 --set dim=1024 --tile --budget 16GiB\n"
                "  memmodel plan gpt2.json -s batch=4 -s length=1024 --training --optimizer adamw\n"
                "  memmodel plan gpt2.json -s batch=64 -s length=1024 --training --budget 40GiB\n"
                "  memmodel plan buffers.csv --capacity 1MiB -o offsets.csv --json\n",
    .exits = "  3    no plan within --capacity was found, or nothing brings the network within --budget; the\n"
             "       answer says more\n",
    .options = options,
    .run = run,
};
