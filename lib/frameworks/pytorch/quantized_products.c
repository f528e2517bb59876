/*
 * Products with weights of bitsandbytes, four bits an element: the weight is unpacked in forward and again in backward, and
 * neither copy stays. bitsandbytes 0.50: autograd/_functions.py, MatMul4Bit; backends/default/ops.py,
 * _gemm_4bit_default_impl; functional.py, dequantize_4bit.
 *
 * On a GPU a product of few rows may run in a kernel that unpacks nothing: what is here is then its upper bound.
 */
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/autocast.h"
#include "network/attributes.h"

/* Inputs of the layer. A nested state is one whose scales are quantized as well. */
enum { PRODUCT_X, PRODUCT_WEIGHT, PRODUCT_SCALES, PRODUCT_BIAS, PRODUCT_OFFSET };

/* The scales in float32, where they are quantized as well; `adds` is one more tensor of them while an offset is added. */
static struct value *
unpacked_scales(struct step *step, const struct value *nested, bool adds)
{
    struct value *given, *scales;

    if (!nested)
        return NULL;
    given = adds ? value_vector(step, MEMMODEL_DTYPE_FLOAT32, value_elements(nested)) : NULL;
    scales = value_vector(step, MEMMODEL_DTYPE_FLOAT32, value_elements(nested));
    value_drop(step, given);
    return scales;
}

/* In the type that it had before it was packed; else the product's own. */
static int
unpacked_type(const struct layer *layer, int otherwise)
{
    if (attribute_is(layer, "weight", "bfloat16"))
        return MEMMODEL_DTYPE_BFLOAT16;
    if (attribute_is(layer, "weight", "float16"))
        return MEMMODEL_DTYPE_FLOAT16;
    return attribute_is(layer, "weight", "float32") ? MEMMODEL_DTYPE_FLOAT32 : otherwise;
}

/* torch.matmul(grad_output, dequantize_4bit(B).to(type)): saved are the packed weight, and the scales where they are nested. */
static void
packed_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct shape *given = &incoming[0]->shape;
    struct shape shape = {.dims = {given->dims[given->rank - 1], node->number}, .rank = 2, .dtype = given->dtype};
    struct value *scales = unpacked_scales(step, node->saved_count > 1 ? node->saved[1] : NULL, false);
    struct value *unpacked, *weight, *gradient = value_detach(step, incoming[0]);

    shape.dtype = unpacked_type(&step->network->layers[node->layer], given->dtype);
    unpacked = value_empty(step, &shape);
    value_drop(step, scales);
    weight = aten_cast(step, unpacked, given->dtype);
    value_drop(step, unpacked);
    gradients[0] = aten_matmul(step, gradient, weight);
    value_drop(step, gradient);
    value_drop(step, weight);
}

static void
packed_forward(struct step *step, const struct layer *layer, int detail)
{
    static const struct derivative derivative = {"MatMul4Bit", packed_backward};
    struct value *x = step_input(step, layer, PRODUCT_X), *plain = value_detach(step, x), *scales, *weight, *result;
    struct value *nested = step_input(step, layer, PRODUCT_OFFSET) ? step_input(step, layer, PRODUCT_SCALES) : NULL;
    struct shape whole = step_output_shape(step, layer, 0), shape = {.rank = 2, .dtype = x->shape.dtype};
    struct node *node;

    (void)detail;
    if (step->parallel.data == DATA_FSDP || step->parallel.data == DATA_DEEPSPEED || step->tensor)
        step_unmodelled(step, "shards of packed weights", step_input(step, layer, PRODUCT_WEIGHT)->storage->bytes);
    shape.dims[0] = whole.rank ? whole.dims[whole.rank - 1] : 1;
    shape.dims[1] = x->shape.dims[x->shape.rank - 1];
    scales = unpacked_scales(step, nested, true);
    weight = value_empty(step, &shape);
    result = aten_linear(step, plain, weight, step_input(step, layer, PRODUCT_BIAS));
    value_drop(step, weight);
    value_drop(step, scales);
    value_drop(step, plain);
    node = step_record(step, &derivative, result, 1, &x);
    step_save(step, node, step_input(step, layer, PRODUCT_WEIGHT));
    step_save(step, node, nested);
    if (node)
        node->number = shape.dims[1];
    step_output(step, layer, 0, result);
}

static const struct aten_op_rule products[] = {
    {"bitsandbytes.matmul_4bit", packed_forward, 0, "111"},
};

const struct aten_ops aten_op_quantized = ATEN_OPS(products);
