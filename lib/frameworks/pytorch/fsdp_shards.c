/*
 * What a unit's parameters go through: sharded, gathered, freed, and their gradients reduced to shards. PyTorch:
 * torch/distributed/fsdp/_fully_shard/_fsdp_param.py, _fsdp_param_group.py, _fsdp_collectives.py.
 */
#include "base/checked.h"
#include "frameworks/pytorch/fsdp.h"
#include "frameworks/pytorch/operators.h"
#include "frameworks/pytorch/tensor_parallel.h"
#include "frameworks/pytorch/tensor.h"

int64_t
fsdp_bytes_of(const struct value *value, int64_t elements)
{
    return multiply_saturating(elements, dtype_bytes(value->shape.dtype));
}

/* Experts are sharded over the ranks that have the same ones: those of the axis of the data. */
static bool
is_of_experts(const struct step *step, const struct fsdp_parameter *parameter)
{
    return step->parallel.expert_ranks > 1 && step->tensor->parameters[parameter->parameter].axis != UNCUT;
}

static int64_t
world_of(const struct step *step, const struct fsdp_parameter *parameter)
{
    return step->parallel.world / (is_of_experts(step, parameter) ? step->parallel.expert_ranks : 1);
}

static int64_t
place_of(const struct step *step, const struct fsdp_parameter *parameter)
{
    const struct parallel *parallel = &step->parallel;

    return is_of_experts(step, parameter) ? mesh_place(&parallel->mesh, parallel->rank, parallel_axis(parallel))
                                          : parallel->place;
}

int64_t
fsdp_whole_bytes(const struct step *step, const struct fsdp_parameter *parameter)
{
    return multiply_saturating(world_of(step, parameter), fsdp_bytes_of(parameter->whole, parameter->padded));
}

static int64_t
unit_bytes(const struct step *step, const struct fsdp_unit *unit, bool own)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < unit->count; i++) {
        int64_t whole = fsdp_whole_bytes(step, &unit->parameters[i]);

        bytes = add_saturating(bytes, own ? whole / world_of(step, &unit->parameters[i]) : whole);
    }
    return bytes;
}

/* ---- construction ---- */

static void
make_shard(struct step *step, struct fsdp_parameter *parameter)
{
    struct shape local = parameter->whole->shape;
    int64_t strides[MEMMODEL_MAX_RANK] = {0}, world = world_of(step, parameter), rows = local.dims[0];
    struct value *padded;

    parameter->uneven = rows % world != 0;
    local.dims[0] = ceil_divide(rows, world);
    parameter->padded = shape_elements(&local);
    step->what = "fsdp shard";
    local.dtype = data_built_dtype(step, local.dtype);
    padded = value_vector(step, local.dtype, parameter->padded);
    value_becomes(step, padded, MEMMODEL_CATEGORY_PARAMETERS);
    local.dims[0] = mesh_part(rows, world, place_of(step, parameter));
    shape_strides(&local, strides);
    parameter->shard = value_within(step, padded, &local, strides);
    value_drop(step, padded);
}

/* init_device_mesh(): the numbers of its ranks stay. */
void
fsdp_mesh(struct step *step)
{
    step->what = "fsdp mesh";
    value_vector_on_host(step, MEMMODEL_DTYPE_INT32, step->parallel.mesh.ranks);
}

/* Each call of fully_shard() makes a mesh of its own, unless it is given one. */
void
fsdp_shard(struct step *step, struct fsdp_unit *unit)
{
    if (step->parallel.replicas == 1 && !step->tensor && !step->pipeline && unit->count > 0)
        fsdp_mesh(step);
    for (size_t i = 0; i < unit->count && !step->status; i++)
        make_shard(step, &unit->parameters[i]);
    for (size_t i = 0; i < unit->count && !step->status; i++)
        value_empty_storage(step, unit->parameters[i].whole);
}

/* ---- parameters ---- */

void
fsdp_all_gather(struct step *step, struct fsdp_unit *unit)
{
    int64_t bytes = unit_bytes(step, unit, false);
    struct value *cast = NULL; /* of this rank's shards, where operators compute in another type */

    if (step->parallel.options.param_dtype != NO_DTYPE) {
        cast = data_buffer(step, "fsdp cast shards", unit_bytes(step, unit, true));
        data_on_stream(step, cast, GATHER_STREAM);
    }
    unit->incoming = data_buffer(step, "fsdp all-gather", bytes);
    data_on_stream(step, unit->incoming, GATHER_STREAM);
    data_gloo_all_gather(step, bytes);
    value_drop(step, cast);
}

struct value *
fsdp_copy_out(struct step *step, struct fsdp_unit *unit)
{
    struct value *incoming = unit->incoming;

    step->what = "fsdp gathered parameter";
    for (size_t i = 0; i < unit->count; i++) {
        value_fill_storage(step, unit->parameters[i].whole, fsdp_whole_bytes(step, &unit->parameters[i]));
        value_becomes(step, unit->parameters[i].whole, MEMMODEL_CATEGORY_PARAMETERS);
    }
    for (size_t i = 0; i < unit->count; i++)
        value_drop_all(step, &unit->parameters[i].part, 1);
    unit->incoming = NULL;
    unit->gathered = true;
    return incoming;
}

void
fsdp_reshard(struct step *step, struct fsdp_unit *unit, int64_t parts)
{
    if (!unit->gathered)
        return;
    for (size_t i = 0; i < unit->count; i++) {
        struct fsdp_parameter *parameter = &unit->parameters[i];

        if (parts > 1) {
            parameter->part = data_buffer(step, "fsdp part", fsdp_whole_bytes(step, parameter) / parts);
            value_becomes(step, parameter->part, MEMMODEL_CATEGORY_PARAMETERS);
        }
        value_empty_storage(step, parameter->whole);
    }
    unit->gathered = false;
}
