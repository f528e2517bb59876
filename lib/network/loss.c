/* Losses. Shapes: torch.nn.CrossEntropyLoss, torch.nn.BCELoss, ... */
#include "network/builder.h"

static const char *const loss_names[] = {
    "cross_entropy",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "mean_squared_error",
    "mean_absolute_error",
    "smooth_l1",
    "negative_log_likelihood",
    "kl_divergence",
    "dice",
    NULL,
};

static const char *const loss_reduction_names[] = {"mean", "sum", "none", NULL};

static const struct field loss_fields[] = {
    FIELD_CHOICE(memmodel_loss, kind, loss_names),
    FIELD_CHOICE(memmodel_loss, reduction, loss_reduction_names),
    FIELDS_END,
};

/* Axes of x, without the one at `left_out`, against those of the target. */
static int
match_target(struct draft *draft, int left_out)
{
    struct memmodel_shape x = draft_shape(draft, 0), target = draft_shape(draft, 1);
    int k = 0;

    for (int i = 0; i < x.rank; i++) {
        if (i == left_out)
            continue;
        draft_require_equal(draft, i, target.dims[k++], draft->inputs[1], x.dims[i], draft->inputs[0]);
    }
    return draft->status;
}

static int
infer_loss(struct draft *draft)
{
    const struct memmodel_loss *loss = draft->options;
    struct memmodel_shape x = draft_shape(draft, 0), target = draft_shape(draft, 1), y = target;
    bool classes = (loss->kind == MEMMODEL_LOSS_CROSS_ENTROPY || loss->kind == MEMMODEL_LOSS_NEGATIVE_LOG_LIKELIHOOD) &&
                   target.rank == x.rank - 1;

    if (!classes && target.rank != x.rank)
        return draft_error(draft, MEMMODEL_ERROR_SHAPE, "the target has %d dimensions, the prediction %d", target.rank,
                           x.rank);
    if (match_target(draft, classes ? (x.rank > 1 ? 1 : 0) : -1))
        return draft->status;
    y.dtype = x.dtype;
    if (loss->reduction != MEMMODEL_LOSS_REDUCTION_NONE)
        y.rank = 0;
    return draft_output(draft, &y);
}

const struct op_description op_loss = {
    .name = "loss",
    OPTIONS(memmodel_loss, loss_fields),
    INPUTS(2, 2),
    .infer = infer_loss,
};

memmodel_tensor
memmodel_network_loss(memmodel_network *network, memmodel_tensor x, memmodel_tensor target,
                      const struct memmodel_loss *options)
{
    return network_add(network, OP_LOSS, (memmodel_tensor[]){x, target}, 2, options);
}
