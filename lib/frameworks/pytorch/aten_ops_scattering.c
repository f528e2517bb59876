/*
 * scatter_reduce: what is written at each place is reduced there, with what was there before or without.
 * PyTorch: aten/src/ATen/native/TensorAdvancedIndexing.cpp, scatter_reduce_two;
 * torch/csrc/autograd/FunctionsManual.cpp, scatter_reduce_backward, which makes both gradients whichever is wanted.
 */
#include "frameworks/pytorch/aten_ops.h"

#include <string.h>

/* What the node has saved. */
enum scattered { SELF, INDEX, SOURCE, RESULT };

static struct value *
gathered(struct step *step, const struct node *node, const struct value *x)
{
    struct shape shape = shape_typed(&node->saved[INDEX]->shape, x->shape.dtype);

    return value_empty(step, &shape);
}

static void
sum_backward(struct step *step, struct node *node, struct value *gradient, struct value **gradients)
{
    gradients[0] = value_keep(gradient);
    gradients[1] = gathered(step, node, gradient);
}

/* ---- mean: how many meet at each place is counted; places where none does count one ---- */

static struct value *
counted(struct step *step, const struct value *places, const struct value *source)
{
    struct value *own = value_like(step, places), *ones = value_like(step, source), *count = value_like(step, own);

    value_drop(step, ones);
    value_drop(step, own);
    value_drop(step, number_compare(step, count));
    return count;
}

/* One index for each row of 16 elements or more: a kernel that counts aside. can_use_expanded_index_path() */
static bool
counts_aside(struct step *step, const struct layer *layer, const struct value *self)
{
    enum { MIN = 16 };
    const struct value *index = step_input(step, layer, 1), *source = step_input(step, layer, 2);
    int64_t rows = index->shape.dims[0];
    bool whole = attribute_axis(layer, "dim", self->shape.rank, 0) == 0 && index->strides[0] == 1;

    for (int i = 1; i < index->shape.rank && i < source->shape.rank; i++)
        whole = whole && source->shape.dims[i] == index->shape.dims[i] && index->strides[i] == 0;
    return whole && step->device->host && value_is_float(self) && value_is_contiguous(source) &&
           value_is_contiguous(self) && rows > 0 && value_elements(index) / rows >= MIN;
}

static void
mean_forward(struct step *step, const struct layer *layer, const struct value *self)
{
    struct value *ones, *count;

    if (counts_aside(step, layer, self))
        return;
    ones = value_like(step, step_input(step, layer, 2));
    count = value_like(step, self);

    value_drop(step, number_compare(step, count));
    value_drop(step, count);
    value_drop(step, ones);
}

static void
mean_backward(struct step *step, struct node *node, struct value *gradient, struct value **gradients)
{
    struct value *count = counted(step, gradient, node->saved[SOURCE]), *counts, *share;

    gradients[0] = binary_result(step, gradient, count, 0);
    counts = gathered(step, node, count);
    share = gathered(step, node, gradient);
    gradients[1] = binary_result(step, share, counts, 0);
    value_drop(step, share);
    value_drop(step, counts);
    value_drop(step, count);
}

/* ---- amax and amin: shared evenly among those that are the extreme ---- */

/* (a == b) as numbers */
static struct value *
equal_ones(struct step *step, const struct value *a, const struct value *b)
{
    struct value *equal = binary_result(step, a, b, MEMMODEL_DTYPE_BOOL);
    struct value *ones = value_like_typed(step, equal, a->shape.dtype);

    value_drop(step, equal);
    return ones;
}

/* (a == b) * share */
static struct value *
share_of_equal(struct step *step, const struct value *a, const struct value *b, const struct value *share)
{
    struct value *equal = binary_result(step, a, b, MEMMODEL_DTYPE_BOOL),
                 *result = binary_result(step, equal, share, 0);

    value_drop(step, equal);
    return result;
}

static void
extreme_backward(struct step *step, struct node *node, struct value *gradient, struct value **gradients)
{
    struct value *const *saved = node->saved;
    struct value *extreme = gathered(step, node, saved[RESULT]);
    struct value *self_ones = equal_ones(step, saved[SELF], saved[RESULT]);
    struct value *source_ones = equal_ones(step, saved[SOURCE], extreme);
    struct value *count = value_like(step, self_ones), *share = binary_result(step, gradient, count, 0), *shares;

    gradients[0] = share_of_equal(step, saved[SELF], saved[RESULT], share);
    shares = gathered(step, node, share);
    gradients[1] = share_of_equal(step, saved[SOURCE], extreme, shares);
    value_drop(step, shares);
    value_drop(step, share);
    value_drop(step, count);
    value_drop(step, source_ones);
    value_drop(step, self_ones);
    value_drop(step, extreme);
}

/* ---- prod: a single zero at a place has the product of the others as its gradient ---- */

enum product { MASKED_SELF, MASKED_RESULT, ZERO, ZEROS, SINGLE, MASKED_SOURCE, SOURCE_RESULT, MADE };

static void
product_of_self(struct step *step, struct node *node, struct value *gradient, struct value **made,
                struct value **gradients)
{
    struct value *zero = number_compare(step, node->saved[SELF]), *product;

