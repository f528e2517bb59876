/* A step that repeats the one before it, event by event, is written without being run again. */
#ifndef TRACE_COPY_STEP_H
#define TRACE_COPY_STEP_H

#include "trace/trace.h"

/*
 * Writes the last step of the trace once more, as the next: its blocks are new, and where it released what the step
 * before had left, its copy releases what it left itself. *is_copied is false, and nothing is done, where the step left
 * something else than it was left, or has loops whose iterations stand for others.
 */
int
trace_copy_step(struct memmodel_trace *trace, bool *is_copied);

#endif
