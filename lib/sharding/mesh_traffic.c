/*
 * What ranks send each other in a step, by ring algorithms: Thakur, Rabenseifner and Gropp, "Optimization of Collective
 * Communication Operations in MPICH", 2005 (all-gather, reduce-scatter); Patarasuk and Yuan, "Bandwidth optimal all-reduce
 * algorithms", 2009; what tensor plans reduce: Shoeybi and others, "Megatron-LM", 2019; pipelines: Narayanan and others,
 * "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", 2021.
 */
#include "sharding/meshes.h"

#include "base/checked.h"

enum { COMPUTED = 2, REDUCED = 4 }; /* bytes of an element: bfloat16, float32 */

/* n - 1 parts of n. */
static double
ring(int64_t ranks, double bytes)
{
    return bytes * (double)(ranks - 1) / (double)ranks;
}

int64_t
mesh_traffic(const struct mesh_query *query, const struct memmodel_mesh_row *row)
{
    const memmodel_llm *llm = query->llm;
    double passes = (double)row->passes;
    double parameters = (double)llm->parameter_count / (double)(row->tensor * row->pipeline);
    double activation = (double)row->batch * (double)query->options.length * (double)llm->hidden * COMPUTED;
    double layers = (double)llm->layer_count / (double)row->pipeline;
    /* gathered before each forward and each backward pass; without a pipeline each pass reduces its gradients */
    double shards = 2 * passes * ring(row->data, parameters * COMPUTED) +
                    (row->pipeline > 1 ? 1 : passes) * ring(row->data, parameters * REDUCED);
    /* two all-reduces of a layer forward, two backward, and two where it is recomputed; gradients of sums are as wide as they */
    double wide = row->data == 1 ? (double)REDUCED / COMPUTED : 1; /* autocast leaves sums of layers in float32 */
    double reductions = 2 + 2 * wide + (row->recomputed ? 2 : 0);
    double tensor = passes * layers * reductions * 2 * ring(row->tensor, activation);
    /* an output on, an input's gradient back */
    double stages = row->pipeline > 1 ? passes * 2 * wide * activation : 0;
    double all = shards + tensor + stages;

    return all < (double)INT64_MAX / 2 ? (int64_t)all : INT64_MAX;
}
