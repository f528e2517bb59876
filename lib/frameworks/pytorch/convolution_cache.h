/* Networks have the same convolution many times, and every step has it again: its events are found once. */
#ifndef PYTORCH_CONVOLUTION_CACHE_H
#define PYTORCH_CONVOLUTION_CACHE_H

#include "frameworks/pytorch/convolution.h"

enum { RECALL_SLOTS = 256 };

struct convolution_call {
    struct convolution convolution;
    bool backward;
    struct convolution_wants wants; /* of a backward call, as the order of its incoming gradient */
    struct dim_order grad_order;
};

/* Begins as all zeros. */
struct convolution_cache {
    struct recalled *slots[RECALL_SLOTS]; /* by a hash of the call; NULL: free */
};

/*
 * What convolution_forward() or convolution_backward() say, and their status. The events stay those of `recall`, until
 * the next call. One machine for one `recall`.
 */
int
convolution_cache(struct convolution_cache *recall, memmodel_context *context, const struct target_cpu *machine,
                  const struct convolution_call *call, const struct convolution_events **events);

void
convolution_cache_release(struct convolution_cache *recall, memmodel_context *context);

#endif
