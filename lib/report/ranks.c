/* Which ranks of a mesh need the same memory. */
#include "base/checked.h"
#include "base/environment.h"
#include "frameworks/parallel.h"
#include "report/report.h"

#include <string.h>

/* Places of a strategy, first <= place < end. */
struct places {
    int64_t first, end;
};

/*
 * Cuts the places to those that have as many rows of a parameter as `place`: all ranks before the one where the rows end
 * have whole shards, all behind it have nothing. torch.chunk.
 */
static void
cut_by_rows(struct places *places, int64_t place, int64_t rows, int64_t world)
{
    int64_t chunk = ceil_divide(rows, world), whole = chunk > 0 ? rows / chunk : 0;
    bool has_part = chunk > 0 && rows % chunk != 0;

    if (place < whole) {
        places->end = min_i64(places->end, whole);
    } else if (has_part && place == whole) {
        *places = (struct places){whole, whole + 1};
    } else {
        places->first = max_i64(places->first, whole + has_part);
    }
}

static int
cut_by_shards(const struct query *query, const struct parallel *parallel, struct places *places)
{
    int64_t *rows;
    size_t count;
    int status = pytorch_sharded_rows(query->context, &query->binding, &query->job, &rows, &count);

    for (size_t i = 0; i < count; i++)
        cut_by_rows(places, parallel->place, rows[i], parallel->world);
    memory_release(query->context, rows);
    return status;
}

static int
data_places(const struct query *query, const struct parallel *parallel, struct places *places)
{
    *places = (struct places){0, parallel->world};
    if (parallel->data == DATA_ZERO1 || (parallel->data == DATA_DEEPSPEED && parallel->options.zero.stage < 3))
        *places = (struct places){parallel->place, parallel->place + 1};
    return parallel->data == DATA_FSDP ? cut_by_shards(query, parallel, places) : 0;
}

/* The first rank hands out parameters, which takes gloo a copy; of rows that are too few the last have less. */
static struct places
tensor_places(const struct binding *binding, const struct parallel *parallel)
{
    struct places places = {0, parallel->tensor_ranks};

    if (parallel->gloo && parallel->tensor_place == 0)
        places.end = 1;
    else if (parallel->gloo)
        places.first = 1;
    for (size_t i = 0; i < binding->network->parameter_count; i++) {
        const struct parameter *parameter = &binding->network->parameters[i];

        if (parameter->rank > 1)
            cut_by_rows(&places, parallel->tensor_place, binding_dim(binding, parameter->dims[0]),
                        parallel->tensor_ranks);
    }
    return places;
}

/* From one place of an axis to the next ranks go on by as many as the axes inside have. */
static int64_t
stride_of(const struct parallel *parallel, const char *axis)
{
    int64_t stride = 1;

    for (size_t i = parallel->mesh.count; i-- > 0 && strcmp(parallel->mesh.axes[i].name, axis) != 0;)
        stride *= parallel->mesh.axes[i].size;
    return stride;
}

/* Of the places of a strategy those along its axis at one place of the axis beside it. */
static struct places
places_at(const struct parallel *parallel, struct places places, int64_t beside_place)
{
    int64_t count = mesh_size(&parallel->mesh, parallel_axis(parallel));
    int64_t begin = parallel_place(parallel, 0, beside_place),
            apart = parallel_place(parallel, 1, beside_place) - begin;

    return (struct places){
        min_i64(count, ceil_divide(max_i64(0, places.first - begin), apart)),
        min_i64(count, ceil_divide(max_i64(0, places.end - begin), apart)),
    };
}

/* Experts are sharded over the axis of the data alone. */
static void
cut_by_experts(struct places *places, const struct binding *binding, const struct parallel *parallel)
{
    const char *axis = parallel_axis(parallel);

    for (size_t i = 0; i < binding->network->parameter_count && parallel->expert_ranks > 1; i++) {
        const struct parameter *parameter = &binding->network->parameters[i];

        if (parameter->rank == 3)
            cut_by_rows(places, mesh_place(&parallel->mesh, parallel->rank, axis),
                        binding_dim(binding, parameter->dims[0]) / parallel->expert_ranks,
                        mesh_size(&parallel->mesh, axis));
    }
}

static int64_t
rank_at(const struct parallel *parallel, int64_t data, int64_t beside_place, int64_t tensor, int64_t stage)
{
    int64_t rank = 0;

    if (parallel->beside_ranks > 1)
        rank += beside_place * stride_of(parallel, parallel->beside);
    if (mesh_size(&parallel->mesh, parallel_axis(parallel)) > 1)
        rank += data * stride_of(parallel, parallel_axis(parallel));
    if (parallel->tensor_ranks > 1)
        rank += tensor * stride_of(parallel, "tp");
    if (parallel->pipeline_ranks > 1)
        rank += stage * stride_of(parallel, "pp");
    return rank;
}

/* Where the next class begins, -1 behind the last: along the data, then along tp, cp or ep, and the stages. */
static int64_t
next_of(const struct parallel *parallel, struct places data, struct places tensor)
{
    int64_t stage = parallel->pipeline_place, beside_place = parallel->beside_place;

    if (data.end < mesh_size(&parallel->mesh, parallel_axis(parallel)))
        return rank_at(parallel, data.end, beside_place, tensor.first, stage);
    if (tensor.end < parallel->tensor_ranks)
        return rank_at(parallel, 0, beside_place, tensor.end, stage);
    if (beside_place + 1 < parallel->beside_ranks)
        return rank_at(parallel, 0, beside_place + 1, 0, stage);
    return stage + 1 < parallel->pipeline_ranks ? rank_at(parallel, 0, 0, 0, stage + 1) : -1;
}

/*
 * Classes along the axis of the data follow each other within one along tp, which shards have their rows from, those in one
 * along cp or ep, whose ranks have different parts of a sequence or experts, those in one of a stage.
 */
static int
find_class(struct query *query, struct memmodel_rank_class *rank_class)
{
    struct parallel parallel;
    struct places data, tensor;
    int64_t beside_place;
    int status = query_bind(query);

    if (!status)
        status = parallel_read(query->context, &query->job, &parallel);
    if (status)
        return status;
    beside_place = parallel.beside_place;
    status = data_places(query, &parallel, &data);
    if (status)
        return status;
    data = places_at(&parallel, data, beside_place);
    cut_by_experts(&data, &query->binding, &parallel);
    tensor = tensor_places(&query->binding, &parallel);
    *rank_class = (struct memmodel_rank_class){
        .size = sizeof *rank_class,
        .first_rank = rank_at(&parallel, data.first, beside_place, tensor.first, parallel.pipeline_place),
        .rank_count = (data.end - data.first) * (tensor.end - tensor.first) * parallel.replicas,
        .next_rank = next_of(&parallel, data, tensor),
    };
    return 0;
}

int
memmodel_estimate_rank_class(const memmodel_network *network, const struct memmodel_job *job, memmodel_context *context,
                             struct memmodel_rank_class *rank_class)
{
    OWN_ENVIRONMENT;
    struct memmodel_rank_class found;
    struct query query;
    int status =
        network && rank_class ? query_new(network, job, NULL, context, &query) : MEMMODEL_ERROR_INVALID_ARGUMENT;

    if (status)
        return status;
    status = result_check(query.context, "memmodel_rank_class", rank_class);
    if (!status)
        status = find_class(&query, &found);
    if (!status)
        status = result_copy(&found, sizeof found, rank_class);
    return query_end(&query, status);
}
