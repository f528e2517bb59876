/*
 * Out of memory anywhere on the way of the data: each scenario is run with its first allocation failing, its second,
 * ...
 */
#include "allocations.h"

#include <stdio.h>
#include <unistd.h>

/* ---- networks: between them they have a layer of every family ---- */

static memmodel_tensor
image(memmodel_network *net, int channels)
{
    memmodel_dim size = memmodel_network_symbol(net, "size");

    return memmodel_network_input(net, "image", MEMMODEL_DTYPE_FLOAT32, 4,
                                  (memmodel_dim[]){memmodel_network_symbol(net, "batch"), channels, size, size});
}

static void
build_image_layers(memmodel_network *net)
{
    memmodel_tensor x = image(net, 4), skip;

    memmodel_network_push_scope(net, "encoder");
    skip =
        memmodel_network_conv(net, x, MEMMODEL_CONV(.filters = 8, .kernel = {3}, .auto_pad = MEMMODEL_AUTO_PAD_SAME));
    x = memmodel_network_batch_norm(net, skip, NULL);
    x = memmodel_network_activation(net, x, MEMMODEL_ACTIVATION(.kind = MEMMODEL_ACTIVATION_RELU));
    x = memmodel_network_pool(net, x, MEMMODEL_POOL(.kernel = {2}));
    memmodel_network_pop_scope(net);
    x = memmodel_network_conv_transpose(net, x, MEMMODEL_CONV(.filters = 8, .kernel = {2}, .stride = {2}));
    x = memmodel_network_concat(net, (memmodel_tensor[]){x, skip}, 2, MEMMODEL_CONCAT(.along_channels = 1));
    x = memmodel_network_upsample(net, x, MEMMODEL_UPSAMPLE(.scale = {2}));
    x = memmodel_network_pad(net, x, MEMMODEL_PAD(.before = {0, 0, 1, 1}, .after = {0, 0, 1, 1}));
    x = memmodel_network_crop(net, x, MEMMODEL_PAD(.before = {0, 0, 1, 1}, .after = {0, 0, 1, 1}));
    x = memmodel_network_group_norm(net, x, MEMMODEL_GROUP_NORM(.groups = 2));
    x = memmodel_network_instance_norm(net, x, NULL);
    x = memmodel_network_adaptive_pool(net, x,
                                       MEMMODEL_ADAPTIVE_POOL(.output_size = {4}, .kind = MEMMODEL_POOL_AVERAGE));
    x = memmodel_network_dropout(net, x, NULL);
    x = memmodel_network_global_pool(net, x, NULL);
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 10));
    memmodel_network_softmax(net, x, NULL);
}

static void
build_sequence_layers(memmodel_network *net)
{
    memmodel_dim batch = memmodel_network_symbol(net, "batch"), length = memmodel_network_symbol(net, "size");
    memmodel_tensor words =
        memmodel_network_input(net, "words", MEMMODEL_DTYPE_INT64, 2, (memmodel_dim[]){batch, length});
    memmodel_tensor classes = memmodel_network_input(net, "classes", MEMMODEL_DTYPE_INT64, 1, (memmodel_dim[]){batch});
    memmodel_tensor x = memmodel_network_embedding(net, words,
                                                   MEMMODEL_EMBEDDING(.num_embeddings = 100, .embedding_dim = 16)),
                    heads;

    x = memmodel_network_layer_norm(net, x, NULL);
    x = memmodel_network_rms_norm(net, x, NULL);
    heads = memmodel_network_reshape(net, x, 4, (memmodel_dim[]){batch, length, 4, 4});
    heads = memmodel_network_permute(net, heads, 4, (int[]){0, 2, 1, 3});
    heads = memmodel_network_attention(net, heads, heads, heads, MEMMODEL_TENSOR_NONE, NULL);
    heads = memmodel_network_permute(net, heads, 4, (int[]){0, 2, 1, 3});
    heads = memmodel_network_flatten(net, heads, 2, 3);
    x = memmodel_network_binary(net, x, heads, NULL);
    x = memmodel_network_recurrent(net, x, MEMMODEL_RECURRENT(.hidden_size = 8, .batch_first = 1, .bidirectional = 1));
    x = memmodel_network_split(net, x, MEMMODEL_SPLIT(.parts = 2, .axis = -1));
    x = memmodel_network_binary(net, x, memmodel_network_layer_output(net, x, 1), NULL);
    x = memmodel_network_slice(net, x, MEMMODEL_SLICE(.axis = 1, .start = 0, .stop = 1, .squeeze = 1));
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.units = 5));
    memmodel_network_loss(net, x, classes, NULL);
}

