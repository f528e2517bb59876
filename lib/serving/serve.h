/* What engines share: the question with its defaults filled in, and the answer that they fill. */
#ifndef SERVING_SERVE_H
#define SERVING_SERVE_H

#include "base/mesh.h"
#include "frameworks/cuda/gpu.h"
#include "serving/kv.h"
#include "serving/llm.h"
#include "serving/weights.h"

#define GIB (INT64_C(1) << 30)
#define MIB (INT64_C(1) << 20)

enum { SERVING_MAX_POOLS = 16 };

/* What an engine fills. */
struct answer {
    struct memmodel_serving_result result;
    struct memmodel_serving_pool pools[SERVING_MAX_POOLS];
    size_t pool_count;
    const char *notes[LLM_MAX_NOTES];
    size_t note_count;
};

struct memmodel_serving {
    memmodel_context *context;
    atomic_int references;
    const char *engine; /* static */
    struct answer answer;
};

struct serve_query {
    memmodel_context *context;
    const memmodel_llm *llm;
    struct memmodel_serve_options options;
    struct mesh mesh;
    int64_t tensor, pipeline, data, experts; /* GPUs along each axis */
    int64_t cuts;                            /* of an expert that is not whole on a GPU */
    int version;                             /* 100 * major + minor; INT_MAX: the newest */
    bool shares; /* layers that read another's keys and values have no projections for them */
    enum element element;
    struct quantization quantization;
    struct kv_type kv;
    const struct gpu *gpu; /* NULL: not known */
};

struct engine {
    const char *name;
    int (*serve)(const struct serve_query *query, struct answer *answer);
};

extern const struct engine engine_vllm, engine_sglang, engine_llamacpp;

/* ---- what engines use ---- */

/* What pools of such layers are called. */
const char *
serving_kind(enum mixer mixer);

/* Says what is not counted; static texts. */
void
serving_note(struct answer *answer, const char *what);

int
serving_add_pool(const struct serve_query *query, struct answer *answer, const struct memmodel_serving_pool *pool);

/* The GPUs along a pipeline hold layers one after the other: those of number `index`. */
struct place
serve_place(const struct serve_query *query, int64_t index);

/* Bytes of the weights there, or what the options say they are. */
int
serve_weights(const struct serve_query *query, const struct place *place, bool rounds, int64_t *bytes);

/* Heads of keys that a GPU has: at least one, of which others have a copy. */
int64_t
serve_kv_heads(const struct llm_layer *layer, int64_t parts);

/* Bytes of a recurrent layer's state of one request on a GPU. */
int64_t
serve_state_bytes(const struct serve_query *query, const struct llm_layer *layer);

/* The same in two parts: that of the convolution, and the rest, by elements. */
void
serve_state_elements(const struct serve_query *query, const struct llm_layer *layer, int64_t *convolution,
                     int64_t *state);

#endif
