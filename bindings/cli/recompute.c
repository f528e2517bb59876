/* memmodel recompute: which modules of a network to checkpoint (torch.utils.checkpoint), so that its training fits. */
#include "job.h"
#include "progress.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct recompute_options {
    struct job_options job;
    const char *picture;
    struct option_list costs;
    int64_t max_simulations;
    bool json, full_curve;
};

static const struct option options[] = {
    JOB_OPTIONS(struct recompute_options),
    BUDGET_OPTIONS(struct recompute_options, "what the training may take, such as 16GiB; the minimum unless given"),
    {"layer-cost", 0, OPTION_LIST, "NAME=NUMBER",
     "of running a layer or scope forward, such as measured seconds; operations unless given",
     offsetof(struct recompute_options, costs)},
    {"max-simulations", 0, OPTION_COUNT, "N", "trainings to simulate; 2000 unless given",
     offsetof(struct recompute_options, max_simulations)},
    {"full-curve", 0, OPTION_FLAG, NULL, "all points of the curve in the table",
     offsetof(struct recompute_options, full_curve)},
    {"svg", 0, OPTION_TEXT, "CURVE.svg", "draw the curve: overhead across, peak up",
     offsetof(struct recompute_options, picture)},
    {"json", 'j', OPTION_FLAG, NULL, "the answer and the whole curve as JSON",
     offsetof(struct recompute_options, json)},
    {0},
};

/* What a run of the command works with. */
struct recompute {
    struct job_call *call;
    const struct recompute_options *given;
    memmodel_recomputation *recomputation;
    struct memmodel_recomputation_result result;
};

/* ---- text ---- */

static void
print_bytes(const char *what, int64_t bytes, const char *after)
{
    char text[QUANTITY_BYTES];

    printf("%-10s%12s%s\n", what, format_bytes(bytes, text), after);
}

/* Modules that one call of checkpoint() runs. */
static void
print_segment(const struct recompute *recompute, size_t segment)
{
    size_t point = (size_t)recompute->result.selected_point;
    const memmodel_recomputation *recomputation = recompute->recomputation;
    const char *module;

    printf("  %s:", memmodel_recomputation_segment(recomputation, point, segment));
    for (size_t i = 0; (module = memmodel_recomputation_segment_module(recomputation, point, segment, i)) != NULL; i++)
        printf("%s %s", i ? "," : "", module);
    printf("\n");
}

static void
print_segments(const struct recompute *recompute, size_t segments)
{
    size_t point = (size_t)recompute->result.selected_point;
    bool headed = false;

    for (size_t i = 0; i < segments; i++) {
        if (!memmodel_recomputation_segment_module(recompute->recomputation, point, i, 1))
            continue;
        if (!headed)
            printf("segments of several modules in one call, as nn.Sequential would run them:\n");
        headed = true;
        print_segment(recompute, i);
    }
}

/* By how much less than the baseline, in per cent. */
static double
saving(const struct memmodel_recomputation_result *result, int64_t peak)
{
    return result->peak_baseline ? 100 - 100 * (double)peak / (double)result->peak_baseline : 0;
}

/* Names of the segments, as many as patterns need. */
static void
print_advice(const struct recompute *recompute)
{
    const struct memmodel_recomputation_result *result = &recompute->result;
    struct memmodel_recomputation_point point = {.size = sizeof point};
    char after[64];

    memmodel_recomputation_get_point(recompute->recomputation, (size_t)result->selected_point, &point);
    snprintf(after, sizeof after, " of %s bytes", memmodel_metric_name(result->metric));
    print_bytes("baseline", result->peak_baseline, after);
    snprintf(after, sizeof after, ", %.1f %% less, overhead %.1f %%", saving(result, result->peak),
             100 * result->overhead);
    print_bytes("peak", result->peak, after);
    print_bytes("min peak", result->min_peak, " that was found");
    if (point.segment_count)
        printf("\n%zu %s: --checkpoint '%s'\n", point.segment_count, point.segment_count == 1 ? "segment" : "segments",
               point.checkpoint);
    else
        printf("\nnothing has to be recomputed\n");
    print_segments(recompute, point.segment_count);
    if (result->status != MEMMODEL_SEARCH_STATUS_CONVERGED)
        printf("after %" PRId64 " simulations the search has not converged; more may find better: --max-simulations\n",
               result->simulation_count);
}

