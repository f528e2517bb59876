/* What `memmodel plan` plans: a table of buffers, a network without a backward pass, a simulated or a recorded step. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "job.h"

enum { EXIT_TOO_LARGE = 3 };

struct plan_options {
    struct job_options job;
    int64_t capacity, nodes, alignment, budget;
    double seconds;
    const char *output, *picture, *table;
    struct option_list without;
    bool training, parameters, tile, json;
};

/* Buffers, and what is known of them besides. */
struct plan_source {
    memmodel_plan *plan;
    memmodel_schedule *schedule; /* of a network without a backward pass; NULL: of something else */
    memmodel_tiling *tiling;     /* of its input; NULL: not asked for */
    int64_t reserved;            /* by the allocator of a simulated step; -1: not known */
    memmodel_network *network;   /* that the schedule is of */
};

/* Reads the file in `operands`, by what is in it. EXIT_OK, or another exit code after a message. */
int
plan_source_open(const struct command *command, const struct plan_options *given, memmodel_context *context,
                 char **operands, int count, struct plan_source *source);

void
plan_source_close(struct plan_source *source);

/* EXIT_OK if the one operand is a network and the options are those of networks, or another exit code after a message. */
int
plan_check_network(const struct command *command, const struct plan_options *given, char **operands, int count);

/* memmodel plan NETWORK --budget, all of it. */
int
plan_within_budget(const struct command *command, const struct plan_options *given, memmodel_context *context,
                   char **operands, int count);

#endif
