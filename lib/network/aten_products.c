/* Multiplications with addition of ATen operators. PyTorch: torch/utils/flop_counter.py, aten/src/ATen/native. */
#include "network/aten_products.h"

#include "base/checked.h"
#include "base/text.h"
#include "network/attributes.h"

#include <string.h>

enum { MAX_OPERANDS = 8, LETTERS = 128 };

/* The operator with the shapes of its tensors in numbers. */
struct call {
    const struct binding *binding;
    const struct layer *layer;
    struct memmodel_shape output;
};

/* One that is missing has no dims. */
static struct memmodel_shape
operand(const struct call *call, int index)
{
    if (call->layer->inputs[index] < 0)
        return (struct memmodel_shape){.rank = 0};
    return binding_shape(call->binding, call->layer->inputs[index]);
}

static int64_t
last_dim(const struct memmodel_shape *shape)
{
    return shape->rank ? shape->dims[shape->rank - 1] : 1;
}

/* False on overflow: *product *= elements of the shape. */
static bool
multiply_elements(const struct memmodel_shape *shape, int64_t *product)
{
    for (int32_t i = 0; i < shape->rank; i++)
        if (!checked_multiply(*product, shape->dims[i], product))
            return false;
    return true;
}

/* ---- products ---- */

/* Each element of the result is a sum over the last dimension of operand `left`. */
static bool
count_product(const struct call *call, int left, int64_t *count)
{
    struct memmodel_shape a = operand(call, left);

    *count = last_dim(&a);
    return multiply_elements(&call->output, count);
}

/* addbmm: the products of a batch are added up. */
static bool
count_added_batch(const struct call *call, int left, int64_t *count)
{
    struct memmodel_shape a = operand(call, left), b = operand(call, left + 1);

    *count = last_dim(&b);
    return multiply_elements(&a, count);
}

/* _grouped_mm: two matrices share out among the groups the dimension that is summed, so each meets it once. */
static bool
count_groups(const struct call *call, int detail, int64_t *count)
{
    struct memmodel_shape a = operand(call, 0), b = operand(call, 1);

    (void)detail;
    if (a.rank != 2 || b.rank != 2)
        return count_product(call, 0, count);
    *count = last_dim(&b);
    return multiply_elements(&a, count);
}

static bool
count_tensordot(const struct call *call, int detail, int64_t *count)
{
    struct memmodel_shape a = operand(call, 0);
    int64_t axes[MEMMODEL_MAX_RANK];
    int summed = attribute_list(call->layer, "dims_self", axes, MEMMODEL_MAX_RANK);

    (void)detail;
    *count = 1;
    for (int i = 0; i < summed; i++) {
        int64_t axis = axes[i] < 0 ? axes[i] + a.rank : axes[i];

        if (axis >= 0 && axis < a.rank && !checked_multiply(*count, a.dims[axis], count))
            return false;
    }
    return multiply_elements(&call->output, count);
}

/* cdist by a product: of x, its norm and 1 with y, 1 and its norm. Distance.cpp, cdist_impl and _euclidean_dist. */
static bool
count_distances(const struct call *call, int always, int64_t *count)
{
    enum { MANY = 25, NEVER = 2 };
    struct memmodel_shape x = operand(call, 0), y = operand(call, 1);
    int64_t mode = attribute_integer(call->layer, "compute_mode", 0);
    bool many = x.dims[x.rank - 2] > MANY || y.dims[y.rank - 2] > MANY;

    *count = 0;
    if (!always && (attribute_number(call->layer, "p", 2) != 2 || mode == NEVER || (mode == 0 && !many)))
        return true;
    return checked_add(last_dim(&x), 2, count) && multiply_elements(&call->output, count);
}

/* affine_grid_generator: places with a 1 behind them, times theta. */
static bool
count_grid(const struct call *call, int detail, int64_t *count)
{
    (void)detail;
    *count = last_dim(&call->output) + 1;
    return multiply_elements(&call->output, count);
}

static bool
count_attention(const struct call *call, int detail, int64_t *count)
{
    struct memmodel_shape query = operand(call, 0), key = operand(call, 1), value = operand(call, 2);
    int64_t both;

    (void)detail;
    query.rank--;
    *count = key.dims[key.rank - 2];
    return checked_add(key.dims[key.rank - 1], last_dim(&value), &both) && checked_multiply(*count, both, count) &&
           multiply_elements(&query, count);
}

/*
 * ---- convolutions: the weight is [out, in / groups, kernel...], of transposed ones [in, out / groups, kernel...] ----
 */

enum { FORWARD, TRANSPOSED, AS_TOLD };

