/*
 * torch.autocast("cpu", torch.bfloat16). Which operators compute in what: PyTorch 2.13,
 * aten/src/ATen/autocast_mode.cpp, TORCH_LIBRARY_IMPL(aten, AutocastCPU, m); all others take what they get.
 */
#include "frameworks/pytorch/autocast.h"
#include "base/text.h"
#include "frameworks/pytorch/operands.h"
#include "frameworks/pytorch/tensor.h"
#include "network/attributes.h"

#include <string.h>

/* ---- the table ---- */

/* nll_loss_nd, pad and einsum are none of the list: they are made of what is. */
static const struct autocast_row rows[] = {
    {"_addmm_activation", AUTOCAST_LOWER},
    {"_native_multi_head_attention", AUTOCAST_LOWER},
    {"adaptive_avg_pool3d", AUTOCAST_WIDE},
    {"adaptive_max_pool3d", AUTOCAST_WIDE},
    {"addbmm", AUTOCAST_LOWER},
    {"addmm", AUTOCAST_LOWER},
    {"avg_pool3d", AUTOCAST_WIDE},
    {"baddbmm", AUTOCAST_LOWER},
    {"binary_cross_entropy", AUTOCAST_WIDE},
    {"binary_cross_entropy_with_logits", AUTOCAST_WIDE},
    {"bmm", AUTOCAST_LOWER},
    {"cat", AUTOCAST_WIDEST},
    {"cdist", AUTOCAST_WIDE},
    AUTOCAST_CONVOLUTIONS,
    {"cosine_embedding_loss", AUTOCAST_WIDE},
    {"cross_entropy_loss", AUTOCAST_WIDE},
    {"ctc_loss", AUTOCAST_WIDE},
    {"fft_fft", AUTOCAST_WIDE},
    {"fft_fft2", AUTOCAST_WIDE},
    {"fft_fftn", AUTOCAST_WIDE},
    {"fft_ifft", AUTOCAST_WIDE},
    {"fft_ifft2", AUTOCAST_WIDE},
    {"fft_ifftn", AUTOCAST_WIDE},
    {"fft_irfft", AUTOCAST_WIDE},
    {"fft_irfft2", AUTOCAST_WIDE},
    {"fft_irfftn", AUTOCAST_WIDE},
    {"fft_rfft", AUTOCAST_WIDE},
    {"fft_rfft2", AUTOCAST_WIDE},
    {"fft_rfftn", AUTOCAST_WIDE},
    {"fractional_max_pool2d", AUTOCAST_WIDE},
    {"fractional_max_pool3d", AUTOCAST_WIDE},
    {"grid_sampler", AUTOCAST_WIDE},
    {"grid_sampler_2d", AUTOCAST_WIDE},
    {"grid_sampler_3d", AUTOCAST_WIDE},
    {"hinge_embedding_loss", AUTOCAST_WIDE},
    {"huber_loss", AUTOCAST_WIDE},
    {"index_copy", AUTOCAST_WIDEST},
    {"inverse", AUTOCAST_WIDE},
    {"kl_div", AUTOCAST_WIDE},
    {"l1_loss", AUTOCAST_WIDE},
    {"linalg_inv", AUTOCAST_WIDE},
    {"linalg_solve", AUTOCAST_WIDE},
    {"linalg_vecdot", AUTOCAST_LOWER},
    {"linear", AUTOCAST_LOWER},
    {"margin_ranking_loss", AUTOCAST_WIDE},
    {"matmul", AUTOCAST_LOWER},
    {"max_pool3d", AUTOCAST_WIDE},
    {"max_unpool2d", AUTOCAST_WIDE},
    {"max_unpool3d", AUTOCAST_WIDE},
    {"mm", AUTOCAST_LOWER},
    {"mse_loss", AUTOCAST_WIDE},
    {"multi_margin_loss", AUTOCAST_WIDE},
    {"multilabel_margin_loss", AUTOCAST_WIDE},
    {"nll_loss", AUTOCAST_WIDE},
    {"nll_loss2d", AUTOCAST_WIDE},
    {"nll_loss_nd", AUTOCAST_WIDE},
    {"poisson_nll_loss", AUTOCAST_WIDE},
    {"prelu", AUTOCAST_LOWER},
    {"prod", AUTOCAST_WIDE},
    {"quantile", AUTOCAST_WIDE},
    {"reflection_pad1d", AUTOCAST_WIDE},
    {"reflection_pad2d", AUTOCAST_WIDE},
    {"replication_pad1d", AUTOCAST_WIDE},
    {"replication_pad2d", AUTOCAST_WIDE},
    {"replication_pad3d", AUTOCAST_WIDE},
    {"scaled_dot_product_attention", AUTOCAST_LOWER},
    {"smooth_l1_loss", AUTOCAST_WIDE},
    {"soft_margin_loss", AUTOCAST_WIDE},
    {"stack", AUTOCAST_WIDEST},
    {"stft", AUTOCAST_WIDE},
    {"trace", AUTOCAST_WIDE},
    {"triplet_margin_loss", AUTOCAST_WIDE},
};

