/* Between the LSTM's layers and the walk over layers and directions. */
#ifndef PYTORCH_RECURRENT_H
#define PYTORCH_RECURRENT_H

#include "frameworks/pytorch/operators.h"

/* The parameters of one layer in one direction. NULL biases: none. */
struct cell {
    struct value *input_weight, *hidden_weight, *input_bias, *hidden_bias;
    struct value *projection; /* of the hidden state; NULL: none */
};

/* One layer in one direction; results are y, hy and cy. */
void
lstm_cell(struct step *step, struct value *x, struct cell given, struct value *hx, struct value *cx,
          struct value *results[3]);

/* unsafe_chunk along the last axis: not known as views. */
void
chunks(struct step *step, struct value *x, int count, struct value *results[]);

/* One step; `input_gates` are the products with the input. What is returned is the hidden state. */
struct value *
gru_step(struct step *step, struct value *input_gates, struct value *hidden, const struct cell *cell);

#endif
