/*
 * PyTorch's autograd: the graph that the forward pass leaves behind, and the order in which the backward pass consumes
 * it. PyTorch: torch/csrc/autograd/engine.cpp, input_buffer.cpp, functions/accumulate_grad.h.
 */
#ifndef PYTORCH_AUTOGRAD_H
#define PYTORCH_AUTOGRAD_H

#include "frameworks/pytorch/state.h"

/* A node of these inputs (NULL where one is missing), or NULL if no gradient is wanted. */
struct node *
node_new(struct step *step, const struct derivative *derivative, struct value *const *inputs, int input_count,
         int output_count);

/* Makes `value` output number `output` of `node`; nothing if `node` is NULL. */
void
node_attach(struct step *step, struct node *node, struct value *value, int output);

/* Both for an operator of one output. */
struct node *
step_record(struct step *step, const struct derivative *derivative, struct value *output, int input_count,
            struct value *const *inputs);

/* Keeps a tensor for the backward pass; in the order of calls they go. NULL node or tensor: nothing. */
void
step_save(struct step *step, struct node *node, struct value *value);

struct node *
node_accumulate(struct step *step, struct variable *variable);

/* x.requires_grad_() of a tensor that is no parameter: its gradient stays as long as the graph does. */
void
node_leaf(struct step *step, struct value *x);

void
node_drop(struct step *step, struct node *node);

/*
 * To be called when an operator has written into `x`: where that is a view, what it looks into has changed as well.
 * PyTorch: torch/csrc/autograd/variable.cpp, rebase_history; functions/tensor.cpp, CopySlices.
 */
void
node_written(struct step *step, struct value *x);

static inline bool
node_wants(const struct node *node, int input)
{
    return node->edges[input].node != NULL;
}

/* What a backward function made in the order of its inputs: those that are not wanted go. */
void
node_give(struct step *step, const struct node *node, struct value *const *made, int count, struct value **gradients);

/* loss.backward(): `roots` need gradients; their own start as tensors of their shapes. */
void
autograd_backward(struct step *step, struct value *const *roots, int root_count);

/* The same from gradients that stay the caller's. */
void
autograd_backward_from(struct step *step, struct value *const *roots, struct value *const *gradients, int root_count);

/* The same inside of a backward function, from given gradients. Roots that need none are skipped. */
void
autograd_backward_inside(struct step *step, struct value *const *roots, struct value *const *gradients, int root_count);

#endif
