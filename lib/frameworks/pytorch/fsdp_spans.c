/* What units are handed and hand back when they run: tensors by whose gradients a backward pass reaches them. */
#include "frameworks/pytorch/fsdp.h"
#include "frameworks/pytorch/names.h"

#include <stdlib.h>
#include <string.h>

struct uses {
    int32_t *last;         /* of each tensor: the layer that uses it last */
    int32_t *span;         /* of each tensor: the span that it was listed for last, counted from 1 */
    memmodel_tensor *list; /* room for all tensors */
};

static void
find_last_uses(const struct step *step, struct uses *uses)
{
    const struct memmodel_network *network = step->network;

    memset(uses->last, -1, network->tensor_count * sizeof *uses->last);
    for (size_t i = 0; i < network->layer_count; i++)
        for (int k = 0; k < network->layers[i].input_count; k++)
            if (network->layers[i].inputs[k] >= 0)
                uses->last[network->layers[i].inputs[k]] = (int32_t)i;
    for (size_t i = 0; i < step->names->count; i++)
        if (step->names->items[i].returned)
            uses->last[step->names->items[i].tensor] = INT32_MAX;
}

static memmodel_tensor *
keep_list(struct step *step, const struct uses *uses, int32_t count)
{
    memmodel_tensor *list = step_arena_allocate(step, ((size_t)count + 1) * sizeof *list);

    if (list)
        memcpy(list, uses->list, (size_t)count * sizeof *list);
    return list;
}

static void
list_inputs(struct step *step, struct fsdp_span *span, struct uses *uses)
{
    const struct memmodel_network *network = step->network;
    int32_t number = (int32_t)(span - ((struct fsdp *)step->data_state)->spans) + 1;

    for (int32_t i = span->first; i < span->inputs_end; i++) {
        const struct layer *layer = &network->layers[i];

        for (int k = 0; k < layer->input_count; k++) {
            memmodel_tensor tensor = layer->inputs[k];

            if (tensor < 0 || network->tensors[tensor].layer >= span->first || uses->span[tensor] == number ||
                layer_is_given(layer_of_tensor(network, tensor)))
                continue;
            uses->span[tensor] = number;
            uses->list[span->input_count++] = tensor;
        }
    }
    span->inputs = keep_list(step, uses, span->input_count);
    span->originals = step_arena_allocate(step, ((size_t)span->input_count + 1) * sizeof *span->originals);
}

static void
list_outputs(struct step *step, struct fsdp_span *span, const struct uses *uses)
{
    for (int32_t i = span->outputs_first; i < span->end; i++) {
        const struct layer *layer = &step->network->layers[i];

        for (int32_t k = 0; k < layer->output_count; k++)
            if (uses->last[layer->first_output + k] >= span->end)
                uses->list[span->output_count++] = layer->first_output + k;
    }
    span->outputs = keep_list(step, uses, span->output_count);
}

/* By the first layer, the longest first. */
static int
compare_spans(const void *a, const void *b)
{
    const struct fsdp_span *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

/* Each unit has so many forward passes in one of the model, the root one. */
static void
make_room_for_passes(struct step *step, struct fsdp *fsdp)
{
    size_t hooks = step->names->count + 1, parts = (size_t)data_parts(step);

    for (size_t i = 0; i < fsdp->span_count; i++) {
        fsdp->units[fsdp->spans[i].unit].pass_count++;
        hooks += (size_t)fsdp->spans[i].output_count;
    }
    for (size_t i = 0; i < fsdp->unit_count; i++) {
        struct fsdp_unit *unit = &fsdp->units[i];

        unit->passes = step_arena_allocate(step, parts * (unit->pass_count + 1) * sizeof *unit->passes);
        unit->pass_count = 0;
    }
    fsdp->order = step_arena_allocate(step, parts * (fsdp->span_count + 1) * sizeof *fsdp->order);
    fsdp->hooks = step_arena_allocate(step, parts * hooks * sizeof *fsdp->hooks);
}

void
fsdp_find_tensors(struct step *step)
{
    struct fsdp *fsdp = step->data_state;
    size_t count = step->network->tensor_count + 1;
    struct uses uses = {
        .last = step_arena_allocate(step, count * sizeof *uses.last),
        .span = step_arena_allocate(step, count * sizeof *uses.span),
        .list = step_arena_allocate(step, count * sizeof *uses.list),
    };

    if (step->status)
        return;
    memset(uses.span, 0, count * sizeof *uses.span);
    find_last_uses(step, &uses);
    qsort(fsdp->spans, fsdp->span_count, sizeof *fsdp->spans, compare_spans);
    for (size_t i = 0; i < fsdp->span_count && !step->status; i++) {
        list_inputs(step, &fsdp->spans[i], &uses);
        list_outputs(step, &fsdp->spans[i], &uses);
    }
    make_room_for_passes(step, fsdp);
}
