/* torch.autocast() around the model and its loss: what operators get in place of their operands. */
#ifndef PYTORCH_AUTOCAST_H
#define PYTORCH_AUTOCAST_H

#include "frameworks/pytorch/state.h"

enum autocast_policy {
    AUTOCAST_LOWER,  /* lower_precision_fp: in the type of the context */
    AUTOCAST_WIDE,   /* fp32 */
    AUTOCAST_WIDEST, /* promote: in the widest type of the operands */
};

/* What an operator computes in, by the names of torch.ops.aten in their order; all others take what they get. */
struct autocast_row {
    const char *name;
    enum autocast_policy policy;
};

/* Rows of every device, in the order of their names. */
#define AUTOCAST_CONVOLUTIONS                                                                                          \
    {"conv1d", AUTOCAST_LOWER}, {"conv2d", AUTOCAST_LOWER}, {"conv3d", AUTOCAST_LOWER}, {"conv_tbc", AUTOCAST_LOWER},  \
        {"conv_transpose1d", AUTOCAST_LOWER}, {"conv_transpose2d", AUTOCAST_LOWER},                                    \
    {                                                                                                                  \
        "conv_transpose3d", AUTOCAST_LOWER                                                                             \
    }

struct autocast_table {
    const struct autocast_row *rows;
    size_t count;
    bool float16; /* besides bfloat16 */
};

extern const struct autocast_table autocast_cpu, autocast_cuda;

/* x.to(dtype): itself if that is its type. arithmetic.c */
struct value *
aten_cast(struct step *step, struct value *x, int dtype);

/* Runs the rule of a layer. */
void
autocast_forward(struct step *step, const struct layer *layer);

/* A parameter of the layer that runs, by its number in the network, as its operator gets it. */
struct value *
autocast_parameter(struct step *step, int32_t parameter);

/* An operand of an operator of the lower precision, inside a composite one: a new reference. */
struct value *
autocast_operand(struct step *step, struct value *x);

/* Type of a layer's output that the network declares as `declared`. */
int
autocast_output_type(struct step *step, const struct layer *layer, int declared);

/* The context ends: what was kept of parameters goes. */
void
autocast_exit(struct step *step);

/* 0 for "float32"; MEMMODEL_ERROR_UNSUPPORTED for what the table is not for. */
int
autocast_find(memmodel_context *context, const struct autocast_table *table, const char *precision, int *dtype);

#endif