static void
build_arithmetic_layers(memmodel_network *net)
{
    memmodel_dim size = memmodel_network_expression(net, "2 * size + floor(size / 3)");
    memmodel_tensor a = memmodel_network_input(net, "a", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){size, 6}), b, c;
    struct memmodel_shape shape = {.dims = {size, 3}, .rank = 2};

    b = memmodel_network_parameter(net, "b", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){1, 6}, 1);
    b = memmodel_network_expand(net, b, 2, (memmodel_dim[]){size, MEMMODEL_DIM_INFER});
    c = memmodel_network_matmul(net, a, b, MEMMODEL_MATMUL(.transpose_b = 1));
    c = memmodel_network_reduce(net, c, MEMMODEL_REDUCE(.axes = {1}, .axis_count = 1, .kind = MEMMODEL_REDUCE_SUM));
    memmodel_network_mark_output(net, c);
    memmodel_network_use_parameter(net, "weight",
                                   memmodel_network_parameter(net, "w", 0, 2, (memmodel_dim[]){3, 6}, 1));
    memmodel_network_linear(net, a, MEMMODEL_LINEAR(.units = 3, .no_bias = 1));
    memmodel_network_custom(net, &a, 1,
                            MEMMODEL_CUSTOM(.name = "own", .outputs = &shape, .output_count = 1, .saved_bytes = 64,
                                            .operation = "aten.none_such.default", .attributes = "dim=1"));
}

static int
keep_a_byte_an_element(void *user, const struct memmodel_shape *inputs, size_t count,
                       struct memmodel_custom_requirements *needs)
{
    (void)user;
    (void)count;
    needs->saved_bytes = inputs[0].dims[0] * inputs[0].dims[1];
    return 0;
}

static void
build_decoder_layers(memmodel_network *net)
{
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_INT64, 2, (memmodel_dim[]){2, 4});

    x = memmodel_network_embedding(net, x,
                                   MEMMODEL_EMBEDDING(.name = "table", .num_embeddings = 7, .embedding_dim = 8));
    memmodel_network_push_scope(net, "block");
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "up", .units = 16));
    x = memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "down", .units = 8));
    memmodel_network_pop_scope(net);
    memmodel_network_linear(net, x, MEMMODEL_LINEAR(.name = "head", .units = 7));
}

static void
build_a_layer_with_a_rule(memmodel_network *net)
{
    memmodel_dim size = memmodel_network_symbol(net, "size");
    memmodel_tensor x = memmodel_network_input(net, "x", MEMMODEL_DTYPE_FLOAT32, 2, (memmodel_dim[]){size, 6});
    struct memmodel_shape shape = {.dims = {size, 3}, .rank = 2};

    memmodel_network_custom(net, &x, 1,
                            MEMMODEL_CUSTOM(.outputs = &shape, .output_count = 1, .callback = keep_a_byte_an_element));
}

/* Builds a network, hands it to `use` unless that failed, and lets go of it. */
static int
with_network(memmodel_context *context, void (*build)(memmodel_network *net),
             int (*use)(memmodel_context *context, memmodel_network *net))
{
    memmodel_network *net;
    int status = memmodel_network_new(context, &net);

    if (status)
        return status;
    build(net);
    status = memmodel_network_status(net);
    if (!status)
        status = use(context, net);
    memmodel_network_unref(net);
    return status;
}

/* ---- what is done with a network ---- */

static const struct memmodel_symbol_value symbols[] = {{"batch", 2}, {"size", 16}};

static int
write_and_read(memmodel_context *context, memmodel_network *net)
{
    memmodel_network *again;
    char *text;
    int status = memmodel_network_to_json(net, NULL, &text);

    if (status)
        return status;
    status = memmodel_network_from_json(context, "text", text, strlen(text), &again);
    memmodel_free(text);
    if (!status)
        memmodel_network_unref(again);
    return status;
}

