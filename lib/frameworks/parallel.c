#include "frameworks/parallel.h"

#include "base/choice.h"
#include "base/context.h"
#include "base/text.h"
#include "memmodel/network.h"

#include <inttypes.h>
#include <string.h>

enum { MIB = 1 << 20 };

/* ---- options of data strategies ---- */

enum option_kind {
    OPTION_FLAG,
    OPTION_MEBIBYTES,
    OPTION_RESHARD,
    OPTION_OFFLOAD,
    OPTION_DTYPE,
    OPTION_COUNT,
    OPTION_HOST,
};

struct data_option {
    const char *name;
    enum option_kind kind;
    size_t field;        /* of struct data_options */
    uint32_t strategies; /* that have it, a bit each */
    const char *example;
};

#define FLAG(name, strategies)                                                                                         \
    {                                                                                                                  \
#name, OPTION_FLAG, offsetof(struct data_options, name), strategies, "True"                                    \
    }

/* Of DeepSpeed's; `name` is the field's, or a part of it. */
#define ZERO(name, field, kind, example)                                                                               \
    {                                                                                                                  \
        name, kind, offsetof(struct data_options, zero.field), DEEPSPEED, example                                      \
    }

enum { ZERO1 = 1 << DATA_ZERO1, DDP = 1 << DATA_DDP | ZERO1, FSDP = 1 << DATA_FSDP, DEEPSPEED = 1 << DATA_DEEPSPEED };

static const struct data_option options[] = {
    {"bucket_cap_mb", OPTION_MEBIBYTES, offsetof(struct data_options, bucket_bytes), DDP, "25"},
    FLAG(gradient_as_bucket_view, DDP),
    FLAG(find_unused_parameters, DDP),
    FLAG(static_graph, DDP),
    FLAG(broadcast_buffers, DDP),
    FLAG(no_sync, DDP | FSDP),
    FLAG(parameters_as_bucket_view, ZERO1),
    {"offload_policy", OPTION_OFFLOAD, offsetof(struct data_options, offload), FSDP, "CPUOffloadPolicy()"},
    {"param_dtype", OPTION_DTYPE, offsetof(struct data_options, param_dtype), FSDP, "bfloat16"},
    {"reduce_dtype", OPTION_DTYPE, offsetof(struct data_options, reduce_dtype), FSDP, "float32"},
    {"reshard_after_forward", OPTION_RESHARD, offsetof(struct data_options, reshard_after_forward), FSDP, "True"},
    ZERO("stage", stage, OPTION_COUNT, "2"),
    ZERO("reduce_bucket_size", reduce_bucket_size, OPTION_COUNT, "5e8"),
    ZERO("allgather_bucket_size", allgather_bucket_size, OPTION_COUNT, "5e8"),
    ZERO("overlap_comm", overlap_comm, OPTION_FLAG, "True"),
    ZERO("contiguous_gradients", contiguous_gradients, OPTION_FLAG, "True"),
    ZERO("reduce_scatter", reduce_scatter, OPTION_FLAG, "True"),
    ZERO("offload_optimizer", offload_optimizer, OPTION_HOST, "cpu"),
    ZERO("offload_param", offload_param, OPTION_HOST, "cpu"),
    ZERO("sub_group_size", sub_group_size, OPTION_COUNT, "1e9"),
    ZERO("stage3_prefetch_bucket_size", prefetch_bucket_size, OPTION_COUNT, "5e7"),
    ZERO("stage3_param_persistence_threshold", param_persistence_threshold, OPTION_COUNT, "1e5"),
    ZERO("stage3_max_live_parameters", max_live_parameters, OPTION_COUNT, "1e9"),
    ZERO("stage3_max_reuse_distance", max_reuse_distance, OPTION_COUNT, "1e9"),
    ZERO("bf16", bf16, OPTION_FLAG, "True"),
    ZERO("fp16", fp16, OPTION_FLAG, "True"),
    ZERO("grad_accum_dtype", grad_accum_dtype, OPTION_DTYPE, "float32"),
};

enum { OPTIONS = sizeof options / sizeof options[0] };

