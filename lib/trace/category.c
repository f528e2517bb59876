/* Names of what memory is for. */
#include "memmodel/trace.h"

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
