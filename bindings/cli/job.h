/* The options that `memmodel estimate` and `memmodel layers` share: a network's file and how it is run. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include "command.h"

struct job_options {
    struct option_list set;
    const char *framework, *rule, *device, *optimizer, *isa, *precision, *checkpoint, *gpu, *allocator, *optimization,
        *measure;
    int64_t threads, steps, base_bytes, accumulate;
    bool inference, keep_gradients;
};

/* Rows of an option table whose struct has a struct job_options as its member `job`. */
#define JOB_OPTIONS(type)                                                                                              \
    {"set", 's', OPTION_LIST, "NAME=VALUE", "value of a symbol, such as batch=8", offsetof(type, job.set)},            \
        {"framework",                                                                                                  \
         'f',                                                                                                          \
         OPTION_TEXT,                                                                                                  \
         "NAME",                                                                                                       \
         "pytorch, tensorflow, onnxruntime or textbook",                                                               \
         offsetof(type, job.framework)},                                                                               \
        {"rule",                                                                                                       \
         0,                                                                                                            \
         OPTION_TEXT,                                                                                                  \
         "NAME",                                                                                                       \
         "of the textbook: forward, outputs, cs231n or slots",                                                         \
         offsetof(type, job.rule)},                                                                                    \
        {"device", 'd', OPTION_TEXT, "NAME", "cpu, or cuda with --gpu", offsetof(type, job.device)},                   \
        {"optimizer",                                                                                                  \
         'O',                                                                                                          \
         OPTION_TEXT,                                                                                                  \
         "NAME",                                                                                                       \
         "sgd, momentum, adam, adamw, ... or none",                                                                    \
         offsetof(type, job.optimizer)},                                                                               \
        {"isa",                                                                                                        \
         0,                                                                                                            \
         OPTION_TEXT,                                                                                                  \
         "NAME",                                                                                                       \
         "CPU that runs the job: avx2, avx512, amx, or native for this one",                                           \
         offsetof(type, job.isa)},                                                                                     \
        {"threads", 't', OPTION_INTEGER, "N", "threads the framework computes with", offsetof(type, job.threads)},     \
        {"steps", 0, OPTION_INTEGER, "N", "steps to simulate", offsetof(type, job.steps)},                             \
        {"base-bytes",                                                                                                 \
         0,                                                                                                            \
         OPTION_BYTES,                                                                                                 \
         "BYTES",                                                                                                      \
         "tensorflow: of the process just before training",                                                            \
         offsetof(type, job.base_bytes)},                                                                              \
        {"precision",                                                                                                  \
         'p',                                                                                                          \
         OPTION_TEXT,                                                                                                  \
         "NAME",                                                                                                       \
         "pytorch: autocast to bfloat16 or float16",                                                                   \
         offsetof(type, job.precision)},                                                                               \
        {"accumulate",                                                                                                 \
         0,                                                                                                            \
         OPTION_INTEGER,                                                                                               \
         "N",                                                                                                          \
         "pytorch: batches a step of the optimizer",                                                                   \
         offsetof(type, job.accumulate)},                                                                              \
        {"keep-gradients",                                                                                             \
         0,                                                                                                            \
         OPTION_FLAG,                                                                                                  \
         NULL,                                                                                                         \
         "pytorch: zero_grad(set_to_none=False)",                                                                      \
         offsetof(type, job.keep_gradients)},                                                                          \
        {"checkpoint",                                                                                                 \
         'c',                                                                                                          \
         OPTION_TEXT,                                                                                                  \
         "LAYERS",                                                                                                     \
         "pytorch: scopes to compute again in the backward pass, such as 'encoder.*'",                                 \
         offsetof(type, job.checkpoint)},                                                                              \
        {"gpu", 'g', OPTION_TEXT, "NAME", "kind of GPU to run on, such as h100", offsetof(type, job.gpu)},             \
        {"allocator",                                                                                                  \
         0,                                                                                                            \
         OPTION_TEXT,                                                                                                  \
         "SETTINGS",                                                                                                   \
         "of the GPU's allocator, as in PYTORCH_ALLOC_CONF",                                                           \
         offsetof(type, job.allocator)},                                                                               \
        {"optimization",                                                                                               \
         0,                                                                                                            \
         OPTION_TEXT,                                                                                                  \
         "LEVEL",                                                                                                      \
         "onnxruntime: disable, basic, extended or all",                                                               \
         offsetof(type, job.optimization)},                                                                            \
    {                                                                                                                  \
        "inference", 'i', OPTION_FLAG, NULL, "forward pass only", offsetof(type, job.inference)                        \
    }

/* The row of --measure, for commands with a budget. */
#define MEASURE_OPTION(type)                                                                                           \
    {                                                                                                                  \
        "measure", 0, OPTION_TEXT, "NAME",                                                                             \
            "bytes that --budget limits: live, reserved or process; process unless given, live of the textbook",       \
            offsetof(type, job.measure)                                                                                \
    }

/* The job of these options; `symbols` has room for job->set.count values. EXIT_OK, or EXIT_USAGE after a message. */
int
job_from_options(const struct command *command, const struct job_options *options,
                 struct memmodel_symbol_value *symbols, struct memmodel_job *job);

/* The network in `operands` (a single path). EXIT_OK, or another exit code after a message. */
int
job_load_network(const struct command *command, memmodel_context *context, char **operands, int count,
                 memmodel_network **network);

/* What the report estimated roughly and whether its bytes were ever compared with measured ones, if it has to be said. */
void
job_print_doubts(const memmodel_report *report);

/* The per-layer table on stdout; with bytes at the peak if the report has them. EXIT_OK or EXIT_FAILED. */
int
job_print_layers(const struct command *command, const memmodel_report *report);

#endif