static const char *const strategy_names[DATA_KINDS] = {[DATA_NONE] = "none",
                                                       [DATA_DDP] = "ddp",
                                                       [DATA_ZERO1] = "zero1",
                                                       [DATA_FSDP] = "fsdp",
                                                       [DATA_DEEPSPEED] = "deepspeed"};

/* int(bucket_cap_mb * 1024 * 1024): torch/nn/parallel/distributed.py */
static bool
read_mebibytes(const struct text_part *value, int64_t *bytes)
{
    enum { MAX_MIB = 1 << 30 };
    double number;

    if (!text_part_number(value, &number) || !(number > 0) || number > MAX_MIB)
        return false;
    *bytes = (int64_t)(number * MIB);
    return *bytes > 0;
}

/* fully_shard(reshard_after_forward=None, True, False, or a number of ranks) */
static bool
read_reshard(const struct text_part *value, struct reshard_option *reshard)
{
    double parts = 0;
    bool all;

    *reshard = (struct reshard_option){.kind = RESHARD_BLOCKS};
    if (text_part_is(value, "None"))
        return true;
    if (text_part_flag(value, &all)) {
        reshard->kind = all ? RESHARD_ALL : RESHARD_NONE;
        return true;
    }
    if (!text_part_number(value, &parts) || parts < 2 || parts > INT32_MAX)
        return false;
    *reshard = (struct reshard_option){RESHARD_PARTS, (int64_t)parts};
    return (double)reshard->parts == parts;
}

/* "bfloat16" or "torch.bfloat16" */
static bool
read_dtype(const struct text_part *value, int *dtype)
{
    static const struct {
        const char *name, *full;
        int dtype;
    } types[] = {
        {"bfloat16", "torch.bfloat16", MEMMODEL_DTYPE_BFLOAT16},
        {"float16", "torch.float16", MEMMODEL_DTYPE_FLOAT16},
        {"float32", "torch.float32", MEMMODEL_DTYPE_FLOAT32},
    };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!text_part_is(value, types[i].name) && !text_part_is(value, types[i].full))
            continue;
        *dtype = types[i].dtype;
        return true;
    }
    return text_part_is(value, "None");
}

static bool
read_offload(const struct text_part *value, bool *offload)
{
    *offload = text_part_is(value, "CPUOffloadPolicy()");
    return *offload || text_part_is(value, "None");
}

/* "5e8", "500000000"; 0 is one. */
static bool
read_count(const struct text_part *value, int64_t *count)
{
    const double max = 1e15; /* each is exact in a double */
    double number;

    if (!text_part_number(value, &number) || !(number >= 0) || number > max)
        return false;
    *count = (int64_t)number;
    return (double)*count == number;
}

/* Where DeepSpeed keeps what it offloads: "cpu", or "none". */
static bool
read_host(const struct text_part *value, bool *offload)
{
    *offload = text_part_is(value, "cpu");
    return *offload || text_part_is(value, "none") || text_part_is(value, "None");
}

static bool
read_value(const struct data_option *option, const struct text_part *value, struct data_options *to)
{
    void *field = (char *)to + option->field;

    switch (option->kind) {
    case OPTION_FLAG:
        return text_part_flag(value, field);
    case OPTION_MEBIBYTES:
        return read_mebibytes(value, field);
    case OPTION_DTYPE:
        return read_dtype(value, field);
    case OPTION_OFFLOAD:
        return read_offload(value, field);
    case OPTION_COUNT:
        return read_count(value, field);
    case OPTION_HOST:
        return read_host(value, field);
    default:
        return read_reshard(value, field);
    }
}

static const struct data_option *
find_option(enum data_kind strategy, const struct text_part *name)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if ((options[i].strategies & (1u << strategy)) && text_part_is(name, options[i].name))
            return &options[i];
    return NULL;
}

static int
unknown_option(memmodel_context *context, enum data_kind strategy, const struct text_part *name)
{
    struct text known = TEXT_INIT(context);
    int status;

    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].strategies & (1u << strategy))
            text_printf(&known, "%s%s", known.length ? ", " : "", options[i].name);
    status = known.failed ? MEMMODEL_ERROR_NO_MEMORY
                          : context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "data",
                                          "%s has no option \"%.*s\" here; it has %s", strategy_names[strategy],
                                          (int)name->length, name->text, known.bytes);
    text_release(&known);
    return status;
}

