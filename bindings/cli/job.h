/* What the commands about a network share: its file, how it is run, its budget. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "command.h"

/* Named as the fields of struct memmodel_job. */
struct job_options {
    struct option_list set, input;
    const char *framework, *textbook_rule, *device, *optimizer, *isa, *precision, *checkpoint, *gpu,
        *allocator_settings, *cublas_workspace, *graph_optimization, *framework_version, *metric, *mode, *mesh, *data,
        *tensor, *pipeline, *context, *experts, *backend, *loss, *lora_targets, *quantization, *compute_dtype;
    int64_t intra_op_threads, steps, base_bytes, gradient_accumulation, budget, rank, safety_percent, lora;
    bool keep_gradients, meta_device, double_quantization, prepare_kbit, no_gradient_checkpointing;
};

/* A row for a field of the struct's member `job`; the macro keeps a row on one line. */
#define JOB_OPTION(type, name, kind, argument, help, field)                                                            \
    {                                                                                                                  \
        name, 0, kind, argument, help, offsetof(type, job.field)                                                       \
    }

/* Rows of an option table whose struct has a struct job_options as its member `job`. */
#define JOB_OPTIONS(type)                                                                                              \
    {"set",                                                                                                            \
     's',                                                                                                              \
     OPTION_LIST,                                                                                                      \
     "NAME=VALUE",                                                                                                     \
     "values of symbols, such as batch=8 or batch=8,dim=48",                                                           \
     offsetof(type, job.set)},                                                                                         \
        {"input",                                                                                                      \
         0,                                                                                                            \
         OPTION_LIST,                                                                                                  \
         "SHAPE",                                                                                                      \
         "of train.py:Net and hf:ORG/MODEL: an input, such as 8,3,224,224 or 8,128:int64",                             \
         offsetof(type, job.input)},                                                                                   \
        JOB_OPTION(type, "loss", OPTION_TEXT, "NAME", "of train.py:Net: cross_entropy or mse", loss),                  \
        JOB_OPTION(type, "lora", OPTION_INTEGER, "RANK", "of a config.json, hf:ORG/MODEL: train adapters alone",       \
                   lora),                                                                                              \
        JOB_OPTION(type, "lora-targets", OPTION_TEXT, "NAMES", "modules with an adapter, such as q_proj,v_proj",       \
                   lora_targets),                                                                                      \
        JOB_OPTION(type, "quantization", OPTION_TEXT, "NAME", "of a config.json, hf:ORG/MODEL: weights, nf4 or none",  \
                   quantization),                                                                                      \
        JOB_OPTION(type, "double-quantization", OPTION_FLAG, NULL, "of nf4: its scales are quantized as well",         \
                   double_quantization),                                                                               \
        JOB_OPTION(type, "compute-dtype", OPTION_TEXT, "NAME", "of nf4: type of its products, bnb_4bit_compute_dtype", \
                   compute_dtype),                                                                                     \
        JOB_OPTION(type, "prepare-kbit", OPTION_FLAG, NULL, "as peft's prepare_model_for_kbit_training() leaves it",   \
                   prepare_kbit),                                                                                      \
        JOB_OPTION(type, "no-gradient-checkpointing", OPTION_FLAG, NULL, "of --prepare-kbit: layers are kept",         \
                   no_gradient_checkpointing),                                                                         \
        JOB_OPTION(type, "framework", OPTION_TEXT, "NAME", "pytorch, tensorflow, onnxruntime or textbook", framework), \
        JOB_OPTION(type, "framework-version", OPTION_TEXT, "VERSION",                                                  \
                   "pytorch: such as 2.14; the newest unless given", framework_version),                               \
        JOB_OPTION(type, "textbook-rule", OPTION_TEXT, "NAME", "of the textbook: forward, outputs, cs231n or slots",   \
                   textbook_rule),                                                                                     \
        JOB_OPTION(type, "mode", OPTION_TEXT, "NAME",                                                                  \
                   "training, inference, or forward: the forward pass with autograd on", mode),                        \
        JOB_OPTION(type, "device", OPTION_TEXT, "NAME", "cpu, or cuda with --gpu", device),                            \
        JOB_OPTION(type, "gpu", OPTION_TEXT, "NAME", "kind of GPU to run on, such as h100", gpu),                      \
        JOB_OPTION(type, "allocator-settings", OPTION_TEXT, "SETTINGS",                                                \
                   "of the GPU's allocator, as in PYTORCH_ALLOC_CONF", allocator_settings),                            \
        JOB_OPTION(type, "cublas-workspace", OPTION_TEXT, "SIZES", "of the GPU, as in CUBLAS_WORKSPACE_CONFIG",        \
                   cublas_workspace),                                                                                  \
        JOB_OPTION(type, "isa", OPTION_TEXT, "NAME",                                                                   \
                   "CPU that runs the job: avx2, avx512, amx, or native for this one", isa),                           \
        JOB_OPTION(type, "intra-op-threads", OPTION_INTEGER, "N", "threads the framework computes with",               \
                   intra_op_threads),                                                                                  \
        JOB_OPTION(type, "optimizer", OPTION_TEXT, "NAME", "sgd, momentum, adam, adamw, ... or none", optimizer),      \
        JOB_OPTION(type, "steps", OPTION_INTEGER, "N", "steps to simulate", steps),                                    \
        JOB_OPTION(type, "precision", OPTION_TEXT, "NAME", "pytorch: autocast to bfloat16 or float16", precision),     \
        JOB_OPTION(type, "gradient-accumulation", OPTION_INTEGER, "N", "pytorch: batches a step of the optimizer",     \
                   gradient_accumulation),                                                                             \
        JOB_OPTION(type, "keep-gradients", OPTION_FLAG, NULL, "pytorch: zero_grad(set_to_none=False)",                 \
                   keep_gradients),                                                                                    \
        JOB_OPTION(type, "checkpoint", OPTION_TEXT, "SCOPES",                                                          \
                   "pytorch: scopes that are recomputed in the backward pass, such as 'encoder.*'", checkpoint),       \
        JOB_OPTION(type, "mesh", OPTION_TEXT, "AXES", "pytorch: processes that train together, such as dp=8", mesh),   \
        JOB_OPTION(type, "data", OPTION_TEXT, "STRATEGY",                                                              \
                   "pytorch: how they share their data, such as 'ddp(bucket_cap_mb=25)'", data),                       \
        JOB_OPTION(type, "tensor", OPTION_TEXT, "PLAN",                                                                \
                   "pytorch: how they share layers, such as 'colwise=*.up, rowwise=*.down'", tensor),                  \
        JOB_OPTION(type, "pipeline", OPTION_TEXT, "SCHEDULE",                                                          \
                   "pytorch: stages and their order, such as '1f1b(microbatches=8, cut=layers.4)'", pipeline),         \
        JOB_OPTION(type, "context", OPTION_TEXT, "RING",                                                               \
                   "pytorch: how they share a sequence, such as 'ring(rotate_method=alltoall)'", context),             \
        JOB_OPTION(type, "experts", OPTION_TEXT, "ROUTING",                                                            \
                   "pytorch: tokens that a rank's experts get, by assumption: all or balanced", experts),              \
        JOB_OPTION(type, "meta-device", OPTION_FLAG, NULL,                                                             \
                   "pytorch: the module is built on the meta device, never as a whole", meta_device),                  \
        JOB_OPTION(type, "backend", OPTION_TEXT, "NAME", "pytorch: of collectives, gloo or nccl", backend),            \
        JOB_OPTION(type, "rank", OPTION_INTEGER, "N", "pytorch: the process that is estimated, from 0", rank),         \
        JOB_OPTION(type, "graph-optimization", OPTION_TEXT, "LEVEL", "onnxruntime: disable, basic, extended or all",   \
                   graph_optimization),                                                                                \
        JOB_OPTION(type, "base-bytes", OPTION_BYTES, "BYTES", "tensorflow: of the process just before training",       \
                   base_bytes)

