/* Whether a plan holds what it promises: it shares no code and no data with those who made it. */
#ifndef PLAN_VERIFY_H
#define PLAN_VERIFY_H

#include "plan/plan.h"

enum { VERIFY_UNPLACED = -1 }; /* as an offset: the buffer does not take part */

/*
 * Sweeps over time: buffers in use at the same time may not overlap, unless they share their memory, and lie at their
 * alignment and where they are fixed. 0 and the greatest end; MEMMODEL_ERROR_INVALID_ARGUMENT naming two buffers, or
 * MEMMODEL_ERROR_NO_MEMORY.
 */
int
verify_offsets(const memmodel_plan *plan, const int64_t *offsets, int64_t *peak);

#endif
