/*
 * One operator below autograd, run alone, as a recording of a program has it: by the rule of its name, or by that of the
 * operator that it belongs to (lowering.h). Of a backward operator the forward pass runs unseen, then the backward pass.
 */
#include "base/arena.h"
#include "base/checked.h"
#include "base/text.h"
#include "frameworks/operator.h"
#include "frameworks/pytorch/autocast.h"
#include "frameworks/pytorch/autograd.h"
#include "frameworks/pytorch/lowering.h"
#include "frameworks/pytorch/step.h"
#include "frameworks/pytorch/tensor.h"
#include "memmodel/builder.h"

#include <stdio.h>
#include <string.h>

enum { MAX_OPERANDS = 16 };

/* The operator as a network of one layer, and the step that runs it. */
struct alone {
    memmodel_context *context;
    const struct memmodel_recording_operator *operation;
    const struct lowering *lowering; /* NULL: by its own name */
    memmodel_network *network;
    struct binding binding;
    struct memmodel_job job;
    struct step step;
    const struct layer *layer;
    memmodel_tensor *inputs;       /* of the network: the operator's own */
    size_t first_event, end_event; /* of the trace: what it does */
};

/* ---- places of a lowering ---- */

static bool
is_output_place(char place)
{
    return place >= 'p' && place <= 'w';
}

static size_t
place_number(char place)
{
    return (size_t)(is_output_place(place) ? place - 'p' : place <= '9' ? place - '0' : 10 + place - 'A');
}

static const struct memmodel_recording_tensor *
tensor_at(const struct memmodel_recording_operator *operation, char place)
{
    size_t number = place_number(place);
    size_t count = is_output_place(place) ? operation->output_count : operation->input_count;
    const struct memmodel_recording_tensor *tensors = is_output_place(place) ? operation->outputs : operation->inputs;

    return place != '-' && number < count && tensors[number].rank >= 0 ? &tensors[number] : NULL;
}

/* ---- the network ---- */

static memmodel_tensor
add_input(struct alone *alone, const struct memmodel_recording_tensor *tensor)
{
    char name[24];

    if (!tensor || tensor->rank < 0)
        return MEMMODEL_TENSOR_NONE;
    snprintf(name, sizeof name, "input%zu", alone->network->tensor_count);
    return memmodel_network_input(alone->network, name, tensor->dtype, tensor->rank, tensor->dims);
}

static struct memmodel_shape
shape_of(const struct memmodel_recording_tensor *tensor)
{
    struct memmodel_shape shape = {.rank = tensor->rank, .dtype = tensor->dtype};

    memcpy(shape.dims, tensor->dims, sizeof shape.dims);
    return shape;
}

/* What the rule's operator returns: the operator's own outputs, or what the incoming gradients are of. */
static int32_t
output_shapes(const struct alone *alone, struct memmodel_shape *shapes)
{
    const struct memmodel_recording_operator *operation = alone->operation;
    const char *incoming = alone->lowering ? alone->lowering->incoming : NULL;
    const struct memmodel_shape no_shape = {.rank = 1, .dtype = MEMMODEL_DTYPE_UINT8};
    int32_t count = 0;

    for (; incoming && *incoming; incoming++) {
        const struct memmodel_recording_tensor *gradient = tensor_at(operation, *incoming);

        shapes[count++] = gradient ? shape_of(gradient) : no_shape;
    }
    for (size_t i = 0; !incoming && i < operation->output_count; i++)
        if (operation->outputs[i].rank >= 0)
            shapes[count++] = shape_of(&operation->outputs[i]);
    if (count == 0) /* a layer has one at least */
        shapes[count++] = no_shape;
    return count;
}

/* The value of an attribute of `length` characters of name in a text of them; NULL if it is not there. */
static const char *
find_attribute(const char *attributes, const char *name, size_t length)
{
    for (const char *at = attributes; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    }
    return NULL;
}

/* The attributes, and one of them by its other name as well. */
static int
write_attributes(const struct alone *alone, struct text *text)
{
    const char *rename = alone->lowering ? alone->lowering->attribute : NULL;
    const char *its = rename ? strchr(rename, '=') : NULL;
    const char *value = its ? find_attribute(alone->operation->attributes, rename, (size_t)(its - rename)) : NULL;

    text_append(text, alone->operation->attributes);
    if (value)
        text_printf(text, " %s=%.*s", its + 1, (int)strcspn(value, " "), value);
    return text->failed ? MEMMODEL_ERROR_NO_MEMORY : 0;
}