const struct autocast_table autocast_cpu = {rows, sizeof rows / sizeof rows[0], false};

/* ---- what a layer is called there ---- */

enum { LONGEST_NAME = 64, VOLUME = 5 };

/* "aten.conv2d.padding" is a form of conv2d. */
static const char *
base_name(const char *operation, char name[LONGEST_NAME])
{
    static const char prefix[] = "aten.";
    const char *from = strncmp(operation, prefix, strlen(prefix)) == 0 ? operation + strlen(prefix) : operation;
    size_t length = strcspn(from, ".");

    if (length >= LONGEST_NAME)
        return "";
    memcpy(name, from, length);
    name[length] = 0;
    return name;
}

/* Padding of so many dims; "" where that is not listed. */
static const char *
pad_name_of(int mode, int dims)
{
    static const char *const names[][3] = {
        [MEMMODEL_PAD_REFLECT] = {"reflection_pad1d", "reflection_pad2d", ""},
        [MEMMODEL_PAD_REPLICATE] = {"replication_pad1d", "replication_pad2d", "replication_pad3d"},
    };

    if ((mode != MEMMODEL_PAD_REFLECT && mode != MEMMODEL_PAD_REPLICATE) || dims < 1 || dims > 3)
        return "";
    return names[mode][dims - 1];
}

static const char *
pad_name(const struct layer *layer, int rank)
{
    return pad_name_of(((const struct memmodel_pad *)layer->options)->kind, rank - 2);
}

/* aten.pad is made of what is listed: two numbers a dim, and a word. */
static const char *
aten_op_pad_name(const struct layer *layer)
{
    int64_t numbers[2 * MEMMODEL_MAX_RANK];
    int mode = attribute_is(layer, "mode", "reflect")     ? MEMMODEL_PAD_REFLECT
               : attribute_is(layer, "mode", "replicate") ? MEMMODEL_PAD_REPLICATE
                                                          : MEMMODEL_PAD_CONSTANT;

    return pad_name_of(mode, attribute_list(layer, "pad", numbers, 2 * MEMMODEL_MAX_RANK) / 2);
}

static const char *
custom_name(const struct layer *layer, char name[LONGEST_NAME])
{
    const struct memmodel_custom *options = layer->options;

    if (!options->operation)
        return "";
    return strcmp(options->operation, "aten.pad.default") == 0 ? aten_op_pad_name(layer)
                                                               : base_name(options->operation, name);
}

static const char *
loss_name(const struct layer *layer)
{
    static const char *const names[] = {
        [MEMMODEL_LOSS_CROSS_ENTROPY] = "cross_entropy_loss",
        [MEMMODEL_LOSS_BINARY_CROSS_ENTROPY] = "binary_cross_entropy",
        [MEMMODEL_LOSS_BINARY_CROSS_ENTROPY_WITH_LOGITS] = "binary_cross_entropy_with_logits",
        [MEMMODEL_LOSS_MEAN_SQUARED_ERROR] = "mse_loss",
        [MEMMODEL_LOSS_MEAN_ABSOLUTE_ERROR] = "l1_loss",
        [MEMMODEL_LOSS_SMOOTH_L1] = "smooth_l1_loss",
        [MEMMODEL_LOSS_NEGATIVE_LOG_LIKELIHOOD] = "nll_loss",
        [MEMMODEL_LOSS_KL_DIVERGENCE] = "kl_div",
        [MEMMODEL_LOSS_DICE] = "",
    };
    const struct memmodel_loss *options = layer->options;

    return names[options->kind];
}

static const char *
pool_name(const struct layer *layer, int rank)
{
    const struct memmodel_pool *options = layer->options;

    if (rank != VOLUME)
        return "";
    return options->kind == MEMMODEL_POOL_MAX ? "max_pool3d" : "avg_pool3d";
}

static const char *
elementwise_name(const struct layer *layer)
{
    const struct memmodel_activation *options = layer->options;

    switch (options->kind) {
    case MEMMODEL_ACTIVATION_PRELU:
        return "prelu";
    case MEMMODEL_ACTIVATION_SOFTPLUS:
        return "softplus";
    case MEMMODEL_ACTIVATION_EXP:
        return "exp";
    case MEMMODEL_ACTIVATION_LOG:
        return "log";
    default:
        return "";
    }
}

