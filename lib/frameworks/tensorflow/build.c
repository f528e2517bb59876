/* A training step in program order: inputs, forward pass, loss, and the layers backwards with each update at once. */
#include "frameworks/tensorflow/build.h"

#include "base/checked.h"

#include <string.h>

void
build_fail(struct build *build, int status)
{
    if (!build->status)
        build->status = status;
}

/* ---- sizes ---- */

int64_t
build_times(struct build *build, int64_t bytes, int64_t factor)
{
    int64_t product = 0;

    if (!checked_multiply(bytes, factor, &product))
        build_fail(build, context_error(build->context, MEMMODEL_ERROR_OVERFLOW,
                                        build->network->layers[build->layer].name, "the bytes do not fit in 63 bits"));
    return product;
}

int64_t
build_bytes(struct build *build, memmodel_tensor tensor)
{
    int64_t bytes = 0;

    if (!binding_tensor_bytes(build->binding, tensor, &bytes))
        return build_times(build, INT64_MAX, 2);
    return bytes;
}

int64_t
build_output_bytes(struct build *build, const struct layer *layer)
{
    return build_bytes(build, layer->first_output);
}

int64_t
build_parameter_bytes(struct build *build, int32_t parameter)
{
    int64_t bytes = 0;

    if (!binding_parameter_bytes(build->binding, parameter, &bytes))
        return build_times(build, INT64_MAX, 2);
    return bytes;
}

int64_t
build_dim(const struct build *build, memmodel_dim dim)
{
    return binding_dim(build->binding, dim);
}

/* ---- operations ---- */

static uint8_t
usual_category(const struct build *build)
{
    static const uint8_t categories[] = {
        [MEMMODEL_PHASE_SETUP] = MEMMODEL_CATEGORY_INPUTS,
        [MEMMODEL_PHASE_FORWARD] = MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS,
        [MEMMODEL_PHASE_BACKWARD] = MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS,
        [MEMMODEL_PHASE_OPTIMIZER] = MEMMODEL_CATEGORY_WORKSPACE,
    };

    return categories[build->phase];
}

/* What a later phase reads of the forward pass was saved for it. */
static void
mark_saved(struct build *build, const int32_t *inputs, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        struct operation *input = inputs[i] < 0 ? NULL : &build->graph.operations[inputs[i]];

        if (input && input->category == MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS &&
            build->phase > MEMMODEL_PHASE_FORWARD)
            input->category = MEMMODEL_CATEGORY_SAVED_ACTIVATIONS;
    }
}

int32_t
build_operation(struct build *build, const struct operation *operation, const int32_t *inputs, int32_t count)
{
    struct operation own = *operation;
    int32_t index;

    if (build->status)
        return NOTHING;
    own.layer = build->layer;
    own.phase = build->phase;
    if (own.category == 0 && own.place != PLACE_VARIABLE)
        own.category = usual_category(build);
    if (own.place != PLACE_VARIABLE)
        own.variable = own.reader = NOTHING;
    mark_saved(build, inputs, count);
    index = graph_add(&build->graph, &own, inputs, count);
    if (index < 0)
        build_fail(build, index);
    return index < 0 ? NOTHING : index;
}

int32_t
build_new(struct build *build, const char *what, int64_t bytes, const int32_t *inputs, int32_t count)
{
    return build_operation(build, &(struct operation){.what = what, .bytes = bytes}, inputs, count);
}

int32_t
build_forward(struct build *build, const char *what, int64_t bytes, const int32_t *inputs, int32_t count)
{
    return build_operation(build, &(struct operation){.what = what, .bytes = bytes, .place = PLACE_FORWARD}, inputs,
                           count);
}

int32_t
build_view(struct build *build, const char *what, int32_t input)
{
    int64_t bytes = input < 0 ? 0 : build->graph.operations[input].bytes;

    return build_operation(build, &(struct operation){.what = what, .bytes = bytes, .place = PLACE_VIEW, .duration = 1},
                           READS(input));
}

/* ---- what a rule reads and leaves ---- */

int32_t
build_input(const struct build *build, const struct layer *layer, int input)
{
    return layer->inputs[input] < 0 ? NOTHING : build->outputs[layer->inputs[input]];
}

struct kept *
build_kept(struct build *build, const struct layer *layer)
{
    return &build->kept[layer - build->network->layers];
}