/* Inputs of the layer: tensors of the network. */
static size_t
find_operands(struct alone *alone, memmodel_tensor *operands)
{
    const struct memmodel_recording_operator *operation = alone->operation;
    const char *places = alone->lowering ? alone->lowering->operands : NULL;

    if (!places) {
        memcpy(operands, alone->inputs, operation->input_count * sizeof *operands);
        return operation->input_count;
    }
    for (size_t i = 0; i < strlen(places); i++) {
        size_t number = place_number(places[i]);

        operands[i] = MEMMODEL_TENSOR_NONE;
        if (is_output_place(places[i]))
            operands[i] = add_input(alone, tensor_at(operation, places[i]));
        else if (places[i] != '-' && number < operation->input_count)
            operands[i] = alone->inputs[number];
    }
    return strlen(places);
}

/* Returns the network's status. */
static int
build(struct alone *alone, struct arena *arena)
{
    const struct memmodel_recording_operator *operation = alone->operation;
    size_t room = operation->input_count + MAX_OPERANDS;
    memmodel_tensor *operands = arena_allocate(arena, room * sizeof *operands);
    struct memmodel_shape *shapes = arena_allocate(arena, (operation->output_count + MAX_OPERANDS) * sizeof *shapes);
    struct text attributes = TEXT_INIT(alone->context);
    int status;

    alone->inputs = arena_allocate(arena, room * sizeof *alone->inputs);
    status = operands && shapes && alone->inputs ? write_attributes(alone, &attributes) : MEMMODEL_ERROR_NO_MEMORY;
    if (!status)
        status = memmodel_network_new(alone->context, &alone->network);
    if (!status) {
        size_t count;

        for (size_t i = 0; i < room; i++)
            alone->inputs[i] =
                i < operation->input_count ? add_input(alone, &operation->inputs[i]) : MEMMODEL_TENSOR_NONE;
        count = find_operands(alone, operands);
        memmodel_network_custom(
            alone->network, operands, count,
            MEMMODEL_CUSTOM(.outputs = shapes, .output_count = output_shapes(alone, shapes),
                            .operation = alone->lowering ? alone->lowering->operation : operation->name,
                            .attributes = attributes.length ? attributes.bytes : NULL));
        status = memmodel_network_status(alone->network);
    }
    text_release(&attributes);
    return status;
}

/* ---- the step ---- */

static struct shape
numbers_of(const struct memmodel_recording_tensor *tensor)
{
    struct shape shape = {.rank = tensor->rank, .dtype = tensor->dtype};

    memcpy(shape.dims, tensor->dims, sizeof shape.dims);
    return shape;
}

static void
make_value(struct alone *alone, memmodel_tensor tensor, const struct memmodel_recording_tensor *from)
{
    struct shape shape;

    if (tensor < 0 || !from)
        return;
    shape = numbers_of(from);
    alone->step.values[tensor] = value_empty_strided(&alone->step, &shape, from->strides);
}

/* Tensors as they are before it runs. Those of an output's shape lie as that does. */
static void
make_values(struct alone *alone)
{
    const struct memmodel_recording_operator *operation = alone->operation;
    const char *places = alone->lowering ? alone->lowering->operands : NULL;

    for (size_t i = 0; i < operation->input_count; i++)
        make_value(alone, alone->inputs[i], &operation->inputs[i]);
    for (int i = 0; places && places[i]; i++)
        if (is_output_place(places[i]))
            make_value(alone, alone->layer->inputs[i], tensor_at(operation, places[i]));
}

static int
start(struct alone *alone)
{
    struct step *step = &alone->step;
    int status = binding_new(alone->context, alone->network, NULL, &alone->binding);

    if (status)
        return status;
    *step = (struct step){
        .context = alone->context,
        .network = alone->binding.network,
        .binding = &alone->binding,
        .job = &alone->job,
        .pool = OBJECT_POOL_INIT(alone->context),
        .layer = (int32_t)alone->network->layer_count - 1,
        .number = 1,
        .training = true,
        .what = alone->operation->name,
    };
    alone->layer = &step->network->layers[step->layer];
    status = step_find_machine(step);
    return status ? status : step_new(step);
}

/* ---- it runs ---- */

/* What the gradients are asked of needs them; of a forward operator its first input. */
static void
want_gradients(struct alone *alone)
{
    const char *gradients = alone->lowering->gradients;

    alone->step.grad_mode = true;
    if (!gradients && alone->layer->input_count > 0 && alone->layer->inputs[0] >= 0)
        node_leaf(&alone->step, alone->step.values[alone->layer->inputs[0]]);
    for (size_t i = 0; gradients && gradients[i]; i++) {
        size_t operand = place_number(gradients[i]);

        if (i < alone->operation->output_count && alone->operation->outputs[i].rank >= 0 &&
            alone->layer->inputs[operand] >= 0)
            node_leaf(&alone->step, alone->step.values[alone->layer->inputs[operand]]);
    }
}

