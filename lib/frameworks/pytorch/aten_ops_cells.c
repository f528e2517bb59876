/* Cells that a program steps itself, by name. PyTorch: aten/src/ATen/native/RNN.cpp, lstm_cell, gru_cell, rnn_tanh_cell. */
#include "frameworks/pytorch/aten_ops.h"
#include "frameworks/pytorch/recurrent.h"

/* The parameters from `first` on: weights, then biases or nothing. */
static struct cell
cell_from(struct step *step, const struct layer *layer, int first)
{
    return (struct cell){.input_weight = step_input(step, layer, first),
                         .hidden_weight = step_input(step, layer, first + 1),
                         .input_bias = step_input(step, layer, first + 2),
                         .hidden_bias = step_input(step, layer, first + 3)};
}

/* The hidden state's product comes first; the input's is added to it and handed over. */
static struct value *
gates_of(struct step *step, const struct layer *layer, const struct cell *cell, struct value **input)
{
    struct value *gates = aten_linear(step, step_input(step, layer, 1), cell->hidden_weight, cell->hidden_bias);

    *input = aten_linear(step, step_input(step, layer, 0), cell->input_weight, cell->input_bias);
    value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_ADD, gates, *input));
    return gates;
}

/* c' = f c + i g; h' = o tanh(c') */
static void
lstm_cell_forward(struct step *step, const struct layer *layer, int detail)
{
    enum { INPUT, FORGET, NEW, OUTPUT, GATES };
    struct cell cell = cell_from(step, layer, 3);
    struct value *g[GATES] = {NULL}, *gates, *input, *state, *added, *squashed;

    (void)detail;
    gates = gates_of(step, layer, &cell, &input);
    value_drop(step, input);
    chunks(step, gates, GATES, g);
    value_drop(step, gates);
    if (step->status)
        return;
    for (int i = 0; i < GATES; i++)
        value_drop(step, aten_unary(step, i == NEW ? "tanh_" : "sigmoid_", g[i]));
    state = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, g[FORGET], step_input(step, layer, 2));
    added = aten_binary(step, MEMMODEL_BINARY_MULTIPLY, g[INPUT], g[NEW]);
    value_drop(step, aten_binary_in_place(step, MEMMODEL_BINARY_ADD, state, added));
    value_drop(step, added);
    squashed = aten_unary(step, "tanh", state);
    step_output(step, layer, 0, aten_binary(step, MEMMODEL_BINARY_MULTIPLY, g[OUTPUT], squashed));
    step_output(step, layer, 1, state);
    value_drop(step, squashed);
    value_drop_all(step, g, GATES);
}

static void
rnn_cell_forward(struct step *step, const struct layer *layer, int squashes)
{
    struct cell cell = cell_from(step, layer, 2);
    struct value *input, *gates = gates_of(step, layer, &cell, &input);

    step_output(step, layer, 0, aten_unary(step, squashes ? "tanh" : "relu", gates));
    value_drop(step, gates);
    value_drop(step, input);
}

/* Here the input's product comes first. */
static void
gru_cell_forward(struct step *step, const struct layer *layer, int detail)
{
    struct cell cell = cell_from(step, layer, 2);
    struct value *input = aten_linear(step, step_input(step, layer, 0), cell.input_weight, cell.input_bias);

    (void)detail;
    step_output(step, layer, 0, gru_step(step, input, step_input(step, layer, 1), &cell));
    value_drop(step, input);
}

static const struct aten_op_rule cells[] = {
    {"aten.gru_cell.default", gru_cell_forward, 0, "2222"},
    {"aten.lstm_cell.default", lstm_cell_forward, 0, "22222"},
    {"aten.rnn_relu_cell.default", rnn_cell_forward, 0, "2222"},
    {"aten.rnn_tanh_cell.default", rnn_cell_forward, 1, "2222"},
};

const struct aten_ops aten_op_cells = ATEN_OPS(cells);