void
build_output(struct build *build, const struct layer *layer, int32_t operation)
{
    build->outputs[layer->first_output] = operation;
    build_kept(build, layer)->y = operation;
}

bool
build_wants_gradient(const struct build *build, const struct layer *layer, int input)
{
    return layer->inputs[input] >= 0 && build->trained[layer->inputs[input]];
}

void
build_contribute(struct build *build, memmodel_tensor tensor, int32_t gradient)
{
    if (gradient == NOTHING || !build->trained[tensor])
        return;
    if (array_reserve(build->context, &build->contributions, &build->contribution_capacity,
                      build->contribution_count + 1, sizeof *build->contributions)) {
        build_fail(build, MEMMODEL_ERROR_NO_MEMORY);
        return;
    }
    build->contributions[build->contribution_count] = (struct contribution){gradient, build->gradients[tensor]};
    build->gradients[tensor] = (int32_t)build->contribution_count++;
}

void
build_gradient(struct build *build, const struct layer *layer, int input, int32_t gradient)
{
    if (layer->inputs[input] >= 0)
        build_contribute(build, layer->inputs[input], gradient);
}

void
build_copy(struct build *build, const struct layer *layer)
{
    build_output(
        build, layer,
        build_new(build, op_name(layer->op), build_output_bytes(build, layer), READS(build_input(build, layer, 0))));
}

void
build_copy_backward(struct build *build, const struct layer *layer, int32_t gradient)
{
    build_gradient(build, layer, 0,
                   build_new(build, "gradient", build_bytes(build, layer->inputs[0]), READS(gradient)));
}

static int32_t
add_up(struct build *build, int64_t bytes, const int32_t *gradients, int32_t count)
{
    return count > 1 ? build_forward(build, "AddN", bytes, gradients, count) : gradients[0];
}

/* The tape adds gradients up when the layer that made the tensor is reached. TensorFlow: c/eager/tape.h */
static int32_t
build_gradient_of(struct build *build, memmodel_tensor tensor)
{
    int32_t count = 0, *gradients, sum;

    for (int32_t i = build->gradients[tensor]; i != NOTHING; i = build->contributions[i].next)
        count++;
    if (count == 0)
        return NOTHING;
    gradients = memory_allocate_zeroed(build->context, (size_t)count, sizeof *gradients);
    if (!gradients) {
        build_fail(build, MEMMODEL_ERROR_NO_MEMORY);
        return NOTHING;
    }
    for (int32_t i = build->gradients[tensor], k = count; i != NOTHING; i = build->contributions[i].next)
        gradients[--k] = build->contributions[i].operation;
    sum = add_up(build, build_bytes(build, tensor), gradients, count);
    memory_release(build->context, gradients);
    return sum;
}

void
build_parameter_gradient(struct build *build, int32_t parameter, int32_t gradient, int32_t reader)
{
    if (parameter == NOTHING || !build->network->parameters[parameter].trainable || build->done[parameter])
        return;
    build->done[parameter] = true;
    build->phase = MEMMODEL_PHASE_OPTIMIZER;
    optimizer_update(build, parameter, gradient, reader);
    build->phase = MEMMODEL_PHASE_BACKWARD;
}

int32_t
build_parameter(const struct layer *layer, const char *role)
{
    return layer_parameter(layer, role);
}

void
build_unmodelled(struct build *build, const char *op, int64_t bytes)
{
    for (size_t i = 0; i < build->unmodelled_count; i++) {
        if (strcmp(build->unmodelled[i].op, op) != 0)
            continue;
        if (!checked_accumulate(&build->unmodelled[i].bytes, bytes))
            build_times(build, INT64_MAX, 2);
        return;
    }
    if (array_reserve(build->context, &build->unmodelled, &build->unmodelled_capacity, build->unmodelled_count + 1,
                      sizeof *build->unmodelled))
        build_fail(build, MEMMODEL_ERROR_NO_MEMORY);
    else
        build->unmodelled[build->unmodelled_count++] = (struct unmodelled){op, bytes};
}

/* ---- the passes ---- */

static void
enter(struct build *build, enum memmodel_phase phase, size_t layer)
{
    build->phase = (uint8_t)phase;
    build->layer = (int32_t)layer;
}

