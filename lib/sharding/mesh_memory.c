/*
 * Peaks of the ranks of a mesh, from simulations of models with a few layers. At a place of a step, such as the backward
 * pass of the second layer of a stage, bytes grow by the same with each layer that the stage has, and with each sequence
 * of a batch; between the second and the last layer but one they lie between those two.
 */
#include "sharding/meshes.h"

#include "base/checked.h"
#include "base/text.h"
#include "report/report.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 3 }; /* layers */

/* Nothing is sharded: parameters are there as a whole, in float32, and computed with under autocast. */
static bool
is_alone(const struct memmodel_mesh_row *row)
{
    return row->data == 1;
}

/* One simulation. */
struct sample {
    const struct mesh_query *query;
    const struct memmodel_mesh_row *row;
    int64_t stage, layers, batch; /* `layers` of that stage, and one of each other */
    int64_t passes;
    bool whole; /* all stages have as many layers: the model as it is */
};

/* ---- places of events ---- */

/* The layer of the decoder that a layer of the network is of, or -1. */
static int64_t
number_of(const char *name)
{
    static const char prefix[] = "model.layers.";

    return strncmp(name, prefix, sizeof prefix - 1) == 0 ? strtoll(name + sizeof prefix - 1, NULL, 10) : -1;
}

static void
raise_to(int64_t *peak, int64_t bytes)
{
    *peak = max_i64(*peak, bytes);
}

/* What a layer counts for: two places where there are only three layers. */
static void
take(const struct sample *sample, int64_t number, bool began, int64_t bytes, int64_t *peaks)
{
    int64_t first = sample->stage, place = number - first;

    if (number < 0 || place < 0 || place >= sample->layers) {
        raise_to(&peaks[began ? AFTER : BEFORE], bytes);
        return;
    }
    if (place == 0)
        raise_to(&peaks[FIRST], bytes);
    if (place == 1)
        raise_to(&peaks[SECOND], bytes);
    if (place == sample->layers - 2)
        raise_to(&peaks[LAST_BUT_ONE], bytes);
    if (place == sample->layers - 1)
        raise_to(&peaks[LAST], bytes);
}

static int
find_peaks(const struct sample *sample, const memmodel_network *network, const memmodel_trace *trace,
           struct mesh_peaks *peaks)
{
    memmodel_context *context = sample->query->context;
    int64_t *numbers = memory_allocate_zeroed(context, network->layer_count + 1, sizeof *numbers);
    int64_t first = INT64_MAX;

    if (!numbers)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (size_t i = 0; i < network->layer_count; i++) {
        numbers[i] = number_of(network->layers[i].name);
        if (numbers[i] >= 0 && network->layers[i].op != OP_PARAMETER)
            first = min_i64(first, (int64_t)i);
    }
    memset(peaks, 0, sizeof *peaks);
    for (size_t i = 0; i < trace->event_count; i++) {
        const struct trace_event *event = &trace->events[i];

        if (event->phase == MEMMODEL_PHASE_SETUP || event->phase >= PHASES)
            continue;
        if (event->layer < 0 || event->phase == MEMMODEL_PHASE_OPTIMIZER)
            raise_to(&peaks->bytes[event->phase][NOWHERE], event->live);
        else
            take(sample, numbers[event->layer], event->layer >= first, event->live, peaks->bytes[event->phase]);
    }
    memory_release(context, numbers);
    return 0;
}

/* ---- a simulation ---- */

#define DATA "fsdp(model.layers.*, param_dtype=bfloat16, reduce_dtype=float32, no_sync=False)"
#define TENSOR                                                                                                         \
    "colwise=model.layers.*.self_attn.(q|k|v)_proj, model.layers.*.mlp.(gate|up)_proj, "                               \
    "rowwise=model.layers.*.self_attn.o_proj, model.layers.*.mlp.down_proj"

/* Stages but that of the sample have one layer; where it has all of the model's, the others have as many. */
static void
write_pipeline(const struct sample *sample, struct text *text)
{
    int64_t begin = 0, others = sample->whole ? sample->layers : 1;

    text_printf(text, "1f1b(microbatches=%" PRId64 ", return_outputs=False, cut=", sample->passes);
    for (int64_t i = 1; i < sample->row->pipeline; i++) {
        begin += i - 1 == sample->stage ? sample->layers : others;
        text_printf(text, "%smodel.layers.%" PRId64, i > 1 ? ", " : "", begin);
    }
    text_printf(text, ")");
}

