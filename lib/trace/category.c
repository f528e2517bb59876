/* Names of what memory is for, and of when it is needed. */
#include "trace/trace.h"

const char *
memmodel_category_name(int category)
{
    static const char *const names[CATEGORIES] = {
        [MEMMODEL_CATEGORY_PARAMETERS] = "parameters",
        [MEMMODEL_CATEGORY_GRADIENTS] = "gradients",
        [MEMMODEL_CATEGORY_OPTIMIZER_STATE] = "optimizer state",
        [MEMMODEL_CATEGORY_INPUTS] = "inputs",
        [MEMMODEL_CATEGORY_SAVED_ACTIVATIONS] = "saved activations",
        [MEMMODEL_CATEGORY_TEMPORARY_ACTIVATIONS] = "temporary activations",
        [MEMMODEL_CATEGORY_ACTIVATION_GRADIENTS] = "activation gradients",
        [MEMMODEL_CATEGORY_WORKSPACE] = "workspace",
        [MEMMODEL_CATEGORY_ALLOCATOR_OVERHEAD] = "allocator overhead",
        [MEMMODEL_CATEGORY_RUNTIME] = "runtime",
    };

    return category >= 0 && category < CATEGORIES ? names[category] : NULL;
}

const char *
memmodel_phase_name(int phase)
{
    static const char *const names[] = {
        [MEMMODEL_PHASE_SETUP] = "set-up",
        [MEMMODEL_PHASE_FORWARD] = "forward pass",
        [MEMMODEL_PHASE_BACKWARD] = "backward pass",
        [MEMMODEL_PHASE_OPTIMIZER] = "optimizer",
    };

    return phase >= 0 && phase <= MEMMODEL_PHASE_OPTIMIZER ? names[phase] : NULL;
}
