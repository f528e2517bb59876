/* What `memmodel plan` plans: a table of buffers, a network without a backward pass, a simulated or a recorded step. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "job.h"

/* The budget is that of the job. */
struct plan_options {
    struct job_options job;
    int64_t max_nodes, alignment;
    const char *output, *picture, *table;
    struct option_list disabled;
    bool include_parameters, tile, json;
};

/* Buffers that are placed, and what is known of them besides. */
struct plan_source {
    const memmodel_plan *plan;   /* of one of the following */
    memmodel_plan *buffers;      /* of a table or a step */
    memmodel_schedule *schedule; /* of a network without a backward pass */
    memmodel_tiling *tiling;     /* of its input */
    memmodel_report *report;     /* of a simulated step */
};

enum plan_kind { PLAN_BUFFERS, PLAN_NETWORK, PLAN_TRACE };

/* What the one file in `operands` is; the options must be those of its kind. EXIT_OK, or another after a message. */
int
plan_source_kind(const struct command *command, const struct plan_options *given, char **operands, int count,
                 enum plan_kind *kind);

/* Places the buffers of a network. EXIT_OK, or another exit code after a message. plan_source_close() it either way. */
int
plan_source_network(const struct job_call *call, const struct plan_options *given, struct plan_source *source);

/* The same of a file of another kind. */
int
plan_source_file(const struct command *command, memmodel_context *context, const struct plan_options *given,
                 const char *path, enum plan_kind kind, struct plan_source *source);

void
plan_source_close(struct plan_source *source);

#endif
