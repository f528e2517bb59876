/* Matrix products and recurrent layers. */
#include "import/onnx_import.h"

#include <string.h>

/* A stored matrix of constant size. */
static bool
is_stored_matrix(const struct value *value)
{
    return value->stored && value->shape.rank == 2 && value->shape.dims[0] > 0 && value->shape.dims[1] > 0;
}

static void
require_equal(struct import *import, memmodel_dim given, memmodel_dim needed)
{
    if (given >= 0 && needed >= 0 && given != needed)
        import_error(import, MEMMODEL_ERROR_SHAPE, "a row of %lld elements times a column of %lld", (long long)given,
                     (long long)needed);
}

/* x times a stored matrix, [in, units] unless it is transposed. */
static memmodel_tensor
build_linear(struct import *import, const struct value *x, bool transposed, const char *name, bool bias)
{
    const struct value *weight = node_value(import, 1);
    memmodel_tensor tensor = node_tensor(import, 0);
    struct memmodel_linear linear = {
        .size = sizeof linear,
        .name = name,
        .units = weight->shape.dims[transposed ? 0 : 1],
        .no_bias = !bias,
    };

    require_equal(import, x->shape.dims[x->shape.rank - 1], weight->shape.dims[transposed ? 1 : 0]);
    node_use(import, "weight", 1);
    if (bias)
        node_use(import, "bias", 2);
    return node_ready(import) ? memmodel_network_linear(import->network, tensor, &linear) : MEMMODEL_TENSOR_NONE;
}

/* A vector times something, or something times a vector: NumPy adds a dimension and takes it away again. */
static void
build_vector_product(struct import *import, const struct value *a, const struct value *b)
{
    struct memmodel_shape y = {.dtype = a->shape.dtype};

    if (a->shape.rank == 0 || b->shape.rank == 0) {
        import_error(import, MEMMODEL_ERROR_SHAPE, "a scalar is no matrix");
        return;
    }
    for (int i = 0; i < a->shape.rank - 1; i++)
        y.dims[y.rank++] = a->shape.dims[i];
    for (int i = 0; i < b->shape.rank - 2; i++)
        y.dims[y.rank++] = b->shape.dims[i];
    if (b->shape.rank > 1)
        y.dims[y.rank++] = b->shape.dims[b->shape.rank - 1];
    build_custom_one(import, &y);
}

static void
build_matmul(struct import *import, int64_t argument)
{
    const struct value *a = node_value(import, 0), *b = node_value(import, 1);
    memmodel_tensor first, second;

    (void)argument;
    if (a->shape.rank > 0 && is_stored_matrix(b)) {
        node_output(import, 0, build_linear(import, a, false, node_name(import), false));
    } else if (a->shape.rank < 2 || b->shape.rank < 2) {
        build_vector_product(import, a, b);
    } else {
        first = node_tensor(import, 0);
        second = node_tensor(import, 1);
        if (!import->status)
            node_output(
                import, 0,
                memmodel_network_matmul(import->network, first, second, MEMMODEL_MATMUL(.name = node_name(import))));
    }
}

/* One number a unit. */
static bool
is_bias(const struct value *c, const struct value *b, bool transposed)
{
    return c->stored && c->shape.rank == 1 && c->shape.dims[0] == b->shape.dims[transposed ? 0 : 1];
}

static memmodel_tensor
build_product(struct import *import, const char *name)
{
    const struct value *a = node_value(import, 0), *b = node_value(import, 1);
    bool transpose_a = node_integer(import, "transA", 0) != 0, transpose_b = node_integer(import, "transB", 0) != 0;
    memmodel_tensor first, second;

    if (!transpose_a && a->shape.rank > 0 && is_stored_matrix(b))
        return build_linear(import, a, transpose_b, name, false);
    first = node_tensor(import, 0);
    second = node_tensor(import, 1);
    if (import->status)
        return MEMMODEL_TENSOR_NONE;
    return memmodel_network_matmul(
        import->network, first, second,
        MEMMODEL_MATMUL(.name = name, .transpose_a = transpose_a, .transpose_b = transpose_b));
}

