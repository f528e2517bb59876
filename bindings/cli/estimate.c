/* memmodel estimate: the memory of a job, whether it fits, and what fits. */
#include "job.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct estimate_options {
    struct job_options job;
    const char *max, *html, *perfetto;
    int64_t depth;
    bool layers, formulas, json, ranks;
};

static const struct option options[] = {
    JOB_OPTIONS(struct estimate_options),
    BUDGET_OPTIONS(struct estimate_options, "bytes that the job may take, such as 16GiB: says whether it fits"),
    {"max", 0, OPTION_TEXT, "NAME", "find the maximum of this symbol that fits the budget",
     offsetof(struct estimate_options, max)},
    {"ranks", 0, OPTION_FLAG, NULL, "with --mesh: one line for each class of ranks that need the same memory",
     offsetof(struct estimate_options, ranks)},
    {"layers", 0, OPTION_FLAG, NULL, "print a row for each layer too, what holds most at the peak first",
     offsetof(struct estimate_options, layers)},
    {"depth", 0, OPTION_INTEGER, "N",
     "print a row for each module, such as encoder.0 at a depth of 1, the largest first",
     offsetof(struct estimate_options, depth)},
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
    struct job_call *call;
    const struct estimate_options *options;
    int64_t max; /* for --max */
    struct memmodel_report_result result;
};

/* ---- text ---- */

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
        {"framework", job->framework},
        {"framework version", job->framework_version},
        {"textbook rule", job->textbook_rule},
        {"device", job->device},
        {"gpu", job->gpu},
        {"allocator settings", job->allocator_settings},
        {"cublas workspace", job->cublas_workspace},
        {"isa", job->isa},
        {"optimizer", job->optimizer},
        {"precision", job->precision},
        {"checkpoint", job->checkpoint},
        {"graph optimization", job->graph_optimization},
    };

    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        if (asked[i][1])
            printf(", %s %s", asked[i][0], asked[i][1]);
    if (job->gradient_accumulation)
        printf(", gradient accumulation %d", job->gradient_accumulation);
    if (job->keep_gradients)
        printf(", gradients kept");
    if (job->parallel)
        printf(", rank %" PRId64 " of mesh %s, %s", job->parallel->rank, job->parallel->mesh ? job->parallel->mesh : "",
               job->parallel->data ? job->parallel->data : "no data strategy");
    if (job->parallel && job->parallel->tensor)
        printf(", tensor plan %s", job->parallel->tensor);
    if (job->parallel && job->parallel->pipeline)
        printf(", pipeline %s", job->parallel->pipeline);
}

static void
print_job(const struct memmodel_job *job)
{
    for (size_t i = 0; i < job->symbol_count; i++)
        printf("%s%s=%" PRId64, i ? ", " : "", job->symbols[i].name, job->symbols[i].value);
    printf("%s%s", job->symbol_count ? ", " : "", memmodel_mode_name(job->mode));
    print_asked(job);
    printf("\n");
}

static void
print_interval(const struct memmodel_report_result *result)
{
    char low[QUANTITY_BYTES], high[QUANTITY_BYTES];

    printf("  %s bytes of 9 in 10 trainings: %s to %s, by %d recorded ones\n", memmodel_metric_name(result->metric),
           format_bytes(result->peak_low, low), format_bytes(result->peak_high, high), result->interval_runs);
}

static void
print_peak(const struct memmodel_report_result *result)
{
    printf("\npeak\n");
    print_bytes("live tensors", result->live);
    print_bytes("reserved by allocator", result->reserved);
    print_bytes("process", result->process);
    if (result->interval_runs)
        print_interval(result);
    if (result->peak_location[0])
        printf("  peak at %s\n", result->peak_location);
}

static void
print_steps(const memmodel_report *report, int32_t count)
{
    if (count < 2)
        return;
    printf("\nlive tensors at the peak of each step\n");
    for (int32_t step = 0; step < count; step++) {
        char name[32];

        snprintf(name, sizeof name, "step %d", step + 1);
        print_bytes(name, memmodel_report_step_peak(report, (size_t)step));
    }
}

