/* What if: the same job with one thing changed, each change estimated in full. */
#include "base/environment.h"
#include "base/checked.h"
#include "report/blocks.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

/* A job and what a change may alter of it besides its own fields. */
struct variant {
    memmodel_context *context;
    const memmodel_network *network;
    struct memmodel_job job;
    struct memmodel_symbol_value *symbols; /* job.symbols, the variant's own */
    struct text name;
    struct text checkpoint; /* job.checkpoint, where the variant has one of its own */
};

/* ---- changes: each alters the job and says how, or leaves the name empty if it cannot ---- */

/* The symbol of the batch, NULL if the batch is a number. */
static const char *
batch_symbol(const memmodel_network *network, struct text *scratch)
{
    if (expression_find_symbol(network->pool, "batch") >= 0)
        return "batch";
    for (size_t i = 0; i < network->layer_count; i++) {
        const struct tensor *tensor = &network->tensors[network->layers[i].first_output];

        if (network->layers[i].op != OP_INPUT)
            continue;
        if (tensor->rank == 0 || tensor->dims[0] >= 0)
            return NULL;
        expression_print(network->pool, expression_of_dim(tensor->dims[0]), EXPRESSION_TEXT, scratch);
        return !scratch->failed && expression_find_symbol(network->pool, scratch->bytes) >= 0 ? scratch->bytes : NULL;
    }
    return NULL;
}

static void
halve_batch(struct variant *variant, const char *unused)
{
    struct text scratch = TEXT_INIT(variant->context);
    const char *batch = batch_symbol(variant->network, &scratch);

    (void)unused;
    for (size_t i = 0; batch && i < variant->job.symbol_count; i++) {
        struct memmodel_symbol_value *symbol = &variant->symbols[i];

        if (strcmp(symbol->name, batch) != 0 || symbol->value < 2)
            continue;
        symbol->value /= 2;
        text_printf(&variant->name, "%s %lld", batch, (long long)symbol->value);
    }
    variant->name.failed |= scratch.failed;
    text_release(&scratch);
}

/* Half the batch twice: the same gradients. */
static void
accumulate_halves(struct variant *variant, const char *unused)
{
    if (variant->job.mode)
        return;
    halve_batch(variant, unused);
    if (!variant->name.length)
        return;
    variant->job.gradient_accumulation *= 2;
    text_printf(&variant->name, ", gradient accumulation %d", variant->job.gradient_accumulation);
}

static void
set_precision(struct variant *variant, const char *precision)
{
    if (strcmp(variant->job.precision, "float32") != 0)
        return;
    variant->job.precision = precision;
    text_printf(&variant->name, "precision %s", precision);
}

static void
release_gradients(struct variant *variant, const char *unused)
{
    (void)unused;
    if (!variant->job.keep_gradients)
        return;
    variant->job.keep_gradients = 0;
    text_append(&variant->name, "zero_grad(set_to_none=True)");
}

static void
set_checkpoint(struct variant *variant, const char *unused)
{
    (void)unused;
    if (variant->job.mode || *variant->job.checkpoint)
        return;
    blocks_find(variant->network, &variant->checkpoint);
    if (!variant->checkpoint.length)
        return;
    variant->job.checkpoint = variant->checkpoint.bytes;
    text_printf(&variant->name, "checkpoint %s", variant->checkpoint.bytes);
}

static void
set_optimizer(struct variant *variant, const char *optimizer)
{
    if (variant->job.mode || strcmp(variant->job.optimizer, optimizer) == 0 || strchr(variant->job.optimizer, ':'))
        return; /* groups of parameters stay as they are */
    variant->job.optimizer = optimizer;
    text_printf(&variant->name, "optimizer %s", optimizer);
}

static void
set_inference(struct variant *variant, const char *unused)
{
    (void)unused;
    if (variant->job.mode)
        return;
    variant->job.mode = 1;
    text_append(&variant->name, "inference");
}

