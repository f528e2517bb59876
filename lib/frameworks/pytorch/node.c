/* Nodes of the graph that the forward pass leaves behind. PyTorch: torch/csrc/autograd/node.h, saved_variable.h. */
#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/checkpoint.h"
#include "frameworks/pytorch/tensor.h"

#include <string.h>

static size_t
node_bytes(int edge_count, int output_count)
{
    return sizeof(struct node) + (size_t)edge_count * sizeof(struct edge) +
           (size_t)output_count * sizeof(struct value *);
}

static struct node *
node_make(struct step *step, int edge_count, int output_count)
{
    struct node *node = step->status ? NULL : object_pool_take(&step->pool, node_bytes(edge_count, output_count));

    if (!node) {
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
        return NULL;
    }
    node->edge_count = edge_count;
    node->output_count = output_count;
    node->incoming = (struct value **)(void *)&node->edges[edge_count];
    node->layer = step->layer;
    return node;
}

static bool
any_needs_gradient(struct value *const *inputs, int count)
{
    for (int i = 0; i < count; i++)
        if (inputs[i] && inputs[i]->node)
            return true;
    return false;
}

struct node *
node_new(struct step *step, const struct derivative *derivative, struct value *const *inputs, int input_count,
         int output_count)
{
    struct node *node;

    if (!step->grad_mode || !any_needs_gradient(inputs, input_count))
        return NULL;
    node = node_make(step, input_count, output_count);
    if (!node)
        return NULL;
    node->derivative = derivative;
    node->sequence = step->sequence++;
    for (int i = 0; i < input_count; i++) {
        if (!inputs[i])
            continue;
        node->edges[i] = (struct edge){.node = inputs[i]->node, .output = inputs[i]->output, .shape = inputs[i]->shape};
        if (inputs[i]->node)
            inputs[i]->node->references++;
    }
    checkpoint_recorded(step);
    return node;
}

/* "a leaf Variable that requires grad is being used in an in-place operation": variable.cpp, check_inplace */
static void
refuse_leaf(struct step *step)
{
    if (!step->status)
        step->status =
            context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT,
                          step->layer >= 0 ? step->network->layers[step->layer].name : NULL,
                          "%s changes a parameter in place that needs a gradient, which PyTorch refuses", step->what);
}

void
node_attach(struct step *step, struct node *node, struct value *value, int output)
{
    if (!node || value == &step->nothing)
        return;
    if (value->node && !value->node->derivative && node->derivative) {
        refuse_leaf(step);
        return;
    }
    node->references++;
    node_drop(step, value->node);
    value->node = node;
    value->output = output;
}

struct node *
step_record(struct step *step, const struct derivative *derivative, struct value *output, int input_count,
            struct value *const *inputs)
{
    struct node *node = node_new(step, derivative, inputs, input_count, 1);

    node_attach(step, node, output, 0);
    return node;
}

/* ---- in place on a view: the base gets a node, and the view is seen from the base anew ---- */

static bool
is_view(const struct node *node)
{
    static const char *const views[] = {"view", "permute", "expand", "slice", "AsStrided"};

    for (size_t i = 0; node->derivative && i < sizeof views / sizeof views[0]; i++)
        if (strcmp(node->derivative->name, views[i]) == 0)
            return true;
    return false;
}

/* The whole gradient with the part that was written replaced by what the operator makes of it. */
static void
copy_slices_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    struct value *result = value_empty(step, &node->edges[0].shape), *part = value_empty(step, &node->slice);
    struct shape base = node->edges[0].shape;

    node->edges[0].shape = node->slice;
    (void)incoming;
    checkpoint_unpack(step, node);
    node->inner->backward(step, node, &part, gradients);
    node->edges[0].shape = base;
    value_drop(step, gradients[0]);
    value_drop(step, part);
    gradients[0] = result;
}

static void
as_strided_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)incoming;
    gradients[0] = value_empty(step, &node->edges[0].shape);
}

/* Lets the operator's node lead to where the base came from, past the views between. */
static void
rebase(struct step *step, struct node *node, const struct edge *base)
{
    static const struct derivative copy_slices = {"CopySlices", copy_slices_backward};
    struct node *view = node->edges[0].node;

    node->inner = node->derivative;
    node->derivative = &copy_slices;
    node->slice = node->edges[0].shape;
    if (base->node)
        base->node->references++;
    node->edges[0] = *base;
    node_drop(step, view);
}