/* What tensors ask for becomes what the allocator counts, which rounds, and does not split off small rests of blocks. */
static void
count_blocks(struct mesh_peaks *peaks, int64_t counted)
{
    int64_t asked = 1;

    for (int i = 0; i < PHASES * PLACES; i++)
        asked = max_i64(asked, peaks->bytes[i / PLACES][i % PLACES]);
    for (int i = 0; i < PHASES * PLACES; i++) {
        int64_t *bytes = &peaks->bytes[i / PLACES][i % PLACES];

        *bytes = (int64_t)((double)*bytes * (double)counted / (double)asked);
    }
}

/* Peaks of places, or of a whole model what the process takes. */
struct answer {
    struct mesh_peaks peaks;
    int64_t process;
};

static int
answer_sample(const struct sample *sample, const memmodel_network *network, struct query *asked, struct answer *answer)
{
    struct result result;
    int status = result_of_query(asked, &result);

    if (status)
        return status;
    status = find_peaks(sample, network, result.simulation.trace, &answer->peaks);
    count_blocks(&answer->peaks, result.peak.live);
    result_release(asked->context, &result);
    return status;
}

static int
simulate(const struct sample *sample, const memmodel_network *network, const struct memmodel_parallel *parallel,
         struct answer *answer)
{
    const struct mesh_query *query = sample->query;
    const struct memmodel_symbol_value symbols[] = {{"batch", sample->batch}, {"length", query->options.length}};
    const struct memmodel_job job = {
        .size = sizeof job,
        .device = "cuda",
        .gpu = query->options.gpu,
        .optimizer = query->options.optimizer,
        .symbols = symbols,
        .symbol_count = 2,
        .steps = 2,
        .precision = is_alone(sample->row) ? "bfloat16" : NULL,
        .checkpoint = sample->row->recomputed ? "model.layers.*" : NULL,
        .gradient_accumulation = sample->row->pipeline > 1 ? 1 : (int32_t)sample->passes,
        .parallel = parallel,
    };
    struct query asked;
    int status = query_new(network, &job, NULL, query->context, &asked);

    if (status)
        return status;
    status = query_bind(&asked);
    if (!status)
        status = sample->whole ? query_measure_bound(&asked, &answer->process)
                               : answer_sample(sample, network, &asked, answer);
    return query_end(&asked, status);
}

static int
simulate_network(const struct sample *sample, const memmodel_network *network, struct answer *answer)
{
    const struct memmodel_mesh_row *row = sample->row;
    struct text mesh = TEXT_INIT(sample->query->context), pipeline = TEXT_INIT(sample->query->context);
    struct memmodel_parallel parallel = {
        .size = sizeof parallel,
        .data = is_alone(row) ? NULL : DATA,
        .tensor = row->tensor > 1 ? TENSOR : NULL,
        .rank = sample->stage * row->data * row->tensor,
        .meta_device = 1,
    };
    int status = MEMMODEL_ERROR_NO_MEMORY;

    text_printf(&mesh, "pp=%" PRId64 ",dp=%" PRId64 ",tp=%" PRId64, row->pipeline, row->data, row->tensor);
    write_pipeline(sample, &pipeline);
    parallel.mesh = mesh.bytes;
    parallel.pipeline = row->pipeline > 1 ? pipeline.bytes : NULL;
    if (!mesh.failed && !pipeline.failed)
        status = simulate(sample, network, &parallel, answer);
    text_release(&mesh);
    text_release(&pipeline);
    return status;
}

static int
simulate_sample(const struct sample *sample, struct answer *answer)
{
    const struct memmodel_llm_build_options options = {.size = sizeof options,
                                                       .dtype = is_alone(sample->row) ? "float32" : "bfloat16"};
    struct memmodel_llm few = *sample->query->llm;
    memmodel_network *network;
    int status;

    if (!sample->whole)
        few.layer_count = (size_t)(sample->layers + sample->row->pipeline - 1);
    status = memmodel_llm_build(&few, &options, sample->query->context, &network);
    if (status)
        return status;
    status = simulate_network(sample, network, answer);
    memmodel_network_unref(network);
    return status;
}

/* ---- what is taken on ---- */

/* Of the layers that a stage has: `few` and `more` are of FEW and one more. */
static double
at_layers(int64_t few, int64_t more, int64_t layers)
{
    return (double)few + (double)(layers - FEW) * (double)(more - few);
}

