/* What sized_table.h, made from the API's description, is written in. */
#ifndef TEST_SIZED_H
#define TEST_SIZED_H

#include "check.h"

#include <unistd.h>

/* What the calls of the table work on. The `new_` ones are what a call made. */
struct fixture {
    memmodel_context *context;
    memmodel_network *network; /* a fresh one for each call that takes options */
    memmodel_tensor square, sequence, indices, logits, classes;
    memmodel_samples *samples;
    memmodel_model *model;
    memmodel_monitor *monitor;
    memmodel_report *report;
    const memmodel_trace *trace;
    memmodel_replay *replay;
    memmodel_plan *plan;
    memmodel_recomputation *recomputation;
    memmodel_chain *chain, *solved_chain; /* adding a block forgets what was solved */
    memmodel_schedule *schedule;
    memmodel_network *tiled; /* that tiles can be cut of */
    memmodel_tiling *tiling;
    memmodel_budget *budget;

    memmodel_context *new_context;
    memmodel_network *new_network;
    memmodel_model *new_model;
    memmodel_samples *new_samples;
    memmodel_monitor *new_monitor;
    memmodel_report *new_report;
    memmodel_replay *new_replay;
    memmodel_schedule *new_schedule;
    memmodel_tiling *new_tiling;
    memmodel_budget *new_budget;
    int64_t number;
};

struct field {
    const char *name;
    size_t offset, size;
};

/* A function that takes a struct which begins with its size, and that struct. */
struct call {
    const char *name;
    int64_t (*run)(struct fixture *f, void *s);
    size_t size, alignment;
    const struct field *fields; /* without the first, `size` */
    size_t field_count;
};

#define FIELD(type, member)                                                                                            \
    {                                                                                                                  \
#member, offsetof(struct type, member), sizeof(((struct type *)0)->member)                                     \
    }
#define CALL(function, type)                                                                                           \
    {                                                                                                                  \
#function, call_##function, sizeof(struct type), _Alignof(struct type), fields_##type,                         \
            sizeof fields_##type / sizeof fields_##type[0]                                                             \
    }

#endif