static void
print_categories(const memmodel_report *report)
{
    printf("\nat the peak\n");
    for (int category = 0; memmodel_category_name(category); category++)
        if (memmodel_report_category_bytes(report, category) > 0)
            print_bytes(memmodel_category_name(category), memmodel_report_category_bytes(report, category));
}

static int64_t
bytes_of(const struct memmodel_report_change *change, int metric)
{
    const int64_t bytes[] = {
        [MEMMODEL_METRIC_LIVE] = change->live,
        [MEMMODEL_METRIC_RESERVED] = change->reserved,
        [MEMMODEL_METRIC_PROCESS] = change->process,
    };

    return bytes[metric];
}

static void
print_changes(const memmodel_report *report, int metric)
{
    struct memmodel_report_change change = {.size = sizeof change};
    int widest = 24;

    for (size_t i = 0; memmodel_report_get_change(report, i, &change) == 0; i++)
        if ((int)strlen(change.name) > widest)
            widest = (int)strlen(change.name);
    for (size_t i = 0; memmodel_report_get_change(report, i, &change) == 0; i++) {
        char needed[QUANTITY_BYTES], saved[QUANTITY_BYTES];

        if (i == 0)
            printf("\nwhat if: %s bytes\n", memmodel_metric_name(metric));
        printf("  %-*s %12s  saves %12s\n", widest, change.name, format_bytes(bytes_of(&change, metric), needed),
               format_bytes(change.saving, saved));
    }
}

static void
print_formulas(const memmodel_report *report, const char *assumptions)
{
    printf("\nbytes as formulas (textbook)\n");
    for (size_t i = 0; i < memmodel_report_formula_count(report); i++)
        printf("  %-24s %s\n", memmodel_report_formula_name(report, i),
               memmodel_report_formula(report, i, MEMMODEL_LANGUAGE_TEXT));
    if (assumptions[0])
        printf("  where %s\n", assumptions);
}

static void
print_max(const struct estimate *estimate, const char *end)
{
    const struct memmodel_job *job = &estimate->call->job;
    char budget[QUANTITY_BYTES];

    printf("max %s within %s of %s bytes: %" PRId64 "%s\n", estimate->options->max, format_bytes(job->budget, budget),
           job_metric_name(job), estimate->max, end);
}

static void
print_answer(const struct estimate *estimate)
{
    const struct memmodel_job *job = &estimate->call->job;

    if (!estimate->options->max)
        return;
    print_max(estimate, "");
    if (memmodel_metric_grows_in_jumps(job->framework, job->metric))
        printf("the next does not fit, but one beyond may: the pool of %s grows in jumps\n", job->framework);
}

/* The last line, so that it stands above the next prompt. */
static int
print_verdict_of(const struct estimate *estimate, int status)
{
    if (!status && estimate->result.summary[0])
        printf("\n%s\n", estimate->result.summary);
    return status;
}

static int
print_layers(const struct estimate *estimate, const memmodel_report *report)
{
    const struct job_call *call = estimate->call;
    memmodel_report *modules;
    int status;

    if (!estimate->options->layers && !estimate->options->depth)
        return EXIT_OK;
    if (memmodel_report_by_module(report, (int32_t)estimate->options->depth, call->context, &modules))
        return library_error(call->command, call->context);
    printf("\n");
    status = job_print_layers(call->command, modules);
    memmodel_report_unref(modules);
    return status;
}

static int
print_text(const struct estimate *estimate, const memmodel_report *report)
{
    print_answer(estimate);
    print_job(&estimate->call->job);
    print_peak(&estimate->result);
    print_steps(report, estimate->result.step_count);
    print_categories(report);
    print_changes(report, estimate->result.metric);
    job_print_doubts(report);
    if (estimate->options->formulas)
        print_formulas(report, estimate->result.assumptions);
    return print_verdict_of(estimate, print_layers(estimate, report));
}

/* ---- JSON ---- */

static void
print_json_max(const struct estimate *estimate)
{
    const struct memmodel_job *job = &estimate->call->job;

    printf("{\n  \"estimate_max\": {\"symbol\": \"%s\", \"budget\": %" PRId64 ", \"metric\": \"%s\", \"max\": %" PRId64
           ", \"larger_may_fit\": %s}",
           estimate->options->max, job->budget, job_metric_name(job), estimate->max,
           memmodel_metric_grows_in_jumps(job->framework, job->metric) ? "true" : "false");
}

