/* What may follow an option, where it is one of some names; the test of completion holds each against the library. */
#include "complete.h"

#include <string.h>

static const struct {
    const char *command; /* NULL: of any */
    const char *option, *values;
} rows[] = {
    {"campaign", "executor", "processes dask ray mpi slurm"},
    {"export", "format", "text c python latex sql json"},
    {"fit", "basis", "posynomial general user"},
    {"fit", "loss", "relative squared mape log-ratio absolute pinball"},
    {"fit", "selection", "one-standard-error description-length"},
    {"generate", "cache", "dynamic static"},
    {"predict", "bound", "conformal student-t"},
    {"serve", "engine", "vllm sglang llamacpp"},
    {"serve", "quantization", "none fp8 int8 nf4 awq gptq nvfp4 mxfp4"},
    {"serve", "kv", "auto bfloat16 float16 fp8 nvfp4 f16 q8_0 q4_0"},
    {"serve", "min", "tp pp"},
    {NULL, "backend", "gloo nccl"},
    {NULL, "experts", "all balanced"},
    {NULL, "device", "cpu cuda"},
    {NULL, "dtype", "float32 float16 bfloat16"},
    {NULL, "framework", "pytorch tensorflow onnxruntime textbook"},
    {NULL, "gpu",
     "t4 v100 v100-32gb rtx2080ti a100 a100-40gb a100-80gb a10 a40 rtx3060 rtx3090 a6000 l4 l40s rtx4060 rtx4090 h100 "
     "h200 b200 rtx5090"},
    {NULL, "graph-optimization", "disable basic extended all"},
    {NULL, "isa", "avx2 avx512 amx native"},
    {NULL, "loss", "cross_entropy mse"},
    {NULL, "metric", "live reserved process"},
    {NULL, "mode", "training inference forward"},
    {NULL, "optimizer", "none sgd momentum adam adamw nadam radam adamax rmsprop adagrad adadelta adafactor"},
    {NULL, "lora-targets", "all-linear q_proj v_proj k_proj o_proj gate_proj up_proj down_proj lm_head"},
    {NULL, "quantization", "none nf4"},
    {NULL, "compute-dtype", "float32 bfloat16 float16"},
    {NULL, "precision", "float32 bfloat16 float16"},
    {NULL, "textbook-rule", "forward outputs cs231n slots"},
};

const char *
completion_values(const struct command *command, const struct option *option)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].option, option->name) == 0 &&
            (!rows[i].command || strcmp(rows[i].command, command->name) == 0))
            return option->argument ? rows[i].values : NULL;
    return NULL;
}
