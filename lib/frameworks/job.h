/* A job from the inside: its defaults, what it may ask, and whether bytes are within its budget. */
#ifndef FRAMEWORKS_JOB_H
#define FRAMEWORKS_JOB_H

#include "memmodel/job.h"

#include <stdbool.h>

struct arena;
struct framework;

/* Fills in the defaults. */
void
job_complete(struct memmodel_job *job);

/*
 * Copies a job that a caller gave (NULL: all defaults), fills in its defaults and checks it. 0,
 * MEMMODEL_ERROR_STRUCT_SIZE, MEMMODEL_ERROR_INVALID_ARGUMENT, MEMMODEL_ERROR_UNSUPPORTED, MEMMODEL_ERROR_NOT_FOUND.
 */
int
job_take(memmodel_context *context, const struct memmodel_job *given, struct memmodel_job *job,
         const struct framework **framework);

/* A copy whose texts and symbols lie in the arena, for what the caller's job points to may go. 0, MEMMODEL_ERROR_NO_MEMORY. */
int
job_keep(struct arena *arena, const struct memmodel_job *job, struct memmodel_job *kept);

/* Whether jobs on its device were compared with measurements: doc/guide/accuracy.md. The job has its defaults. */
bool
job_is_validated(const struct memmodel_job *job);

/* The numbers of a job that stand for one of several, completed or not. 0, MEMMODEL_ERROR_INVALID_ARGUMENT. */
int
job_check_choices(memmodel_context *context, const struct memmodel_job *job);

/* Bytes of its budget that a job may take: all but those that are to stay free. 0: there is no budget. */
int64_t
job_limit(const struct memmodel_job *job);

/* enum memmodel_verdict of a budget (0: none) and what is needed (-1: not modelled). */
int
verdict_of(int64_t budget, int64_t bytes);

#endif
