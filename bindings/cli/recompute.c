/* memmodel recompute: which modules of a network to wrap in torch.utils.checkpoint, so that its training fits. */
#include "job.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_TOO_LARGE = 3 };

struct recompute_options {
    struct job_options job;
    const char *picture;
    struct option_list costs;
    int64_t budget, simulations;
    bool json, all;
};

static const struct option options[] = {
    JOB_OPTIONS(struct recompute_options),
    {"budget", 'b', OPTION_BYTES, "BYTES", "what the training may take, such as 16GiB; the least there is unless given",
     offsetof(struct recompute_options, budget)},
    MEASURE_OPTION(struct recompute_options),
    {"cost", 0, OPTION_LIST, "NAME=NUMBER",
     "of running a layer or scope forward, such as measured seconds; operations unless given",
     offsetof(struct recompute_options, costs)},
    {"simulations", 'n', OPTION_INTEGER, "N", "most trainings to simulate; 2000 unless given",
     offsetof(struct recompute_options, simulations)},
    {"all", 0, OPTION_FLAG, NULL, "all points of the curve in the table", offsetof(struct recompute_options, all)},
    {"svg", 0, OPTION_TEXT, "CURVE.svg", "draw the curve: time across, peak up",
     offsetof(struct recompute_options, picture)},
    {"json", 'j', OPTION_FLAG, NULL, "the answer and the whole curve as JSON",
     offsetof(struct recompute_options, json)},
    {0},
};

/* What a run of the command works with. */
struct recompute {
    const struct command *command;
    const struct recompute_options *given;
    memmodel_context *context;
    memmodel_recomputation *search;
    struct memmodel_job job;
    struct memmodel_recomputation_result result;
};

/* ---- text ---- */

static void
print_bytes(const char *what, int64_t bytes, const char *after)
{
    char text[QUANTITY_BYTES];

    printf("%-8s%12s%s\n", what, format_bytes(bytes, text), after);
}

/* Modules that stand in one call. */
static void
print_group(const struct recompute *recompute, size_t scope)
{
    size_t point = (size_t)recompute->result.point;
    const char *module;

    printf("  %s:", memmodel_recomputation_scope(recompute->search, point, scope));
    for (size_t i = 0; (module = memmodel_recomputation_module(recompute->search, point, scope, i)) != NULL; i++)
        printf("%s %s", i ? "," : "", module);
    printf("\n");
}

static void
print_groups(const struct recompute *recompute, size_t scopes)
{
    size_t point = (size_t)recompute->result.point;
    bool headed = false;

    for (size_t i = 0; i < scopes; i++) {
        if (!memmodel_recomputation_module(recompute->search, point, i, 1))
            continue;
        if (!headed)
            printf("several modules in one call, as nn.Sequential would run them:\n");
        headed = true;
        print_group(recompute, i);
    }
}

/* Names of the scopes, as many as patterns need. */
static void
print_advice(const struct recompute *recompute)
{
    const struct memmodel_recomputation_result *result = &recompute->result;
    struct memmodel_recomputation_point point = {.size = sizeof point};
    char after[64];

    memmodel_recomputation_point(recompute->search, (size_t)result->point, &point);
    snprintf(after, sizeof after, " of %s bytes", memmodel_measure_name(result->measure));
    print_bytes("before", result->before, after);
    snprintf(after, sizeof after, ", %.1f %% less, for %.1f %% more time",
             result->before ? 100 - 100 * (double)result->peak / (double)result->before : 0, 100 * result->extra);
    print_bytes("after", result->peak, after);
    print_bytes("least", result->least, " that was found");
    if (point.scopes)
        printf("\n%zu %s of torch.utils.checkpoint: --checkpoint '%s'\n", point.scopes,
               point.scopes == 1 ? "call" : "calls", point.checkpoint);
    else
        printf("\nnothing has to be wrapped\n");
    print_groups(recompute, point.scopes);
    if (!result->settled)
        printf("after %" PRId64 " simulations not all neighbours were seen; more may find better: --simulations\n",
               result->simulations);
}

