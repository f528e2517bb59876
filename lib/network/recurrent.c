/* Recurrent layers: torch.nn.LSTM, GRU and RNN, their outputs and the names of their parameters. */
#include "network/builder.h"

#include <stdio.h>
#include <string.h>

static const char *const recurrent_names[] = {"lstm", "gru", "rnn_tanh", "rnn_relu", NULL};
static const int8_t gates[] = {
    [MEMMODEL_RECURRENT_LSTM] = 4,
    [MEMMODEL_RECURRENT_GRU] = 3,
    [MEMMODEL_RECURRENT_RNN_TANH] = 1,
    [MEMMODEL_RECURRENT_RNN_RELU] = 1,
};

static const struct field recurrent_fields[] = {
    FIELD_ARRAY(memmodel_recurrent, hidden_size, 1),
    FIELD_ARRAY(memmodel_recurrent, layer_count, 1),
    FIELD_ARRAY(memmodel_recurrent, projection_size, 1),
    FIELD(memmodel_recurrent, dropout, FIELD_RATE),
    FIELD_CHOICE(memmodel_recurrent, kind, recurrent_names),
    FIELD(memmodel_recurrent, bidirectional, FIELD_FLAG),
    FIELD(memmodel_recurrent, batch_first, FIELD_FLAG),
    FIELD(memmodel_recurrent, no_bias, FIELD_FLAG),
    FIELDS_END,
};

enum { MAX_LAYERS = 10000, ROLE_BYTES = 48, MAX = 1 << 20 };

static int
complete(struct draft *draft, struct memmodel_recurrent *recurrent)
{
    if (recurrent->layer_count == 0)
        recurrent->layer_count = 1;
    if (recurrent->hidden_size == 0 || recurrent->hidden_size > MAX)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "hidden is 0 or too large");
    if (recurrent->layer_count > MAX_LAYERS)
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT, "more than %d layers", MAX_LAYERS);
    if (recurrent->projection_size &&
        (recurrent->kind != MEMMODEL_RECURRENT_LSTM || recurrent->projection_size >= recurrent->hidden_size))
        return draft_error(draft, MEMMODEL_ERROR_INVALID_ARGUMENT,
                           "a projection is for an LSTM, and narrower than its hidden state");
    return draft_require_rank(draft, 0, 3, 3);
}

static int64_t
output_width(const struct memmodel_recurrent *recurrent)
{
    return recurrent->projection_size ? recurrent->projection_size : recurrent->hidden_size;
}

/* ---- parameters ---- */

/* One parameter of a layer and direction, such as "weight_ih_l0_reverse". */
static int
add_parameter(struct draft *draft, const char *what, int64_t layer, int direction, struct memmodel_shape shape)
{
    char text[ROLE_BYTES];
    const char *role;

    snprintf(text, sizeof text, "%s_l%lld%s", what, (long long)layer, direction ? "_reverse" : "");
    role = arena_copy_text(&draft->builder->network.arena, text);
    if (!role)
        return draft->status = MEMMODEL_ERROR_NO_MEMORY;
    shape.dtype = draft_shape(draft, 0).dtype;
    return draft_parameter(draft, role, true, &shape);
}

static int
add_layer(struct draft *draft, memmodel_dim input, int64_t layer, int direction)
{
    const struct memmodel_recurrent *recurrent = draft->options;
    int64_t rows = gates[recurrent->kind] * recurrent->hidden_size, width = output_width(recurrent);
    struct memmodel_shape bias = {.dims = {rows}, .rank = 1};

    add_parameter(draft, "weight_ih", layer, direction, (struct memmodel_shape){.dims = {rows, input}, .rank = 2});
    add_parameter(draft, "weight_hh", layer, direction, (struct memmodel_shape){.dims = {rows, width}, .rank = 2});
    if (!recurrent->no_bias) {
        add_parameter(draft, "bias_ih", layer, direction, bias);
        add_parameter(draft, "bias_hh", layer, direction, bias);
    }
    if (recurrent->projection_size)
        add_parameter(draft, "weight_hr", layer, direction,
                      (struct memmodel_shape){.dims = {width, recurrent->hidden_size}, .rank = 2});
    return draft->status;
}

static int
add_parameters(struct draft *draft, memmodel_dim features)
{
    const struct memmodel_recurrent *recurrent = draft->options;
    int directions = recurrent->bidirectional ? 2 : 1;

    for (int64_t layer = 0; layer < recurrent->layer_count; layer++)
        for (int direction = 0; direction < directions; direction++)
            if (add_layer(draft, layer == 0 ? features : directions * output_width(recurrent), layer, direction))
                return draft->status;
    return 0;
}

/* ---- outputs ---- */

/* aten/src/ATen/native/RNN.cpp: "Expected sequence length to be larger than 0 in RNN"; an empty batch is none. */
static int
require_steps(struct draft *draft, memmodel_dim length)
{
    if (length != 0)
        return 0;
    return draft_error(draft, MEMMODEL_ERROR_SHAPE, "the sequence has length 0, needs at least 1");
}

static int
infer_recurrent(struct draft *draft)
{
    struct memmodel_recurrent *recurrent = draft->options;
    struct memmodel_shape y = draft_shape(draft, 0), state = y;
    int64_t directions = recurrent->bidirectional ? 2 : 1;

    if (complete(draft, recurrent) || require_steps(draft, y.dims[recurrent->batch_first ? 1 : 0]) ||
        add_parameters(draft, y.dims[2]))
        return draft->status;
    y.dims[2] = directions * output_width(recurrent);
    draft_output(draft, &y);
    state.dims[0] = directions * recurrent->layer_count;
    state.dims[1] = y.dims[recurrent->batch_first ? 0 : 1];
    state.dims[2] = output_width(recurrent);
    draft_output(draft, &state);
    state.dims[2] = recurrent->hidden_size;
    return recurrent->kind == MEMMODEL_RECURRENT_LSTM ? draft_output(draft, &state) : draft->status;
}

/*
 * Every weight once for each element of the sequence: the first layer's by the input's width, the others' in numbers.
 */
static int
multiply_adds(const memmodel_network *network, const struct layer *layer, struct product *products)
{
    const struct memmodel_recurrent *recurrent = layer->options;
    const memmodel_dim *x = network->tensors[layer->inputs[0]].dims;
    int64_t directions = recurrent->bidirectional ? 2 : 1, width = output_width(recurrent),
            rows = gates[recurrent->kind] * recurrent->hidden_size;
    int64_t recurring = recurrent->layer_count * (rows * width + recurrent->projection_size * recurrent->hidden_size) +
                        (recurrent->layer_count - 1) * rows * directions * width;

    products[0] = (struct product){.factors = {x[0], x[1], x[2], directions * rows}, .count = 4};
    products[1] = (struct product){.factors = {x[0], x[1], directions, recurring}, .count = 4};
    return 2;
}

const struct op_description op_recurrent = {
    .name = "recurrent",
    OPTIONS(memmodel_recurrent, recurrent_fields),
    INPUTS(1, 1),
    .needs_options = true,
    .infer = infer_recurrent,
    .multiply_adds = multiply_adds,
};

memmodel_tensor
memmodel_network_recurrent(memmodel_network *network, memmodel_tensor x, const struct memmodel_recurrent *options)
{
    return network_add(network, OP_RECURRENT, &x, 1, options);
}
