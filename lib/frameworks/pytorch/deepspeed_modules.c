/*
 * ZeRO 3 gathers module by module: each that has parameters of its own is a unit. DeepSpeed 0.19:
 * deepspeed/runtime/zero/parameter_offload.py, _register_deepspeed_module.
 */
#include "base/text.h"
#include "frameworks/optimizer.h"
#include "frameworks/pytorch/deepspeed.h"
#include "frameworks/pytorch/modules.h"

#include <string.h>

enum { NO_UNIT = -1 };

struct found {
    struct step *step;
    struct fsdp *fsdp;
    int32_t *unit_of; /* of each parameter; NO_UNIT: the root's, or none's */
};

/* The length of "layers.0.up" in "layers.0.up.weight". */
static size_t
module_length(const char *parameter)
{
    const char *point = strrchr(parameter, '.');

    return point ? (size_t)(point - parameter) : 0;
}

/* Every run of the module is a span of the unit; false: no module is called so. */
static bool
add_spans(struct found *found, const char *name, size_t length, int32_t unit)
{
    const struct memmodel_network *network = found->step->network;
    struct fsdp *fsdp = found->fsdp;
    struct module_run run;
    size_t before = fsdp->span_count;

    for (size_t i = 0; i < module_count(network); i++) {
        if (i == network->scope_count && fsdp->span_count > before)
            break;
        if (!module_at(network, i, &run) || strncmp(run.name, name, length) != 0 || run.name[length])
            continue;
        fsdp->spans[fsdp->span_count++] = (struct fsdp_span){
            .unit = unit,
            .first = run.first,
            .end = run.end,
            .inputs_end = run.end,
            .outputs_first = run.first,
        };
    }
    return fsdp->span_count > before;
}

/* Parameters of one module follow each other. */
static int
add_parameter(struct found *found, size_t index, struct text *before, size_t *before_length)
{
    struct fsdp *fsdp = found->fsdp;
    struct text name;
    int status = parameter_name(found->step->context, found->step->network, index, &name);
    size_t length = status ? 0 : module_length(name.bytes);
    bool is_same = !status && before->bytes && length > 0 && length == *before_length &&
                   strncmp(name.bytes, before->bytes, length) == 0;

    if (is_same) {
        found->unit_of[index] = (int32_t)fsdp->unit_count - 1;
    } else if (length > 0 && add_spans(found, name.bytes, length, (int32_t)fsdp->unit_count)) {
        found->unit_of[index] = (int32_t)fsdp->unit_count;
        fsdp->units[fsdp->unit_count++] = (struct fsdp_unit){.count = 0};
    } else {
        length = 0;
    }
    text_release(before);
    *before = name;
    *before_length = length;
    return status;
}

static int
add_modules(struct found *found)
{
    const struct memmodel_network *network = found->step->network;
    struct text before = TEXT_INIT(found->step->context);
    size_t length = 0;
    int status = 0;

    for (size_t i = 0; i < network->parameter_count && !status; i++) {
        found->unit_of[i] = NO_UNIT;
        if (!data_is_buffer(found->step, i))
            status = add_parameter(found, i, &before, &length);
    }
    text_release(&before);
    return status;
}

static void
give_parameters(const struct found *found)
{
    struct step *step = found->step;
    struct fsdp *fsdp = found->fsdp;
    int32_t root = (int32_t)fsdp->unit_count - 1;

    for (int pass = 0; pass < 2 && !step->status; pass++) {
        for (size_t i = 0; i < step->network->parameter_count; i++) {
            struct fsdp_unit *unit = &fsdp->units[found->unit_of[i] == NO_UNIT ? root : found->unit_of[i]];

            if (data_is_buffer(step, i))
                continue;
            if (pass == 1)
                unit->parameters[unit->count] =
                    (struct fsdp_parameter){.parameter = (int32_t)i, .whole = step->variables[i].value};
            unit->count++;
        }
        for (int32_t i = 0; i <= root && pass == 0; i++) {
            fsdp->units[i].parameters =
                step_arena_allocate(step, (fsdp->units[i].count + 1) * sizeof *fsdp->units[i].parameters);
            fsdp->units[i].count = 0;
        }
    }
}

bool
zero_find_modules(struct step *step, struct fsdp *fsdp)
{
    size_t parameters = step->network->parameter_count + 1, modules = module_count(step->network) + 1;
    struct found found = {step, fsdp, step_arena_allocate(step, parameters * sizeof *found.unit_of)};

    fsdp->units = step_arena_allocate(step, (parameters + 1) * sizeof *fsdp->units);
    fsdp->spans = step_arena_allocate(step, modules * sizeof *fsdp->spans);
    if (step->status)
        return false;
    step_fail(step, add_modules(&found));
    if (step->status)
        return false;
    fsdp->units[fsdp->unit_count++] = (struct fsdp_unit){.count = 0}; /* the root */
    give_parameters(&found);
    return !step->status;
}