static int
read_option(memmodel_context *context, const struct call_argument *argument, struct parallel *parallel)
{
    const struct data_option *option = find_option(parallel->data, &argument->key);

    if (!option)
        return unknown_option(context, parallel->data, argument->key.length ? &argument->key : &argument->value);
    if (read_value(option, &argument->value, &parallel->options))
        return 0;
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "data", "%s cannot be \"%.*s\"; write %s=%s",
                         option->name, (int)argument->value.length, argument->value.text, option->name,
                         option->example);
}

static int
read_options(memmodel_context *context, struct parallel *parallel)
{
    struct call_text call = parallel->call;
    struct call_argument argument;
    int status = 0;

    while (!status && call_next(&call, &argument))
        if (argument.key.length || parallel->data != DATA_FSDP) /* what stands alone there names units */
            status = read_option(context, &argument, parallel);
    return status;
}

/* ---- the strategy ---- */

static int
find_strategy(memmodel_context *context, const char *text, struct parallel *parallel)
{
    int kind = DATA_DDP;

    if (!text || !*text)
        return 0;
    if (!call_read(text, &parallel->call))
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "data",
                             "\"%s\" is no call; a strategy is written as in Python, such as "
                             "\"ddp(bucket_cap_mb=25)\"",
                             text);
    while (kind < DATA_KINDS && !text_part_is(&parallel->call.name, strategy_names[kind]))
        kind++;
    if (kind == DATA_KINDS)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "data",
                             "no strategy is called \"%.*s\"; there are ddp, zero1, fsdp and deepspeed",
                             (int)parallel->call.name.length, parallel->call.name.text);
    parallel->data = (enum data_kind)kind;
    return read_options(context, parallel);
}

/* Axes that nothing is known of, or that the strategy has no use for. */
static int
check_axes(memmodel_context *context, const struct parallel *parallel)
{
    static const char *const apart[] = {"cp", "tp", "pp"};

    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++)
        if (mesh_size(&parallel->mesh, "ep") > 1 && mesh_size(&parallel->mesh, apart[i]) > 1)
            return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "mesh",
                                 "the axis ep is not modelled with %s; it is with dp or fsdp", apart[i]);
    if (mesh_size(&parallel->mesh, "ep") > 1 && parallel->data != DATA_FSDP)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "data",
                             "the axis ep needs the strategy fsdp, which does not share experts with ranks that have "
                             "others");
    if (parallel->data != DATA_FSDP && mesh_size(&parallel->mesh, "fsdp") > 1)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                             "the axis fsdp needs the strategy fsdp; %s has the axis dp",
                             strategy_names[parallel->data]);
    return 0;
}

/* Parameters are sharded over fsdp where the mesh has it, and replicated over dp: HSDP. */
const char *
parallel_axis(const struct parallel *parallel)
{
    return mesh_size(&parallel->mesh, "fsdp") > 1 ? "fsdp" : "dp";
}

/* Two axes as one, in the order of the mesh: DeviceMesh._flatten() */
int64_t
parallel_place(const struct parallel *parallel, int64_t place, int64_t beside_place)
{
    const struct mesh *mesh = &parallel->mesh;
    const char *axis = parallel_axis(parallel);
    bool inside = true;

    for (size_t i = 0; i < mesh->count && strcmp(mesh->axes[i].name, axis) != 0; i++)
        inside = inside && strcmp(mesh->axes[i].name, parallel->beside) != 0;
    return inside ? place * parallel->beside_ranks + beside_place : beside_place * mesh_size(mesh, axis) + place;
}