/* `x` as a view of what `whole` is now. */
static void
see_anew(struct step *step, struct value *x, struct value *whole)
{
    static const struct derivative as_strided = {"AsStrided", as_strided_backward};

    node_attach(step, node_new(step, &as_strided, &whole, 1, 1), x, 0);
}

/*
 * The base and all other views of it, too, come from the operator that wrote; of a base that came from somewhere those
 * that did as well, as the others were detached. variable.cpp, grad_fn() of a view
 */
static void
see_all_anew(struct step *step, struct value *x, struct value *whole, bool was_fresh)
{
    for (size_t i = 0; i < step->network->tensor_count; i++) {
        struct value *other = step->values[i];

        if (!other || other == x || other->storage != x->storage || (!was_fresh && !other->node))
            continue;
        if (other->view)
            see_anew(step, other, whole);
        else
            node_attach(step, whole->node, other, 0);
    }
}

/* What `x` looks into, past the views between: where it comes from, if it needs a gradient at all; false if it is gone. */
static bool
find_base(struct step *step, const struct value *x, const struct node *node, struct edge *base)
{
    *base = node->edges[0];
    while (base->node && is_view(base->node))
        *base = base->node->edges[0];
    if (base->node)
        return true;
    for (size_t i = 0; i < step->network->tensor_count; i++) {
        const struct value *other = step->values[i];

        if (!other || other->view || other->storage != x->storage)
            continue;
        base->shape = other->shape;
        return !other->parameter;
    }
    return false;
}

void
node_written(struct step *step, struct value *x)
{
    struct node *node = x->node;
    struct edge base;
    struct value *whole;
    bool fresh;

    if (!step->grad_mode || !node || !x->view || !node->derivative || node->edge_count == 0 || is_view(node))
        return;
    fresh = !node->edges[0].node;
    if ((!fresh && !is_view(node->edges[0].node)) || !find_base(step, x, node, &base))
        return;
    rebase(step, node, &base);
    whole = value_view(step, x, &base.shape, x->strides);
    node_attach(step, node, whole, 0);
    see_anew(step, x, whole);
    see_all_anew(step, x, whole, fresh);
    value_drop(step, whole);
}

void
step_save(struct step *step, struct node *node, struct value *value)
{
    if (!node)
        return;
    if (value && checkpoint_saves(step, node, value)) {
        node->saved[node->saved_count++] = NULL;
        return;
    }
    if (value)
        value_becomes(step, value, MEMMODEL_CATEGORY_SAVED_ACTIVATIONS);
    node->saved[node->saved_count++] = value ? value_detach(step, value) : NULL;
}

struct node *
node_accumulate(struct step *step, struct variable *variable)
{
    struct node *node = node_make(step, 0, 1);

    if (!node)
        return NULL;
    node->sequence = INT64_MAX;
    node->references = 1;
    node->variable = variable;
    return node;
}

static void
leaf_backward(struct step *step, struct node *node, struct value **incoming, struct value **gradients)
{
    (void)gradients;
    value_drop(step, node->gradient);
    node->gradient = value_keep(incoming[0]);
}

void
node_leaf(struct step *step, struct value *x)
{
    static const struct derivative leaf = {"leaf", leaf_backward};
    struct node *node;

    if (!step->grad_mode || !x || x->node || !value_is_float(x))
        return;
    node = node_make(step, 0, 1);
    if (!node)
        return;
    node->derivative = &leaf;
    node->sequence = step->sequence++;
    node->leaf = value_detach(step, x);
    node_attach(step, node, x, 0);
}

void
node_give(struct step *step, const struct node *node, struct value *const *made, int count, struct value **gradients)
{
    for (int i = 0; i < count; i++) {
        if (node_wants(node, i))
            gradients[i] = made[i];
        else
            value_drop(step, made[i]);
    }
}

/* Without recursion: a graph may be as deep as the network. */
void
node_drop(struct step *step, struct node *node)
{
    if (!node || --node->references > 0)
        return;
    node->next = NULL;
    for (struct node *dead = node, *rest; dead; dead = rest) {
        rest = dead->next;
        checkpoint_forget(step, dead);
        replay_drop(step, dead->replay);
        value_drop_all(step, dead->saved, dead->saved_count);
        value_drop_all(step, dead->incoming, dead->output_count);
        value_drop(step, dead->gradient);
        value_drop(step, dead->leaf);
        for (int i = 0; i < dead->edge_count; i++) {
            struct node *source = dead->edges[i].node;

            if (!source || --source->references > 0)
                continue;
            source->next = rest;
            rest = source;
        }
        object_pool_give(&step->pool, dead, node_bytes(dead->edge_count, dead->output_count));
    }
}