/* The report's text is an object that begins with "{\n"; the maximum becomes its first member. */
static int
print_json(const struct estimate *estimate, const memmodel_report *report)
{
    const struct job_call *call = estimate->call;
    char *text = NULL;
    int status = memmodel_report_to_json(report, call->context, &text);

    if (status || !estimate->options->max)
        return command_print(call->command, call->context, status, text);
    print_json_max(estimate);
    text[0] = ',';
    return command_print(call->command, call->context, status, text);
}

/* ---- files ---- */

static int
write_page(const struct job_call *call, const memmodel_report *report, const char *path)
{
    char *text = NULL;
    int status = memmodel_report_to_html(report, call->context, &text);

    return command_save(call->command, call->context, status, text, path);
}

static int
write_trace(const struct job_call *call, const memmodel_report *report, const char *path)
{
    const memmodel_trace *trace = memmodel_report_trace(report);
    char *text = NULL;
    int status;

    if (!trace)
        return usage_error(call->command, "the textbook has no trace that --perfetto could write");
    status = memmodel_trace_to_perfetto(trace, call->context, &text);
    return command_save(call->command, call->context, status, text, path);
}

static int
write_files(const struct estimate *estimate, const memmodel_report *report)
{
    const struct estimate_options *given = estimate->options;
    int status = given->html ? write_page(estimate->call, report, given->html) : EXIT_OK;

    return !status && given->perfetto ? write_trace(estimate->call, report, given->perfetto) : status;
}

static int
print_nothing_fits(const struct estimate *estimate)
{
    if (estimate->options->json) {
        print_json_max(estimate);
        printf("\n}\n");
    } else {
        print_max(estimate, "; not even 1 fits");
    }
    return EXIT_EXCEEDS;
}

/* ---- the answer ---- */

/* Gives the symbol its maximum, in place of any value that --set gave. */
static void
set_max(const struct estimate *estimate)
{
    struct memmodel_symbol_value *symbols = estimate->call->symbols;
    struct memmodel_job *job = &estimate->call->job;
    size_t i = 0;

    while (i < job->symbol_count && strcmp(symbols[i].name, estimate->options->max) != 0)
        i++;
    symbols[i] = (struct memmodel_symbol_value){.name = estimate->options->max, .value = estimate->max};
    if (i == job->symbol_count)
        job->symbol_count++;
}

static int
find_max(struct estimate *estimate)
{
    const struct job_call *call = estimate->call;
    const char *symbol = estimate->options->max;

    if (!call->job.budget)
        return usage_error(call->command, "--max %s needs a --budget, such as 16GiB, or a --gpu", symbol);
    if (memmodel_estimate_max(call->network, &call->job, symbol, call->context, &estimate->max))
        return library_error(call->command, call->context);
    set_max(estimate);
    return EXIT_OK;
}

static int
exit_of_verdict(int32_t verdict)
{
    return verdict == MEMMODEL_VERDICT_EXCEEDS   ? EXIT_EXCEEDS
           : verdict == MEMMODEL_VERDICT_UNKNOWN ? EXIT_FAILED
                                                 : EXIT_OK;
}

static int
report_on(struct estimate *estimate)
{
    struct job_call *call = estimate->call;
    memmodel_report *report;
    int status;

    if (memmodel_estimate_what_if(call->network, &call->job, call->context, &report))
        return library_error(call->command, call->context);
    memmodel_report_get_result(report, &estimate->result);
    status = write_files(estimate, report);
    if (!status)
        status = (estimate->options->json ? print_json : print_text)(estimate, report);
    memmodel_report_unref(report);
    return status ? status : exit_of_verdict(estimate->result.verdict);
}

/* ---- ranks ---- */