static void
set_world(struct parallel *parallel)
{
    const char *axis = parallel_axis(parallel);

    parallel->context_ranks = mesh_size(&parallel->mesh, "cp");
    parallel->expert_ranks = mesh_size(&parallel->mesh, "ep");
    parallel->beside = parallel->expert_ranks > 1 ? "ep" : "cp";
    parallel->beside_ranks = mesh_size(&parallel->mesh, parallel->beside);
    parallel->beside_place = mesh_place(&parallel->mesh, parallel->rank, parallel->beside);
    parallel->world = mesh_size(&parallel->mesh, axis) * parallel->beside_ranks;
    parallel->place =
        parallel_place(parallel, mesh_place(&parallel->mesh, parallel->rank, axis), parallel->beside_place);
    parallel->tensor_ranks = mesh_size(&parallel->mesh, "tp");
    parallel->tensor_place = mesh_place(&parallel->mesh, parallel->rank, "tp");
    parallel->pipeline_ranks = mesh_size(&parallel->mesh, "pp");
    parallel->pipeline_place = mesh_place(&parallel->mesh, parallel->rank, "pp");
    parallel->replicas = parallel->mesh.ranks / parallel->tensor_ranks / parallel->pipeline_ranks / parallel->world;
}

static int
check_reshard(memmodel_context *context, const struct parallel *parallel)
{
    const struct reshard_option *reshard = &parallel->options.reshard_after_forward;

    if (reshard->kind != RESHARD_PARTS || parallel->world % reshard->parts == 0)
        return 0;
    return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "data",
                         "reshard_after_forward=%" PRId64 " does not divide the %" PRId64
                         " ranks that parameters are sharded over",
                         reshard->parts, parallel->world);
}

static bool
has_argument(struct call_text call, const char *name)
{
    struct call_argument argument;

    while (call_next(&call, &argument))
        if (text_part_is(&argument.key, name))
            return true;
    return false;
}

/* What DeepSpeed refuses, and what of it is not modelled. */
static int
check_zero(memmodel_context *context, const struct memmodel_job *job, struct parallel *parallel)
{
    struct zero_options *zero = &parallel->options.zero;
    bool is_half = zero->bf16 || zero->fp16, on_gpu = strcmp(job->device, "cuda") == 0;
    const char *wrong = NULL;

    if (parallel->data != DATA_DEEPSPEED)
        return 0;
    if (zero->stage < 1 || zero->stage > 3)
        wrong = "deepspeed needs its stage; write stage=1, stage=2 or stage=3";
    else if (zero->bf16 && zero->fp16)
        wrong = "deepspeed computes in bf16 or in fp16, not in both";
    else if (zero->reduce_bucket_size < 1 || zero->sub_group_size < 1)
        wrong = "reduce_bucket_size and sub_group_size are at least 1";
    else if (zero->offload_param && zero->stage < 3)
        wrong = "offload_param is for stage=3";
    else if ((zero->offload_param || zero->offload_optimizer) && !on_gpu)
        wrong = "offload_optimizer and offload_param are modelled on a GPU alone, whose host is not counted";
    else if (zero->stage == 3 && parallel->world == 1)
        wrong = "stage=3 of one rank is not modelled; stage=2 keeps the same there";
    else if (zero->stage == 1 && is_half && zero->grad_accum_dtype == MEMMODEL_DTYPE_FLOAT32)
        wrong = "grad_accum_dtype=float32 is not modelled with stage=1, which takes another optimizer then; stage=2 is";
    else if (parallel->pipeline_ranks > 1)
        wrong = "deepspeed is not modelled within a pipeline; fsdp is";
    if (wrong)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "data", "%s", wrong);
    if (is_half)
        parallel->options.param_dtype = zero->bf16 ? MEMMODEL_DTYPE_BFLOAT16 : MEMMODEL_DTYPE_FLOAT16;
    zero->contiguous_gradients = zero->contiguous_gradients || zero->offload_optimizer;
    if (zero->stage == 3 && !has_argument(parallel->call, "overlap_comm")) /* config.py, overlap_comm_valid */
        zero->overlap_comm = true;
    return 0;
}

static int
check_tensor(memmodel_context *context, const struct parallel *parallel)
{
    if (parallel->tensor_ranks > 1 && !parallel->tensor)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "tensor",
                             "%" PRId64 " ranks share the modules, but nothing says how; give a tensor plan such as "
                             "\"colwise=layers.*.(q|k|v), rowwise=layers.*.o\"",
                             parallel->tensor_ranks);
    if (parallel->tensor_ranks > 1 && parallel->data != DATA_NONE && parallel->data != DATA_FSDP)
        return context_error(
            context, MEMMODEL_ERROR_UNSUPPORTED, "data",
            "%s takes no modules whose parameters are DTensors, as a tensor plan makes them; fsdp does",
            strategy_names[parallel->data]);
    if (parallel->tensor && mesh_size(&parallel->mesh, "tp") == 1 && parallel->mesh.count == 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                             "a tensor plan needs a mesh with the axis tp, such as \"tp=4\"");
    return 0;
}

