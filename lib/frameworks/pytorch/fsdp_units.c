/*
 * Which modules are units: "layers.*" names a module for each part between points, "layers.0+layers.1" are one unit. The
 * root is always one. PyTorch: torch/distributed/fsdp/_fully_shard/_fully_shard.py.
 */
#include "base/checked.h"
#include "base/text.h"
#include "frameworks/optimizer.h"
#include "frameworks/pytorch/fsdp.h"
#include "frameworks/pytorch/names.h"

#include <stdlib.h>
#include <string.h>

struct finding {
    struct step *step;
    struct fsdp *fsdp;
    const char **names; /* of the units: their modules', of several the first */
    int32_t *unit_of;   /* of each parameter */
    size_t *length_of;  /* of the name of the module that it was found by */
    bool *taken;        /* of each module */
};

/* ---- parameters of modules ---- */

static bool
is_within(const char *name, const char *module, size_t length)
{
    return strncmp(name, module, length) == 0 && (name[length] == '.' || name[length] == '\0');
}

/* Those of the module that no unit within it has, whatever the order of the calls. */
static int
take_parameters(struct finding *finding, const char *module, int32_t unit)
{
    const struct memmodel_network *network = finding->step->network;
    size_t length = strlen(module);

    for (size_t i = 0; i < network->parameter_count; i++) {
        struct text name;
        int status = parameter_name(finding->step->context, network, i, &name);

        if (!status && is_within(name.bytes, module, length) && length >= finding->length_of[i]) {
            finding->unit_of[i] = unit;
            finding->length_of[i] = length;
        }
        text_release(&name);
        if (status)
            return status;
    }
    return 0;
}

/* ---- units and their runs ---- */

static int32_t
unit_named(const struct finding *finding, const char *name)
{
    int32_t unit = 0;

    while (unit < (int32_t)finding->fsdp->unit_count && strcmp(finding->names[unit], name) != 0)
        unit++;
    return unit;
}

/* A run of a module: of the unit `unit`, or, where that is -1, of its own. */
static int
add_run(struct finding *finding, const struct module_run *module, int32_t unit)
{
    struct fsdp *fsdp = finding->fsdp;
    struct fsdp_span *span = &fsdp->spans[fsdp->span_count];

    if (unit < 0)
        unit = unit_named(finding, module->name);
    if (unit == (int32_t)fsdp->unit_count) {
        finding->names[unit] = module->name;
        fsdp->units[fsdp->unit_count++] = (struct fsdp_unit){.count = 0};
    }
    *span = (struct fsdp_span){
        .unit = unit,
        .first = module->first,
        .end = module->end,
        .inputs_end = module->end,
        .outputs_first = module->first,
    };
    fsdp->span_count++;
    return take_parameters(finding, module->name, unit);
}

/* All modules that a pattern names, but for those that others had before it; *found: there are some. */
static int
add_named(struct finding *finding, const struct text_part *pattern, int32_t unit, bool *found)
{
    const struct memmodel_network *network = finding->step->network;
    struct module_run module;
    int32_t first, end;
    int status = 0;

    data_layers(finding->step, &first, &end);
    *found = false;
    for (size_t i = 0; i < module_count(network) && !status; i++) {
        if ((i >= network->scope_count && *found) || !module_at(network, i, &module) || module.first < first ||
            module.end > end || !module_is_named(*pattern, module.name))
            continue;
        *found = true;
        if (!finding->taken[i])
            status = add_run(finding, &module, unit);
        finding->taken[i] = true;
    }
    return status;
}

/* The runs from `first` on are one: from the first module's begin to the last one's end. */
static void
join_runs(struct fsdp *fsdp, size_t first)
{
    struct fsdp_span *whole = &fsdp->spans[first];

    for (size_t i = first + 1; i < fsdp->span_count; i++) {
        const struct fsdp_span *other = &fsdp->spans[i];

        if (other->first < whole->first) {
            whole->first = other->first;
            whole->inputs_end = other->inputs_end;
        }
        if (other->end > whole->end) {
            whole->end = other->end;
            whole->outputs_first = other->outputs_first;
        }
    }
    fsdp->span_count = first + (fsdp->span_count > first);
}

static bool
is_in_another_stage(const struct step *step, struct text_part pattern)
{
    struct module_run module;

    for (size_t i = 0; step->pipeline && i < module_count(step->asked); i++)
        if (module_at(step->asked, i, &module) && module_is_named(pattern, module.name))
            return true;
    return false;
}

