/* Names of what memory is for, and of when it is needed. */
#include "base/choice.h"
#include "trace/trace.h"

static const char *const category_names[CATEGORIES + 1] = {
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

static const char *const phase_names[] = {
    [MEMMODEL_PHASE_SETUP] = "set-up",
    [MEMMODEL_PHASE_FORWARD] = "forward pass",
    [MEMMODEL_PHASE_BACKWARD] = "backward pass",
    [MEMMODEL_PHASE_OPTIMIZER] = "optimizer",
    NULL,
};

const char *
memmodel_category_name(int category)
{
    return category >= 0 && category < CATEGORIES ? category_names[category] : NULL;
}

const char *
memmodel_phase_name(int phase)
{
    return phase >= 0 && phase <= MEMMODEL_PHASE_OPTIMIZER ? phase_names[phase] : NULL;
}

int
category_check(memmodel_context *context, int category)
{
    return choice_check(context, "category", "category", category, category_names);
}

int
phase_check(memmodel_context *context, int phase)
{
    return choice_check(context, "phase", "phase", phase, phase_names);
}