/* Of many points those that are worth a line: each a step further down than the one before, and the advice. */
static bool
is_shown(const struct recompute *recompute, size_t index, int64_t peak, int64_t shown)
{
    enum { LINES = 24 };
    int64_t step = (recompute->result.peak_baseline - recompute->result.min_peak) / LINES;
    size_t count = memmodel_recomputation_point_count(recompute->recomputation);

    return recompute->given->full_curve || index == 0 || index + 1 == count ||
           index == (size_t)recompute->result.selected_point || shown - peak > step;
}

static void
add_point(struct table *table, const struct recompute *recompute, size_t index,
          const struct memmodel_recomputation_point *point)
{
    const struct memmodel_recomputation_result *result = &recompute->result;
    char peak[QUANTITY_BYTES], less[32], overhead[32];
    const char *const cells[] = {(int32_t)index == result->selected_point ? ">" : "", format_bytes(point->peak, peak),
                                 less, overhead, point->checkpoint};

    snprintf(less, sizeof less, "%.1f %%", saving(result, point->peak));
    snprintf(overhead, sizeof overhead, "%.2f %%", 100 * point->overhead);
    table_add(table, cells);
}

static int
print_curve(const struct recompute *recompute)
{
    static const char *const heads[] = {"<", "peak", "less", "overhead", "<checkpoint"};
    struct memmodel_recomputation_point point = {.size = sizeof point};
    struct table table;
    int64_t shown = INT64_MAX;

    printf("\n");
    table_start(&table, heads, sizeof heads / sizeof heads[0]);
    table.max = 110;
    for (size_t i = 0; i < memmodel_recomputation_point_count(recompute->recomputation); i++) {
        memmodel_recomputation_get_point(recompute->recomputation, i, &point);
        if (!is_shown(recompute, i, point.peak, shown))
            continue;
        add_point(&table, recompute, i, &point);
        shown = point.peak;
    }
    return table_print(&table, stdout) ? EXIT_OK : memory_error(recompute->call->command);
}

/* ---- files ---- */

static int
print_json(const struct recompute *recompute)
{
    const struct job_call *call = recompute->call;
    char *text = NULL;
    int status = memmodel_recomputation_to_json(recompute->recomputation, call->context, &text);

    return command_print(call->command, call->context, status, text);
}

static int
write_picture(const struct recompute *recompute)
{
    const struct job_call *call = recompute->call;
    char *svg = NULL;
    int status;

    if (!recompute->given->picture)
        return EXIT_OK;
    status = memmodel_recomputation_to_svg(recompute->recomputation, call->context, &svg);
    return command_save(call->command, call->context, status, svg, recompute->given->picture);
}

/* ---- the answer ---- */

/* Cuts "encoder.0=0.012" in two where it stands in argv. */
static int
parse_cost(const struct command *command, const char *text, struct memmodel_layer_cost *cost)
{
    char *equals = strrchr(text, '='), *end;

    if (!equals || equals == text || equals[1] == '\0')
        return usage_error(command, "'--layer-cost %s' is not NAME=NUMBER, such as encoder.0=0.012", text);
    cost->cost = strtod(equals + 1, &end);
    if (*end != '\0')
        return usage_error(command, "'%s' is no number (in --layer-cost %s)", equals + 1, text);
    *equals = '\0';
    cost->name = text;
    return EXIT_OK;
}