static void
build_gemm(struct import *import, int64_t argument)
{
    const struct value *a = node_value(import, 0), *b = node_value(import, 1), *c = node_optional(import, 2);
    bool transpose_b = node_integer(import, "transB", 0) != 0;
    memmodel_tensor product, added;

    (void)argument;
    if (c && is_stored_matrix(b) && is_bias(c, b, transpose_b) && !node_integer(import, "transA", 0) &&
        a->shape.rank > 0) {
        node_output(import, 0, build_linear(import, a, transpose_b, node_name(import), true));
        return;
    }
    product = build_product(import, c ? NULL : node_name(import));
    if (!c) {
        node_output(import, 0, product);
        return;
    }
    added = node_tensor(import, 2);
    if (product < 0 && !import->status)
        import_failed(import, product);
    if (!import->status)
        node_output(import, 0,
                    memmodel_network_binary(import->network, product, added,
                                            MEMMODEL_BINARY(.name = node_name(import), .in_place = 1)));
}

/* ---- products of small integers ---- */

/* The second factor is input `second`; 1: of a MatMulInteger, 3: of a QLinearMatMul, whose result is of input 7's type. */
static void
build_integer_matmul(struct import *import, int64_t second)
{
    const struct memmodel_shape *a = &node_value(import, 0)->shape, *b = &node_value(import, (size_t)second)->shape;
    struct memmodel_shape batch = *b, y = *a;

    if (a->rank < 2 || b->rank < 2) {
        build_unknown(import);
        return;
    }
    y.rank -= 2;
    batch.rank -= 2;
    import_broadcast(import, &y, &batch);
    if (y.rank + 2 > MEMMODEL_MAX_RANK)
        return;
    y.dims[y.rank++] = a->dims[a->rank - 2];
    y.dims[y.rank++] = b->dims[b->rank - 1];
    y.dtype = second == 1 ? MEMMODEL_DTYPE_INT32 : node_value(import, 7)->shape.dtype;
    build_custom_one(import, &y);
}

/* ---- sums by letters ---- */

/* Sizes of the letters of an equation, by letter. */
struct letters {
    memmodel_dim dims[128];
    bool known[128];
};

/* Takes the term at *at, which ends at a comma, "->" or the end. */
static void
read_term(struct import *import, const char **at, const struct memmodel_shape *shape, struct letters *letters)
{
    int axis = 0;

    for (; **at && **at != ',' && **at != '-'; (*at)++) {
        unsigned char letter = (unsigned char)**at;

        if (letter == ' ')
            continue;
        if (letter > 'z' || letter == '.' || axis >= shape->rank) {
            import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "its equation is not understood");
            return;
        }
        if (!letters->known[letter] || letters->dims[letter] == 1)
            letters->dims[letter] = shape->dims[axis];
        letters->known[letter] = true;
        axis++;
    }
}

static void
build_einsum(struct import *import, int64_t argument)
{
    const char *at = node_text(import, "equation", "");
    struct memmodel_shape y = {.dtype = node_value(import, 0)->shape.dtype};
    struct letters letters = {.known = {false}};

    (void)argument;
    for (size_t i = 0; i < node_input_count(import) && !import->status; i++) {
        read_term(import, &at, &node_value(import, i)->shape, &letters);
        at += *at == ',';
    }
    if (strncmp(at, "->", 2) != 0) {
        build_unknown(import);
        return;
    }
    for (at += 2; *at && !import->status; at++) {
        unsigned char letter = (unsigned char)*at;

        if (letter == ' ')
            continue;
        if (letter > 'z' || !letters.known[letter] || y.rank == MEMMODEL_MAX_RANK)
            import_error(import, MEMMODEL_ERROR_UNSUPPORTED, "its equation is not understood");
        else
            y.dims[y.rank++] = letters.dims[letter];
    }
    build_custom_one(import, &y);
}

/* ---- recurrent layers ---- */

