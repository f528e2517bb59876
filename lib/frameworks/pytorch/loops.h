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

#include "frameworks/pytorch/state.h"

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