static bool
count_convolution(const struct call *call, int kind, int64_t *count)
{
    struct memmodel_shape image = operand(call, 0), weight = operand(call, 1);
    bool transposed = kind == TRANSPOSED || (kind == AS_TOLD && attribute_is(call->layer, "transposed", "True"));

    *count = 1;
    weight.dims[0] = 1;
    return multiply_elements(&weight, count) && multiply_elements(transposed ? &image : &call->output, count);
}

/* ---- recurrences: each row of the input meets each weight once ---- */

static bool
count_weights(const struct call *call, int first, int end, int64_t *count)
{
    struct memmodel_shape rows = operand(call, 0);

    *count = 0;
    for (int i = first; i < end && i < call->layer->input_count; i++) {
        struct memmodel_shape weight = operand(call, i);
        int64_t elements = 1;

        if (weight.rank == 2 && (!multiply_elements(&weight, &elements) || !checked_accumulate(count, elements)))
            return false;
    }
    rows.rank--;
    return multiply_elements(&rows, count);
}

static bool
count_recurrence(const struct call *call, int first, int64_t *count)
{
    return count_weights(call, first, call->layer->input_count, count);
}

static bool
count_cell(const struct call *call, int first, int64_t *count)
{
    return count_weights(call, first, first + 2, count);
}

/* ---- einsum: operands from left to right, two at a time; a pair with nothing to sum is no matrix product ---- */

struct einsum {
    int64_t sizes[LETTERS]; /* of each letter; 0: it has none */
    bool terms[MAX_OPERANDS][LETTERS], result[LETTERS];
    int count;
};

/*
 * The letter of each dim, those of "..." '0' for the last, '1', ...; returns how many there are, one more than `rank`
 * at most.
 */
static int
letters_of(const char *text, size_t length, int rank, char letters[MEMMODEL_MAX_RANK + 1])
{
    int count = 0, hidden = rank - ((int)length - 3);

    for (size_t i = 0; i < length && count <= rank; i++) {
        if (text[i] != '.') {
            letters[count++] = text[i];
            continue;
        }
        for (int k = hidden; k > 0 && count < rank; k--)
            letters[count++] = (char)('0' + k - 1);
        i += 2;
    }
    return count;
}

static bool
read_operand(const struct call *call, struct einsum *einsum, const char *text, size_t length)
{
    struct memmodel_shape shape = operand(call, einsum->count);
    char letters[MEMMODEL_MAX_RANK + 1];

    if (length > MEMMODEL_MAX_RANK + 3 || letters_of(text, length, shape.rank, letters) != shape.rank)
        return false;
    for (int i = 0; i < shape.rank; i++) {
        int letter = letters[i] & (LETTERS - 1);

        einsum->terms[einsum->count][letter] = true;
        einsum->sizes[letter] = max_i64(einsum->sizes[letter], shape.dims[i]);
    }
    einsum->count++;
    return true;
}

static int
count_letter(const struct einsum *einsum, int from, int letter)
{
    int found = 0;

    for (int i = from; i < einsum->count; i++)
        found += einsum->terms[i][letter];
    return found;
}

/* What stands behind "->", or else all that one operand alone has. */
static void
read_result(struct einsum *einsum, const char *arrow)
{
    for (int letter = 0; letter < LETTERS; letter++)
        if (einsum->sizes[letter] && (letter >= '0' && letter <= '9' ? !arrow || strchr(arrow, '.') != NULL
                                      : arrow                        ? strchr(arrow + 2, letter) != NULL
                                                                     : count_letter(einsum, 0, letter) == 1))
            einsum->result[letter] = true;
}

/* "ij,...jk->...ik" */
static bool
read_einsum(const struct call *call, struct einsum *einsum)
{
    char text[MAX_OPERANDS * (MEMMODEL_MAX_RANK + 4)];
    const char *next = text, *arrow, *end;

    attribute_text(call->layer, "equation", text, sizeof text);
    arrow = strstr(text, "->");
    end = arrow ? arrow : text + strlen(text);
    while (einsum->count < call->layer->input_count && einsum->count < MAX_OPERANDS && next < end) {
        size_t length = strcspn(next, ",-");

        if (!read_operand(call, einsum, next, length))
            return false;
        next += length + 1;
    }
    read_result(einsum, arrow);
    return einsum->count == call->layer->input_count;
}

/* Operand `i` is multiplied by the product of those before it, which lies in its place then. */
static bool
multiply_pair(struct einsum *einsum, int i, int64_t *count)
{
    bool *left = einsum->terms[i - 1], *right = einsum->terms[i], summed = false;
    int64_t product = 1;

    for (int letter = 0; letter < LETTERS; letter++) {
        bool both = left[letter] && right[letter], either = left[letter] || right[letter];
        bool stays = either && (einsum->result[letter] || count_letter(einsum, i + 1, letter) > 0);

        if ((both || stays) && !checked_multiply(product, einsum->sizes[letter], &product))
            return false;
        summed = summed || (both && !stays);
        right[letter] = stays;
    }
    return !summed || checked_accumulate(count, product);
}