/* Of many points those that are worth a line: each a step further down than the one before, and the advice. */
static bool
is_shown(const struct recompute *recompute, size_t index, int64_t peak, int64_t shown)
{
    enum { LINES = 24 };
    int64_t step = (recompute->result.before - recompute->result.least) / LINES;
    size_t count = memmodel_recomputation_point_count(recompute->search);

    return recompute->given->all || index == 0 || index + 1 == count || index == (size_t)recompute->result.point ||
           shown - peak > step;
}

static void
add_point(struct table *table, const struct recompute *recompute, size_t index,
          const struct memmodel_recomputation_point *point)
{
    char peak[QUANTITY_BYTES], less[32], extra[32];
    const struct memmodel_recomputation_result *result = &recompute->result;
    const char *const cells[] = {(int32_t)index == result->point ? ">" : "", format_bytes(point->peak, peak), less,
                                 extra, point->checkpoint};

    snprintf(less, sizeof less, "%.1f %%",
             result->before ? 100 - 100 * (double)point->peak / (double)result->before : 0);
    snprintf(extra, sizeof extra, "%.2f %%", 100 * point->extra);
    table_add(table, cells);
}

static int
print_curve(const struct recompute *recompute)
{
    static const char *const heads[] = {"<", "peak", "less", "more time", "<checkpoint"};
    struct memmodel_recomputation_point point = {.size = sizeof point};
    struct table table;
    int64_t shown = INT64_MAX;

    printf("\n");
    table_start(&table, heads, sizeof heads / sizeof heads[0]);
    table.most = 110;
    for (size_t i = 0; i < memmodel_recomputation_point_count(recompute->search); i++) {
        memmodel_recomputation_point(recompute->search, i, &point);
        if (!is_shown(recompute, i, point.peak, shown))
            continue;
        add_point(&table, recompute, i, &point);
        shown = point.peak;
    }
    if (table_print(&table, stdout))
        return EXIT_OK;
    fprintf(stderr, "memmodel %s: out of memory\n", recompute->command->name);
    return EXIT_FAILED;
}

static int
print_text(const struct recompute *recompute)
{
    print_advice(recompute);
    return print_curve(recompute);
}

/* ---- files ---- */

static int
print_json(const struct recompute *recompute)
{
    char *text;

    if (memmodel_recomputation_to_json(recompute->search, &text))
        return library_error(recompute->command, recompute->context);
    fputs(text, stdout);
    memmodel_free(recompute->context, text);
    return EXIT_OK;
}

static int
write_picture(const struct recompute *recompute)
{
    char *svg;
    int status;

    if (!recompute->given->picture)
        return EXIT_OK;
    if (memmodel_recomputation_to_svg(recompute->search, &svg))
        return library_error(recompute->command, recompute->context);
    status = write_file(recompute->command, recompute->given->picture, svg);
    memmodel_free(recompute->context, svg);
    return status;
}

/* ---- the answer ---- */

/* Cuts "encoder.0=0.012" in two where it stands in argv. */
static int
give_cost(const struct recompute *recompute, const char *text)
{
    char *equals = strrchr(text, '='), *end;
    double cost;

    if (!equals || equals == text || equals[1] == '\0')
        return usage_error(recompute->command, "'--cost %s' is not NAME=NUMBER, such as encoder.0=0.012", text);
    cost = strtod(equals + 1, &end);
    if (*end != '\0')
        return usage_error(recompute->command, "'%s' is no number (in --cost %s)", equals + 1, text);
    *equals = '\0';
    return memmodel_recomputation_cost(recompute->search, text, cost)
               ? library_error(recompute->command, recompute->context)
               : EXIT_OK;
}