/*
 * What a change costs, the cheapest first: nothing; passes that are shorter and fill a device less; a second forward pass
 * of what is recomputed; digits; another optimizer, whose learning rate is to be found again. NO_REMEDY makes another job.
 */
enum cost { FREE, SHORTER_PASSES, RECOMPUTED, FEWER_DIGITS, OTHER_OPTIMIZER, NO_REMEDY };

static const struct {
    void (*apply)(struct variant *variant, const char *value);
    const char *value;
    enum cost cost;
} changes[] = {
    {halve_batch, NULL, NO_REMEDY},
    {accumulate_halves, NULL, SHORTER_PASSES},
    {set_checkpoint, NULL, RECOMPUTED},
    {set_precision, "bfloat16", FEWER_DIGITS},
    {release_gradients, NULL, FREE},
    {set_optimizer, "momentum", OTHER_OPTIMIZER},  /* keeps a number a parameter */
    {set_optimizer, "adafactor", OTHER_OPTIMIZER}, /* keeps a number a row and a column of a matrix */
    {set_optimizer, "sgd", OTHER_OPTIMIZER},       /* keeps nothing */
    {set_inference, NULL, NO_REMEDY},
};

enum { CHANGES = sizeof changes / sizeof changes[0] };

/* ---- estimates ---- */

static int
variant_new(const struct query *query, struct variant *variant)
{
    size_t count = query->job.symbol_count;

    *variant = (struct variant){.context = query->context, .network = query->network, .job = query->job};
    variant->name = variant->checkpoint = TEXT_INIT(query->context);
    variant->symbols = memory_allocate_zeroed(query->context, count + 1, sizeof *variant->symbols);
    if (!variant->symbols)
        return MEMMODEL_ERROR_NO_MEMORY;
    if (count)
        memcpy(variant->symbols, query->job.symbols, count * sizeof *variant->symbols);
    variant->job.symbols = variant->symbols;
    return 0;
}

static void
variant_release(struct variant *variant)
{
    text_release(&variant->name);
    text_release(&variant->checkpoint);
    memory_release(variant->context, variant->symbols);
}

static int
peak_of_variant(const struct variant *variant, struct memmodel_report_result *peak)
{
    struct query query;
    struct result result;
    int status = query_new(variant->network, &variant->job, NULL, variant->context, &query);

    if (status)
        return status;
    status = query_bind(&query);
    if (!status)
        status = result_of_query(&query, &result);
    if (!status) {
        *peak = result.peak;
        result_release(query.context, &result);
    }
    return query_end(&query, status);
}

static int
add_change(memmodel_report *report, const struct variant *variant, const struct memmodel_report_result *peak)
{
    int metric = variant->job.metric;
    const char *name = arena_copy_text(&report->arena, variant->name.bytes);

    if (!name)
        return MEMMODEL_ERROR_NO_MEMORY;
    report->changes[report->change_count++] = (struct memmodel_report_change){
        .size = sizeof *report->changes,
        .name = name,
        .live = peak->live,
        .reserved = peak->reserved,
        .process = peak->process,
        .saving = peak_of_metric(&report->result, metric) - peak_of_metric(peak, metric),
    };
    return 0;
}

static bool
same_peaks(const struct memmodel_report_result *a, const struct memmodel_report_result *b)
{
    return a->live == b->live && a->reserved == b->reserved && a->process == b->process;
}

static bool
needs_remedy(const memmodel_report *report)
{
    return report->result.verdict == MEMMODEL_VERDICT_EXCEEDS || report->result.verdict == MEMMODEL_VERDICT_UNCERTAIN;
}

/* The cheapest change so far that brings the job within its budget, in `cheapest` what it costs; among equals the first. */
static void
note_remedy(memmodel_report *report, const struct memmodel_report_result *peak, enum cost cost, enum cost *cheapest)
{
    if (cost >= *cheapest || !needs_remedy(report) ||
        peak_of_metric(peak, report->result.metric) > report_sure_peak(report))
        return;
    report->result.cheapest_change = report->changes[report->change_count - 1].name;
    *cheapest = cost;
}