static void
print_class(const struct memmodel_rank_class *ranks, const struct memmodel_report_result *result)
{
    const int64_t bytes[] = {
        [MEMMODEL_METRIC_LIVE] = result->live,
        [MEMMODEL_METRIC_RESERVED] = result->reserved,
        [MEMMODEL_METRIC_PROCESS] = result->process,
    };
    char quantity[QUANTITY_BYTES];

    printf("rank %" PRId64, ranks->first_rank);
    if (ranks->rank_count > 1)
        printf(" and %" PRId64 " like it", ranks->rank_count - 1);
    printf(": ");
    if (result->verdict != MEMMODEL_VERDICT_NONE)
        printf("%s\n", result->summary);
    else
        printf("takes %s (%s bytes)\n", format_bytes(bytes[result->metric], quantity),
               memmodel_metric_name(result->metric));
}

/* Estimates one class; *worst becomes the exit code of the worst so far. EXIT_OK, or EXIT_FAILED after a message. */
static int
report_on_class(struct estimate *estimate, const struct memmodel_rank_class *ranks, int *worst)
{
    struct job_call *call = estimate->call;
    memmodel_report *report;
    int meant;

    call->parallel.rank = ranks->first_rank;
    if (memmodel_estimate(call->network, &call->job, call->context, &report))
        return library_error(call->command, call->context);
    memmodel_report_get_result(report, &estimate->result);
    print_class(ranks, &estimate->result); /* whose texts are the report's */
    memmodel_report_unref(report);
    meant = exit_of_verdict(estimate->result.verdict);
    *worst = meant > *worst ? meant : *worst;
    return EXIT_OK;
}

static int
report_on_ranks(struct estimate *estimate)
{
    struct job_call *call = estimate->call;
    struct memmodel_rank_class ranks = {.size = sizeof ranks};
    int status = EXIT_OK, worst = EXIT_OK;

    if (!call->job.parallel)
        return usage_error(call->command, "--ranks needs a --mesh, such as dp=8, and a strategy, such as --data ddp");
    for (int64_t next = 0; !status && next >= 0; next = ranks.next_rank) {
        call->parallel.rank = next;
        if (memmodel_estimate_rank_class(call->network, &call->job, call->context, &ranks))
            return library_error(call->command, call->context);
        status = report_on_class(estimate, &ranks, &worst);
    }
    return status ? status : worst;
}

static int
answer(struct job_call *call)
{
    struct estimate estimate = {.call = call, .options = call->options, .result = {.size = sizeof estimate.result}};
    int status;

    if (estimate.options->depth < 0 || estimate.options->depth > INT32_MAX)
        return usage_error(call->command, "--depth is how many parts of a name a module has, such as 2");
    status = estimate.options->max ? find_max(&estimate) : EXIT_OK;
    if (status)
        return status;
    if (estimate.options->ranks)
        return report_on_ranks(&estimate);
    return estimate.options->max && estimate.max == 0 ? print_nothing_fits(&estimate) : report_on(&estimate);
}

const struct command estimate_command = {
    .name = "estimate",
    .usage = "NETWORK [--set NAME=VALUE ...] [--budget BYTES [--max NAME]]",
    .summary = "how much memory a job needs, which part takes it, and what fits",
    .description =
        "Estimates the memory of training (or inference) of a network in a JSON file. The framework pytorch simulates "
        "every\n"
        "allocation of its steps; textbook counts by a closed formula. The same input gives the same answer on every\n"
        "machine: the CPU that will run the job is --isa, not this one, unless you say --isa native.",
    .examples =
        "  memmodel estimate unet3d.json --set batch=2 --set dim=48 --budget 16GiB\n"
        "  memmodel estimate unet3d.json -s dim=144 --max batch --budget 16GiB\n"
        "  memmodel estimate unet3d.json -s batch=8 -s dim=144 --framework textbook --textbook-rule outputs --formulas\n"
        "  memmodel estimate unet3d.json -s batch=8 -s dim=144 --html report.html --perfetto trace.json\n"
        "  memmodel estimate gpt2.json -s batch=8,length=1024 --mesh dp=8 --data 'fsdp(h.*)' --ranks --budget 80GiB\n",
    .exits = "  3    the job does not fit in --budget; with --max, not even 1 does\n",
    .options = options,
    .options_bytes = sizeof(struct estimate_options),
    .work = job_work,
    .answer = answer,
    .job_options = offsetof(struct estimate_options, job),
};
