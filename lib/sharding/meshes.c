#include "sharding/meshes.h"

#include "base/choice.h"
#include "base/environment.h"
#include "base/checked.h"
#include "frameworks/cuda/gpu.h"
#include "memmodel/report.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DEFAULT_LENGTH = 8192, DEFAULT_TENSOR = 8, DEFAULT_PIPELINE = 16, MAX_GPUS = 1 << 20, MAX_BATCH = 1 << 24 };

struct listing {
    struct mesh_query query;
    struct memmodel_mesh_row *rows;
    size_t count, capacity;
};

static bool
divides(int64_t part, int64_t whole)
{
    return part > 0 && whole % part == 0;
}

/* ---- rows ---- */

static int
add_row(struct listing *listing, const struct memmodel_mesh_row *row)
{
    if (array_reserve(listing->query.context, &listing->rows, &listing->capacity, listing->count + 1,
                      sizeof *listing->rows))
        return MEMMODEL_ERROR_NO_MEMORY;
    listing->rows[listing->count++] = *row;
    return 0;
}

/* By the process, which a simulation of all of the model knows; not where live bytes are too many. */
static int
judge(const struct mesh_query *query, struct memmodel_mesh_row *row, int64_t stage)
{
    int64_t budget = query->options.budget;
    int status = 0;

    row->process = 0;
    row->verdict = MEMMODEL_VERDICT_EXCEEDS;
    if (add_saturating(row->peak, query->context_bytes) > budget)
        return 0;
    status = mesh_process(query, row, stage, &row->process);
    if (!status && row->process <= budget)
        row->verdict = MEMMODEL_VERDICT_FITS;
    return status;
}

/* Samples of one kind of passes, as far as they have been needed. */
struct sampling {
    struct mesh_samples samples;
    int64_t batches;
    bool one_pass;
};

static int
sample_row(const struct mesh_query *query, const struct memmodel_mesh_row *row, struct sampling *sampling)
{
    bool one_pass = row->pipeline == 1 && row->passes == 1;
    int status = 0;

    if (one_pass != sampling->one_pass)
        sampling->batches = 0;
    sampling->one_pass = one_pass;
    while (sampling->batches < min_i64(row->batch, 2) && !status)
        status = mesh_sample(query, row, ++sampling->batches, &sampling->samples);
    return status;
}

static int
estimate_row(const struct mesh_query *query, struct memmodel_mesh_row *row, struct sampling *sampling)
{
    int status = sample_row(query, row, sampling);
    int64_t stage;

    if (status)
        return status;
    row->peak = mesh_peak(query, row, &sampling->samples, &stage);
    row->traffic = mesh_traffic(query, row);
    return judge(query, row, stage);
}

/*
 * Batches of 1, 2, 4, ... sequences up to the first that does not fit; a pipeline of no more parts than stages stands still for
 * half of the time.
 */
static int
add_batches(struct listing *listing, struct memmodel_mesh_row row)
{
    const struct mesh_query *query = &listing->query;
    int64_t own = query->options.global_batch / row.data;
    struct sampling sampling = {.batches = 0};
    int status = 0;

    for (row.batch = 1; row.batch <= own && !status; row.batch *= 2) {
        row.passes = own / row.batch;
        if (own % row.batch || (row.pipeline > 1 && row.passes <= row.pipeline))
            continue;
        status = estimate_row(query, &row, &sampling);
        if (!status)
            status = add_row(listing, &row);
        if (row.verdict == MEMMODEL_VERDICT_EXCEEDS)
            break;
    }
    return status;
}

static bool
can_share_layers(const memmodel_llm *llm, int64_t ranks)
{
    const struct llm_layer *layer = &llm->layers[0];

    return divides(ranks, layer->heads) && divides(ranks, layer->kv_heads) && divides(ranks, layer->intermediate);
}

static int
add_meshes(struct listing *listing, int64_t tensor, int64_t pipeline)
{
    const struct mesh_query *query = &listing->query;
    struct memmodel_mesh_row row = {.tensor = tensor, .pipeline = pipeline};
    int status = 0;

    row.data = query->options.gpu_count / (tensor * pipeline);
    if (row.data < 1 || row.data * tensor * pipeline != query->options.gpu_count ||
        !divides(row.data, query->options.global_batch) || !divides(pipeline, (int64_t)query->llm->layer_count) ||
        !can_share_layers(query->llm, tensor))
        return 0;
    for (row.recomputed = 0; row.recomputed < 2 && !status; row.recomputed++)
        status = add_batches(listing, row);
    return status;
}

