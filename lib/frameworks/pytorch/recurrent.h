/* Between the LSTM's layers and the walk over layers and directions. */
#ifndef PYTORCH_RECURRENT_H
#define PYTORCH_RECURRENT_H

#include "frameworks/pytorch/operators.h"

/* All of a recurrent layer while it runs. A cell is one layer in one direction. */
struct recurrence {
    struct step *step;
    int kind, layers, directions, cells;
    int64_t length;
    int steps; /* time steps that are run: loops.h */
    int64_t hidden_size;
    double dropout;
    bool biases, projected, batch_first, training;
    struct value **parameters;
    int parameter_count;
    struct value *hidden, *states;        /* initial ones; states: the LSTM's cells */
    struct value **first, **first_states; /* the same, cell by cell */
    struct value **last, **last_states;   /* what the cells end with */
    struct value **held;                  /* what joined directions leave behind */
    struct value *sequence;               /* what an LSTM runs over, which lives to its end */
};

/* The parameters of one layer in one direction. NULL biases: none. */
struct cell {
    struct value *input_weight, *hidden_weight, *input_bias, *hidden_bias;
    struct value *projection; /* of the hidden state; NULL: none */
};

/* One layer in one direction; results are y, hy and cy. */
void
lstm_cell(struct step *step, struct value *x, struct cell given, struct value *hx, struct value *cx,
          struct value *results[3]);

void
mkldnn_lstm_forward(struct step *step, const struct layer *layer, int detail);

/* unsafe_chunk along the last axis: not known as views. */
void
chunks(struct step *step, struct value *x, int count, struct value *results[]);

/* One step; `input_gates` are the products with the input. What is returned is the hidden state. */
struct value *
gru_step(struct step *step, struct value *input_gates, struct value *hidden, const struct cell *cell);

#endif