static int
estimate(memmodel_context *context, memmodel_network *net, const char *framework)
{
    struct memmodel_job job = {.size = sizeof job, .framework = framework, .symbols = symbols};
    memmodel_report *report;
    char *text;
    int status;

    job.symbol_count = memmodel_network_symbol_count(net);
    if (job.symbol_count == 1)
        job.symbols = symbols + 1;
    status = memmodel_estimate(net, &job, NULL, &report);
    if (status)
        return status;
    status = memmodel_report_to_json(report, context, &text);
    if (!status)
        memmodel_free(text);
    memmodel_report_unref(report);
    return status;
}

static int
estimate_by_textbook(memmodel_context *context, memmodel_network *net)
{
    return estimate(context, net, "textbook");
}

static int
estimate_by_simulation(memmodel_context *context, memmodel_network *net)
{
    return estimate(context, net, "pytorch");
}

static int
estimate_rank(memmodel_context *context, memmodel_network *net, const struct memmodel_parallel *parallel)
{
    struct memmodel_job job = {.size = sizeof job, .symbols = symbols, .parallel = parallel};
    memmodel_report *report;
    char *text;
    int status;

    job.symbol_count = memmodel_network_symbol_count(net);
    status = memmodel_estimate(net, &job, NULL, &report);
    if (status)
        return status;
    status = memmodel_report_to_json(report, context, &text);
    if (!status)
        memmodel_free(text);
    memmodel_report_unref(report);
    return status;
}

static int
estimate_rank_of(memmodel_context *context, memmodel_network *net, const char *data)
{
    const struct memmodel_parallel parallel = {.size = sizeof parallel, .mesh = "dp=2", .data = data};

    return estimate_rank(context, net, &parallel);
}

static int
estimate_rank_along_tp(memmodel_context *context, memmodel_network *net)
{
    const struct memmodel_parallel parallel = {.size = sizeof parallel,
                                               .mesh = "tp=2",
                                               .tensor = "colwise=block.up, rowwise=block.down, vocab=table, head, "
                                                         "gather=block, sequence"};

    return estimate_rank(context, net, &parallel);
}

static int
estimate_rank_along_pp(memmodel_context *context, memmodel_network *net)
{
    const struct memmodel_parallel parallel = {
        .size = sizeof parallel, .mesh = "pp=2", .pipeline = "1f1b(microbatches=2, cut=block)"};

    return estimate_rank(context, net, &parallel);
}

static int
estimate_sharded_stage(memmodel_context *context, memmodel_network *net)
{
    const struct memmodel_parallel parallel = {
        .size = sizeof parallel, .mesh = "pp=2,dp=2", .data = "fsdp", .pipeline = "gpipe(microbatches=2, cut=block)"};

    return estimate_rank(context, net, &parallel);
}

static int
estimate_rank_of_ddp(memmodel_context *context, memmodel_network *net)
{
    return estimate_rank_of(context, net, "ddp(bucket_cap_mb=0.001, find_unused_parameters=True)");
}

static int
estimate_rank_of_zero1(memmodel_context *context, memmodel_network *net)
{
    return estimate_rank_of(context, net, "zero1(parameters_as_bucket_view=True, static_graph=True)");
}

static int
estimate_rank_of_fsdp(memmodel_context *context, memmodel_network *net)
{
    return estimate_rank_of(context, net, "fsdp(*, reshard_after_forward=2)");
}

static int
estimate_rank_of_deepspeed(memmodel_context *context, memmodel_network *net)
{
    return estimate_rank_of(context, net, "deepspeed(stage=2, reduce_bucket_size=100)");
}

static int
estimate_rank_of_zero3(memmodel_context *context, memmodel_network *net)
{
    return estimate_rank_of(context, net, "deepspeed(stage=3, reduce_bucket_size=100)");
}

static int
estimate_on_gpu(memmodel_context *context, memmodel_network *net)
{
    struct memmodel_job job = {.size = sizeof job, .gpu = "a100", .symbols = symbols};
    memmodel_report *report;
    int status;

    (void)context;
    job.symbol_count = memmodel_network_symbol_count(net);
    status = memmodel_estimate(net, &job, NULL, &report);
    if (!status)
        memmodel_report_unref(report);
    return status;
}

static int
solve_for_batch(memmodel_context *context, memmodel_network *net)
{
    struct memmodel_job job = {.size = sizeof job, .framework = "textbook", .symbols = symbols, .symbol_count = 2};
    int64_t largest;

    (void)context;
    job.budget = 1 << 20;
    return memmodel_estimate_max(net, &job, "batch", NULL, &largest);
}

