/*
 * Types of a cache's elements: vllm/utils/torch_utils.py; nvfp4 has a byte for each 16 elements besides (kv_cache_utils.py,
 * nvfp4_kv_cache_full_dim). Of llama.cpp ggml-common.h.
 */
#include "serving/kv.h"

#include "base/checked.h"
#include "base/text.h"

#include <string.h>

static const struct kv_type types[] = {
    {"float32", 1, 4},     {"f32", 1, 4},    {"float16", 1, 2},   {"fp16", 1, 2},     {"f16", 1, 2},
    {"bfloat16", 1, 2},    {"bf16", 1, 2},   {"fp8", 1, 1},       {"fp8_e4m3", 1, 1}, {"fp8_e5m2", 1, 1},
    {"int8", 1, 1},        {"nvfp4", 16, 9}, {"fp4_e2m1", 16, 9}, {"q8_0", 32, 34},   {"q5_1", 32, 24},
    {"q5_0", 32, 22},      {"q4_1", 32, 20}, {"q4_0", 32, 18},    {"iq4_nl", 32, 18}, {"float8_e4m3fn", 1, 1},
    {"float8_e5m2", 1, 1},
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

static int
unknown(memmodel_context *context, const char *name)
{
    struct text names = TEXT_INIT(context);
    int status;

    for (size_t i = 0; i < TYPE_COUNT; i++)
        text_printf(&names, "%s%s", i ? ", " : "", types[i].name);
    status =
        context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "kv",
                      "no cache is made of \"%.40s\"; there are auto, %s", name, names.failed ? "others" : names.bytes);
    text_release(&names);
    return status;
}

int
kv_find(memmodel_context *context, const char *name, enum element element, bool is_fp8, struct kv_type *type)
{
    if (!name || !*name || strcmp(name, "auto") == 0)
        name = is_fp8 ? "fp8" : element_name(element);
    if (strncmp(name, "torch.", 6) == 0)
        name += 6;
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0) {
            *type = types[i];
            return 0;
        }
    return unknown(context, name);
}

int64_t
kv_bytes(const struct kv_type *type, int64_t elements)
{
    return ceil_divide(elements, type->block) * type->bytes;
}