/* ONNX has [length, directions, batch, width] where torch.nn.LSTM has [length, batch, directions * width]. */
static memmodel_tensor
with_directions(struct import *import, memmodel_tensor sequence, int64_t directions, int64_t width)
{
    struct memmodel_shape shape;
    int status = memmodel_network_get_shape(import->network, sequence, &shape);
    memmodel_dim one[] = {shape.dims[0], 1, shape.dims[1], width},
                 two[] = {shape.dims[0], shape.dims[1], directions, width};

    if (status)
        return status;
    if (directions == 1)
        return memmodel_network_reshape(import->network, sequence, 4, one);
    return memmodel_network_permute(import->network, memmodel_network_reshape(import->network, sequence, 4, two), 4,
                                    (int[]){0, 2, 1, 3});
}

static bool
is_plain_recurrence(struct import *import, const struct value *x, const struct value *w, const struct value *r)
{
    return x->shape.rank == 3 && w->shape.rank == 3 && r->shape.rank == 3 && w->shape.dims[0] >= 1 &&
           w->shape.dims[0] <= 2 && r->shape.dims[2] > 0 && node_integer(import, "layout", 0) == 0;
}

/* With weights that are computed: by its outputs. */
static void
build_computed_recurrence(struct import *import, const struct value *x, int64_t directions, int64_t width)
{
    struct memmodel_shape shapes[3] = {
        {.dims = {x->shape.dims[0], directions, x->shape.dims[1], width}, .rank = 4, .dtype = x->shape.dtype},
        {.dims = {directions, x->shape.dims[1], width}, .rank = 3, .dtype = x->shape.dtype},
    };
    size_t count = node_output_count(import);

    shapes[2] = shapes[1];
    if (count < 1 || count > 3)
        build_unknown(import);
    else
        build_custom(import, shapes, count);
}

static void
build_recurrent(struct import *import, int64_t kind)
{
    const struct value *x = node_value(import, 0), *w = node_value(import, 1), *r = node_value(import, 2);
    int64_t directions = w->shape.dims[0], width = r->shape.dims[2];
    memmodel_tensor tensor, sequence;
    struct memmodel_recurrent recurrent = {
        .size = sizeof recurrent,
        .name = node_name(import),
        .hidden_size = width,
        .kind = (int32_t)kind,
        .bidirectional = directions == 2,
        .no_bias = !node_optional(import, 3),
    };

    if (!is_plain_recurrence(import, x, w, r)) {
        build_unknown(import);
        return;
    }
    if (!w->stored || !r->stored) {
        build_computed_recurrence(import, x, directions, width);
        return;
    }
    require_equal(import, x->shape.dims[2], w->shape.dims[2]);
    tensor = node_tensor(import, 0);
    if (import->status)
        return;
    sequence = memmodel_network_recurrent(import->network, tensor, &recurrent);
    if (sequence < 0) {
        import_failed(import, sequence);
        return;
    }
    if (import->node->outputs.count > 0 && (*ONNX_ITEM(import->node->outputs, const char *, 0))[0])
        node_output(import, 0, with_directions(import, sequence, directions, width));
    for (size_t i = 1; i < node_output_count(import); i++)
        node_output(import, i, memmodel_network_layer_output(import->network, sequence, (int)i));
}

static void
build_plain_rnn(struct import *import, int64_t kind)
{
    const struct onnx_attribute *activations = node_attribute(import, "activations");

    build_recurrent(import, activations && activations->text && strcmp(activations->text, "Relu") == 0
                                ? MEMMODEL_RECURRENT_RNN_RELU
                                : kind);
}

const struct onnx_rule onnx_matrix_rules[] = {
    {"MatMul", build_matmul, 0},
    {"Gemm", build_gemm, 0},
    {"MatMulInteger", build_integer_matmul, 1},
    {"QLinearMatMul", build_integer_matmul, 3},
    {"Einsum", build_einsum, 0},
    {"LSTM", build_recurrent, MEMMODEL_RECURRENT_LSTM},
    {"GRU", build_recurrent, MEMMODEL_RECURRENT_GRU},
    {"RNN", build_plain_rnn, MEMMODEL_RECURRENT_RNN_TANH},
    {0},
};
