/* Ways to train a language model on many GPUs, from the inside. */
#ifndef SHARDING_MESHES_H
#define SHARDING_MESHES_H

#include "memmodel/mesh.h"
#include "memmodel/trace.h"
#include "serving/llm.h"

/* What is asked, with its defaults. */
struct mesh_query {
    memmodel_context *context;
    const memmodel_llm *llm;
    struct memmodel_mesh_options options;
    int64_t context_bytes; /* of the GPU, that no tensor takes */
};

enum { PHASES = MEMMODEL_PHASE_OPTIMIZER + 1 };

/* Where in a step: by the layers of a stage, what stands before and behind them, and what belongs to none. */
enum place { NOWHERE, BEFORE, FIRST, SECOND, LAST_BUT_ONE, LAST, AFTER, PLACES };

/* Live bytes at the peak of each place. */
struct mesh_peaks {
    int64_t bytes[PHASES][PLACES];
};

/* Of the first and the last stage, by sequences of a batch and by layers of the stage. */
struct mesh_samples {
    struct mesh_peaks first[2][2], last[2][2];
};

/*
 * Of a batch of one or two, of which rows with more need both: for rows that differ in `batch` alone, and in `passes` beyond
 * the second, of a pipeline in any.
 */
int
mesh_sample(const struct mesh_query *query, const struct memmodel_mesh_row *row, int64_t batch,
            struct mesh_samples *samples);

/* Live bytes of the fullest rank, and its stage. */
int64_t
mesh_peak(const struct mesh_query *query, const struct memmodel_mesh_row *row, const struct mesh_samples *samples,
          int64_t *stage);

/* What the process of a rank takes of its GPU, by a simulation of all layers: the allocator's bytes and the context. */
int
mesh_process(const struct mesh_query *query, const struct memmodel_mesh_row *row, int64_t stage, int64_t *process);

/* What a rank of the row sends in a step. */
int64_t
mesh_traffic(const struct mesh_query *query, const struct memmodel_mesh_row *row);

#endif
