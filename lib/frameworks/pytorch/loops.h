/*
 * Loops whose iterations are alike, such as the time steps of a recurrent layer. Of a long one LOOP_STEPS are run, and
 * the one in the middle stands for those that are left out, in the forward and in the backward pass (trace/repeat.h).
 * Tensors over all iterations have their whole size. That the middle one does what its neighbours do is checked each
 * time; where it does not, the job is simulated again with all iterations.
 *
 * What the left-out iterations do lies between what their neighbours do: live bytes change from one to the next by the
 * same amount, so that the peak is never among them.
 */
#ifndef PYTORCH_LOOPS_H
#define PYTORCH_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct step;
struct storage;

enum { LOOP_STEPS = 64, LOOP_MIDDLE = LOOP_STEPS / 2 };

/* One loop in one forward pass. */
struct repeated_loop {
    int64_t left_out;
    int64_t sequence[LOOP_STEPS + 1]; /* of the first node of each iteration, and behind the last */
    int32_t layer, number;            /* which loop of the layer */
};

/* Where a storage stands that was allocated in a middle iteration. */
struct loop_place {
    int64_t copies;        /* storages besides it that it stands for */
    int32_t layer, number; /* of the loop that keeps them */
    int32_t made;          /* its index, counted from 1, while the loop is not done; 0: none */
};

struct loops {
    struct repeated_loop *items;
    size_t count, capacity;
    bool all;       /* iterations are run */
    bool irregular; /* iterations were not alike after all */
    bool running;   /* the last of them, in the forward pass */
    /* the iteration that runs */
    size_t now; /* its loop, counted from 1; 0: none */
    int32_t iteration;
    bool backward;
    uint64_t signature;     /* of what it allocated and released */
    uint64_t signatures[3]; /* of the middle one and its neighbours, in the order of running */
    int32_t first[3];       /* their first events */
    int64_t live;           /* when the middle one ended */
    int64_t peak;           /* of the trace then */
    int64_t drained;        /* bytes released that stood for others */
    struct storage **made;  /* in the middle one; NULL: gone */
    size_t made_count, made_capacity;
};

/* Iterations that are run of a loop of `length`; 0 if there are too many, with the step failed. */
int
loops_steps(struct step *step, int64_t length);

/*
 * The loop number `number` of the layer that runs begins; to be called before each iteration, and after the last one.
 */
void
loops_begin(struct step *step, int32_t number, int64_t length);

void
loops_forward(struct step *step, int iteration);

void
loops_forward_end(struct step *step);

/* The backward pass reaches the node with this sequence number; INT64_MIN: to its end. */
void
loops_backward(struct step *step, int64_t sequence);

/* Forgets the loops of the pass before. */
void
loops_clear(struct step *step);

void
loops_release(struct step *step);

/* ---- for value.c ---- */

void
loops_allocated(struct step *step, struct storage *storage);

/* To be called when the trace has the release. */
void
loops_released(struct step *step, struct storage *storage);

#endif