static int
scan_batches(memmodel_context *context, memmodel_network *net)
{
    struct memmodel_job job = {.size = sizeof job, .symbols = symbols, .symbol_count = 2};
    struct memmodel_estimate_row rows[2];

    (void)context;
    return memmodel_estimate_many(net, &job, "batch", (int64_t[]){1, 9}, 2, NULL, rows);
}

static int
roll_up(memmodel_context *context, const memmodel_report *report)
{
    memmodel_report *modules;
    int status = memmodel_report_by_module(report, 1, context, &modules);

    if (!status)
        memmodel_report_unref(modules);
    return status;
}

/* As a page, and its trace for a viewer, and by module. */
static int
write_report(memmodel_context *context, const memmodel_report *report)
{
    char *text;
    int status = memmodel_report_to_html(report, context, &text);

    if (status)
        return status;
    memmodel_free(text);
    status = memmodel_trace_to_perfetto(memmodel_report_trace(report), context, &text);
    if (status)
        return status;
    memmodel_free(text);
    return roll_up(context, report);
}

static int
ask_of_a_gpu(memmodel_context *context, memmodel_network *net)
{
    struct memmodel_job job = {.size = sizeof job, .steps = 1, .symbols = symbols + 1, .symbol_count = 1};
    struct memmodel_gpu_estimate row = {.size = sizeof row};

    return memmodel_estimate_gpu(net, &job, NULL, 0, context, &row);
}

static int
ask_what_if(memmodel_context *context, memmodel_network *net)
{
    struct memmodel_job job = {.size = sizeof job, .steps = 1, .symbols = symbols + 1, .symbol_count = 1};
    memmodel_report *report;
    int status = memmodel_estimate_what_if(net, &job, NULL, &report);

    if (status)
        return status;
    status = write_report(context, report);
    memmodel_report_unref(report);
    return status;
}

/* ---- samples and models ---- */

/* Few rows: each is held out in turn, with the same allocations again, and each of these fails once. */
static const char table[] = "# measured\nbatch,dim,device,bytes\n"
                            "1,1,cpu,110\n2,1,cpu,205\n4,1,cpu,410\n8,1,cpu,805\n"
                            "1,2,cpu,205\n2,2,cpu,410\n4,2,cpu,805\n8,2,cpu,1610\n";

static int
with_samples(memmodel_context *context, int (*use)(memmodel_context *context, memmodel_samples *samples))
{
    memmodel_samples *samples;
    int status = memmodel_samples_from_csv(context, "table", table, sizeof table - 1, &samples);

    if (status)
        return status;
    status = use(context, samples);
    memmodel_samples_unref(samples);
    return status;
}

static int
choose_rows(memmodel_context *context, memmodel_samples *samples)
{
    memmodel_samples *filtered, *selected;
    int status = memmodel_samples_filter(samples, "device", "cpu", NULL, &filtered);

    (void)context;
    if (status)
        return status;
    status = memmodel_samples_select(filtered, (size_t[]){3, 1, 2}, 3, NULL, &selected);
    if (!status)
        memmodel_samples_unref(selected);
    memmodel_samples_unref(filtered);
    return status;
}

static int
write_and_read_model(memmodel_context *context, const memmodel_model *model)
{
    memmodel_model *again;
    char *text;
    int status = memmodel_model_to_json(model, NULL, &text);

    if (status)
        return status;
    status = memmodel_model_from_json(context, "text", text, strlen(text), &again);
    memmodel_free(text);
    if (status)
        return status;
    status = memmodel_model_to_code(again, MEMMODEL_LANGUAGE_LATEX, context, &text);
    if (!status)
        memmodel_free(text);
    memmodel_model_unref(again);
    return status;
}

/* A library without libffi has no functions to give; that is not for want of memory. */
static int
make_a_function(memmodel_context *context, memmodel_model *model)
{
    memmodel_function *function;
    int status = memmodel_function_new(context, model, 0.95, &function);

    if (!status)
        memmodel_function_unref(function);
    return status == MEMMODEL_ERROR_UNSUPPORTED ? 0 : status;
}

