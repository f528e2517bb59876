/* Nodes of the graph that the forward pass leaves behind. PyTorch: torch/csrc/autograd/node.h, saved_variable.h. */
#include "frameworks/pytorch/step.h"

static size_t
node_bytes(int edge_count, int output_count)
{
    return sizeof(struct node) + (size_t)edge_count * sizeof(struct edge) +
           (size_t)output_count * sizeof(struct value *);
}

static struct node *
node_make(struct step *step, int edge_count, int output_count)
{
    struct node *node = step->status ? NULL : pool_take(&step->pool, node_bytes(edge_count, output_count));

    if (!node) {
        step_fail(step, MEMMODEL_ERROR_NOMEM);
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
    return node;
}

void
node_attach(struct step *step, struct node *node, struct value *value, int output)
{
    if (!node || value == &step->nothing)
        return;
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

void
step_save(struct step *step, struct node *node, struct value *value)
{
    if (!node)
        return;
    if (value)
        value_becomes(step, value, MEMMODEL_SAVED_ACTIVATIONS);
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

/* Without recursion: a graph may be as deep as the network. */
void
node_drop(struct step *step, struct node *node)
{
    if (!node || --node->references > 0)
        return;
    node->next = NULL;
    for (struct node *dead = node, *rest; dead; dead = rest) {
        rest = dead->next;
        value_drop_all(step, dead->saved, dead->saved_count);
        value_drop_all(step, dead->incoming, dead->output_count);
        for (int i = 0; i < dead->edge_count; i++) {
            struct node *source = dead->edges[i].node;

            if (!source || --source->references > 0)
                continue;
            source->next = rest;
            rest = source;
        }
        pool_give(&step->pool, dead, node_bytes(dead->edge_count, dead->output_count));
    }
}
