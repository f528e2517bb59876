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

#endif