/* Name of the operator that a layer runs; "" for one that is not listed. */
static const char *
operator_name(const struct layer *layer, int rank, char name[LONGEST_NAME])
{
    static const char *const names[OP_COUNT] = {
        [OP_CONV] = "conv2d",
        [OP_CONV_TRANSPOSE] = "conv_transpose2d",
        [OP_LINEAR] = "linear",
        [OP_MATMUL] = "matmul",
        [OP_CONCAT] = "cat",
        [OP_ATTENTION] = "scaled_dot_product_attention",
        [OP_LAYER_NORM] = "layer_norm",
        [OP_GROUP_NORM] = "group_norm",
        [OP_RMS_NORM] = "rms_norm",
        [OP_SOFTMAX] = "softmax",
        [OP_UPSAMPLE] = "upsample",
    };

    switch (layer->op) {
    case OP_CUSTOM:
        return custom_name(layer, name);
    case OP_ACTIVATION:
        return elementwise_name(layer);
    case OP_POOL:
        return pool_name(layer, rank);
    case OP_ADAPTIVE_POOL:
        return rank == VOLUME ? "adaptive_avg_pool3d" : "";
    case OP_PAD:
        return pad_name(layer, rank);
    case OP_LOSS:
        return loss_name(layer);
    default:
        return names[layer->op] ? names[layer->op] : "";
    }
}

/* ---- casts ---- */

static bool
is_eligible(const struct value *x)
{
    return x && value_is_float(x) && !value_is_complex(x) && x->shape.dtype != MEMMODEL_DTYPE_FLOAT64;
}

/* A leaf that requires a gradient, and no view. */
static bool
is_kept(const struct step *step, const struct value *x, int dtype)
{
    bool leaf = step->grad_mode ? x->node && !x->node->derivative : true;

    return dtype == step->autocast.dtype && x->shape.dtype == MEMMODEL_DTYPE_FLOAT32 && x->parameter && !x->view &&
           leaf;
}

static struct value *
kept_cast(struct step *step, struct value *x, int dtype)
{
    struct autocast *autocast = &step->autocast;
    bool grad_mode = step->grad_mode;

    if (x->lowered)
        return value_keep(x->lowered);
    if (array_reserve(step->context, &autocast->sources, &autocast->source_capacity, autocast->source_count + 1,
                      sizeof(struct value *))) {
        step_fail(step, MEMMODEL_ERROR_NO_MEMORY);
        return &step->nothing;
    }
    step->grad_mode = step->job->mode != 1; /* also where gradients are switched off */
    x->lowered = aten_cast(step, x, dtype);
    x->lowered->parameter = !step->status;
    step->grad_mode = grad_mode;
    autocast->sources[autocast->source_count++] = x;
    return value_keep(x->lowered);
}

/* autocast_mode.cpp, cached_cast() */
static struct value *
cached_cast(struct step *step, struct value *x, int dtype)
{
    if (!is_eligible(x) || x->shape.dtype == dtype)
        return value_keep(x);
    return is_kept(step, x, dtype) ? kept_cast(step, x, dtype) : aten_cast(step, x, dtype);
}

struct value *
autocast_operand(struct step *step, struct value *x)
{
    return step->autocast.on ? cached_cast(step, x, step->autocast.dtype) : value_keep(x);
}

void
autocast_exit(struct step *step)
{
    struct autocast *autocast = &step->autocast;

    for (size_t i = 0; i < autocast->source_count; i++) {
        value_drop(step, autocast->sources[i]->lowered);
        autocast->sources[i]->lowered = NULL;
    }
    autocast->source_count = 0;
}

/* ---- a layer ---- */

static int
operand_count(const struct layer *layer)
{
    return layer->input_count + layer->parameter_count;
}

static struct value *
operand(struct step *step, const struct layer *layer, int index)
{
    if (index < layer->input_count)
        return step_input(step, layer, index);
    return step->variables[layer->parameters[index - layer->input_count]].value;
}

struct value *
autocast_parameter(struct step *step, int32_t parameter)
{
    const struct casts *casts = &step->autocast.casts;
    int at = 0;

    while (casts->layer->parameters[at] != parameter)
        at++;
    return casts->values[casts->layer->input_count + at];
}

static int
widest_type(struct step *step, const struct layer *layer)
{
    int dtype = step->autocast.dtype;

    for (int i = 0; i < layer->input_count; i++) {
        const struct value *x = step_input(step, layer, i);

        if (x && x->shape.dtype == MEMMODEL_DTYPE_FLOAT32)
            dtype = MEMMODEL_DTYPE_FLOAT32;
    }
    return dtype;
}