static int
fit_samples(memmodel_context *context, memmodel_samples *samples)
{
    struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 2, .threads = 1};
    memmodel_model *model;
    int status = memmodel_fit(samples, &options, NULL, &model);

    if (status)
        return status;
    status = write_and_read_model(context, model);
    if (!status)
        status = make_a_function(context, model);
    memmodel_model_unref(model);
    return status;
}

static int
fit_squares(memmodel_context *context, memmodel_samples *samples)
{
    struct memmodel_fit_options options = {.size = sizeof options, .max_terms = 2, .loss = MEMMODEL_FIT_LOSS_SQUARED};
    memmodel_model *model;
    int status = memmodel_fit(samples, &options, NULL, &model);

    if (status)
        return status;
    status = write_and_read_model(context, model);
    memmodel_model_unref(model);
    return status;
}

static int
fit_by_search(memmodel_context *context, memmodel_samples *samples)
{
    struct memmodel_fit_options options = {.size = sizeof options,
                                           .basis = MEMMODEL_FIT_BASIS_GENERAL,
                                           .loss = MEMMODEL_FIT_LOSS_MAPE, /* which needs more room than squares */
                                           .search = 1,
                                           .max_evaluations = 3000};
    memmodel_model *model;
    int status = memmodel_fit(samples, &options, NULL, &model);

    (void)context;
    if (!status)
        memmodel_model_unref(model);
    return status;
}

/* A new file, one with a row, and one with half a row; a call that fails leaves the file to the next. */
static int
append_rows(memmodel_context *context)
{
    static const char path[] = "test_allocation_failure.csv", *const columns[] = {"batch", "peak"};
    int status = memmodel_samples_append_to_file(context, path, columns, (const char *[]){"4", "110"}, 2);
    FILE *file = status ? NULL : fopen(path, "a");

    if (file) {
        fputs("8,", file);
        fclose(file);
        status = memmodel_samples_append_to_file(context, path, columns, (const char *[]){"8", "205"}, 2);
    }
    remove(path);
    return status;
}

static int
watch_this_process(memmodel_context *context)
{
    memmodel_monitor *monitor;
    int status = memmodel_monitor_new(context, getpid(), NULL, &monitor);

    if (status)
        return status;
    status = memmodel_monitor_read(monitor, NULL);
    memmodel_monitor_unref(monitor);
    return status;
}

/* ---- scenarios ---- */

static int
choose_rows_of_table(memmodel_context *context)
{
    return with_samples(context, choose_rows);
}

static int
fit_table(memmodel_context *context)
{
    return with_samples(context, fit_samples);
}

static int
fit_any_table(memmodel_context *context)
{
    return with_samples(context, fit_squares);
}

static int
search_any_table(memmodel_context *context)
{
    return with_samples(context, fit_by_search);
}

/* ---- language models ---- */

/* With experts, layers that slide, and a list of modules that are left as they are. */
static const char config_json[] =
    "{\"model_type\": \"gpt_oss\", \"hidden_size\": 64, \"intermediate_size\": 128, \"num_hidden_layers\": 2, "
    "\"num_attention_heads\": 4, \"vocab_size\": 128, \"max_position_embeddings\": 64, \"num_local_experts\": 2, "
    "\"sliding_window\": 16, \"quantization_config\": {\"quant_method\": \"mxfp4\", \"modules_to_not_convert\": "
    "[\"lm_head\", \"re:.*self_attn.*\"]}}";

static int
build_from(memmodel_context *context)
{
    static const char text[] =
        "{\"model_type\": \"llama\", \"hidden_size\": 8, \"num_hidden_layers\": 2, \"num_attention_heads\": 2, "
        "\"num_key_value_heads\": 1, \"vocab_size\": 10, \"intermediate_size\": 16, \"max_position_embeddings\": 16, "
        "\"torch_dtype\": \"bfloat16\"}";
    const struct memmodel_llm_build_options options = {.size = sizeof options,
                                                       .lora_rank = 2,
                                                       .lora_targets = "q_proj",
                                                       .quantization = "nf4",
                                                       .double_quantization = 1,
                                                       .prepare_kbit = 1,
                                                       .compute_dtype = "float32"};
    memmodel_network *network;
    memmodel_llm *llm;
    int status = memmodel_llm_from_json(context, "config.json", text, sizeof text - 1, &llm);

    if (status)
        return status;
    status = memmodel_llm_build(llm, &options, context, &network);
    if (!status)
        memmodel_network_unref(network);
    memmodel_llm_unref(llm);
    return status;
}

