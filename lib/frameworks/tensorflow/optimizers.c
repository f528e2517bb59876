/*
 * Optimizers as Keras 3 runs them: each parameter's update starts as soon as its gradient is there, within the backward
 * pass. Keras 3.15: src/optimizers/adam.py, rmsprop.py, sgd.py; temporaries measured with TensorFlow 2.21.
 */
#include "frameworks/optimizer.h"
#include "frameworks/tensorflow/build.h"

#include <string.h>

/* One update, of the parameter's size. */
struct update {
    struct build *build;
    int32_t parameter;
    int64_t bytes;
    int32_t gradient, reader;
    int slots; /* still to be made in the first step */
};

struct optimizer {
    bool known;
    int64_t graph_bytes; /* measured with tiny tensors, per parameter array */
    void (*begin)(struct build *build, int32_t parameter, int64_t bytes);
    void (*update)(struct update *update);
};

/* The optimizer's state; its first update makes it, unless it was made before the first step. */
static int32_t
slot(struct update *update, const char *what, int32_t input)
{
    struct operation operation = {
        .what = what, .category = MEMMODEL_CATEGORY_OPTIMIZER_STATE, .duration = (double)update->bytes + 1};

    if (update->slots > 0) {
        operation.bytes = update->bytes;
        operation.place = PLACE_SLOT;
        update->slots--;
    }
    return build_operation(update->build, &operation, READS(input));
}

/* The parameter itself: in place, unless somebody still reads it. */
static void
assign(struct update *update, int32_t change)
{
    struct operation operation = {.what = "AssignSub",
                                  .bytes = update->bytes,
                                  .place = PLACE_VARIABLE,
                                  .category = MEMMODEL_CATEGORY_PARAMETERS,
                                  .variable = update->parameter,
                                  .reader = update->reader};

    build_operation(update->build, &operation, READS(change));
}

static void
sgd(struct update *update)
{
    assign(update, build_forward(update->build, "Mul", update->bytes, READS(update->gradient)));
}

static void
momentum(struct update *update)
{
    int32_t scaled = build_forward(update->build, "Mul", update->bytes, READS(update->gradient));
    int32_t old = build_new(update->build, "Mul_1", update->bytes, NULL, 0);
    int32_t sum = build_forward(update->build, "Sub", update->bytes, READS(old, scaled));

    slot(update, "momentum", sum);
    assign(update, sum);
}

static void
adam(struct update *update)
{
    struct build *build = update->build;
    int64_t n = update->bytes;
    int32_t square = build_new(build, "Square", n, READS(update->gradient));
    int32_t v = slot(update, "velocity", square);
    int32_t difference = build_forward(build, "Sub", n, READS(update->gradient, v));
    int32_t m = slot(update, "momentum", difference);
    int32_t root = build_new(build, "Sqrt", n, READS(v, m));
    int32_t product = build_new(build, "Mul", n, READS(m));

    assign(update, build_forward(build, "Div", n, READS(product, root)));
}

/* rho * v of every parameter is ready when the step begins, and waits for its update. */
static void
rmsprop_begin(struct build *build, int32_t parameter, int64_t bytes)
{
    build->ahead[parameter] = build_new(build, "Mul", bytes, NULL, 0);
}

static void
rmsprop(struct update *update)
{
    struct build *build = update->build;
    int64_t n = update->bytes;
    int32_t scaled = build->ahead[update->parameter];
    int32_t square = build_new(build, "Square", n, READS(update->gradient, scaled));
    int32_t v = slot(update, "velocity", build_forward(build, "AddV2", n, READS(square, scaled)));
    int32_t root = build_new(build, "Sqrt", n, READS(v));
    int32_t product = build_forward(build, "Mul_1", n, READS(update->gradient));

    assign(update, build_forward(build, "Div", n, READS(product, root)));
}

