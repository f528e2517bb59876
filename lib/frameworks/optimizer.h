/*
 * How a job names its optimizer: "adam", or with the options that change what it keeps, written as in Python:
 * "sgd(momentum=0.9, nesterov=True)". An option without a value is on; 0, False and None turn it off.
 */
#ifndef OPTIMIZER_H
#define OPTIMIZER_H

#include "base/text.h"
#include "network/network.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum optimizer_option {
    OPTIMIZER_MOMENTUM = 1 << 0,
    OPTIMIZER_NESTEROV = 1 << 1,
    OPTIMIZER_WEIGHT_DECAY = 1 << 2,
    OPTIMIZER_MAXIMIZE = 1 << 3,
    OPTIMIZER_AMSGRAD = 1 << 4,
    OPTIMIZER_CENTERED = 1 << 5,
    OPTIMIZER_DECOUPLED = 1 << 6, /* decoupled_weight_decay */
    OPTIMIZER_FOREACH = 1 << 7,   /* all parameters at once */
    OPTIMIZER_FUSED = 1 << 8,     /* in one kernel */
    OPTIMIZER_DAMPENING = 1 << 9, /* a factor of a sum in place: takes nothing */
};

/* By their names in torch.optim; "none" updates nothing. */
enum optimizer_id {
    OPTIMIZER_NONE,
    OPTIMIZER_SGD,
    OPTIMIZER_ADAM,
    OPTIMIZER_ADAMW,
    OPTIMIZER_NADAM,
    OPTIMIZER_RADAM,
    OPTIMIZER_ADAMAX,
    OPTIMIZER_RMSPROP,
    OPTIMIZER_ADAGRAD,
    OPTIMIZER_ADADELTA,
    OPTIMIZER_ADAFACTOR,
    OPTIMIZERS
};

/* What a state tensor is like; sums of rows and columns are of parameters with two axes or more. */
enum state_kind {
    STATE_NONE,
    STATE_COUNTER,
    STATE_LIKE_PARAMETER,
    STATE_LIKE_VECTOR,
    STATE_ROW_SUMS,
    STATE_COLUMN_SUMS
};

enum { OPTIMIZER_STATES = 5 };

/* What an optimizer keeps of each parameter, in any framework. */
struct optimizer_kind {
    const char *name;
    struct {
        enum state_kind kind;
        const char *name; /* PyTorch's */
        uint32_t needs;   /* option without which there is none */
    } state[OPTIMIZER_STATES];
    uint32_t defaults; /* options that are on by default */
};

extern const struct optimizer_kind optimizer_kinds[OPTIMIZERS];

struct optimizer_choice {
    char name[16];
    enum optimizer_id id; /* OPTIMIZERS: there is none of that name */
    uint32_t on, off;     /* options that were named */
};

/* Tensors of the parameter's size that are kept of each parameter. */
int
optimizer_slots(const struct optimizer_choice *choice);

/* "none, sgd, adam, ..." */
void
optimizer_print_names(struct text *text);

/* The table's name of an optimizer that is written as "AdamW" or "torch.optim.AdamW"; `text` itself if it is none alone. */
const char *
optimizer_spelling(const char *text);

/* False if it is not of that form. "momentum" is sgd(momentum). */
bool
optimizer_parse(const char *text, struct optimizer_choice *choice);

/* One group of parameters of "adam(amsgrad): head.*,*.bias; sgd". */
struct optimizer_part {
    char optimizer[256];  /* empty if it is longer */
    const char *patterns; /* of the names of its parameters, with commas between; NULL: all that no part before has */
    size_t length;        /* of the patterns */
};

/* The first part of `*text`, which then begins behind it; false at the end. */
bool
optimizer_next_part(const char **text, struct optimizer_part *part);

/*
 * A parameter is called as its layer and its role in it, "conv1.weight", or as the layer that declares it. 0,
 * MEMMODEL_ERROR_NO_MEMORY; text_release() the name either way.
 */
int
parameter_name(memmodel_context *context, const memmodel_network *network, size_t index, struct text *name);

/* Parameters of a network, part by part, in the order of the patterns. */
struct optimizer_members {
    int32_t *parameters;
    size_t *ends; /* of each part, into `parameters` */
    size_t parts;
};

/*
 * By their names, parameter_name(). Returns 0, MEMMODEL_ERROR_INVALID_ARGUMENT for a pattern that is no parameter's name, MEMMODEL_ERROR_NO_MEMORY.
 */
int
optimizer_members_new(memmodel_context *context, const memmodel_network *network, const char *text,
                      struct optimizer_members *members);

void
optimizer_members_release(memmodel_context *context, struct optimizer_members *members);

/* Where the members of a part begin. */
static inline size_t
optimizer_members_begin(const struct optimizer_members *members, size_t part)
{
    return part > 0 ? members->ends[part - 1] : 0;
}

/* What is on for an optimizer whose `defaults` are on unless they were turned off. */
static inline uint32_t
optimizer_options(const struct optimizer_choice *choice, uint32_t defaults)
{
    return (defaults & ~choice->off) | choice->on;
}

#endif
