/*
 * All of model.fit on one batch of arrays: weights and their initialisers, the arrays' copies, constants that the graph
 * optimiser leaves behind, and the steps. TensorFlow 2.21 with oneDNN, Keras 3.15.
 */
#include "frameworks/tensorflow/schedule.h"
#include "frameworks/tensorflow/build.h"

#include "base/checked.h"

#include <string.h>

/* ---- the ledger that writes a trace ---- */

struct ledger_trace {
    struct build *build;
    struct memmodel_trace *trace;
    struct simulation *simulation;
    int64_t heap;
    size_t heap_capacity;
    int number; /* of the step */
};

/* What the kernels hold from the C library at the trace's newest event. */
static int
note_heap(struct ledger_trace *ledger)
{
    struct simulation *simulation = ledger->simulation;
    size_t events = ledger->trace->event_count;
    int status = array_reserve(ledger->build->context, &simulation->heap, &ledger->heap_capacity, events + 1,
                               sizeof *simulation->heap);

    if (!status)
        simulation->heap[events ? events - 1 : 0] = ledger->heap;
    return status;
}

static int32_t
allocate(struct ledger_trace *ledger, const char *what, int64_t bytes, int32_t layer, enum memmodel_category category)
{
    int32_t block = trace_allocate(ledger->trace, bytes, what, layer, category);
    int status = block < 0 ? block : note_heap(ledger);

    return status ? status : block;
}

static int32_t
take(void *self, const struct operation *operation, int64_t bytes)
{
    struct ledger_trace *ledger = self;

    trace_enter(ledger->trace, ledger->number, operation->phase, operation->layer);
    return allocate(ledger, operation->what, bytes, operation->layer, operation->category);
}

static int
give(void *self, int32_t block)
{
    struct ledger_trace *ledger = self;
    int status = trace_release(ledger->trace, block);

    return status ? status : note_heap(ledger);
}

static void
reuse(void *self, int32_t block, const struct operation *operation)
{
    struct ledger_trace *ledger = self;

    if (operation->category == MEMMODEL_CATEGORY_SAVED_ACTIVATIONS)
        ledger->trace->blocks[block].category = MEMMODEL_CATEGORY_SAVED_ACTIVATIONS;
}

static void
heap(void *self, int64_t bytes)
{
    struct ledger_trace *ledger = self;
    size_t events = ledger->trace->event_count;

    ledger->heap += bytes;
    if (events && ledger->heap > ledger->simulation->heap[events - 1])
        ledger->simulation->heap[events - 1] = ledger->heap;
}

/* ---- before the first step ---- */

/* A weight is drawn uniformly, scaled and shifted, each into memory of its own; the others are filled at once. */
static int32_t
make_parameter(struct ledger_trace *ledger, int32_t index)
{
    const struct parameter *parameter = &ledger->build->network->parameters[index];
    int64_t bytes = build_parameter_bytes(ledger->build, index);
    bool drawn = parameter->trainable && parameter->rank > 1;
    const char *role = trace_text(ledger->trace, parameter->role);
    int32_t blocks[2] = {-1, -1}, variable;

    if (ledger->build->status)
        return ledger->build->status;
    if (!role)
        return MEMMODEL_ERROR_NO_MEMORY;
    for (int i = 0; i < 2 && drawn; i++) {
        blocks[i] = allocate(ledger, "initializer", bytes, parameter->layer, MEMMODEL_CATEGORY_WORKSPACE);
        if (blocks[i] < 0)
            return blocks[i];
    }
    variable = allocate(ledger, role, bytes, parameter->layer, MEMMODEL_CATEGORY_PARAMETERS);
    for (int i = 0; i < 2 && drawn && variable >= 0; i++) {
        int status = give(ledger, blocks[i]);

        if (status)
            return status;
    }
    return variable;
}

static int
make_parameters(struct ledger_trace *ledger, int32_t *variables)
{
    for (size_t i = 0; i < ledger->build->network->parameter_count; i++) {
        variables[i] = make_parameter(ledger, (int32_t)i);
        if (variables[i] < 0)
            return variables[i];
    }
    return 0;
}

/* The arrays are copied into tensors that stay. */
static int
copy_inputs(struct ledger_trace *ledger)
{
    for (size_t i = 0; i < ledger->build->network->layer_count; i++) {
        const struct layer *layer = &ledger->build->network->layers[i];
        int32_t block = 0;

        if (layer->op == OP_INPUT) {
            ledger->simulation->built_bytes += build_output_bytes(ledger->build, layer);
            block = allocate(ledger, "array", build_output_bytes(ledger->build, layer), (int32_t)i,
                             MEMMODEL_CATEGORY_INPUTS);
        }
        if (block < 0)
            return block;
    }
    return ledger->build->status;
}