static int
find_world(memmodel_context *context, struct parallel *parallel)
{
    int status = check_axes(context, parallel);

    if (status)
        return status;
    set_world(parallel);
    if (parallel->data == DATA_NONE && parallel->world * parallel->replicas > 1)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "data",
                             "%" PRId64 " ranks share their data, but nothing says how; give a strategy such as ddp",
                             parallel->world * parallel->replicas);
    status = check_tensor(context, parallel);
    if (status)
        return status;
    if (parallel->data != DATA_NONE && parallel->mesh.count == 0)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "mesh",
                             "%s needs a mesh with the axis dp, such as \"dp=8\"", strategy_names[parallel->data]);
    return check_reshard(context, parallel);
}

/*
 * PyTorch asserts in the second step, but for 1f1b with a forward pass after the first backward pass: the reducer has
 * rebuilt its buckets then (torch/csrc/distributed/c10d/reducer.cpp, _rebuild_buckets).
 */
static int
check_stages(memmodel_context *context, const struct parallel *parallel)
{
    const struct data_options *given = &parallel->options;

    if (parallel->data != DATA_DDP && parallel->data != DATA_ZERO1)
        return 0;
    if (given->find_unused_parameters || given->static_graph)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "data",
                             "find_unused_parameters and static_graph are not modelled within a pipeline");
    if (parallel->pipeline.kind == PIPELINE_1F1B && parallel->pipeline.microbatches > parallel->pipeline.stages)
        return 0;
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "data",
                         "PyTorch stops in the second step of a pipeline with %s, but for 1f1b with more microbatches "
                         "than stages; fsdp has no such limit",
                         strategy_names[parallel->data]);
}

static int
find_pipeline(memmodel_context *context, const char *text, const struct memmodel_job *job, struct parallel *parallel)
{
    int status = pipeline_read(context, text, parallel->pipeline_ranks, &parallel->pipeline);

    if (status)
        return status;
    if (parallel->pipeline.kind == PIPELINE_NONE && parallel->pipeline_ranks > 1)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "pipeline",
                             "%" PRId64 " ranks share the stages, but nothing says which; give a pipeline such as "
                             "\"1f1b(microbatches=8, cut=layers.4)\"",
                             parallel->pipeline_ranks);
    status = parallel->pipeline_ranks > 1 ? check_stages(context, parallel) : 0;
    if (status)
        return status;
    if (parallel->pipeline_ranks > 1 && (job->gradient_accumulation > 1 || job->mode != MEMMODEL_MODE_TRAINING))
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "pipeline",
                             "a pipeline is simulated in training, its batch in microbatches alone");
    return 0;
}

/* A CPU has no kernel that the ring could call. */
static int
find_ring(memmodel_context *context, const char *text, const struct memmodel_job *job, struct parallel *parallel)
{
    int status = ring_read(context, text, &parallel->ring);

    if (status || parallel->context_ranks == 1)
        return status;
    if (strcmp(job->device, "cuda") != 0)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "mesh",
                             "the axis cp is modelled on a GPU alone, as context_parallel() is; give a gpu");
    if (parallel->data == DATA_DEEPSPEED)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "mesh",
                             "deepspeed is not modelled with the axis cp; fsdp and ddp are");
    return 0;
}

static int
find_experts(memmodel_context *context, const char *text, struct parallel *parallel)
{
    parallel->balanced_experts = text && strcmp(text, "balanced") == 0;
    if (!text || !*text || parallel->balanced_experts || strcmp(text, "all") == 0)
        return 0;
    return context_error(
        context, MEMMODEL_ERROR_INVALID_ARGUMENT, "experts",
        "\"%s\" is no assumption of how tokens are routed; there are all, by which all of them may come "
        "to one rank, and balanced",
        text);
}

