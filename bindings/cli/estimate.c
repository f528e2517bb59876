/* memmodel estimate: the memory of a job, and what fits. */
#include "job.h"
#include "limits.h"
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct estimate_options {
    struct job_options job;
    const char *solve, *html, *perfetto;
    int64_t budget;
    bool layers, formulas, json;
};

static const struct option options[] = {
    JOB_OPTIONS(struct estimate_options),
    {"solve", 0, OPTION_TEXT, "NAME", "find the largest value of this symbol that fits the budget",
     offsetof(struct estimate_options, solve)},
    {"budget", 'b', OPTION_BYTES, "BYTES", "for --solve, such as 16GiB", offsetof(struct estimate_options, budget)},
    MEASURE_OPTION(struct estimate_options),
    {"layers", 'l', OPTION_FLAG, NULL, "print the per-layer table too", offsetof(struct estimate_options, layers)},
    {"formulas", 0, OPTION_FLAG, NULL, "print the closed formulas too", offsetof(struct estimate_options, formulas)},
    {"json", 'j', OPTION_FLAG, NULL, "the report as JSON", offsetof(struct estimate_options, json)},
    {"html", 0, OPTION_TEXT, "FILE", "write the report as a page with a timeline, for a browser",
     offsetof(struct estimate_options, html)},
    {"perfetto", 0, OPTION_TEXT, "FILE", "write every allocation and release, for ui.perfetto.dev",
     offsetof(struct estimate_options, perfetto)},
    {0},
};

/* What a run of the command works with. */
struct estimate {
    const struct command *command;
    const struct estimate_options *options;
    memmodel_context *context;
    memmodel_network *network;
    struct memmodel_symbol_value *symbols; /* with one place more than --set gave, for --solve */
    struct memmodel_job job;
    int64_t solved; /* for --solve */
};

/* ---- text ---- */

/* Of the bytes that the budget limits. */
static const char *
measure_name(const struct memmodel_job *job)
{
    return memmodel_measure_name(job->measure ? job->measure : memmodel_measure_default(job->framework));
}

static void
print_bytes(const char *what, int64_t bytes)
{
    char count[NUMBER_BYTES], quantity[QUANTITY_BYTES];

    if (bytes < 0)
        printf("  %-24s not modelled\n", what);
    else
        printf("  %-24s %12s  %20s bytes\n", what, format_bytes(bytes, quantity), format_count(bytes, count));
}

/* What was asked for besides the sizes, in the words of the options. */
static void
print_asked(const struct memmodel_job *job)
{
    const char *const asked[][2] = {
        {"framework", job->framework},   {"rule", job->rule},
        {"device", job->device},         {"gpu", job->gpu},
        {"allocator", job->allocator},   {"isa", job->isa},
        {"optimizer", job->optimizer},   {"precision", job->precision},
        {"checkpoint", job->checkpoint}, {"optimization", job->optimization},
    };

    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        if (asked[i][1])
            printf(", %s %s", asked[i][0], asked[i][1]);
    if (job->accumulate)
        printf(", accumulate %d", job->accumulate);
    if (job->keep_gradients)
        printf(", gradients kept");
}

static void
print_job(const struct estimate *estimate)
{
    const struct memmodel_job *job = &estimate->job;

    for (size_t i = 0; i < job->symbol_count; i++)
        printf("%s%s=%" PRId64, i ? ", " : "", job->symbols[i].name, job->symbols[i].value);
    printf("%s%s", job->symbol_count ? ", " : "", job->inference ? "inference" : "training");
    print_asked(job);
    printf("\n");
}

static void
print_peak(const memmodel_report *report)
{
    struct memmodel_peak peak = {.size = sizeof peak};

    memmodel_report_peak(report, &peak);
    printf("\npeak\n");
    print_bytes("live tensors", peak.live);
    print_bytes("reserved by allocator", peak.reserved);
    print_bytes("process", peak.process);
    if (memmodel_report_moment(report)[0])
        printf("  reached in %s\n", memmodel_report_moment(report));
}

static void
print_steps(const memmodel_report *report)
{
    if (memmodel_report_step_count(report) < 2)
        return;
    printf("\nlive tensors at the peak of each step\n");
    for (int step = 1; step <= memmodel_report_step_count(report); step++) {
        char name[32];

        snprintf(name, sizeof name, "step %d", step);
        print_bytes(name, memmodel_report_step_peak(report, step));
    }
}

static void
print_categories(const memmodel_report *report)
{
    printf("\nat the peak\n");
    for (int category = 0; category < MEMMODEL_CATEGORY_COUNT; category++)
        if (memmodel_report_category(report, category) > 0)
            print_bytes(memmodel_category_name(category), memmodel_report_category(report, category));
}