static bool
same_dims(const struct build *build, const struct parameter *a, const struct parameter *b)
{
    for (int i = 0; i < a->rank; i++)
        if (a->rank != b->rank || build_dim(build, a->dims[i]) != build_dim(build, b->dims[i]))
            return false;
    return true;
}

static bool
is_first_of_shape(const struct build *build, size_t index)
{
    const struct parameter *parameters = build->network->parameters;

    for (size_t i = 0; i < index; i++)
        if (parameters[i].trainable && same_dims(build, &parameters[i], &parameters[index]))
            return false;
    return true;
}

/* The slots' initial zeros are a constant for each distinct shape, which becomes the slot of one of them. */
static int
make_slot_constants(struct ledger_trace *ledger)
{
    struct build *build = ledger->build;

    for (size_t i = 0; i < build->network->parameter_count; i++) {
        int32_t block;

        build->shared_slot[i] =
            build->slots > 0 && build->network->parameters[i].trainable && is_first_of_shape(build, i);
        if (!build->shared_slot[i])
            continue;
        block = allocate(ledger, "zeros", build_parameter_bytes(build, (int32_t)i), build->network->parameters[i].layer,
                         MEMMODEL_CATEGORY_OPTIMIZER_STATE);
        if (block < 0)
            return block;
    }
    return build->status;
}

/* ---- constants that the graph optimiser makes: core/grappler/optimizers/constant_folding.cc ---- */

enum { FOLDING_COPIES = 2, MAX_CONSTANTS = 256 };

struct constants {
    struct constant {
        const char *what;
        int64_t bytes;
        int32_t layer;
    } items[MAX_CONSTANTS];
    int count;
};

static void
add_constant(struct constants *constants, const char *what, int64_t bytes, int32_t layer)
{
    if (constants->count < MAX_CONSTANTS)
        constants->items[constants->count++] = (struct constant){what, bytes, layer};
}

/*
 * Zeros for each sum that became a temporary variable, and what the losses' gradients are folded to. Besides such a
 * tensor of a loss one stays as a protocol buffer, and malloc keeps another that was in between: strings of that size
 * in a log of malloc's calls.
 */
static void
find_constants(struct ledger_trace *ledger, struct constants *constants)
{
    struct build *build = ledger->build;

    for (size_t i = 0; i < build->network->layer_count; i++) {
        const struct layer *loss = &build->network->layers[i];
        int64_t bytes = loss->op == OP_LOSS ? build_bytes(build, loss_logits(build->network, loss)) : 0;
        int count = loss->op == OP_LOSS ? loss_constants(loss, bytes) : 0;

        for (int k = 0; k < count; k++)
            add_constant(constants, "constant", bytes, (int32_t)i);
        if (bytes <= FOLDED_BYTES)
            ledger->simulation->outside_bytes += build_times(build, bytes, 2 * count);
    }
    for (size_t i = 0; i < build->graph.count; i++)
        if (build->graph.operations[i].place == PLACE_TEMPORARY)
            add_constant(constants, "zeros", build->graph.operations[i].bytes, build->graph.operations[i].layer);
}

/* Allocates each constant `copies` times. */
static int
allocate_constants(struct ledger_trace *ledger, const struct constants *constants, int copies, int32_t *blocks)
{
    for (int i = 0; i < constants->count * copies; i++) {
        const struct constant *constant = &constants->items[i % constants->count];

        blocks[i] = allocate(ledger, constant->what, constant->bytes, constant->layer, MEMMODEL_CATEGORY_WORKSPACE);
        if (blocks[i] < 0)
            return blocks[i];
    }
    return ledger->build->status;
}

/* While they are folded there are two of each, then one for good. */
static int
make_constants(struct ledger_trace *ledger)
{
    struct constants constants = {.count = 0};
    int32_t blocks[FOLDING_COPIES * MAX_CONSTANTS];
    int status;

    find_constants(ledger, &constants);
    status = allocate_constants(ledger, &constants, FOLDING_COPIES, blocks);
    for (int i = 0; i < constants.count * FOLDING_COPIES && !status; i++)
        status = give(ledger, blocks[i]);
    return status ? status : allocate_constants(ledger, &constants, 1, blocks);
}

static int
set_up(struct ledger_trace *ledger, int32_t *variables)
{
    struct build *build = ledger->build;
    int status = make_parameters(ledger, variables);

    ledger->simulation->events_before = ledger->trace->event_count;
    if (!status)
        status = copy_inputs(ledger);
    if (!status && !build->job->mode)
        status = make_slot_constants(ledger);
    if (!status)
        status = build_step(build);
    if (!status && !build->job->mode)
        status = sums_rewrite(build);
    if (!status && !build->job->mode)
        status = make_constants(ledger);
    return status;
}