/* Rows of --budget and of --metric, for commands whose answer depends on a budget; `help` of the budget. */
#define BUDGET_OPTIONS(type, help)                                                                                     \
    {"budget", 'b', OPTION_BYTES, "BYTES", help, offsetof(type, job.budget)},                                          \
        JOB_OPTION(type, "safety", OPTION_INTEGER, "PERCENT", "of the budget, that are to stay free", safety_percent), \
        JOB_OPTION(type, "metric", OPTION_TEXT, "NAME",                                                                \
                   "bytes that the budget limits: live, reserved or process; process unless given, live of the "       \
                   "textbook",                                                                                         \
                   metric)

/* What a command about a network works with. */
struct job_call {
    const struct command *command;
    memmodel_context *context;
    const void *options; /* of the command */
    const memmodel_network *network;
    struct memmodel_symbol_value *symbols; /* of the job, with a place more than --set gave */
    struct memmodel_parallel parallel;     /* of the job, where it has one */
    struct memmodel_job job;
};

typedef int (*job_answer)(struct job_call *call);

/*
 * Answers with the job of `given` and the network in `operands` (a single path). `call` has the command, the
 * context and the options. The answer's exit code, or another after a message.
 */
int
job_run(struct job_call *call, const struct job_options *given, char **operands, int count, job_answer answer);

/* The work of a command about a network alone: its answer. */
int
job_work(const struct command *command, memmodel_context *context, void *options, char **operands, int count);

/* Whether a path has the ending. */
bool
path_ends_with(const char *path, const char *ending);

/* Name of an option of the job that was given besides --set; NULL: none. */
const char *
job_given(const struct job_options *given);

/* Name of the metric that the job's budget limits. */
const char *
job_metric_name(const struct memmodel_job *job);

/* What the report estimated roughly and whether its bytes were compared with measured ones, where it has to be said. */
void
job_print_doubts(const memmodel_report *report);

/* The per-layer table on stdout; with bytes at the peak if the report has them. EXIT_OK or EXIT_FAILED. */
int
job_print_layers(const struct command *command, const memmodel_report *report);

#endif