static void
run_backward(struct alone *alone)
{
    struct step *step = &alone->step;
    struct value *roots[MAX_OPERANDS], *gradients[MAX_OPERANDS];
    const char *incoming = alone->lowering->incoming;
    int count = 0;

    for (int i = 0; incoming[i] && i < alone->layer->output_count; i++) {
        memmodel_tensor gradient = alone->inputs[place_number(incoming[i])];
        struct value *root = step->values[alone->layer->first_output + i];

        if (gradient < 0 || !root || !root->node)
            continue;
        roots[count] = root;
        gradients[count++] = step->values[gradient];
    }
    step->grad_mode = false;
    if (count > 0)
        autograd_backward_inside(step, roots, gradients, count);
}

static void
run(struct alone *alone)
{
    struct step *step = &alone->step;
    bool backward = alone->lowering && alone->lowering->incoming;

    step->silent = backward;
    if (alone->lowering)
        want_gradients(alone);
    alone->first_event = step->trace->event_count;
    autocast_forward(step, alone->layer);
    step->silent = false;
    if (backward && !step->status)
        run_backward(alone);
    alone->end_event = step->trace->event_count;
}

/* ---- what came of it ---- */

/* The tensor that output number `output` is; NULL if the rule made none. `place` is its number among those there are. */
static const struct value *
output_value(const struct alone *alone, size_t output, int32_t place)
{
    const char *gradients = alone->lowering ? alone->lowering->gradients : NULL;
    const struct value *operand;
    memmodel_tensor tensor;

    if (!gradients)
        return place < alone->layer->output_count ? alone->step.values[alone->layer->first_output + place] : NULL;
    if (output >= strlen(gradients))
        return NULL;
    tensor = alone->layer->inputs[place_number(gradients[output])];
    operand = tensor < 0 ? NULL : alone->step.values[tensor];
    return operand && operand->node ? operand->node->gradient : NULL;
}

/* By block of the trace: which output it is, or NOT_OUTPUT. */
enum { NOT_OUTPUT = -1 };

static bool
is_own_block(const struct alone *alone, int32_t block)
{
    return block >= 0 && (size_t)alone->step.trace->blocks[block].allocated >= alone->first_event;
}

static void
mark_outputs(const struct alone *alone, int32_t *output_of, bool *is_found)
{
    const struct memmodel_recording_operator *operation = alone->operation;
    int32_t place = 0;

    for (size_t i = 0; i < operation->output_count; i++) {
        const struct value *value;

        if (operation->outputs[i].rank < 0)
            continue;
        value = output_value(alone, i, place++);
        if (!value || !is_own_block(alone, value->storage->block) || output_of[value->storage->block] != NOT_OUTPUT)
            continue;
        output_of[value->storage->block] = (int32_t)i;
        is_found[i] = true;
    }
}

/* The first output that is not found yet and, if `bytes` is not negative, has so many; output_count for none. */
static size_t
unfound_output(const struct alone *alone, const bool *is_found, int64_t bytes)
{
    const struct memmodel_recording_operator *operation = alone->operation;

    for (size_t i = 0; i < operation->output_count; i++) {
        struct shape shape = numbers_of(&operation->outputs[i]);

        if (is_found[i] || operation->outputs[i].rank < 0)
            continue;
        if (bytes < 0 || multiply_saturating(shape_elements(&shape), dtype_bytes(shape.dtype)) == bytes)
            return i;
    }
    return operation->output_count;
}

static void
mark_saved_of(const struct alone *alone, bool of_their_size, int32_t *output_of, bool *is_found)
{
    const struct memmodel_trace *trace = alone->step.trace;

    for (size_t i = 0; i < trace->block_count; i++) {
        size_t output;

        if (!is_own_block(alone, (int32_t)i) || trace->blocks[i].released >= 0 || output_of[i] != NOT_OUTPUT)
            continue;
        output = unfound_output(alone, is_found, of_their_size ? trace->blocks[i].bytes : -1);
        if (output == alone->operation->output_count)
            continue;
        output_of[i] = (int32_t)output;
        is_found[output] = true;
    }
}

/*
 * What a rule keeps for the backward pass is what its operator returns besides: of the same size, then in the order of
 * its allocation.
 */
static void
mark_saved(const struct alone *alone, int32_t *output_of, bool *is_found)
{
    mark_saved_of(alone, true, output_of, is_found);
    mark_saved_of(alone, false, output_of, is_found);
}

/* Number of what the device's libraries keep; -1 of all else. */
static int32_t
kept_number(const struct step *step, int32_t block)
{
    const struct value *const kept[OPERATOR_KEPT_COUNT][2] = {
        {step->cuda.workspaces[0], step->cuda.workspaces[1]},
        {step->cuda.lt_workspaces[0], step->cuda.lt_workspaces[1]},
        {step->cuda.dropout_states},
    };

    for (int32_t i = 0; i < OPERATOR_KEPT_COUNT; i++)
        for (int k = 0; k < 2; k++)
            if (kept[i][k] && kept[i][k]->storage->block == block)
                return i;
    return -1;
}

