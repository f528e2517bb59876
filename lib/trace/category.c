/* Names of what memory is for, and of when it is needed. */
#include "trace/trace.h"

const char *
memmodel_category_name(int category)
{
    static const char *const names[MEMMODEL_CATEGORY_COUNT] = {
        [MEMMODEL_PARAMETERS] = "parameters",
        [MEMMODEL_GRADIENTS] = "gradients",
        [MEMMODEL_OPTIMIZER_STATE] = "optimizer state",
        [MEMMODEL_INPUTS] = "inputs",
        [MEMMODEL_SAVED_ACTIVATIONS] = "saved activations",
        [MEMMODEL_TRANSIENT_ACTIVATIONS] = "transient activations",
        [MEMMODEL_ACTIVATION_GRADIENTS] = "activation gradients",
        [MEMMODEL_WORKSPACE] = "workspace",
        [MEMMODEL_ALLOCATOR_SLACK] = "allocator slack",
        [MEMMODEL_CONTEXT_MEMORY] = "context",
    };

    return category >= 0 && category < MEMMODEL_CATEGORY_COUNT ? names[category] : NULL;
}

const char *
phase_name(int phase)
{
    static const char *const names[] = {
        [MEMMODEL_PHASE_SETUP] = "set-up",
        [MEMMODEL_PHASE_FORWARD] = "forward pass",
        [MEMMODEL_PHASE_BACKWARD] = "backward pass",
        [MEMMODEL_PHASE_OPTIMIZER] = "optimizer",
    };

    return names[phase];
}