/* NULL for an operator that takes what it gets. */
static const struct autocast_row *
row_of(struct step *step, const struct layer *layer)
{
    const struct autocast_table *table = step->device->autocast;
    const struct value *x = step_input(step, layer, 0);
    char name[LONGEST_NAME];

    return text_find(operator_name(layer, x ? x->shape.rank : 0, name), table->rows, table->count, sizeof *table->rows);
}

/* Tensors of a list are cast from the first to the last, arguments from the last to the first. */
static void
cast_operands(struct step *step, const struct layer *layer, enum autocast_policy policy, struct value **values)
{
    int lower = step->autocast.dtype, count = operand_count(layer);
    int dtype = policy == AUTOCAST_WIDEST  ? widest_type(step, layer)
                : policy == AUTOCAST_LOWER ? lower
                                           : MEMMODEL_DTYPE_FLOAT32;

    for (int i = 0; i < count; i++) {
        int at = policy == AUTOCAST_WIDEST ? i : count - 1 - i;

        values[at] = cached_cast(step, operand(step, layer, at), dtype);
    }
}

static void
run_with_casts(struct step *step, const struct layer *layer, enum autocast_policy policy)
{
    int count = operand_count(layer);
    size_t bytes = (size_t)count * sizeof(struct value *);
    struct value **values = step_pool_take(step, bytes);

    if (!values)
        return;
    cast_operands(step, layer, policy, values);
    step->autocast.casts = (struct casts){layer, values};
    step->autocast.on = false;
    if (!step->status)
        rule_of(layer->op)->forward(step, layer);
    step->autocast.on = true;
    step->autocast.casts = (struct casts){NULL, NULL};
    value_drop_all(step, values, count);
    object_pool_give(&step->pool, values, bytes);
}

void
autocast_forward(struct step *step, const struct layer *layer)
{
    const struct autocast_row *row = step->autocast.on ? row_of(step, layer) : NULL;

    if (row && operand_count(layer) > 0)
        run_with_casts(step, layer, row->policy);
    else
        rule_of(layer->op)->forward(step, layer);
}

/* ---- types of outputs, which the network has as they are without autocast ---- */

/* Casts say what they make; of two tensors, that of the second. */
static bool
is_cast(const struct layer *layer)
{
    static const char *const casts[] = {"aten.to.", "aten._to_copy.", "aten.float.", "aten.type_as."};
    const struct memmodel_custom *options = layer->options;

    for (size_t i = 0; layer->op == OP_CUSTOM && options->operation && i < sizeof casts / sizeof casts[0]; i++)
        if (strncmp(options->operation, casts[i], strlen(casts[i])) == 0)
            return true;
    return false;
}

static bool
names_type(const struct layer *layer)
{
    const struct memmodel_custom *options = layer->options;

    return layer->op == OP_CUSTOM && options->attributes && strstr(options->attributes, "dtype=");
}

/* Networks are followed under autocast of the CPU, whose lists are not those of a GPU. */
static bool
is_as_declared(const struct step *step, const struct layer *layer)
{
    return layer->op == OP_CUSTOM && step->device->host;
}

int
autocast_output_type(struct step *step, const struct layer *layer, int declared)
{
    const struct value *other = step_input(step, layer, 1);
    int dtype = 0;

    if (declared != MEMMODEL_DTYPE_FLOAT32 && (declared != step->autocast.dtype || is_as_declared(step, layer)))
        return declared;
    if (is_cast(layer))
        return other && value_is_float(other) ? other->shape.dtype : declared;
    if (names_type(layer))
        return declared;
    for (int i = 0; i < layer->input_count; i++) {
        const struct value *x = step_input(step, layer, i);

        if (is_eligible(x) && dtype != MEMMODEL_DTYPE_FLOAT32)
            dtype = x->shape.dtype;
    }
    return dtype ? dtype : declared;
}

int
autocast_find(memmodel_context *context, const struct autocast_table *table, const char *precision, int *dtype)
{
    *dtype = 0;
    if (strcmp(precision, "float32") == 0)
        return 0;
    if (strcmp(precision, "bfloat16") == 0)
        *dtype = MEMMODEL_DTYPE_BFLOAT16;
    else if (strcmp(precision, "float16") == 0 && table->float16)
        *dtype = MEMMODEL_DTYPE_FLOAT16;
    if (*dtype)
        return 0;
    return context_error(context, MEMMODEL_ERROR_UNSUPPORTED, precision, "autocast is simulated in \"bfloat16\"%s",
                         table->float16 ? " or \"float16\"" : ", and in \"float16\" on a GPU");
}
