/* A network that is cut into the stages of one rank. */
#ifndef PYTORCH_PIPELINE_NETWORK_H
#define PYTORCH_PIPELINE_NETWORK_H

#include "frameworks/pytorch/pipeline.h"

struct cutting {
    struct step *step;
    struct pipeline *made;
    const struct memmodel_network *from;
    struct pipeline_cuts cuts;
    memmodel_tensor *names; /* of each tensor of `from`: that of the stage that is made, or MEMMODEL_TENSOR_NONE */
    bool *needed;           /* of each layer of `from`: a stage that is made needs it, from before its begin */
    int32_t *parameters;    /* of each parameter of `from`: its number here, or -1 */
    int32_t *place;         /* of each layer of `from`: where it is here, or -1 */
};

/* ---- pipeline_layers.c ---- */

/* A layer of `from` once more; `apart`: outside of the scopes that it stands in. */
void
cutting_copy_layer(struct cutting *cutting, int32_t index, bool apart);

/* What a stage needs, what it receives, and its own layers. */
void
cutting_make_stage(struct cutting *cutting, struct pipeline_stage *stage);

#endif