static bool
count_einsum(const struct call *call, int detail, int64_t *count)
{
    struct einsum einsum = {.count = 0};

    (void)detail;
    *count = 0;
    if (!read_einsum(call, &einsum))
        return true;
    for (int i = 1; i < einsum.count; i++)
        if (!multiply_pair(&einsum, i, count))
            return false;
    return true;
}

/* ---- by name ---- */

struct aten_product {
    const char *name;
    bool (*count)(const struct call *call, int detail, int64_t *count);
    int detail;
    const char *operands; /* a digit for each that there must be: its least rank */
};

static const struct aten_product aten_products[] = {
    {"aten._cdist_forward.default", count_distances, 0, "22"},
    {"aten._euclidean_dist.default", count_distances, 1, "22"},
    {"aten._grouped_mm.default", count_groups, 0, "22"},
    {"aten.addbmm.default", count_added_batch, 1, "033"},
    {"aten.addmm.default", count_product, 1, "022"},
    {"aten.addmv.default", count_product, 1, "021"},
    {"aten.affine_grid_generator.default", count_grid, 0, ""},
    {"aten.baddbmm.default", count_product, 1, "033"},
    {"aten.bmm.default", count_product, 0, "33"},
    {"aten.cdist.default", count_distances, 0, "22"},
    {"aten.conv1d.default", count_convolution, FORWARD, "13"},
    {"aten.conv1d.padding", count_convolution, FORWARD, "13"},
    {"aten.conv2d.default", count_convolution, FORWARD, "14"},
    {"aten.conv2d.padding", count_convolution, FORWARD, "14"},
    {"aten.conv3d.default", count_convolution, FORWARD, "15"},
    {"aten.conv3d.padding", count_convolution, FORWARD, "15"},
    {"aten.conv_transpose1d.default", count_convolution, TRANSPOSED, "13"},
    {"aten.conv_transpose2d.input", count_convolution, TRANSPOSED, "14"},
    {"aten.conv_transpose3d.input", count_convolution, TRANSPOSED, "15"},
    {"aten.convolution.default", count_convolution, AS_TOLD, "13"},
    {"aten.dot.default", count_product, 0, "11"},
    {"aten.einsum.default", count_einsum, 0, ""},
    {"aten.gru.input", count_recurrence, 2, "22"},
    {"aten.gru_cell.default", count_cell, 2, "1122"},
    {"aten.linear.default", count_product, 0, "11"},
    {"aten.lstm.input", count_recurrence, 3, "222"},
    {"aten.lstm_cell.default", count_cell, 3, "11122"},
    {"aten.matmul.default", count_product, 0, "11"},
    {"aten.mm.default", count_product, 0, "22"},
    {"aten.mv.default", count_product, 0, "21"},
    {"aten.rnn_relu.input", count_recurrence, 2, "22"},
    {"aten.rnn_relu_cell.default", count_cell, 2, "1122"},
    {"aten.rnn_tanh.input", count_recurrence, 2, "22"},
    {"aten.rnn_tanh_cell.default", count_cell, 2, "1122"},
    {"aten.scaled_dot_product_attention.default", count_attention, 0, "222"},
    {"aten.tensordot.default", count_tensordot, 0, "00"},
    {"aten.vdot.default", count_product, 0, "11"},
};

static bool
has_operands(const struct binding *binding, const struct layer *layer, const char *ranks)
{
    for (int i = 0; i < layer->input_count; i++)
        if (layer->inputs[i] < 0 && i < (int)strlen(ranks))
            return false;
    for (int i = 0; ranks[i]; i++)
        if (i >= layer->input_count || binding->network->tensors[layer->inputs[i]].rank < ranks[i] - '0')
            return false;
    return layer->output_count > 0;
}

bool
aten_multiply_adds(const struct binding *binding, const struct layer *layer, int64_t *count)
{
    const char *operation = ((const struct memmodel_custom *)layer->options)->operation;
    const struct aten_product *product =
        operation ? text_find(operation, aten_products, sizeof aten_products / sizeof aten_products[0],
                              sizeof aten_products[0])
                  : NULL;
    struct call call = {.binding = binding, .layer = layer};

    *count = 0;
    if (!product || !has_operands(binding, layer, product->operands))
        return true;
    call.output = binding_shape(binding, layer->first_output);
    return product->count(&call, product->detail, count);
}