static int64_t
measured(const struct memmodel_change *change, int measure)
{
    const int64_t bytes[] = {
        [MEMMODEL_MEASURE_LIVE] = change->live,
        [MEMMODEL_MEASURE_RESERVED] = change->reserved,
        [MEMMODEL_MEASURE_PROCESS] = change->process,
    };

    return bytes[measure];
}

static void
print_changes(const memmodel_report *report, int measure)
{
    struct memmodel_change change = {.size = sizeof change};
    int widest = 24;

    for (size_t i = 0; memmodel_report_change(report, i, &change) == 0; i++)
        if ((int)strlen(change.name) > widest)
            widest = (int)strlen(change.name);
    for (size_t i = 0; memmodel_report_change(report, i, &change) == 0; i++) {
        char needed[QUANTITY_BYTES], saved[QUANTITY_BYTES];

        if (i == 0)
            printf("\nwhat if: %s bytes\n", memmodel_measure_name(measure));
        printf("  %-*s %12s  saves %12s\n", widest, change.name, format_bytes(measured(&change, measure), needed),
               format_bytes(change.saved, saved));
    }
}

static void
print_formulas(const memmodel_report *report)
{
    printf("\nbytes as formulas (textbook)\n");
    for (size_t i = 0; i < memmodel_report_formula_count(report); i++)
        printf("  %-24s %s\n", memmodel_report_formula_name(report, i),
               memmodel_report_formula(report, i, MEMMODEL_TEXT));
    if (memmodel_report_assumptions(report)[0])
        printf("  where %s\n", memmodel_report_assumptions(report));
}

/* Whether a peak may be lower again at a larger size. */
static bool
grows_in_jumps(const struct memmodel_job *job)
{
    const char *framework = job->framework ? job->framework : "";
    bool has_pool = strcmp(framework, "tensorflow") == 0 || strcmp(framework, "onnxruntime") == 0;

    return has_pool && job->measure != MEMMODEL_MEASURE_LIVE;
}

static void
print_solution(const struct estimate *estimate, const char *end)
{
    char quantity[QUANTITY_BYTES];

    printf("largest %s within %s of %s bytes: %" PRId64 "%s", estimate->options->solve,
           format_bytes(estimate->options->budget, quantity), measure_name(&estimate->job), estimate->solved, end);
}

static int
print_text(const struct estimate *estimate, const memmodel_report *report)
{
    if (estimate->options->solve) {
        print_solution(estimate, "\n");
        if (grows_in_jumps(&estimate->job))
            printf("the next does not fit, but one beyond may: the pool of %s grows in jumps\n",
                   estimate->job.framework);
    }
    print_job(estimate);
    print_peak(report);
    print_steps(report);
    print_categories(report);
    print_changes(report, memmodel_report_measure(report));
    job_print_doubts(report);
    if (estimate->options->formulas)
        print_formulas(report);
    if (!estimate->options->layers)
        return EXIT_OK;
    printf("\n");
    return job_print_layers(estimate->command, report);
}

/* ---- JSON ---- */

static void
print_json_solution(const struct estimate *estimate)
{
    printf("  \"solution\": {\"symbol\": \"%s\", \"budget\": %" PRId64 ", \"measure\": \"%s\", \"largest\": %" PRId64
           ", \"larger_may_fit\": %s}",
           estimate->options->solve, estimate->options->budget, measure_name(&estimate->job), estimate->solved,
           grows_in_jumps(&estimate->job) ? "true" : "false");
}

/* The report's text is an object that begins with "{\n"; the solution becomes its first member. */
static int
print_json(const struct estimate *estimate, const memmodel_report *report)
{
    char *text;

    if (memmodel_report_to_json(report, estimate->context, &text))
        return library_error(estimate->command, estimate->context);
    if (estimate->options->solve) {
        printf("{\n");
        print_json_solution(estimate);
        printf(",\n%s", text + 2);
    } else {
        fputs(text, stdout);
    }
    memmodel_free(estimate->context, text);
    return EXIT_OK;
}

/* ---- files ---- */

static int
write_page(const struct estimate *estimate, const memmodel_report *report)
{
    char *text;
    int status;

    if (memmodel_report_to_html(report, estimate->context, &text))
        return library_error(estimate->command, estimate->context);
    status = write_file(estimate->command, estimate->options->html, text);
    memmodel_free(estimate->context, text);
    return status;
}