/* "layers.*", or "layers.0+layers.1" */
static int
add_units(struct finding *finding, struct text_part text)
{
    size_t first = finding->fsdp->span_count;
    bool joined = memchr(text.text, '+', text.length) != NULL, found = true;
    int32_t unit = joined ? (int32_t)finding->fsdp->unit_count : -1;
    struct text_part pattern;
    int status = 0;

    while (!status && found && text_part_next(&text, "+", &pattern))
        status = add_named(finding, &pattern, unit, &found);
    if (!status && !found && !is_in_another_stage(finding->step, pattern))
        return module_missing(finding->step->network, finding->step->context, "data", "fsdp: ", pattern);
    if (joined)
        join_runs(finding->fsdp, first);
    return status;
}

static int
add_all_units(struct finding *finding)
{
    struct call_text call = finding->step->parallel.call;
    struct call_argument argument;
    int status = 0;

    while (!status && call_next(&call, &argument))
        if (argument.key.length == 0)
            status = add_units(finding, argument.value);
    finding->names[finding->fsdp->unit_count] = "";
    finding->fsdp->units[finding->fsdp->unit_count++] = (struct fsdp_unit){.count = 0}; /* the root */
    return status;
}

/* ---- parameters of units ---- */

static int
check_parameter(const struct step *step, size_t index)
{
    const struct parameter *parameter = &step->network->parameters[index];
    const struct data_options *options = &step->parallel.options;

    if (options->param_dtype != NO_DTYPE && parameter->dtype != options->param_dtype)
        return context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT,
                             step->network->layers[parameter->layer].name,
                             "fsdp(param_dtype=%s) needs the network as it is computed, with parameters of that type; "
                             "this one is %s",
                             memmodel_dtype_name(options->param_dtype), memmodel_dtype_name(parameter->dtype));
    if (parameter->rank > 0)
        return 0;
    return context_error(step->context, MEMMODEL_ERROR_INVALID_ARGUMENT, step->network->layers[parameter->layer].name,
                         "fully_shard() shards no parameter without dims; make it one of one element");
}

static int
give_parameters(struct finding *finding)
{
    struct step *step = finding->step;
    int32_t root = (int32_t)finding->fsdp->unit_count - 1;
    int status = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < step->network->parameter_count && !status; i++) {
            struct fsdp_unit *unit = &finding->fsdp->units[finding->unit_of[i] < 0 ? root : finding->unit_of[i]];

            if (data_is_buffer(step, i) || !data_is_own(step, i))
                continue;
            status = check_parameter(step, i);
            if (pass == 1)
                unit->parameters[unit->count] =
                    (struct fsdp_parameter){.parameter = (int32_t)i, .whole = step->variables[i].value};
            unit->count++;
        }
        for (int32_t i = 0; i <= root && pass == 0 && !status; i++) {
            struct fsdp_unit *unit = &finding->fsdp->units[i];

            unit->parameters = step_arena_allocate(step, (unit->count + 1) * sizeof *unit->parameters);
            unit->count = 0;
            status = step->status;
        }
    }
    return status;
}

static bool
make_room(struct finding *finding)
{
    struct step *step = finding->step;
    size_t modules = module_count(step->network) + 1, parameters = step->network->parameter_count + 1;

    finding->fsdp->units = step_arena_allocate(step, modules * sizeof *finding->fsdp->units);
    finding->fsdp->spans = step_arena_allocate(step, modules * sizeof *finding->fsdp->spans);
    finding->names = step_arena_allocate(step, modules * sizeof *finding->names);
    finding->taken = step_arena_allocate(step, modules * sizeof *finding->taken);
    finding->unit_of = step_arena_allocate(step, parameters * sizeof *finding->unit_of);
    finding->length_of = step_arena_allocate(step, parameters * sizeof *finding->length_of);
    if (step->status)
        return false;
    memset(finding->taken, 0, modules * sizeof *finding->taken);
    memset(finding->unit_of, -1, parameters * sizeof *finding->unit_of);
    memset(finding->length_of, 0, parameters * sizeof *finding->length_of);
    return true;
}

bool
fsdp_find_units(struct step *step, struct fsdp *fsdp)
{
    struct finding finding = {.step = step, .fsdp = fsdp};
    int status;

    *fsdp = (struct fsdp){.unit_count = 0};
    if (!make_room(&finding))
        return false;
    status = add_all_units(&finding);
    if (!status)
        status = give_parameters(&finding);
    step_fail(step, status);
    return !step->status;
}