static int
advise_meshes(memmodel_context *context)
{
    static const char text[] =
        "{\"model_type\": \"llama\", \"num_hidden_layers\": 1, \"hidden_size\": 8, \"num_attention_heads\": 2, "
        "\"num_key_value_heads\": 1, \"vocab_size\": 10, \"intermediate_size\": 16, \"max_position_embeddings\": 16, "
        "\"torch_dtype\": \"bfloat16\"}";
    const struct memmodel_mesh_options options = {
        .size = sizeof options, .gpu_count = 2, .length = 4, .max_tensor = 1, .max_pipeline = 1};
    struct memmodel_mesh_row row;
    memmodel_llm *llm;
    size_t count;
    int status = memmodel_llm_from_json(context, "config.json", text, sizeof text - 1, &llm);

    if (status)
        return status;
    status = memmodel_estimate_meshes(llm, &options, context, 1, &row, &count);
    memmodel_llm_unref(llm);
    return status;
}

/* One rank's part of a sequence, and some of the experts. */
static int
estimate_mixture_along(memmodel_context *context, memmodel_network *network, const char *mesh)
{
    const struct memmodel_symbol_value values[] = {{"batch", 1}, {"length", 4}};
    const struct memmodel_parallel parallel = {.size = sizeof parallel,
                                               .mesh = mesh,
                                               .data = "fsdp(model.layers.*)",
                                               .context = "ring(rotate_method=alltoall)"};
    struct memmodel_job job = {
        .size = sizeof job, .symbols = values, .symbol_count = 2, .parallel = &parallel, .gpu = "h100", .steps = 1};
    memmodel_report *report;
    int status = memmodel_estimate(network, &job, context, &report);

    if (!status)
        memmodel_report_unref(report);
    return status;
}

static int
train_mixture(memmodel_context *context)
{
    static const char text[] =
        "{\"model_type\": \"mixtral\", \"num_hidden_layers\": 1, \"hidden_size\": 16, \"num_attention_heads\": 2, "
        "\"num_key_value_heads\": 1, \"vocab_size\": 10, \"intermediate_size\": 16, \"max_position_embeddings\": 16, "
        "\"num_local_experts\": 2, \"num_experts_per_tok\": 1, \"sliding_window\": null, \"torch_dtype\": \"bfloat16\"}";
    memmodel_network *network = NULL;
    memmodel_llm *llm;
    int status = memmodel_llm_from_json(context, "config.json", text, sizeof text - 1, &llm);

    if (status)
        return status;
    status = memmodel_llm_build(llm, NULL, context, &network);
    if (!status)
        status = estimate_mixture_along(context, network, "dp=2,ep=2");
    if (!status)
        status = estimate_mixture_along(context, network, "cp=2");
    memmodel_network_unref(network);
    memmodel_llm_unref(llm);
    return status;
}

static int
serve_by(memmodel_context *context, const memmodel_llm *llm, const char *engine)
{
    struct memmodel_serve_options options = {.size = sizeof options, .engine = engine, .gpu = "h100"};
    memmodel_serving *serving;
    char *text;
    int status = memmodel_serve(llm, &options, context, &serving);

    if (status)
        return status;
    status = memmodel_serving_to_json(serving, context, &text);
    if (!status)
        memmodel_free(text);
    memmodel_serving_unref(serving);
    return status;
}

static int
generate_with(memmodel_context *context)
{
    static const char dense[] = "{\"model_type\": \"gpt2\", \"n_embd\": 64, \"n_layer\": 2, \"n_head\": 4, "
                                "\"vocab_size\": 128, \"n_positions\": 1024}";
    struct memmodel_generate_result result = {.size = sizeof result};
    memmodel_llm *llm;
    int status = memmodel_llm_from_json(context, "config.json", dense, sizeof dense - 1, &llm);

    if (status)
        return status;
    status = memmodel_generate(llm, NULL, context, &result);
    memmodel_llm_unref(llm);
    return status;
}