/* By sequences of a batch, one and two, and by layers. A batch of one needs the first alone. */
static int64_t
greatest(const struct mesh_peaks (*samples)[2], int64_t layers, int64_t batch)
{
    double greatest = 0;

    for (int phase = 0; phase < PHASES; phase++)
        for (int place = 0; place < PLACES; place++) {
            double one = at_layers(samples[0][0].bytes[phase][place], samples[0][1].bytes[phase][place], layers);
            double two = at_layers(samples[1][0].bytes[phase][place], samples[1][1].bytes[phase][place], layers);
            double bytes = batch == 1 ? one : one + (double)(batch - 1) * (two - one);

            if (bytes > greatest)
                greatest = bytes;
        }
    return greatest < (double)INT64_MAX / 2 ? (int64_t)greatest : INT64_MAX;
}

/* Where a pipeline has more, what they keep is added; batches after the second find what the second found. */
static int64_t
simulated_passes(const struct memmodel_mesh_row *row)
{
    return row->pipeline > 1 ? row->pipeline + 1 : min_i64(row->passes, 2);
}

/* The same where all layers are: as many more as keep the work to that of a model without a pipeline. */
static int64_t
whole_passes(const struct mesh_query *query, const struct memmodel_mesh_row *row)
{
    enum { WORK = 160 }; /* layers that are run forward in a step */
    int64_t layers = (int64_t)query->llm->layer_count / row->pipeline, few = simulated_passes(row);

    return row->pipeline > 1 ? min_i64(row->passes, max_i64(few, WORK / layers)) : few;
}

/* What a stage keeps of each part of a batch beyond those that were simulated: what it receives, and tokens or labels. */
static int64_t
other_parts(const struct mesh_query *query, const struct memmodel_mesh_row *row, int64_t simulated)
{
    int64_t words = multiply_saturating(row->batch, query->options.length);
    int64_t element = is_alone(row) ? (int64_t)sizeof(float) : 2; /* autocast leaves sums of layers in float32 */

    if (row->pipeline == 1 || row->passes <= simulated)
        return 0;
    return multiply_saturating(row->passes - simulated,
                               multiply_saturating(words, element * query->llm->hidden + (int64_t)sizeof(int64_t)));
}

static int
sample_stage(const struct mesh_query *query, const struct memmodel_mesh_row *row, int64_t stage, int64_t batch,
             struct mesh_peaks *samples)
{
    int64_t layers = (int64_t)query->llm->layer_count / row->pipeline;
    struct sample sample = {
        .query = query, .row = row, .stage = stage, .batch = batch, .passes = simulated_passes(row)};
    struct answer answer;
    int status = 0;

    for (int i = 0; i < 2 && !status; i++) {
        sample.layers = layers <= FEW ? layers : FEW + i;
        status = simulate_sample(&sample, &answer);
        samples[i] = answer.peaks;
    }
    return status;
}

int
mesh_sample(const struct mesh_query *query, const struct memmodel_mesh_row *row, int64_t batch,
            struct mesh_samples *samples)
{
    int status = sample_stage(query, row, 0, batch, samples->first[batch - 1]);

    if (status || row->pipeline == 1)
        return status;
    return sample_stage(query, row, row->pipeline - 1, batch, samples->last[batch - 1]);
}

int64_t
mesh_peak(const struct mesh_query *query, const struct memmodel_mesh_row *row, const struct mesh_samples *samples,
          int64_t *stage)
{
    int64_t layers = max_i64((int64_t)query->llm->layer_count / row->pipeline, FEW);
    int64_t first = greatest(samples->first, layers, row->batch), last = 0;

    if (row->pipeline > 1)
        last = greatest(samples->last, layers, row->batch);
    *stage = last > first ? row->pipeline - 1 : 0;
    return add_saturating(max_i64(first, last), other_parts(query, row, simulated_passes(row)));
}

int
mesh_process(const struct mesh_query *query, const struct memmodel_mesh_row *row, int64_t stage, int64_t *process)
{
    const struct sample sample = {.query = query,
                                  .row = row,
                                  .stage = stage,
                                  .layers = (int64_t)query->llm->layer_count / row->pipeline,
                                  .batch = row->batch,
                                  .passes = whole_passes(query, row),
                                  .whole = true};
    struct answer answer;
    int status = simulate_sample(&sample, &answer);

    if (!status)
        *process = add_saturating(answer.process, other_parts(query, row, sample.passes));
    return status;
}