static int
tell_too_large(const struct recompute *recompute)
{
    char budget[QUANTITY_BYTES], least[QUANTITY_BYTES];

    if (recompute->result.fits)
        return EXIT_OK;
    fprintf(stderr, "memmodel recompute: nothing that was found is within %s; the least, %s, is shown\n",
            format_bytes(recompute->given->budget, budget), format_bytes(recompute->result.least, least));
    return EXIT_TOO_LARGE;
}

static int
answer(struct recompute *recompute)
{
    const struct recompute_options *given = recompute->given;
    int status = EXIT_OK;

    recompute->result.size = sizeof recompute->result;
    for (size_t i = 0; i < given->costs.count && !status; i++)
        status = give_cost(recompute, given->costs.values[i]);
    if (status)
        return status;
    if (memmodel_recomputation_solve(recompute->search, &recompute->job, given->budget, given->simulations) ||
        memmodel_recomputation_result(recompute->search, &recompute->result))
        return library_error(recompute->command, recompute->context);
    status = (given->json ? print_json : print_text)(recompute);
    if (!status)
        status = write_picture(recompute);
    return status ? status : tell_too_large(recompute);
}

/* What is said of the job without checkpoints holds of it with them. */
static int
print_doubts(const struct recompute *recompute, const memmodel_network *network)
{
    memmodel_report *report;

    if (memmodel_estimate(network, &recompute->job, &report))
        return library_error(recompute->command, recompute->context);
    job_print_doubts(report);
    memmodel_report_unref(report);
    return EXIT_OK;
}

static int
search_network(struct recompute *recompute, memmodel_network *network)
{
    int status;

    if (memmodel_recomputation_new(network, &recompute->search))
        return library_error(recompute->command, recompute->context);
    status = answer(recompute);
    memmodel_recomputation_unref(recompute->search);
    if (!recompute->given->json && (status == EXIT_OK || status == EXIT_TOO_LARGE) && print_doubts(recompute, network))
        return EXIT_FAILED;
    return status;
}

static int
recompute_operand(const struct command *command, memmodel_context *context, void *options_given, char **operands,
                  int count)
{
    const struct recompute_options *given = options_given;
    struct recompute recompute = {.command = command, .given = given, .context = context};
    struct memmodel_symbol_value *symbols = calloc(given->job.set.count + 1, sizeof *symbols);
    memmodel_network *network;
    int status = symbols ? EXIT_OK : EXIT_FAILED;

    if (!status)
        status = job_from_options(command, &given->job, symbols, &recompute.job);
    if (!status && given->job.checkpoint)
        status = usage_error(command, "--checkpoint is the answer: leave it out, or give it to memmodel estimate");
    if (!status)
        status = job_load_network(command, context, operands, count, &network);
    if (!status) {
        status = search_network(&recompute, network);
        memmodel_network_unref(network);
    }
    free(symbols);
    return status;
}

static int
run(const struct command *command, int argc, char **argv)
{
    struct recompute_options given = {0};

    return command_run(command, argc, argv, &given, recompute_operand);
}

const struct command recompute_command = {
    .name = "recompute",
    .usage = "NETWORK [--set NAME=VALUE ...] [--budget BYTES] [--svg CURVE.svg]",
    .summary = "which modules to compute again in the backward pass, so that a training fits",
    .description =
        "Says which modules of a PyTorch network to wrap in torch.utils.checkpoint so that its training is within the\n"
        "budget and takes the least more time, and the whole curve between peak and time: every point of it is\n"
        "simulated. Time is counted in operations of the forward pass, of which a step has three, unless --cost says\n"
        "otherwise. The same input gives the same answer on every machine.",
    .examples = "  memmodel recompute gpt2.json -s batch=8 -s length=1024 --budget 10GiB\n"
                "  memmodel recompute unet3d.json -s batch=1 -s dim=144 --budget 6GiB --svg curve.svg\n"
                "  memmodel estimate gpt2.json -s batch=8 -s length=1024 --checkpoint 'h.*.attn'\n",
    .exits = "  3    nothing that was found is within the budget; the least is shown\n",
    .options = options,
    .run = run,
};