/*
 * Weight decay runs when the step begins. As the layer reads the parameter until its backward pass is over, what is left
 * of it is written to fresh memory; the update's own change is then in place.
 */
static void
adamw_begin(struct build *build, int32_t parameter, int64_t bytes)
{
    int32_t decay = build_new(build, "mul", bytes, NULL, 0);
    struct operation rest = {.what = "AssignSub",
                             .bytes = bytes,
                             .place = PLACE_VARIABLE,
                             .category = MEMMODEL_CATEGORY_PARAMETERS,
                             .variable = parameter,
                             .reader = NOTHING};

    build->ahead[parameter] = build_operation(build, &rest, READS(decay));
}

/* Last operation that reads the parameter: the gradient of the layer's input, or without one its output. */
static int32_t
last_reader(const struct build *build, const struct update *update)
{
    return update->reader != NOTHING ? update->reader
                                     : build->kept[build->network->parameters[update->parameter].layer].y;
}

static void
adamw(struct update *update)
{
    int32_t rest = update->build->ahead[update->parameter];

    if (rest != NOTHING)
        update->build->graph.operations[rest].reader = last_reader(update->build, update);
    update->reader = NOTHING;
    adam(update);
}

static const struct optimizer rows[OPTIMIZERS] = {
    [OPTIMIZER_NONE] = {true, 0, NULL, NULL},
    [OPTIMIZER_SGD] = {true, 0, NULL, sgd},
    [OPTIMIZER_ADAM] = {true, 1500000, NULL, adam},
    [OPTIMIZER_ADAMW] = {true, 1700000, adamw_begin, adamw},
    [OPTIMIZER_RMSPROP] = {true, 950000, rmsprop_begin, rmsprop},
};

static const struct optimizer sgd_with_momentum = {true, 750000, NULL, momentum};

/* Options that change what is kept have no rule here, but for the momentum of SGD and AdamW's own decay. */
const struct optimizer *
tensorflow_optimizer(const char *text, int *slots)
{
    struct optimizer_choice choice;

    if (!optimizer_parse(text, &choice) || choice.id == OPTIMIZERS || !rows[choice.id].known)
        return NULL;
    *slots = optimizer_slots(&choice);
    if (choice.on == OPTIMIZER_MOMENTUM && choice.id == OPTIMIZER_SGD)
        return &sgd_with_momentum;
    return choice.on & ~(uint32_t)OPTIMIZER_WEIGHT_DECAY ? NULL : &rows[choice.id];
}

int
tensorflow_unknown_optimizer(memmodel_context *context, const char *text)
{
    struct text names = TEXT_INIT(context);
    int status;

    for (int i = 0; i < OPTIMIZERS; i++)
        if (rows[i].known)
            text_printf(&names, "%s, ", optimizer_kinds[i].name);
    status = context_error(context, MEMMODEL_ERROR_UNSUPPORTED, text,
                           "TensorFlow has no rule for this optimizer; use %ssgd(momentum)",
                           names.failed ? "" : names.bytes);
    text_release(&names);
    return status;
}

int64_t
optimizer_graph_bytes(const struct optimizer *optimizer)
{
    return optimizer->graph_bytes;
}

void
optimizer_begin(struct build *build)
{
    for (size_t i = 0; build->optimizer->begin && i < build->network->parameter_count; i++) {
        build->layer = build->network->parameters[i].layer;
        if (build->network->parameters[i].trainable)
            build->optimizer->begin(build, (int32_t)i, build_parameter_bytes(build, (int32_t)i));
    }
}

void
optimizer_update(struct build *build, int32_t parameter, int32_t gradient, int32_t reader)
{
    struct update update = {
        .build = build,
        .parameter = parameter,
        .bytes = build_parameter_bytes(build, parameter),
        .gradient = gradient,
        .reader = reader,
        .slots = build->slots - (build->shared_slot[parameter] ? 1 : 0),
    };

    if (build->optimizer->update)
        build->optimizer->update(&update);
}