static int
add_all(struct listing *listing)
{
    const struct memmodel_mesh_options *options = &listing->query.options;
    int status = 0;

    for (int64_t tensor = 1; tensor <= options->max_tensor && !status; tensor *= 2)
        for (int64_t pipeline = 1; pipeline <= options->max_pipeline && !status; pipeline++)
            status = add_meshes(listing, tensor, pipeline);
    if (status || listing->count > 0)
        return status;
    return context_error(listing->query.context, MEMMODEL_ERROR_INVALID_ARGUMENT, "gpu_count",
                         "no mesh divides %" PRId64 " GPUs, %zu layers and a global batch of %" PRId64
                         " sequences; give another number of GPUs, or a batch that it divides",
                         options->gpu_count, listing->query.llm->layer_count, options->global_batch);
}

/* What fits first; then by what is sent, and by what is taken. */
static int
compare_rows(const void *a, const void *b)
{
    const struct memmodel_mesh_row *x = a, *y = b;
    const int64_t keys[][2] = {{x->verdict == MEMMODEL_VERDICT_EXCEEDS, y->verdict == MEMMODEL_VERDICT_EXCEEDS},
                               {x->traffic, y->traffic},
                               {x->peak, y->peak},
                               {x->tensor, y->tensor},
                               {x->pipeline, y->pipeline},
                               {x->batch, y->batch},
                               {x->recomputed, y->recomputed}};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* ---- options ---- */

static int
check_range(memmodel_context *context, const char *name, int64_t value, int64_t min, int64_t max)
{
    if (value >= min && value <= max)
        return 0;
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, name,
                         "%" PRId64 " is not within %" PRId64 " and %" PRId64, value, min, max);
}

static int
set_budget(memmodel_context *context, struct mesh_query *query)
{
    struct memmodel_mesh_options *options = &query->options;
    const struct gpu *gpu;
    int status = gpu_find(context, options->gpu, &gpu);

    if (status)
        return status;
    query->context_bytes = gpu->context_bytes + gpu->module_bytes;
    if (options->budget == 0)
        options->budget = gpu->memory;
    return 0;
}

static int
set_defaults(memmodel_context *context, struct mesh_query *query)
{
    struct memmodel_mesh_options *options = &query->options;
    const struct {
        int64_t *field, otherwise, min, max;
        const char *name;
    } fields[] = {
        {&options->gpu_count, 0, 2, MAX_GPUS, "gpu_count"},
        {&options->length, DEFAULT_LENGTH, 1, MAX_BATCH, "length"},
        {&options->global_batch, options->gpu_count, 1, MAX_BATCH, "global_batch"},
        {&options->max_tensor, DEFAULT_TENSOR, 1, MAX_GPUS, "max_tensor"},
        {&options->max_pipeline, DEFAULT_PIPELINE, 1, MAX_GPUS, "max_pipeline"},
        {&options->budget, 0, 0, INT64_MAX, "budget"},
    };
    int status = 0;

    for (size_t i = 0; i < sizeof fields / sizeof fields[0] && !status; i++) {
        if (*fields[i].field == 0)
            *fields[i].field = fields[i].otherwise;
        status = check_range(context, fields[i].name, *fields[i].field, fields[i].min, fields[i].max);
    }
    options->gpu = options->gpu && *options->gpu ? options->gpu : "h100";
    options->optimizer = options->optimizer && *options->optimizer ? options->optimizer : "adamw(fused)";
    return status ? status : set_budget(context, query);
}

int
memmodel_estimate_meshes(const memmodel_llm *llm, const struct memmodel_mesh_options *options,
                         memmodel_context *context, size_t capacity, struct memmodel_mesh_row *rows, size_t *count)
{
    OWN_ENVIRONMENT;
    struct listing listing = {.count = 0};
    int status;

    if (!llm || !options || !rows || !count)
        return MEMMODEL_ERROR_INVALID_ARGUMENT;
    context = context ? context : llm->context;
    if (llm->experts.count > 0)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "model_type",
                             "meshes are listed for dense decoders; of experts estimate one, such as \"dp=8,ep=8\"");
    listing.query = (struct mesh_query){.context = context, .llm = llm};
    status =
        options_copy(context, "memmodel_mesh_options", options, &listing.query.options, sizeof listing.query.options);
    if (!status)
        status = set_defaults(context, &listing.query);
    if (!status)
        status = add_all(&listing);
    if (!status) {
        qsort(listing.rows, listing.count, sizeof *listing.rows, compare_rows);
        for (size_t i = 0; i < listing.count && i < capacity; i++)
            rows[i] = listing.rows[i];
        *count = listing.count;
    }
    memory_release(context, listing.rows);
    return status;
}
