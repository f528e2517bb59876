/* memmodel plan: in how little memory buffers can live together, and where each lies. */
#include "json.h"
#include "plan.h"
#include "table.h"

#include <inttypes.h>
#include <string.h>

enum { TABLE_NAME_BYTES = 64 };

static const char LETTERS_AND_DIGITS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

#define FIELD(name) offsetof(struct plan_options, name)

static const struct option options[] = {
    JOB_OPTIONS(struct plan_options),
    {"tile", 0, OPTION_FLAG, NULL, "cut its input into tiles whose plan is within --budget", FIELD(tile)},
    {"disable", 0, OPTION_LIST, "PASS",
     "of a network's forward pass: fusion, residual-fusion, view-aliasing, in-place, concat-elimination, reordering",
     FIELD(disabled)},
    {"alignment", 0, OPTION_SIZE, "BYTES", "of its buffers; 1 unless given", FIELD(alignment)},
    {"include-parameters", 0, OPTION_FLAG, NULL, "weights lie in the same memory", FIELD(include_parameters)},
    {"budget", 'b', OPTION_SIZE, "BYTES", "stop at a plan within this; the minimum unless given", FIELD(job.budget)},
    {"max-nodes", 0, OPTION_COUNT, "N", "placements to try; 1000000 unless given", FIELD(max_nodes)},
    {"output", 'o', OPTION_TEXT, "OFFSETS.csv", "write the buffers with their offsets", FIELD(output)},
    {"svg", 0, OPTION_TEXT, "PICTURE.svg", "draw the plan: time across, offsets up", FIELD(picture)},
    {"c", 0, OPTION_TEXT, "TABLE.h", "write the plan as a table in C, for programs with memmodel_arena.h",
     FIELD(table)},
    {"json", 'j', OPTION_FLAG, NULL, "the answer as JSON", FIELD(json)},
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
reuse(const struct memmodel_plan_result *result, const struct memmodel_schedule_result *summary)
{
    int64_t without = summary ? summary->tensor_bytes : result->total_bytes;

    return result->peak ? (double)without / (double)result->peak : 0;
}

/* What is known of a simulated step besides. */
static void
print_json_step(const memmodel_report *report)
{
    struct memmodel_report_result step = {.size = sizeof step};

    memmodel_report_get_result(report, &step);
    printf(", \"reserved\": %" PRId64 ", \"validated\": %s", step.reserved, step.validated ? "true" : "false");
}

static void
print_json(const struct plan_source *source, const struct memmodel_plan_result *result,
           const struct memmodel_schedule_result *summary)
{
    printf("{\"status\": \"%s\", \"peak\": %" PRId64 ", \"lower_bound\": %" PRId64 ", \"gap\": ",
           memmodel_search_status_name(result->status), result->peak, result->lower_bound);
    print_json_number(gap(result));
    printf(", \"total_bytes\": %" PRId64 ", \"reuse\": ", result->total_bytes);
    print_json_number(reuse(result, summary));
    if (summary)
        printf(", \"tensor_bytes\": %" PRId64 ", \"parameter_bytes\": %" PRId64
               ", \"operator_count\": %zu, \"peak_program_order\": %" PRId64,
               summary->tensor_bytes, summary->parameter_bytes, memmodel_schedule_operator_count(source->schedule),
               summary->peak_program_order);
    if (source->report)
        print_json_step(source->report);
    printf(", \"buffer_count\": %zu, \"seconds\": ", memmodel_plan_buffer_count(source->plan));
    print_json_number(result->seconds);
    printf(", \"node_count\": %" PRId64 "}\n", result->node_count);
}

static const char *
meaning(int status)
{
    switch (status) {
    case MEMMODEL_SEARCH_STATUS_OPTIMAL:
        return "optimal: no smaller arena holds the buffers";
    case MEMMODEL_SEARCH_STATUS_FEASIBLE:
        return "within the budget";
    case MEMMODEL_SEARCH_STATUS_INFEASIBLE:
        return "no plan is within the budget";
    case MEMMODEL_SEARCH_STATUS_CANCELLED:
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
print_without_reuse(const struct memmodel_plan_result *result, const struct memmodel_schedule_result *summary)
{
    char after[64];

    snprintf(after, sizeof after, ", %.2f times the peak", reuse(result, summary));
    if (summary)
        print_bytes("all tensors", summary->tensor_bytes, after);
    else
        print_bytes("without reuse", result->total_bytes, after);
}

static void
print_text(const struct plan_source *source, const struct memmodel_plan_result *result,
           const struct memmodel_schedule_result *summary)
{
    struct memmodel_report_result step = {.size = sizeof step};
    char after[64];

    print_without_reuse(result, summary);
    if (source->report && memmodel_report_get_result(source->report, &step) == 0)
        print_bytes("reserved", step.reserved, " by the framework's allocator");
    if (summary && summary->peak_program_order > summary->peak)
        print_bytes("program order", summary->peak_program_order, " would be the peak in the network's own order");
    snprintf(after, sizeof after, ", %.4f %% above the lower bound", 100 * gap(result));
    print_bytes("peak", result->peak, result->peak > result->lower_bound ? after : "");
    print_bytes("lower bound", result->lower_bound, "");
    if (summary) {
        print_bytes("parameters", summary->parameter_bytes, "");
        printf("%-16s%12zu\n", "operators", memmodel_schedule_operator_count(source->schedule));
    }
    printf("%-16s%12zu\n", "buffers", memmodel_plan_buffer_count(source->plan));
    printf("%s (%" PRId64 " nodes, %.3f s)\n", meaning(result->status), result->node_count, result->seconds);
    if (source->report)
        job_print_doubts(source->report);
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

static int
write_table(const struct command *command, const char *path, memmodel_context *context, const memmodel_plan *plan)
{
    char name[TABLE_NAME_BYTES], *text = NULL;
    int status;

    name_table(path, name);
    status = memmodel_plan_to_c(plan, name, context, &text);
    return command_save(command, context, status, text, path);
}

static int
write_picture(const struct command *command, const char *path, memmodel_context *context, const memmodel_plan *plan)
{
    char *svg = NULL;
    int status = memmodel_plan_to_svg(plan, context, &svg);

    return command_save(command, context, status, svg, path);
}

static int
write_plan(const struct command *command, const struct plan_options *given, memmodel_context *context,
           const memmodel_plan *plan)
{
    int status = EXIT_OK;

    if (given->output && memmodel_plan_save(plan, given->output))
        return library_error(command, context);
    if (given->table)
        status = write_table(command, given->table, context, plan);
    return given->picture && !status ? write_picture(command, given->picture, context, plan) : status;
}

/* ---- tiles ---- */

static void
print_tiles_json(const struct plan_source *source, const struct memmodel_tiling_result *result)
{
    struct memmodel_tiling_axis axis = {.size = sizeof axis};

    printf("{\"verdict\": \"%s\", \"peak\": %" PRId64 ", \"peak_untiled\": %" PRId64 ", \"tensor_bytes\": %" PRId64
           ", \"tile_count\": %" PRId64 ", \"overhead\": ",
           memmodel_verdict_name(result->verdict), result->peak, result->peak_untiled, result->tensor_bytes,
           result->tile_count);
    print_json_number(result->overhead);
    printf(", \"axes\": [");
    for (size_t i = 0; memmodel_tiling_get_axis(source->tiling, i, &axis) == 0; i++)
        printf("%s{\"extent\": %" PRId64 ", \"alignment\": %" PRId64 ", \"halo_before\": %" PRId64
               ", \"halo_after\": %" PRId64 ", \"stride\": %" PRId64 ", \"tile_count\": %" PRId64
               ", \"max_extent\": %" PRId64 "}",
               i ? ", " : "", axis.extent, axis.alignment, axis.halo_before, axis.halo_after, axis.stride,
               axis.tile_count, axis.max_extent);
    printf("]}\n");
}

static void
print_tiles_text(const struct plan_source *source, const struct memmodel_tiling_result *result)
{
    struct memmodel_tiling_axis axis = {.size = sizeof axis};
    char after[64];

    snprintf(after, sizeof after, ", %.2f times the peak", (double)result->tensor_bytes / (double)result->peak);
    print_bytes("all tensors", result->tensor_bytes, after);
    snprintf(after, sizeof after, ", %.2f times the peak", (double)result->peak_untiled / (double)result->peak);
    print_bytes("untiled", result->peak_untiled, after);
    print_bytes("peak", result->peak,
                result->verdict == MEMMODEL_VERDICT_EXCEEDS ? " of the largest tile: no tiles are within the budget"
                                                            : " of the largest tile");
    printf("%-16s%12" PRId64 "  %.2f %% more multiplications\n", "tiles", result->tile_count, 100 * result->overhead);
    for (size_t i = 0; memmodel_tiling_get_axis(source->tiling, i, &axis) == 0; i++)
        printf("axis %zu: %" PRId64 " tiles of %" PRId64 ", halo %" PRId64 " before and %" PRId64
               " after, at multiples of %" PRId64 "; the largest is %" PRId64 " of %" PRId64 "\n",
               i, axis.tile_count, axis.stride, axis.halo_before, axis.halo_after, axis.alignment, axis.max_extent,
               axis.extent);
}

static int
finish_tiles(const struct command *command, const struct plan_options *given, memmodel_context *context,
             const struct plan_source *source)
{
    struct memmodel_tiling_result result = {.size = sizeof result};
    int status;

    if (memmodel_tiling_get_result(source->tiling, &result))
        return library_error(command, context);
    (given->json ? print_tiles_json : print_tiles_text)(source, &result);
    status = write_plan(command, given, context, source->plan);
    return !status && result.verdict == MEMMODEL_VERDICT_EXCEEDS ? EXIT_EXCEEDS : status;
}

static int
finish_plan(const struct command *command, const struct plan_options *given, memmodel_context *context,
            const struct plan_source *source)
{
    struct memmodel_plan_result result = {.size = sizeof result};
    struct memmodel_schedule_result summary = {.size = sizeof summary};
    int status;

    if (memmodel_plan_get_result(source->plan, &result) ||
        (source->schedule && memmodel_schedule_get_result(source->schedule, &summary)))
        return library_error(command, context);
    (given->json ? print_json : print_text)(source, &result, source->schedule ? &summary : NULL);
    status = write_plan(command, given, context, source->plan);
    return !status && given->job.budget && result.peak > given->job.budget ? EXIT_EXCEEDS : status;
}

/* ---- the command ---- */

static int
plan_network(struct job_call *call)
{
    struct plan_source source;
    int status = plan_source_network(call, call->options, &source);

    if (!status)
        status = (source.tiling ? finish_tiles : finish_plan)(call->command, call->options, call->context, &source);
    plan_source_close(&source);
    return status;
}

static int
plan_file(const struct command *command, memmodel_context *context, const struct plan_options *given, const char *path,
          enum plan_kind kind)
{
    struct plan_source source;
    int status = plan_source_file(command, context, given, path, kind, &source);

    if (!status)
        status = finish_plan(command, given, context, &source);
    plan_source_close(&source);
    return status;
}

static int
work(const struct command *command, memmodel_context *context, void *options_given, char **operands, int count)
{
    const struct plan_options *given = options_given;
    struct job_call call = {.command = command, .context = context, .options = given};
    enum plan_kind kind = PLAN_BUFFERS;
    int status = plan_source_kind(command, given, operands, count, &kind);

    if (status)
        return status;
    return kind == PLAN_NETWORK ? job_run(&call, &given->job, operands, count, plan_network)
                                : plan_file(command, context, given, operands[0], kind);
}

const struct command plan_command = {
    .name = "plan",
    .usage = "BUFFERS.csv|NETWORK|TRACE [--set NAME=VALUE ...] [--budget BYTES] [-o OFFSETS.csv]",
    .summary = "place buffers with known live ranges in as little memory as can be",
    .description =
        "Says how little memory holds them all, how far from proven best that is, and where each lies.\n"
        "NETWORK, in JSON or ONNX: the tensors of its forward pass, or with --mode training the blocks of a simulated\n"
        "step. TRACE: the blocks of a recorded step. BUFFERS.csv has the columns id, lower, upper and size: a buffer of\n"
        "so many bytes is in use from lower up to, not including, upper. The same file and --max-nodes give the same\n"
        "answer on every machine; where --max-seconds ends the search, with the best plan so far, it does not. What\n"
        "comes through a pipe is taken for BUFFERS.csv.",
    .examples = "  memmodel plan unet3d.json --set batch=1 --set dim=144 --svg plan.svg\n"
                "  memmodel plan unet3d.json --set batch=1 --set dim=1024 --tile --budget 16GiB\n"
                "  memmodel plan gpt2.json -s batch=4 -s length=1024 --mode training --optimizer adamw\n"
                "  memmodel plan buffers.csv --budget 1MiB -o offsets.csv --json\n",
    .exits = "  3    no plan, or no tiles, within --budget were found; the answer says more\n",
    .options = options,
    .options_bytes = sizeof(struct plan_options),
    .work = work,
};