/* What the network or the framework does not allow is left out. */
static int
try_change(memmodel_report *report, const struct query *query, size_t change, enum cost *cheapest)
{
    struct variant variant;
    struct memmodel_report_result peak;
    int status = variant_new(query, &variant);

    if (status)
        return status;
    changes[change].apply(&variant, changes[change].value);
    status = variant.name.failed || variant.checkpoint.failed ? MEMMODEL_ERROR_NO_MEMORY : 0;
    if (!status && variant.name.length) {
        status = peak_of_variant(&variant, &peak);
        if (!status && !same_peaks(&peak, &report->result)) {
            status = add_change(report, &variant, &peak);
            if (!status)
                note_remedy(report, &peak, changes[change].cost, cheapest);
        } else if (status == MEMMODEL_ERROR_SHAPE || status == MEMMODEL_ERROR_UNSUPPORTED) {
            status = 0;
        }
    }
    variant_release(&variant);
    return status;
}

/* What saves most comes first; among equals the order of the table. */
static void
sort_changes(memmodel_report *report)
{
    for (size_t i = 1; i < report->change_count; i++)
        for (size_t k = i; k > 0 && report->changes[k].saving > report->changes[k - 1].saving; k--) {
            struct memmodel_report_change other = report->changes[k];

            report->changes[k] = report->changes[k - 1];
            report->changes[k - 1] = other;
        }
}

/* What a change saves is not known where the bytes that the metric means are not. */
static int
add_changes(memmodel_report *report, const struct query *query)
{
    enum cost cheapest = NO_REMEDY;
    int status = 0;

    if (peak_of_metric(&report->result, report->result.metric) < 0)
        return 0;
    report->changes = arena_allocate(&report->arena, CHANGES * sizeof *report->changes);
    if (!report->changes)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < CHANGES && !status; i++)
        status = try_change(report, query, i, &cheapest);
    sort_changes(report);
    return status;
}

/* The largest batch that fits where the job's own does not. A size that cannot be simulated leaves it open. */
static int
find_max_batch(memmodel_report *report, struct query *query, const char *batch)
{
    size_t symbol;
    int status = query_symbol(query, batch, &symbol);

    if (!status)
        status = query_max(query, batch, symbol, report_sure_peak(report), &report->result.max_batch);
    return status == MEMMODEL_ERROR_SHAPE || status == MEMMODEL_ERROR_UNSUPPORTED ? 0 : status;
}

/* What would make a job fit that does not, in the sentence of its verdict. */
static int
add_remedies(memmodel_report *report, struct query *query)
{
    struct text scratch = TEXT_INIT(query->context);
    const char *batch;
    int status = 0;

    if (!needs_remedy(report))
        return 0;
    batch = batch_symbol(query->network, &scratch);
    if (scratch.failed)
        status = MEMMODEL_ERROR_NO_MEMORY;
    if (!status && batch)
        status = find_max_batch(report, query, batch);
    if (!status)
        status = report_summarize(report, batch);
    text_release(&scratch);
    return status;
}

int
memmodel_estimate_what_if(const memmodel_network *network, const struct memmodel_job *job, memmodel_context *context,
                          memmodel_report **report)
{
    OWN_ENVIRONMENT;
    struct memmodel_report *new;
    struct query query;
    int status = network && report ? query_new(network, job, NULL, context, &query) : MEMMODEL_ERROR_INVALID_ARGUMENT;

    if (status)
        return status;
    status = memmodel_estimate(network, job, context, &new);
    if (status)
        return query_end(&query, status);
    status = add_changes(new, &query);
    if (!status)
        status = add_remedies(new, &query);
    if (status)
        memmodel_report_unref(new);
    else
        *report = new;
    return query_end(&query, status);
}
