/*
 * Modules that parallelize_module() was given a style for: what they have of their parameters, what they are handed, and
 * what becomes of what they return. PyTorch: torch/distributed/tensor/parallel/style.py.
 */
#include "frameworks/pytorch/tensor_network.h"

#include <inttypes.h>
#include <string.h>

/* ---- their parameters ---- */

static void
cut_parameter(struct rewriting *rewriting, int32_t index, int axis)
{
    struct tensor_cut *cut = &rewriting->made->parameters[index];
    struct parameter *parameter = &rewriting->made->network.parameters[index];
    const char *name = rewriting->from->layers[rewriting->layer].name;

    if (cut->replicated || cut->axis != UNCUT) {
        rewrite_refuse(
            rewriting, MEMMODEL_ERROR_UNSUPPORTED, name,
            "its parameter belongs to another module, too, and parallelize_module() makes two of it; untie them");
        return;
    }
    *cut = (struct tensor_cut){.axis = axis, .replicated = axis == UNCUT, .layer = rewriting->layer, .whole = index};
    if (axis == UNCUT)
        return;
    rewrite_cut_dim(rewriting, &parameter->dims[axis]);
    if (parameter->dims[axis] == 0)
        rewrite_refuse(rewriting, MEMMODEL_ERROR_SHAPE, name,
                       "the axis tp has more ranks than its parameter has rows for");
}

static void
cut_parameters(struct rewriting *rewriting, enum tensor_style style, const struct layer *layer)
{
    for (int32_t i = 0; i < layer->parameter_count && !rewriting->status; i++) {
        bool is_bias = strcmp(layer->roles[i], "bias") == 0;
        int axis = style != TENSOR_ROWWISE ? 0 : is_bias ? UNCUT : 1;
        const struct parameter *parameter = &rewriting->from->parameters[layer->parameters[i]];
        int64_t size = axis == UNCUT ? 0 : binding_dim(rewriting->axes.whole, parameter->dims[axis]);

        if (size % rewriting->axes.ranks != 0 && (style == TENSOR_COLWISE || style == TENSOR_ROWWISE))
            rewriting->status = context_error(rewriting->step->context, MEMMODEL_ERROR_SHAPE, layer->name,
                                              "%s: %" PRId64 " are no multiple of the %" PRId64 " ranks of the axis tp",
                                              layer->roles[i], size, rewriting->axes.ranks);
        if (!rewriting->status)
            cut_parameter(rewriting, layer->parameters[i], axis);
    }
}

void
rewrite_parameters(struct rewriting *rewriting)
{
    const struct tensor_plan *plan = &rewriting->made->plan;

    for (size_t i = 0; i < rewriting->from->layer_count && !rewriting->status; i++) {
        rewriting->layer = (int32_t)i;
        if (plan->styles[i] != TENSOR_WHOLE)
            cut_parameters(rewriting, (enum tensor_style)plan->styles[i], &rewriting->from->layers[i]);
    }
}

/* ---- modules with a style ---- */

/* All of the sequence, or what gets the gradients of all ranks. */
static memmodel_tensor
hand_in(struct rewriting *rewriting, const struct layer *layer)
{
    memmodel_tensor whole = layer->inputs[0], from = rewriting->names[whole], to;
    int axis = rewriting->axes.axes[whole];

    if (axis != UNCUT && !(rewriting->made->plan.sequence && axis == SEQUENCE_AXIS))
        rewrite_refuse(rewriting, MEMMODEL_ERROR_INVALID_ARGUMENT, layer->name,
                       "its input is cut already, so that it has to be rowwise");
    to = rewrite_add_tensor(rewriting, &rewriting->from->tensors[whole]);
    rewrite_add_together(rewriting, axis == UNCUT ? "memmodel.tensor.copy" : "memmodel.tensor.gather", from, to,
                         layer->scope);
    return to;
}

/* The tensor that a layer's output is before the ranks have put it together; its own number is what comes of that. */
static memmodel_tensor
output_apart(struct rewriting *rewriting, const struct layer *layer)
{
    memmodel_tensor apart = rewrite_add_tensor(rewriting, &rewriting->from->tensors[layer->first_output]);
    struct tensor *whole = &rewriting->made->network.tensors[layer->first_output];

    if (!rewriting->made->plan.sequence || rewriting->made->plan.styles[rewriting->layer] == TENSOR_HEAD)
        return apart;
    if (whole->rank <= SEQUENCE_AXIS + 1 ||
        binding_dim(rewriting->axes.whole, whole->dims[SEQUENCE_AXIS]) % rewriting->axes.ranks != 0)
        rewrite_refuse(rewriting, MEMMODEL_ERROR_SHAPE, layer->name,
                       "its sequence, axis 1 of its output, is no multiple of the ranks of the axis tp");
    rewrite_cut_dim(rewriting, &whole->dims[SEQUENCE_AXIS]);
    rewriting->axes.axes[layer->first_output] = SEQUENCE_AXIS;
    return apart;
}