/* What collecting works on, by block of the trace. */
struct collection {
    struct operator_events *events;
    int32_t *output_of, *scratch_of;
    bool is_whole; /* each block is released, an output, or kept */
};

static void
collect_event(const struct alone *alone, struct collection *collection, const struct trace_event *event)
{
    const struct trace_block *block = &alone->step.trace->blocks[event->block];
    struct operator_events *events = collection->events;
    struct operator_event *item = &events->items[events->count];

    *item = (struct operator_event){.bytes = block->bytes, .release = event->release};
    if (collection->output_of[event->block] != NOT_OUTPUT) {
        item->memory = OPERATOR_OUTPUT;
        item->number = collection->output_of[event->block];
    } else if (block->released >= 0) {
        if (!event->release)
            collection->scratch_of[event->block] = (int32_t)events->scratch_count++;
        item->number = collection->scratch_of[event->block];
    } else {
        item->memory = OPERATOR_KEPT;
        item->number = kept_number(&alone->step, event->block);
        if (item->number < 0)
            collection->is_whole = false;
    }
    events->count++;
}

/* Outputs that the rule makes no memory for, where the watcher sees some: they come last. */
static void
add_missing_outputs(const struct alone *alone, const bool *is_found, struct operator_events *events)
{
    for (size_t i = 0; i < alone->operation->output_count; i++)
        if (!is_found[i])
            events->items[events->count++] = (struct operator_event){.number = (int32_t)i, .memory = OPERATOR_OUTPUT};
}

/* False in *is_whole if the rule leaves behind what is no output: then it is not about this operator. */
static int
collect(const struct alone *alone, struct arena *arena, struct operator_events *events, bool *is_whole)
{
    const struct memmodel_trace *trace = alone->step.trace;
    size_t outputs = alone->operation->output_count, room = alone->end_event - alone->first_event + outputs + 1;
    bool *is_found = memory_allocate_zeroed(alone->context, outputs + 1, sizeof *is_found);
    struct collection collection = {events, memory_allocate(alone->context, (trace->block_count + 1) * sizeof(int32_t)),
                                    memory_allocate_zeroed(alone->context, trace->block_count + 1, sizeof(int32_t)),
                                    true};
    int status = MEMMODEL_ERROR_NO_MEMORY;

    *events = (struct operator_events){.items = arena_allocate(arena, room * sizeof *events->items)};
    if (events->items && is_found && collection.output_of && collection.scratch_of) {
        for (size_t i = 0; i < trace->block_count; i++)
            collection.output_of[i] = NOT_OUTPUT;
        mark_outputs(alone, collection.output_of, is_found);
        if (alone->lowering && !alone->lowering->incoming)
            mark_saved(alone, collection.output_of, is_found);
        for (size_t i = alone->first_event; i < alone->end_event; i++)
            collect_event(alone, &collection, &trace->events[i]);
        add_missing_outputs(alone, is_found, events);
        *is_whole = collection.is_whole;
        status = 0;
    }
    memory_release(alone->context, is_found);
    memory_release(alone->context, collection.output_of);
    memory_release(alone->context, collection.scratch_of);
    return status;
}

/* ---- all of it ---- */

static void
release(struct alone *alone)
{
    if (alone->step.network) {
        memory_release(alone->context, alone->step.unmodelled);
        memmodel_trace_unref(alone->step.trace);
        step_release(&alone->step);
    }
    if (alone->binding.network)
        binding_release(alone->context, &alone->binding);
    memmodel_network_unref(alone->network);
}

static int
simulate(struct alone *alone, struct arena *scratch, struct arena *arena, struct operator_events *events)
{
    bool is_whole = false;
    int status = build(alone, scratch);

    if (!status)
        status = start(alone);
    if (status)
        return status;
    make_values(alone);
    run(alone);
    if (alone->step.status)
        return alone->step.status;
    status = collect(alone, arena, events, &is_whole);
    events->known = is_whole && alone->step.unmodelled_count == 0;
    return status || is_whole ? status : operator_estimate(alone->operation, arena, events);
}

int
pytorch_run_operator(memmodel_context *context, const struct memmodel_job *job,
                     const struct memmodel_recording_operator *operation, struct arena *arena,
                     struct operator_events *events)
{
    struct alone alone = {
        .context = context, .operation = operation, .lowering = lowering_find(operation->name), .job = *job};
    struct arena scratch = ARENA_INIT(context);
    int status = simulate(&alone, &scratch, arena, events);

    release(&alone);
    arena_release(&scratch);
    if (!status || status_ends_call(status))
        return status;
    return operator_estimate(operation, arena, events); /* called in a way that its rule does not know */
}