static int
check_offload(memmodel_context *context, const struct memmodel_job *job, const struct parallel *parallel)
{
    if (!parallel->options.offload || strcmp(job->device, "cpu") == 0)
        return 0;
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "data",
                         "offload_policy is modelled on a CPU alone, where it changes nothing");
}

static int
find_backend(memmodel_context *context, const char *name, const struct memmodel_job *job, struct parallel *parallel)
{
    parallel->gloo = strcmp(name && *name ? name : strcmp(job->device, "cuda") == 0 ? "nccl" : "gloo", "gloo") == 0;
    if (!name || !*name || parallel->gloo || strcmp(name, "nccl") == 0)
        return 0;
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "backend", "unknown backend \"%s\"; known are gloo, nccl",
                         name);
}

static int
read_all(memmodel_context *context, const struct memmodel_parallel *given, const struct memmodel_job *job,
         struct parallel *parallel)
{
    static const char *const axes[] = {"dp", "fsdp", "tp", "pp", "ep", "cp", NULL};
    int status = mesh_parse(context, given->mesh, axes, &parallel->mesh);

    if (status)
        return status;
    if (given->rank < 0 || given->rank >= parallel->mesh.ranks)
        return context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "rank",
                             "rank %" PRId64 " is none of the mesh, whose ranks are 0 to %" PRId64, given->rank,
                             parallel->mesh.ranks - 1);
    parallel->rank = given->rank;
    parallel->tensor = given->tensor && *given->tensor ? given->tensor : NULL;
    status = find_backend(context, given->backend, job, parallel);
    if (!status)
        status = flag_check(context, "meta_device", "meta_device", given->meta_device);
    if (!status && given->reserved)
        status = context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "reserved", "it must be 0");
    parallel->meta_device = given->meta_device != 0;
    if (!status)
        status = find_strategy(context, given->data, parallel);
    if (!status)
        status = find_world(context, parallel);
    if (!status)
        status = find_pipeline(context, given->pipeline, job, parallel);
    if (!status)
        status = find_ring(context, given->context, job, parallel);
    if (!status)
        status = find_experts(context, given->experts, parallel);
    if (!status)
        status = check_offload(context, job, parallel);
    if (!status)
        status = check_zero(context, job, parallel);
    if (!status && parallel->data != DATA_NONE && job->mode != MEMMODEL_MODE_TRAINING)
        status =
            context_error(context, MEMMODEL_ERROR_UNSUPPORTED, "data",
                          "%s is simulated in training alone; give the mode training", strategy_names[parallel->data]);
    if (!status && parallel->world * parallel->replicas == 1 && parallel->data != DATA_DEEPSPEED)
        parallel->data = DATA_NONE; /* nothing is shared */
    return status;
}

/* deepspeed/runtime/zero/config.py */
static const struct zero_options default_zero = {
    .reduce_bucket_size = 500000000,
    .allgather_bucket_size = 500000000,
    .sub_group_size = 1000000000,
    .prefetch_bucket_size = 50000000,
    .param_persistence_threshold = 100000,
    .max_live_parameters = 1000000000,
    .max_reuse_distance = 1000000000,
    .contiguous_gradients = true,
    .reduce_scatter = true,
    .grad_accum_dtype = NO_DTYPE,
};

int
parallel_read(memmodel_context *context, const struct memmodel_job *job, struct parallel *parallel)
{
    struct memmodel_parallel given;
    int status;

    *parallel = (struct parallel){
        .mesh = {.ranks = 1},
        .world = 1,
        .replicas = 1,
        .tensor_ranks = 1,
        .pipeline_ranks = 1,
        .beside = "cp",
        .beside_ranks = 1,
        .context_ranks = 1,
        .expert_ranks = 1,
        .options =
            {
                .broadcast_buffers = true,
                .no_sync = true,
                .param_dtype = NO_DTYPE,
                .reduce_dtype = NO_DTYPE,
                .zero = default_zero,
            },
    };
    if (!job->parallel)
        return 0;
    status = options_copy(context, "memmodel_parallel", job->parallel, &given, sizeof given);
    return status ? status : read_all(context, &given, job, parallel);
}
