/* Which meshes of GPUs train a language model: rows against simulations of all layers. */
#include "check.h"

#include <stdio.h>

static memmodel_report *
report_of(memmodel_context *context, const memmodel_network *network, const struct memmodel_job *job)
{
    memmodel_report *report;

    if (memmodel_estimate(network, job, context, &report))
        fail_msg("%s", memmodel_context_error(context)->message);
    return report;
}

static const char small_llama[] =
    "{\"model_type\": \"llama\", \"hidden_size\": 2048, \"intermediate_size\": 5632,"
    " \"num_attention_heads\": 16, \"num_key_value_heads\": 4, \"num_hidden_layers\": 12,"
    " \"vocab_size\": 32000, \"max_position_embeddings\": 4096, \"torch_dtype\": \"bfloat16\"}";

static struct memmodel_job
mesh_job(const struct memmodel_parallel *parallel, const struct memmodel_symbol_value *symbols,
         const struct memmodel_mesh_row *row)
{
    return (struct memmodel_job){
        .size = sizeof(struct memmodel_job),
        .device = "cuda",
        .gpu = "h100",
        .optimizer = "adamw(fused)",
        .symbols = symbols,
        .symbol_count = 2,
        .steps = 2,
        .checkpoint = row->recomputed ? "model.layers.*" : NULL,
        .precision = row->data == 1 ? "bfloat16" : NULL,
        .gradient_accumulation = row->pipeline > 1 ? 1 : (int32_t)row->passes,
        .parallel = parallel,
    };
}

/* Of a row's fullest rank, all layers and all passes simulated. */
static struct memmodel_report_result
simulated(memmodel_context *context, const memmodel_network *network, const struct memmodel_mesh_row *row)
{
    struct memmodel_symbol_value symbols[] = {{"batch", row->batch}, {"length", 2048}};
    char mesh[64], pipeline[128];
    struct memmodel_parallel parallel = {
        .size = sizeof parallel,
        .data =
            row->data > 1 ? "fsdp(model.layers.*, param_dtype=bfloat16, reduce_dtype=float32, no_sync=False)" : NULL,
        .tensor = row->tensor > 1 ? "colwise=model.layers.*.self_attn.(q|k|v)_proj, model.layers.*.mlp.(gate|up)_proj, "
                                    "rowwise=model.layers.*.self_attn.o_proj, model.layers.*.mlp.down_proj"
                                  : NULL,
        .meta_device = 1,
    };
    struct memmodel_report_result most = {.size = sizeof most};

    snprintf(mesh, sizeof mesh, "pp=%d,dp=%d,tp=%d", (int)row->pipeline, (int)row->data, (int)row->tensor);
    snprintf(pipeline, sizeof pipeline, "1f1b(microbatches=%d, return_outputs=False, cut=model.layers.6)",
             (int)row->passes);
    parallel.mesh = mesh;
    parallel.pipeline = row->pipeline > 1 ? pipeline : NULL;
    for (int64_t stage = 0; stage < row->pipeline; stage++) {
        struct memmodel_job job = mesh_job(&parallel, symbols, row);
        struct memmodel_report_result result = {.size = sizeof result};
        memmodel_report *report;

        parallel.rank = stage * row->data * row->tensor;
        report = report_of(context, network, &job);
        memmodel_report_get_result(report, &result);
        if (result.live > most.live)
            most = result;
        memmodel_report_unref(report);
    }
    return most;
}

static void
compare(const struct memmodel_mesh_row *row, const char *what, int64_t bytes, int64_t simulated)
{
    int64_t off = bytes - simulated;

    if (off * 50 > simulated || off * -50 > simulated)
        fail_msg("dp=%d tp=%d pp=%d batch %d passes %d rec %d: %s %lld, simulated %lld", (int)row->data,
                 (int)row->tensor, (int)row->pipeline, (int)row->batch, (int)row->passes, row->recomputed, what,
                 (long long)bytes, (long long)simulated);
}

/*
 * Twelve layers by three and four: but for the rest of a block, up to 1 MiB, that the allocator does not split off. What
 * processes take is that of all layers, but for passes of a pipeline that are added up and not simulated.
 */
static void
meshes_take_what_all_of_their_layers_take(void **state)
{
    const struct memmodel_mesh_options options = {
        .size = sizeof options, .gpu_count = 8, .length = 2048, .global_batch = 16, .max_pipeline = 2, .max_tensor = 8};
    const struct memmodel_llm_build_options wide = {.size = sizeof wide, .dtype = "float32"};
    struct memmodel_mesh_row rows[64];
    memmodel_network *network, *alone;
    size_t count, single = 0;
    memmodel_llm *llm;

    assert_int_equal(memmodel_llm_from_json(*state, "small", small_llama, sizeof small_llama - 1, &llm), 0);
    assert_int_equal(memmodel_llm_build(llm, NULL, *state, &network), 0);
    assert_int_equal(memmodel_llm_build(llm, &wide, *state, &alone), 0);
    assert_int_equal(memmodel_estimate_meshes(llm, &options, *state, 64, rows, &count), 0);
    assert_in_range(count, 20, 64);
    for (size_t i = 0; i < count; i++) {
        size_t is_alone = rows[i].data == 1;
        struct memmodel_report_result result = simulated(*state, is_alone ? alone : network, &rows[i]);

        compare(&rows[i], "live", rows[i].peak, result.live);
        compare(&rows[i], "process", rows[i].process, result.process);
        single += is_alone;
    }
    assert_true(single > 0);
    memmodel_network_unref(alone);
    memmodel_network_unref(network);
    memmodel_llm_unref(llm);
}

static void
a_mesh_fits_by_what_its_process_takes(void **state)
{
    struct memmodel_mesh_options options = {.size = sizeof options, .gpu_count = 8, .length = 2048, .max_pipeline = 1};
    struct memmodel_mesh_row first, row;
    memmodel_llm *llm;
    size_t count;

    assert_int_equal(memmodel_llm_from_json(*state, "small", small_llama, sizeof small_llama - 1, &llm), 0);
    assert_int_equal(memmodel_estimate_meshes(llm, &options, *state, 1, &first, &count), 0);
    assert_int_equal(first.verdict, MEMMODEL_VERDICT_FITS);
    assert_true(first.process > first.peak);
    options.budget = first.process;
    assert_int_equal(memmodel_estimate_meshes(llm, &options, *state, 1, &row, &count), 0);
    assert_int_equal(row.verdict, MEMMODEL_VERDICT_FITS);
    assert_int_equal(row.process, first.process);
    options.budget = first.process - 1;
    assert_int_equal(memmodel_estimate_meshes(llm, &options, *state, 1, &row, &count), 0);
    assert_true(row.process != first.process || row.verdict == MEMMODEL_VERDICT_EXCEEDS);
    memmodel_llm_unref(llm);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(meshes_take_what_all_of_their_layers_take),
        WITH_CONTEXT(a_mesh_fits_by_what_its_process_takes),
    };

    return cmocka_run_group_tests_name("meshes", tests, NULL, NULL);
}