static int
write_trace(const struct estimate *estimate, const memmodel_report *report)
{
    const memmodel_trace *trace = memmodel_report_trace(report);
    char *text;
    int status;

    if (!trace)
        return usage_error(estimate->command, "the textbook has no trace that --perfetto could write");
    if (memmodel_trace_to_perfetto(trace, estimate->context, &text))
        return library_error(estimate->command, estimate->context);
    status = write_file(estimate->command, estimate->options->perfetto, text);
    memmodel_free(estimate->context, text);
    return status;
}

static int
write_files(const struct estimate *estimate, const memmodel_report *report)
{
    int status = estimate->options->html ? write_page(estimate, report) : EXIT_OK;

    return !status && estimate->options->perfetto ? write_trace(estimate, report) : status;
}

static int
print_nothing_fits(const struct estimate *estimate)
{
    if (estimate->options->json) {
        printf("{\n");
        print_json_solution(estimate);
        printf("\n}\n");
    } else {
        print_solution(estimate, "; not even the least fits\n");
    }
    return EXIT_OK;
}

/* ---- the answer ---- */

/* Gives the symbol that was solved for its value, in place of any that --set gave. */
static void
set_solved(struct estimate *estimate)
{
    struct memmodel_job *job = &estimate->job;
    size_t i = 0;

    while (i < job->symbol_count && strcmp(estimate->symbols[i].name, estimate->options->solve) != 0)
        i++;
    estimate->symbols[i].name = estimate->options->solve;
    estimate->symbols[i].value = estimate->solved;
    if (i == job->symbol_count)
        job->symbol_count++;
}

static int
solve(struct estimate *estimate)
{
    const struct estimate_options *given = estimate->options;

    if (!given->budget)
        return usage_error(estimate->command, "--solve %s needs a --budget, such as 16GiB", given->solve);
    if (memmodel_solve(estimate->network, &estimate->job, given->solve, given->budget, &estimate->solved))
        return library_error(estimate->command, estimate->context);
    set_solved(estimate);
    return EXIT_OK;
}

static int
answer(struct estimate *estimate)
{
    const struct estimate_options *given = estimate->options;
    memmodel_report *report;
    int status = job_from_options(estimate->command, &given->job, estimate->symbols, &estimate->job);

    if (!status && given->budget && !given->solve)
        status = usage_error(estimate->command, "--budget is for --solve NAME, such as --solve batch");
    if (!status && given->solve)
        status = solve(estimate);
    if (status)
        return status;
    if (given->solve && estimate->solved == 0)
        return print_nothing_fits(estimate);
    if (memmodel_report_what_if(estimate->network, &estimate->job, &report))
        return library_error(estimate->command, estimate->context);
    status = write_files(estimate, report);
    if (!status)
        status = given->json ? print_json(estimate, report) : print_text(estimate, report);
    memmodel_report_unref(report);
    return status;
}

static int
with_network(struct estimate *estimate, char **operands, int count)
{
    int status;

    estimate->symbols = calloc(estimate->options->job.set.count + 1, sizeof *estimate->symbols);
    if (!estimate->symbols)
        return EXIT_FAILED;
    status = job_load_network(estimate->command, estimate->context, operands, count, &estimate->network);
    if (!status) {
        status = answer(estimate);
        memmodel_network_unref(estimate->network);
    }
    free(estimate->symbols);
    return status;
}

static int
run(const struct command *command, int argc, char **argv)
{
    struct estimate_options given = {0};
    struct estimate estimate = {.command = command, .options = &given};
    int operands, status = options_parse(command, argc, argv, &given, &operands);

    if (status)
        return status < 0 ? EXIT_OK : status;
    if (limits_new_context(command, &estimate.context))
        return EXIT_FAILED;
    status = with_network(&estimate, argv, operands);
    memmodel_context_unref(estimate.context);
    options_release(command, &given);
    return status;
}

const struct command estimate_command = {
    .name = "estimate",
    .usage = "NETWORK [--set NAME=VALUE ...] [--solve NAME --budget BYTES]",
    .summary = "how much memory a job needs, which part takes it, and what fits",
    .description =
        "Estimates the memory of training (or inference) of a network in a JSON file. The framework pytorch simulates "
        "every\n"
        "allocation of its steps; textbook counts by a closed formula. The same input gives the same answer on every\n"
        "machine: the CPU that will run the job is --isa, not this one, unless you say --isa native.",
    .examples = "  memmodel estimate unet3d.json --set batch=2 --set dim=48\n"
                "  memmodel estimate unet3d.json -s dim=144 --solve batch --budget 16GiB\n"
                "  memmodel estimate unet3d.json -s batch=8 -s dim=144 --framework textbook --rule outputs --formulas\n"
                "  memmodel estimate unet3d.json -s batch=8 -s dim=144 --html report.html --perfetto trace.json\n",
    .options = options,
    .run = run,
};