    made[MASKED_SELF] = value_like(step, node->saved[SELF]);
    value_drop(step, zero);
    made[MASKED_RESULT] = value_like(step, made[MASKED_SELF]);
    product = binary_result(step, gradient, made[MASKED_RESULT], 0);
    gradients[0] = binary_result(step, product, made[MASKED_SELF], 0);
    value_drop(step, product);
}

/* How many zeros are written to the place of each element. */
static struct value *
zeros_beside(struct step *step, struct node *node, const struct value *zero)
{
    const struct value *self = node->saved[SELF];
    struct value *none = value_like(step, self), *ones = value_like_typed(step, zero, self->shape.dtype);
    struct value *count = value_like(step, none), *result = gathered(step, node, count);

    value_drop(step, count);
    value_drop(step, ones);
    value_drop(step, none);
    return result;
}

static void
find_single_zeros(struct step *step, struct node *node, struct value **made)
{
    struct value *one;

    made[ZERO] = number_compare(step, node->saved[SOURCE]);
    made[ZEROS] = zeros_beside(step, node, made[ZERO]);
    one = number_compare(step, made[ZEROS]);
    made[SINGLE] = binary_result(step, made[ZERO], one, 0);
    value_drop(step, one);
    made[MASKED_SOURCE] = value_like(step, node->saved[SOURCE]);
    made[SOURCE_RESULT] = value_like(step, node->saved[SELF]);
}

/* where(single, (grad * product of the others)[index], (grad * result)[index] / source) */
static struct value *
product_of_source(struct step *step, struct node *node, struct value *gradient, struct value *const *made)
{
    struct value *divisor = value_like(step, node->saved[SOURCE]);
    struct value *whole = binary_result(step, gradient, node->saved[RESULT], 0), *there = gathered(step, node, whole);
    struct value *share = binary_result(step, there, divisor, 0);
    struct value *others = binary_result(step, gradient, made[SOURCE_RESULT], 0);
    struct value *alone = gathered(step, node, others), *result = binary_result(step, alone, share, 0);
    struct value *temporaries[] = {alone, others, share, there, whole, divisor};

    value_drop_all(step, temporaries, (int)(sizeof temporaries / sizeof temporaries[0]));
    return result;
}

static void
product_backward(struct step *step, struct node *node, struct value *gradient, struct value **gradients)
{
    struct value *made[MADE];

    product_of_self(step, node, gradient, made, gradients);
    find_single_zeros(step, node, made);
    gradients[1] = product_of_source(step, node, gradient, made);
    value_drop_all(step, made, MADE);
}

/* ---- by name ---- */

static const struct scattering {
    const char *name;
    void (*backward)(struct step *step, struct node *node, struct value *gradient, struct value **gradients);
} scatterings[] = {
    {"amax", extreme_backward}, {"amin", extreme_backward}, {"mean", mean_backward},
    {"prod", product_backward}, {"sum", sum_backward},
};

enum { SCATTERINGS = sizeof scatterings / sizeof scatterings[0] };

/* Where what was there before does not count, its gradient has zeros written into a copy: the node's number. */
static void
scatter_reduce_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    const struct scattering *scattering = node->options;

    scattering->backward(step, node, incoming[0], gradients);
    if (!node->number) {
        struct value *cleared = value_like(step, gradients[0]);

        value_drop(step, gradients[0]);
        gradients[0] = cleared;
    }
    for (int i = 0; i < 2; i++)
        if (!node_wants(node, i))
            value_drop_all(step, &gradients[i], 1);
}

static const struct scattering *
scattering_of(const struct layer *layer)
{
    for (int i = 0; i < SCATTERINGS; i++)
        if (attribute_is(layer, "reduce", scatterings[i].name))
            return &scatterings[i];
    return NULL;
}

static void
scatter_reduce_forward(struct step *step, const struct layer *layer, int in_place)
{
    static const struct derivative scatter_reduce = {"scatter_reduce", scatter_reduce_backward};
    const struct scattering *scattering = scattering_of(layer);
    struct value *operands[] = {step_input(step, layer, 0), step_input(step, layer, 2)}, *result;
    struct node *node;

    if (!scattering) {
        aten_op_estimate(step, layer);
        return;
    }
    node = node_new(step, &scatter_reduce, operands, 2, 1);
    if (node && in_place) { /* what it was is kept as a clone */
        struct value *before = value_like(step, operands[0]);

        step_save(step, node, before);
        value_drop(step, before);
    } else {
        step_save(step, node, operands[0]);
    }
    result = in_place ? value_keep(operands[0]) : value_like(step, operands[0]);
    if (strcmp(scattering->name, "mean") == 0)
        mean_forward(step, layer, result);
    step_save(step, node, step_input(step, layer, 1));
    step_save(step, node, operands[1]);
    step_save(step, node, result);
    if (node) {
        node->options = scattering;
        node->number = attribute_integer(layer, "include_self", 1);
    }
    node_attach(step, node, result, 0);
    if (in_place)
        node_written(step, result);
    step_output(step, layer, 0, result);
}

static const struct aten_op_rule scattering[] = {
    {"aten.scatter_reduce.two", scatter_reduce_forward, 0, "000"},
    {"aten.scatter_reduce_.two", scatter_reduce_forward, 1, "000"},
};

const struct aten_ops aten_op_scattering = ATEN_OPS(scattering);