/* The batch is gathered from the arrays. */
static void
gather_inputs(struct build *build)
{
    for (size_t i = 0; i < build->network->layer_count; i++) {
        const struct layer *layer = &build->network->layers[i];

        enter(build, MEMMODEL_PHASE_SETUP, i);
        if (layer->op == OP_INPUT)
            build_output(build, layer, build_new(build, "GatherV2", build_output_bytes(build, layer), NULL, 0));
    }
}

/* A tensor is trained if a parameter that is lies behind it. */
static void
mark_trained(struct build *build)
{
    for (size_t i = 0; i < build->network->layer_count; i++) {
        const struct layer *layer = &build->network->layers[i];
        bool trained = false;

        for (int32_t k = 0; k < layer->parameter_count; k++)
            trained = trained || build->network->parameters[layer->parameters[k]].trainable;
        for (int32_t k = 0; k < layer->input_count; k++)
            trained = trained || (layer->inputs[k] >= 0 && build->trained[layer->inputs[k]]);
        for (int32_t k = 0; k < layer->output_count; k++)
            build->trained[layer->first_output + k] = trained;
    }
}

/* The sigmoid or softmax that a loss works without is left out of the step: nobody reads it. */
static bool
is_bypassed(const memmodel_network *network, const struct layer *layer)
{
    if (layer->op != OP_ACTIVATION && layer->op != OP_SOFTMAX)
        return false;
    for (size_t i = network->layer_count; i-- > 0 && &network->layers[i] != layer;)
        if (network->layers[i].op == OP_LOSS && loss_bypasses(network, &network->layers[i], layer))
            return true;
    return false;
}

static void
forward(struct build *build)
{
    for (size_t i = 0; i < build->network->layer_count && !build->status; i++) {
        const struct layer *layer = &build->network->layers[i];

        enter(build, MEMMODEL_PHASE_FORWARD, i);
        if (layer->op != OP_INPUT && !is_bypassed(build->network, layer))
            tensorflow_rule(layer->op)->forward(build, layer);
    }
}

/* Without a loss, as if the gradient of each output was given. */
static void
seed_outputs(struct build *build)
{
    for (size_t i = 0; i < build->network->output_count; i++) {
        memmodel_tensor output = build->network->outputs[i];
        bool loss = build->network->layers[build->network->tensors[output].layer].op == OP_LOSS;

        enter(build, MEMMODEL_PHASE_BACKWARD, (size_t)build->network->tensors[output].layer);
        if (!loss && build->trained[output] && build->network->tensors[output].consumers == 0)
            build_contribute(build, output,
                             build_new(build, "gradient", build_bytes(build, output), READS(build->outputs[output])));
    }
}

static void
backward(struct build *build)
{
    seed_outputs(build);
    for (size_t i = build->network->layer_count; i-- > 0 && !build->status;) {
        const struct layer *layer = &build->network->layers[i];
        const struct rule *rule = tensorflow_rule(layer->op);
        int32_t gradient = NOTHING;

        enter(build, MEMMODEL_PHASE_BACKWARD, i);
        for (int32_t k = 0; k < layer->output_count && gradient == NOTHING; k++)
            gradient = build_gradient_of(build, layer->first_output + k);
        if (rule->backward && (gradient != NOTHING || layer->op == OP_LOSS))
            rule->backward(build, layer, gradient);
    }
}

int
build_step(struct build *build)
{
    size_t tensors = build->network->tensor_count;

    build->graph.count = build->graph.input_count = build->contribution_count = 0;
    build->unmodelled_count = 0;
    memset(build->done, 0, build->network->parameter_count * sizeof *build->done);
    for (size_t i = 0; i < tensors; i++)
        build->outputs[i] = build->gradients[i] = NOTHING;
    for (size_t i = 0; i < build->network->parameter_count; i++)
        build->ahead[i] = NOTHING;
    for (size_t i = 0; i < build->network->layer_count; i++)
        for (int k = 0; k < KEPT; k++)
            build->kept[i] = (struct kept){NOTHING, NOTHING, {NOTHING, NOTHING, NOTHING, NOTHING}};
    mark_trained(build);
    gather_inputs(build);
    enter(build, MEMMODEL_PHASE_OPTIMIZER, 0);
    if (!build->job->mode)
        optimizer_begin(build);
    forward(build);
    if (!build->job->mode)
        backward(build);
    return build->status;
}