static struct layer *
copy_apart(struct rewriting *rewriting, const struct layer *layer, memmodel_tensor output)
{
    struct layer *copy = rewrite_copy(rewriting);

    copy->first_output = output;
    rewriting->made->network.tensors[output].layer = (int32_t)rewriting->made->network.layer_count - 1;
    (void)layer;
    return copy;
}

static void
cut_columns(struct rewriting *rewriting, const struct layer *layer)
{
    bool is_head = rewriting->made->plan.styles[rewriting->layer] == TENSOR_HEAD && !rewriting->made->plan.loss;
    memmodel_tensor input = hand_in(rewriting, layer), output = layer->first_output;
    memmodel_tensor apart = is_head ? output_apart(rewriting, layer) : output;
    struct tensor *tensor = &rewriting->made->network.tensors[apart];
    struct layer *copy = copy_apart(rewriting, layer, apart);

    if (!rewriting->step->status)
        ((memmodel_tensor *)copy->inputs)[0] = input; /* which are a copy */
    rewrite_cut_dim(rewriting, &tensor->dims[tensor->rank - 1]);
    if (is_head)
        rewrite_add_together(rewriting, "memmodel.tensor.join", apart, output, layer->scope);
    else
        rewriting->axes.axes[output] = (signed char)(tensor->rank - 1);
}

/* The bias of a sum over the ranks is divided among them. */
static void
divide_bias(struct rewriting *rewriting, struct layer *layer)
{
    const char **roles = step_arena_allocate(rewriting->step, ((size_t)layer->parameter_count + 1) * sizeof *roles);

    for (int32_t i = 0; roles && i < layer->parameter_count; i++)
        roles[i] = strcmp(layer->roles[i], "bias") == 0 ? "divided bias" : layer->roles[i];
    if (roles)
        layer->roles = roles;
}

static void
cut_rows(struct rewriting *rewriting, const struct layer *layer)
{
    memmodel_tensor input = layer->inputs[0], apart = output_apart(rewriting, layer);

    if (rewriting->axes.axes[input] != rewriting->from->tensors[input].rank - 1)
        rewrite_refuse(rewriting, MEMMODEL_ERROR_INVALID_ARGUMENT, layer->name,
                       "a rowwise module needs an input whose last axis is cut, behind a colwise one");
    divide_bias(rewriting, copy_apart(rewriting, layer, apart));
    rewrite_add_together(rewriting,
                         rewriting->made->plan.sequence ? "memmodel.tensor.scatter" : "memmodel.tensor.reduce", apart,
                         layer->first_output, layer->scope);
}

static void
replace(struct rewriting *rewriting, const struct layer *layer, const char *operation)
{
    struct memmodel_custom *options = step_arena_allocate(rewriting->step, sizeof *options);
    struct layer *copy = rewrite_copy(rewriting);

    if (!options)
        return;
    *options = (struct memmodel_custom){.size = sizeof *options, .name = layer->name, .operation = operation};
    copy->op = OP_CUSTOM;
    copy->options = options;
}

bool
rewrite_loss(struct rewriting *rewriting, const struct layer *layer)
{
    const struct memmodel_loss *options = layer->options;
    memmodel_tensor logits = layer->op == OP_LOSS ? layer->inputs[0] : MEMMODEL_TENSOR_NONE;
    int rank = logits < 0 ? 0 : rewriting->from->tensors[logits].rank;

    if (!rewriting->made->plan.loss || logits < 0 || rewriting->axes.axes[logits] != rank - 1)
        return false;
    if (options->kind != MEMMODEL_LOSS_CROSS_ENTROPY || options->reduction != MEMMODEL_LOSS_REDUCTION_MEAN || rank != 2)
        rewrite_refuse(rewriting, MEMMODEL_ERROR_UNSUPPORTED, layer->name,
                       "loss_parallel is modelled of the mean cross entropy of rows of logits");
    else
        replace(rewriting, layer, "memmodel.tensor.loss");
    return true;
}

/* Looks up what it has, and puts the rest together in one operator. */
static void
cut_table(struct rewriting *rewriting, const struct layer *layer)
{
    output_apart(rewriting, layer);
    replace(rewriting, layer, "memmodel.tensor.embedding");
}

void
rewrite_styled(struct rewriting *rewriting, enum tensor_style style, const struct layer *layer)
{
    if (style == TENSOR_VOCABULARY)
        cut_table(rewriting, layer);
    else if (style == TENSOR_ROWWISE)
        cut_rows(rewriting, layer);
    else
        cut_columns(rewriting, layer);
}
