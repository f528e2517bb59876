/* Bytes of a process whose framework keeps freed memory. */
#ifndef PROCESS_H
#define PROCESS_H

#include "frameworks/framework.h"
#include "memmodel/report.h"

/*
 * Fills peak->reserved and peak->process. `base_bytes`: of the process just before training begins, with the model and
 * the arrays; 0: it is `profile`, the framework imported, and both come on top.
 */
int
process_measure(memmodel_context *context, const struct simulation *simulation, int64_t base_bytes, int64_t profile,
                struct memmodel_report_result *peak);

#endif
