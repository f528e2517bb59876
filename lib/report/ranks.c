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
    int64_t chunk = rows / world + (rows % world != 0), whole = chunk > 0 ? rows / chunk : 0;
    bool has_part = chunk > 0 && rows % chunk != 0;

    if (place < whole) {
        places->end = min_i64(places->end, whole);
    } else if (has_part && place == whole) {
        *places = (struct places){whole, whole + 1};
    } else {
        places->first = max_i64(places->first, whole + has_part);
    }
}

static struct places
places_like(const struct binding *binding, const struct parallel *parallel)
{
    struct places places = {0, parallel->world};

    if (parallel->data == DATA_ZERO1)
        return (struct places){parallel->place, parallel->place + 1};
    for (size_t i = 0; i < binding->network->parameter_count && parallel->data == DATA_FSDP; i++) {
        const struct parameter *parameter = &binding->network->parameters[i];

        if (parameter->rank > 0)
            cut_by_rows(&places, parallel->place, binding_dim(binding, parameter->dims[0]), parallel->world);
    }
    return places;
}

/* The first rank of a place: from one place to the next it goes on by as many ranks as the axes inside have. */
static int64_t
rank_of_place(const struct parallel *parallel, int64_t place)
{
    const char *axis = parallel_axis(parallel);
    int64_t stride = 1;

    for (size_t i = parallel->mesh.count; i-- > 0 && strcmp(parallel->mesh.axes[i].name, axis) != 0;)
        stride *= parallel->mesh.axes[i].size;
    return place * stride;
}

static int
find_class(struct query *query, struct memmodel_rank_class *rank_class)
{
    struct parallel parallel;
    struct places places;
    int status = query_bind(query);

    if (!status)
        status = parallel_read(query->context, &query->job, &parallel);
    if (status)
        return status;
    places = places_like(&query->binding, &parallel);
    *rank_class = (struct memmodel_rank_class){
        .size = sizeof *rank_class,
        .first_rank = rank_of_place(&parallel, places.first),
        .rank_count = (places.end - places.first) * parallel.replicas,
        .next_rank = places.end < parallel.world ? rank_of_place(&parallel, places.end) : -1,
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
