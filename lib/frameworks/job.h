/* A job from the inside: what its numbers may be, and whether bytes are within its budget. */
#ifndef FRAMEWORKS_JOB_H
#define FRAMEWORKS_JOB_H

#include "memmodel/job.h"

/* The numbers of a job that stand for one of several, completed or not. 0, MEMMODEL_ERROR_INVALID_ARGUMENT. */
int
job_check_choices(memmodel_context *context, const struct memmodel_job *job);

/* enum memmodel_verdict of a budget (0: none) and what is needed (-1: not modelled). */
int
verdict_of(int64_t budget, int64_t bytes);

#endif