/* ---- all of it ---- */

static int
run_steps(struct ledger_trace *ledger, int32_t *variables)
{
    struct ledger calls = {.self = ledger, .take = take, .give = give, .reuse = reuse, .heap = heap, .forwards = true};
    struct schedule schedule = {
        .graph = &ledger->build->graph,
        .ledger = &calls,
        .variables = variables,
        .workers = ledger->build->job->intra_op_threads,
        .random = (uint64_t)ledger->simulation->draw + 1,
    };
    int status = 0;

    for (int number = 1; number <= ledger->build->job->steps && !status; number++) {
        ledger->number = number;
        schedule.first = number == 1;
        status = schedule_run(&schedule);
    }
    return status;
}

static int
name_layers(struct ledger_trace *ledger)
{
    for (size_t i = 0; i < ledger->build->network->layer_count; i++) {
        int32_t name = trace_add_name(ledger->trace, ledger->build->network->layers[i].name);

        if (name < 0)
            return name;
    }
    trace_enter(ledger->trace, 0, MEMMODEL_PHASE_SETUP, -1);
    return 0;
}

static int
simulate(struct build *build, struct simulation *simulation)
{
    struct ledger_trace ledger = {.build = build, .simulation = simulation};
    int32_t *variables = memory_allocate_zeroed(build->context, build->network->parameter_count + 1, sizeof *variables);
    int status = variables ? 0 : MEMMODEL_ERROR_NO_MEMORY;

    if (!status && simulation->spare)
        simulation->trace = memmodel_trace_ref(simulation->spare);
    else if (!status)
        status = trace_new(build->context, &simulation->trace);
    ledger.trace = simulation->trace;
    if (!status)
        status = name_layers(&ledger);
    if (!status)
        status = set_up(&ledger, variables);
    if (!status)
        status = run_steps(&ledger, variables);
    if (!status) {
        simulation->outside_bytes += process_graph_bytes(build);
        simulation->built_bytes += process_object_bytes(build);
        simulation->pool_from = SMALL_BYTES;
        status = build->status;
    }
    memory_release(build->context, variables);
    return status;
}

static int
build_allocate(struct build *build, struct arena *arena)
{
    const memmodel_network *network = build->network;
    size_t tensors = network->tensor_count + 1, layers = network->layer_count + 1;
    size_t parameters = network->parameter_count + 1;

    build->outputs = arena_allocate(arena, tensors * sizeof *build->outputs);
    build->gradients = arena_allocate(arena, tensors * sizeof *build->gradients);
    build->trained = arena_allocate(arena, tensors * sizeof *build->trained);
    build->kept = arena_allocate(arena, layers * sizeof *build->kept);
    build->shared_slot = arena_allocate(arena, parameters * sizeof *build->shared_slot);
    build->done = arena_allocate(arena, parameters * sizeof *build->done);
    build->ahead = arena_allocate(arena, parameters * sizeof *build->ahead);
    if (!build->outputs || !build->gradients || !build->trained || !build->kept || !build->shared_slot ||
        !build->done || !build->ahead)
        return MEMMODEL_ERROR_NO_MEMORY;
    memset(build->shared_slot, 0, parameters * sizeof *build->shared_slot);
    return 0;
}

static int
check_job(memmodel_context *context, const struct memmodel_job *job)
{
    struct target_cpu machine;

    if (strcmp(job->device, "cpu") != 0)
        return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, job->device, "only the device \"cpu\" is simulated");
    return target_cpu_find(context, job->isa, job->intra_op_threads, &machine);
}

int
tensorflow_simulate(memmodel_context *context, const struct binding *binding, const struct memmodel_job *job,
                    struct simulation *simulation)
{
    struct arena arena = ARENA_INIT(context);
    struct build build = {
        .context = context,
        .network = binding->network,
        .binding = binding,
        .job = job,
        .graph = {.context = context},
    };
    int status;

    build.optimizer = tensorflow_optimizer(job->optimizer, &build.slots);
    status = build.optimizer ? check_job(context, job) : tensorflow_unknown_optimizer(context, job->optimizer);
    if (!status)
        status = build_allocate(&build, &arena);
    if (!status)
        status = simulate(&build, simulation);
    graph_release(&build.graph);
    memory_release(context, build.contributions);
    arena_release(&arena);
    simulation->unmodelled = build.unmodelled;
    simulation->unmodelled_count = build.unmodelled_count;
    return status;
}