static int
serve_model(memmodel_context *context)
{
    static const char *const engines[] = {"vllm", "sglang", "llamacpp"};
    memmodel_llm *llm;
    int status = memmodel_llm_from_json(context, "config.json", config_json, sizeof config_json - 1, &llm);

    if (status)
        return status;
    for (size_t i = 0; !status && i < sizeof engines / sizeof engines[0]; i++)
        status = serve_by(context, llm, engines[i]);
    if (!status)
        status = build_from(context);
    if (!status)
        status = generate_with(context);
    memmodel_llm_unref(llm);
    return status;
}

/* `use` of a network that `build` makes, or `work`. */
static const struct scenario {
    const char *name;
    void (*build)(memmodel_network *net);
    int (*use)(memmodel_context *context, memmodel_network *net);
    int (*work)(memmodel_context *context);
} scenarios[] = {
    {"an image network is written and read", build_image_layers, write_and_read, NULL},
    {"a sequence network is written and read", build_sequence_layers, write_and_read, NULL},
    {"arithmetic is written and read", build_arithmetic_layers, write_and_read, NULL},
    {"an image network is counted", build_image_layers, estimate_by_textbook, NULL},
    {"a sequence network is counted", build_sequence_layers, estimate_by_textbook, NULL},
    {"arithmetic is counted", build_arithmetic_layers, estimate_by_textbook, NULL},
    {"an image network is simulated", build_image_layers, estimate_by_simulation, NULL},
    {"a sequence network is simulated", build_sequence_layers, estimate_by_simulation, NULL},
    {"an image network is simulated on a GPU", build_image_layers, estimate_on_gpu, NULL},
    {"a sequence network is simulated on a GPU", build_sequence_layers, estimate_on_gpu, NULL},
    {"a rank of ddp is simulated", build_image_layers, estimate_rank_of_ddp, NULL},
    {"a rank of zero1 is simulated", build_image_layers, estimate_rank_of_zero1, NULL},
    {"a rank of DeepSpeed's ZeRO 2 is simulated", build_image_layers, estimate_rank_of_deepspeed, NULL},
    {"a rank of DeepSpeed's ZeRO 3 is simulated", build_image_layers, estimate_rank_of_zero3, NULL},
    {"a rank of fsdp is simulated", build_image_layers, estimate_rank_of_fsdp, NULL},
    {"a rank along tp is simulated", build_decoder_layers, estimate_rank_along_tp, NULL},
    {"a rank along pp is simulated", build_decoder_layers, estimate_rank_along_pp, NULL},
    {"a stage that is sharded is simulated", build_decoder_layers, estimate_sharded_stage, NULL},
    {"arithmetic is simulated", build_arithmetic_layers, estimate_by_simulation, NULL},
    {"a rule is asked", build_a_layer_with_a_rule, estimate_by_simulation, NULL},
    {"the largest batch is found", build_image_layers, solve_for_batch, NULL},
    {"batches are scanned", build_image_layers, scan_batches, NULL},
    {"a GPU is asked", build_a_layer_with_a_rule, ask_of_a_gpu, NULL},
    {"changes are tried and a report is written", build_a_layer_with_a_rule, ask_what_if, NULL},
    {"rows are chosen", NULL, NULL, choose_rows_of_table},
    {"a formula is fitted, written and read", NULL, NULL, fit_table},
    {"a formula of any sign is fitted, written and read", NULL, NULL, fit_any_table},
    {"a formula is searched", NULL, NULL, search_any_table},
    {"rows are appended to a file", NULL, NULL, append_rows},
    {"a process is watched", NULL, NULL, watch_this_process},
    {"a language model is served", NULL, NULL, serve_model},
    {"meshes of a language model are compared", NULL, NULL, advise_meshes},
    {"ranks of a mixture of experts are simulated", NULL, NULL, train_mixture},
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

static const struct scenario *scenario;

static int
play_scenario(memmodel_context *context)
{
    return scenario->build ? with_network(context, scenario->build, scenario->use) : scenario->work(context);
}

static void
survives_failing_allocations(void **state)
{
    scenario = *state;
    assert_survives_failing_allocations(play_scenario);
}

int
main(void)
{
    struct CMUnitTest tests[SCENARIOS];

    for (size_t i = 0; i < SCENARIOS; i++)
        tests[i] = (struct CMUnitTest){scenarios[i].name, LONG(survives_failing_allocations), NULL, NULL,
                                       (void *)(uintptr_t)&scenarios[i]};
    return cmocka_run_group_tests_name("allocation failure", tests, NULL, NULL);
}