static int
report_excess(const struct recompute *recompute)
{
    char budget[QUANTITY_BYTES], min[QUANTITY_BYTES];

    if (recompute->result.verdict != MEMMODEL_VERDICT_EXCEEDS)
        return EXIT_OK;
    fprintf(stderr, "memmodel recompute: nothing that was found is within %s; the min peak, %s, is shown\n",
            format_bytes(recompute->call->job.budget, budget), format_bytes(recompute->result.min_peak, min));
    return EXIT_EXCEEDS;
}

/* What is said of the job without checkpoints holds of it with them. */
static int
print_doubts(const struct job_call *call)
{
    memmodel_report *report;

    if (memmodel_estimate(call->network, &call->job, call->context, &report))
        return library_error(call->command, call->context);
    job_print_doubts(report);
    memmodel_report_unref(report);
    return EXIT_OK;
}

static int
print_text(const struct recompute *recompute)
{
    int status;

    print_advice(recompute);
    status = print_curve(recompute);
    return status ? status : print_doubts(recompute->call);
}

static int
search(struct recompute *recompute, const struct memmodel_layer_cost *costs, size_t cost_count)
{
    const struct job_call *call = recompute->call;
    const struct memmodel_recompute_options asked = {.size = sizeof asked,
                                                     .costs = cost_count ? costs : NULL,
                                                     .cost_count = cost_count,
                                                     .max_simulations = recompute->given->max_simulations};
    int status;

    progress_show(call->context);
    status = memmodel_recompute(call->network, &call->job, &asked, call->context, &recompute->recomputation);
    if (progress_clear(call->context, status))
        return library_error(call->command, call->context);
    memmodel_recomputation_get_result(recompute->recomputation, &recompute->result);
    status = (recompute->given->json ? print_json : print_text)(recompute);
    if (!status)
        status = write_picture(recompute);
    memmodel_recomputation_unref(recompute->recomputation);
    return status ? status : report_excess(recompute);
}

static int
answer(struct job_call *call)
{
    struct recompute recompute = {.call = call, .given = call->options, .result = {.size = sizeof recompute.result}};
    const struct option_list *given = &recompute.given->costs;
    struct memmodel_layer_cost *costs = calloc(given->count + 1, sizeof *costs);
    int status = EXIT_OK;

    if (!costs)
        return memory_error(call->command);
    if (call->job.checkpoint)
        status =
            usage_error(call->command, "--checkpoint is the answer: leave it out, or give it to memmodel estimate");
    for (size_t i = 0; i < given->count && !status; i++)
        status = parse_cost(call->command, given->values[i], &costs[i]);
    if (!status)
        status = search(&recompute, costs, given->count);
    free(costs);
    return status;
}

const struct command recompute_command = {
    .name = "recompute",
    .usage = "NETWORK [--set NAME=VALUE ...] [--budget BYTES] [--svg CURVE.svg]",
    .summary = "which modules to recompute in the backward pass, so that a training fits",
    .description =
        "Says which modules of a PyTorch network to checkpoint (torch.utils.checkpoint) so that its training is within\n"
        "the budget and the overhead, the time that is added, is least; and the whole curve between peak and overhead:\n"
        "every point of it is simulated. Time is counted in operations of the forward pass, of which a step has three,\n"
        "unless --layer-cost says otherwise. The same input gives the same answer on every machine.",
    .examples = "  memmodel recompute gpt2.json -s batch=8 -s length=1024 --budget 10GiB\n"
                "  memmodel recompute unet3d.json -s batch=1 -s dim=144 --budget 6GiB --svg curve.svg\n"
                "  memmodel estimate gpt2.json -s batch=8 -s length=1024 --checkpoint 'h.*.attn'\n",
    .exits = "  3    nothing that was found is within the budget; the min peak is shown\n",
    .options = options,
    .options_bytes = sizeof(struct recompute_options),
    .work = job_work,
    .answer = answer,
    .job_options = offsetof(struct recompute_options, job),
};
