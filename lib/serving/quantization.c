/*
 * How weights are packed. Layouts: vllm/model_executor/layers/quantization (fp8.py, awq_marlin.py, gptq_marlin.py,
 * bitsandbytes.py, modelopt.py, mxfp4.py) and compressed-tensors; of llama.cpp ggml-common.h.
 */
#include "serving/quantization.h"

#include "base/checked.h"
#include "base/text.h"

#include <string.h>

const char *
element_name(enum element element)
{
    static const char *const names[] = {
        [ELEMENT_FLOAT32] = "float32", [ELEMENT_FLOAT16] = "float16", [ELEMENT_BFLOAT16] = "bfloat16"};

    return names[element];
}

bool
element_of_name(const char *name, enum element *element)
{
    static const struct {
        const char *name;
        enum element element;
    } rows[] = {{"float32", ELEMENT_FLOAT32}, {"float", ELEMENT_FLOAT32},     {"fp32", ELEMENT_FLOAT32},
                {"float16", ELEMENT_FLOAT16}, {"half", ELEMENT_FLOAT16},      {"fp16", ELEMENT_FLOAT16},
                {"f16", ELEMENT_FLOAT16},     {"bfloat16", ELEMENT_BFLOAT16}, {"bf16", ELEMENT_BFLOAT16}};

    if (strncmp(name, "torch.", 6) == 0)
        name += 6;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *element = rows[i].element;
            return true;
        }
    return false;
}

/* ---- by name ---- */

static const struct quantization named[] = {
    {.packing = PACKING_NONE, .name = "none"},
    {.packing = PACKING_FP8, .name = "fp8", .per_channel = true},
    {.packing = PACKING_INT8, .name = "int8"},
    {.packing = PACKING_INT8, .name = "bnb-int8"},
    {.packing = PACKING_NF4, .name = "nf4"},
    {.packing = PACKING_INTEGERS, .name = "awq", .bits = 4, .group = 128, .has_zeros = true},
    {.packing = PACKING_INTEGERS, .name = "gptq", .bits = 4, .group = 128, .has_order = true},
    {.packing = PACKING_NVFP4, .name = "nvfp4"},
    {.packing = PACKING_MXFP4, .name = "mxfp4"},
    {.packing = PACKING_GGML, .name = "q4_0", .group = 32, .block_bytes = 18},
    {.packing = PACKING_GGML, .name = "q4_1", .group = 32, .block_bytes = 20},
    {.packing = PACKING_GGML, .name = "q5_0", .group = 32, .block_bytes = 22},
    {.packing = PACKING_GGML, .name = "q5_1", .group = 32, .block_bytes = 24},
    {.packing = PACKING_GGML, .name = "q8_0", .group = 32, .block_bytes = 34},
};

int
quantization_find(memmodel_context *context, const char *name, struct quantization *quantization)
{
    enum { COUNT = sizeof named / sizeof named[0] };
    struct text names = TEXT_INIT(context);
    int status;

    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(named[i].name, name) == 0) {
            *quantization = named[i];
            quantization->keeps[PART_HEAD] = named[i].packing != PACKING_GGML;
            return 0;
        }
    for (size_t i = 0; i < COUNT; i++)
        text_printf(&names, "%s%s", i ? ", " : "", named[i].name);
    status = context_error(context, MEMMODEL_ERROR_INVALID_ARGUMENT, "quantization",
                           "there is no \"%.40s\"; there are %s", name, names.failed ? "others" : names.bytes);
    text_release(&names);
    return status;
}

/* ---- bytes ---- */

static const int64_t MAX_ELEMENTS = INT64_C(1) << 56; /* of a tensor: bytes, scales and sums of them fit */

/* a * b * c, none of them negative. */
static bool
product(int64_t a, int64_t b, int64_t c, int64_t *result)
{
    return checked_multiply(a, b, result) && checked_multiply(*result, c, result);
}

static bool
fp8_bytes(const struct quantization *quantization, int64_t count, int64_t rows, int64_t columns, struct packed *packed)
{
    int64_t side = quantization->square;

    if (side)
        packed->scales = 4 * count * ceil_divide(rows, side) * ceil_divide(columns, side);
    else
        packed->scales = 4 * count * (quantization->per_channel ? rows : 1);
    return product(count, rows, columns, &packed->weight);
}

/* Bits of integers side by side, and for each group of a row a scale and a zero of as many bits. */
static bool
integer_bytes(const struct quantization *quantization, int64_t count, int64_t rows, int64_t columns,
              struct packed *packed)
{
    int64_t groups = quantization->group ? ceil_divide(columns, quantization->group) : 1, elements, bits;

    if (!product(count, rows, columns, &elements) || !checked_multiply(elements, quantization->bits, &bits))
        return false;
    packed->weight = ceil_divide(bits, 8);
    packed->scales = 2 * count * rows * groups;
    packed->zeros = quantization->has_zeros ? ceil_divide(count * rows * groups * quantization->bits, 8) : 0;
    packed->order = quantization->has_order ? 4 * count * columns : 0;
    return true;
}

/* Blocks of `group` elements of a row in `block_bytes`, scale bytes apart. */
static bool
block_bytes(int64_t count, int64_t rows, int64_t columns, int64_t group, int64_t bytes, int64_t *total)
{
    int64_t blocks;

    return product(count, rows, ceil_divide(columns, group), &blocks) && checked_multiply(blocks, bytes, total);
}

bool
quantization_bytes(const struct quantization *quantization, enum element element, int64_t count, int64_t rows,
                   int64_t columns, struct packed *packed)
{
    int64_t elements;

    *packed = (struct packed){0};
    if (!product(count, rows, columns, &elements) || elements > MAX_ELEMENTS)
        return false;
    switch (quantization->packing) {
    case PACKING_FP8:
        return fp8_bytes(quantization, count, rows, columns, packed);
    case PACKING_INT8:
        packed->scales = 4 * count * rows;
        return product(count, rows, columns, &packed->weight);
    case PACKING_NF4:
        return block_bytes(count, rows, columns, 2, 1, &packed->weight) &&
               block_bytes(count, rows, columns, 64, 4, &packed->scales);
    case PACKING_INTEGERS:
        return integer_bytes(quantization, count, rows, columns, packed);
    case PACKING_NVFP4:
        return block_bytes(count, rows, columns, 2, 1, &packed->weight) &&
               block_bytes(count, rows, columns, 16, 1, &packed->scales);
    case PACKING_MXFP4:
        return block_bytes(count, rows, columns, 2, 1, &packed->weight) &&
               block_bytes(count, rows, columns, 32, 1, &packed->scales);
    case PACKING_GGML:
        return block_bytes(count, rows, columns, quantization->group, quantization->block_bytes, &packed->weight);
    case PACKING_NONE:
        break;
    }
    return product(count, rows, columns, &packed->weight) &&
           checked_multiply(packed->weight, element_bytes(element), &packed->weight);
}
